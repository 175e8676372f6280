package retention

import (
	"fmt"
	"strings"
)

// Row is one line of a report, as every format for people prints it.
type Row struct {
	Name       string // words, as in the glossary
	Length     string // compact, or "unbounded"
	Seconds    string
	Arithmetic string
	Source     string
}

// Rows lists the deciding source's terms, the two bounds, and what the table
// keeps.
func (r Report) Rows() []Row {
	rows := make([]Row, 0, len(r.Terms)+4)
	for _, t := range r.Terms {
		row := newRow(strings.ReplaceAll(t.Name, "-", " "), t.Seconds, t.Arithmetic, t.Source)
		rows = append(rows, row)
	}
	decides := ""
	if len(r.Sources) > 1 {
		decides = "the largest of " + fmt.Sprint(len(r.Sources)) + " sources"
	}
	rows = append(rows, newRow("required", r.RequiredSeconds, "the rule: the sum", decides))
	if r.RequiredSeconds != nil {
		rows = append(rows, newRow("reachable", r.ReachableSeconds, "the tight bound", ""))
	}
	if r.AssumedSeconds != nil {
		rows = append(rows, newRow("assumed", r.AssumedSeconds, "holds only if its assumption does", ""))
	}
	if r.HaveSeconds != nil {
		rows = append(rows, newRow("kept", r.HaveSeconds, "", r.Table.Source))
	}
	return rows
}

func newRow(name string, length *Millis, arithmetic, source string) Row {
	row := Row{Name: name, Length: "unbounded", Arithmetic: arithmetic, Source: source}
	if length != nil {
		row.Length, row.Seconds = length.String(), length.Seconds()
	}
	return row
}

// Remarks are the lines below the rows: what is missing, what was assumed, the
// caveats of the terms and the warnings.
func (r Report) Remarks() []string {
	var lines []string
	for _, name := range r.Missing {
		lines = append(lines, "missing: "+name)
	}
	for _, a := range r.Assumptions {
		lines = append(lines, "assumed: "+a.Name+": "+a.Text)
	}
	for _, t := range r.Terms {
		for _, caveat := range t.Caveats {
			lines = append(lines, strings.ReplaceAll(t.Name, "-", " ")+": "+caveat)
		}
	}
	for _, w := range r.Warnings {
		lines = append(lines, "warning "+string(w.Code)+": "+w.Text)
	}
	return append(lines, r.growth()...)
}

// growth says how large the table is at the required retention.
func (r Report) growth() []string {
	t := r.Table
	if t.RowsAtRequired == nil {
		return nil
	}
	line := fmt.Sprintf("table: %d rows at the required retention, at %d a day", *t.RowsAtRequired, *t.RowsPerDay)
	if t.BytesAtRequired != nil {
		line += fmt.Sprintf("; %s at %d bytes a row with indexes", gigabytes(*t.BytesAtRequired), *t.RowBytes)
	}
	return []string{line}
}

// gigabytes writes a size in decimal GB or MB, rounded up to a hundredth.
func gigabytes(bytes int64) string {
	unit, name := int64(1_000_000), "MB"
	if bytes >= 1_000_000_000 {
		unit, name = 1_000_000_000, "GB"
	}
	hundredths := bytes / (unit / 100)
	if bytes%(unit/100) > 0 {
		hundredths++
	}
	return fmt.Sprintf("%d.%02d %s", hundredths/100, hundredths%100, name)
}
