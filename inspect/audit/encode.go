package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"idemtui/inspect"
)

// encodeIntent is encodeRecord for an intent, whose rows are written by hand: a
// bulk release writes thousands of them between its statements, and reflection
// would take longer than the database does.
func encodeIntent(record intentLine) ([]byte, error) {
	rows := record.Intent.Rows
	record.Intent.Rows = nil
	content, err := encodeRecord(record)
	if err != nil || len(rows) == 0 {
		return content, err
	}
	head, ok := bytes.CutSuffix(content, []byte(`"rows":null}`+"\n"))
	if !ok {
		return nil, fmt.Errorf("the rows are not the last field of an intent")
	}
	first, err := appendRow(nil, rows[0])
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(head)+(len(first)+len(first)/4+16)*len(rows)), head...)
	out = append(out, `"rows":[`...)
	for i, row := range rows {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendRow(out, row); err != nil {
			return nil, err
		}
	}
	return append(out, "]}\n"...), nil
}

func encodeRecord(record any) ([]byte, error) {
	var content bytes.Buffer
	encoder := json.NewEncoder(&content) // ends the line, and no other newline stands in it
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(record)
	return content.Bytes(), err
}

// appendRow writes a row as encoding/json does.
func appendRow(out []byte, row inspect.AuditRow) ([]byte, error) {
	key, err := row.Key.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out = append(out, `{"key":`...)
	out = append(out, key...)
	if out, err = appendColumns(append(out, `,"before":`...), row.Before); err != nil {
		return nil, err
	}
	if out, err = appendColumns(append(out, `,"after":`...), row.After); err != nil {
		return nil, err
	}
	if row.Settlement != nil {
		settlement, err := json.Marshal(row.Settlement)
		if err != nil {
			return nil, err
		}
		out = append(append(out, `,"settlement":`...), settlement...)
	}
	if len(row.With) > 0 {
		with, err := json.Marshal(row.With)
		if err != nil {
			return nil, err
		}
		out = append(append(out, `,"with":`...), with...)
	}
	return append(out, '}'), nil
}

func appendColumns(out []byte, columns []inspect.ColumnValue) ([]byte, error) {
	if columns == nil {
		return append(out, "null"...), nil
	}
	out = append(out, '[')
	for i, c := range columns {
		if i > 0 {
			out = append(out, ',')
		}
		if c.Value != nil && !ascii(*c.Value) || !ascii(c.Column) {
			quoted, err := c.MarshalJSON()
			if err != nil {
				return nil, err
			}
			out = append(out, quoted...)
			continue
		}
		out = append(quote(append(out, `{"column":`...), c.Column), `,"value":`...)
		if c.Value == nil {
			out = append(out, "null}"...)
		} else {
			out = append(quote(out, *c.Value), '}')
		}
	}
	return append(out, ']'), nil
}

// ascii: the text is of printable ASCII.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// quote writes a text of printable ASCII.
func quote(out []byte, s string) []byte {
	out = append(out, '"')
	for {
		i := strings.IndexAny(s, `"\`)
		if i < 0 {
			return append(append(out, s...), '"')
		}
		out = append(append(out, s[:i]...), '\\', s[i])
		s = s[i+1:]
	}
}
