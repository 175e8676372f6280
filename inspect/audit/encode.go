package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"idemtui/inspect"
)

// encodeIntent is encodeRecord for an intent, whose rows are written by hand: a
// bulk release writes thousands of them between its statements, and reflection
// would take longer than the database does. It gives the line to use, which
// must not keep it.
func encodeIntent(record intentLine, use func([]byte) error) error {
	rows := record.Intent.Rows
	record.Intent.Rows = nil
	content, err := encodeRecord(record)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return use(content)
	}
	head, ok := bytes.CutSuffix(content, []byte(`"rows":null}`+"\n"))
	if !ok {
		return fmt.Errorf("the rows are not the last field of an intent")
	}
	first, second := buffers.Get().(*[]byte), buffers.Get().(*[]byte)
	defer func() {
		buffers.Put(first)
		buffers.Put(second)
	}()
	half := len(rows)
	if half >= 2*worthwhile {
		half /= 2
	}
	// The database waits meanwhile, so that its core is free too.
	var wait sync.WaitGroup
	var other error
	wait.Go(func() { *second, other = appendRows((*second)[:0], rows[half:]) })
	out, err := appendRows(append(append((*first)[:0], head...), `"rows":[`...), rows[:half])
	wait.Wait()
	if half < len(rows) {
		out = append(append(out, ','), *second...)
	}
	out = append(out, "]}\n"...)
	*first = out
	if err = errors.Join(err, other); err != nil {
		return err
	}
	return use(out)
}

// worthwhile is how many rows are worth a goroutine.
const worthwhile = 50

// buffers hold lines while they are written: megabytes for each batch otherwise.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// encodeOutcome is encodeRecord for an outcome, whose keys are written by hand
// for the same reason.
func encodeOutcome(record outcomeLine) ([]byte, error) {
	keys := record.Released
	record.Released = nil
	content, err := encodeRecord(record)
	if err != nil || len(keys) == 0 {
		return content, err
	}
	out, ok := bytes.CutSuffix(content, []byte("}\n"))
	if !ok {
		return nil, fmt.Errorf("an outcome is no object")
	}
	out = append(out, `,"released":[`...)
	for i, key := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendKey(out, key); err != nil {
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

// rowWriter writes rows as encoding/json does. It remembers what stands before
// the value of each column, and where the values before the write are.
type rowWriter struct {
	heads []columnHead
	spans [][2]int
}

type columnHead struct{ column, text string }

func appendRows(out []byte, rows []inspect.AuditRow) ([]byte, error) {
	var w rowWriter
	var err error
	for i, row := range rows {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = w.row(out, row); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (w *rowWriter) row(out []byte, row inspect.AuditRow) ([]byte, error) {
	out, err := appendKey(append(out, `{"key":`...), row.Key)
	if err == nil {
		w.spans = w.spans[:0]
		out, err = w.columns(append(out, `,"before":`...), row.Before, nil)
	}
	if err == nil {
		out, err = w.columns(append(out, `,"after":`...), row.After, row.Before)
	}
	if err == nil && row.Settlement != nil {
		out, err = appendJSON(append(out, `,"settlement":`...), row.Settlement)
	}
	if err == nil && len(row.With) > 0 {
		out, err = appendJSON(append(out, `,"with":`...), row.With)
	}
	return append(out, '}'), err
}

func appendJSON(out []byte, v any) ([]byte, error) {
	content, err := json.Marshal(v)
	return append(out, content...), err
}

func appendKey(out []byte, key inspect.Key) ([]byte, error) {
	parts := key.Parts()
	for _, p := range parts {
		if p.IsNull || p.Kind == inspect.PartBytes || p.Value == "" || !plain(p.Column) || !plain(p.Value) {
			return appendJSON(out, key)
		}
	}
	out = append(out, '[')
	for i, p := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, `{"column":"`...), p.Column...)
		out = append(append(out, `","kind":"`...), p.Kind...)
		out = append(append(append(out, `","value":"`...), p.Value...), `"}`...)
	}
	return append(out, ']'), nil
}

// columns writes values; those that are the same ones as before, which were
// written last, are copied.
func (w *rowWriter) columns(out []byte, columns, before []inspect.ColumnValue) ([]byte, error) {
	if columns == nil {
		return append(out, "null"...), nil
	}
	out = append(out, '[')
	var err error
	for i, c := range columns {
		if i > 0 {
			out = append(out, ',')
		}
		if i < len(before) && c == before[i] {
			out = append(out, out[w.spans[i][0]:w.spans[i][1]]...)
			continue
		}
		began := len(out)
		if out, err = w.column(out, i, c); err != nil {
			return out, err
		}
		if before == nil {
			w.spans = append(w.spans, [2]int{began, len(out)})
		}
	}
	return append(out, ']'), nil
}

func (w *rowWriter) column(out []byte, i int, c inspect.ColumnValue) ([]byte, error) {
	for i >= len(w.heads) {
		w.heads = append(w.heads, columnHead{})
	}
	if w.heads[i].column != c.Column || w.heads[i].text == "" {
		if !plain(c.Column) {
			return appendJSON(out, c)
		}
		w.heads[i] = columnHead{c.Column, `{"column":"` + c.Column + `","value":`}
	}
	switch {
	case c.Value == nil:
		return append(append(out, w.heads[i].text...), "null}"...), nil
	case !plain(*c.Value):
		return appendJSON(out, c)
	}
	out = append(append(append(out, w.heads[i].text...), '"'), *c.Value...)
	return append(out, `"}`...), nil
}

// plain: the text is of printable ASCII, and stands in JSON as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
