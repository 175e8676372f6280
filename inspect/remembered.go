package inspect

import (
	"fmt"
	"time"
)

// Fact is one line of what a table shows, for people.
type Fact struct {
	Name string
	Text string
}

// observedKept is the age of the oldest finished row, at the database's time.
// It is what the table shows to keep; a rule may keep less of newer rows, and
// a table younger than its rule shows less than it will keep.
func (h Health) observedKept() (time.Duration, bool) {
	oldest := h.Facts.OldestFinished
	if !oldest.Valid() || oldest.Time.After(h.At) {
		return 0, false
	}
	return h.At.Sub(oldest.Time), true
}

// Remembered lists what the table shows of how long it remembers a finished
// message, and how fast it grows. What is not known is said to be so.
func (h Health) Remembered() []Fact {
	f := h.Facts
	kept := "not known: no finished row is in sight, or it cannot be read without a scan"
	if h.Table.Mapping.CompletedAt == "" {
		kept = "not known: no column says when a message was finished"
	}
	if age, ok := h.observedKept(); ok {
		kept = fmt.Sprintf("%s old, finished at %s", FormatSpan(age), f.OldestFinished.Time.UTC().Format("2006-01-02 15:04:05Z"))
		if f.Sampled {
			kept += "; from the table's statistics, so that an older one may exist"
		}
	}
	facts := []Fact{{"oldest finished row", kept}}
	rows := "not known"
	if f.RowsPerDay.OK {
		rows = groupDigits(f.RowsPerDay.V) + " finished in the last 24 hours"
	}
	facts = append(facts, Fact{"rows a day", rows})
	size := "not known: the table was never analyzed"
	if f.RowBytes.OK {
		size = bytesText(float64(f.RowBytes.V)) + " with its indexes"
	}
	return append(facts, Fact{"size of a row", size})
}

// RetentionCommand is the command, in up to two lines of a shell, that compares what the
// table keeps with how long a duplicate can still arrive. SOURCE_LIFE and DOWNTIME stand for what only
// the broker and its operators know.
func (h Health) RetentionCommand() string {
	line, rest := "idemtui retention --broker-retention SOURCE_LIFE --max-downtime DOWNTIME", ""
	if age, ok := h.observedKept(); ok && age >= time.Second {
		rest += " --dedup-retention " + FormatSpan(shortened(age))
	}
	if f := h.Facts; f.RowsPerDay.OK && f.RowsPerDay.V > 0 {
		rest += fmt.Sprintf(" --rows-per-day %d", f.RowsPerDay.V)
		if f.RowBytes.OK && f.RowBytes.V > 0 {
			rest += fmt.Sprintf(" --row-bytes %d", f.RowBytes.V)
		}
	}
	if rest == "" {
		return line
	}
	return line + " \\\n " + rest
}

// shortened cuts a span to what people compare: never to more than it is.
func shortened(d time.Duration) time.Duration {
	switch {
	case d >= 48*time.Hour:
		return d.Truncate(time.Hour)
	case d >= time.Hour:
		return d.Truncate(time.Minute)
	}
	return d.Truncate(time.Second)
}
