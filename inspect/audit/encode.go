package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

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
	w := rowWriter{out: head}
	w.text(`"rows":[`)
	for i, row := range rows {
		if i > 0 {
			w.text(",")
		}
		began := len(w.out)
		if err := w.row(row); err != nil {
			return nil, err
		}
		if size := len(w.out) - began; i == 0 {
			w.out = slices.Grow(w.out, (size+size/4+16)*len(rows))
		}
	}
	w.text("]}\n")
	return w.out, nil
}

// encodeOutcome is encodeRecord for an outcome, whose keys are written by hand
// for the same reason.
func encodeOutcome(record outcomeLine) ([]byte, error) {
	keys := record.Released
	record.Released = nil
	content, err := encodeRecord(record)
	if err != nil || len(keys) == 0 {
		return content, err
	}
	head, ok := bytes.CutSuffix(content, []byte("}\n"))
	if !ok {
		return nil, fmt.Errorf("an outcome is no object")
	}
	w := rowWriter{out: head}
	w.text(`,"released":[`)
	for i, key := range keys {
		if i > 0 {
			w.text(",")
		}
		if err := w.key(key); err != nil {
			return nil, err
		}
	}
	w.text("]}\n")
	return w.out, nil
}

func encodeRecord(record any) ([]byte, error) {
	var content bytes.Buffer
	encoder := json.NewEncoder(&content) // ends the line, and no other newline stands in it
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(record)
	return content.Bytes(), err
}

// rowWriter writes rows as encoding/json does.
type rowWriter struct {
	out   []byte
	heads []columnHead // by the column's place
	spans [][2]int     // where the values before stand in out
}

// columnHead is what stands before a column's value.
type columnHead struct{ column, text string }

func (w *rowWriter) text(s string) { w.out = append(w.out, s...) }

func (w *rowWriter) json(name string, v any) error {
	content, err := json.Marshal(v)
	w.text(name)
	w.out = append(w.out, content...)
	return err
}

func (w *rowWriter) row(row inspect.AuditRow) error {
	w.text(`{"key":`)
	if err := w.key(row.Key); err != nil {
		return err
	}
	w.spans = w.spans[:0]
	w.text(`,"before":`)
	if err := w.columns(row.Before, nil); err != nil {
		return err
	}
	w.text(`,"after":`)
	if err := w.columns(row.After, row.Before); err != nil {
		return err
	}
	if row.Settlement != nil {
		if err := w.json(`,"settlement":`, row.Settlement); err != nil {
			return err
		}
	}
	if len(row.With) > 0 {
		if err := w.json(`,"with":`, row.With); err != nil {
			return err
		}
	}
	w.text("}")
	return nil
}

func (w *rowWriter) key(key inspect.Key) error {
	parts := key.Parts()
	for _, p := range parts {
		if p.IsNull || p.Kind == inspect.PartBytes || p.Value == "" || !plain(p.Column) || !plain(p.Value) {
			return w.json("", key)
		}
	}
	before := `[{"column":"`
	for _, p := range parts {
		w.text(before)
		w.text(p.Column)
		w.text(`","kind":"`)
		w.text(string(p.Kind))
		w.text(`","value":"`)
		w.text(p.Value)
		before = `"},{"column":"`
	}
	if len(parts) == 0 {
		w.text("[]")
		return nil
	}
	w.text(`"}]`)
	return nil
}

// columns writes values; those that are the same ones as before, which were
// written last, are copied.
func (w *rowWriter) columns(columns, before []inspect.ColumnValue) error {
	if columns == nil {
		w.text("null")
		return nil
	}
	w.text("[")
	for i, c := range columns {
		if i > 0 {
			w.text(",")
		}
		if i < len(before) && c == before[i] {
			w.out = append(w.out, w.out[w.spans[i][0]:w.spans[i][1]]...)
			continue
		}
		began := len(w.out)
		if err := w.column(i, c); err != nil {
			return err
		}
		if before == nil {
			w.spans = append(w.spans, [2]int{began, len(w.out)})
		}
	}
	w.text("]")
	return nil
}

func (w *rowWriter) column(i int, c inspect.ColumnValue) error {
	if !plain(c.Column) || c.Value != nil && !plain(*c.Value) {
		return w.json("", c)
	}
	if i >= len(w.heads) {
		w.heads = append(w.heads, make([]columnHead, i+1-len(w.heads))...)
	}
	if w.heads[i].column != c.Column || w.heads[i].text == "" {
		w.heads[i] = columnHead{c.Column, `{"column":"` + c.Column + `","value":`}
	}
	w.text(w.heads[i].text)
	if c.Value == nil {
		w.text("null}")
		return nil
	}
	w.text(`"`)
	w.text(*c.Value)
	w.text(`"}`)
	return nil
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
