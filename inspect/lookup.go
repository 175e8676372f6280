package inspect

import (
	"context"
	"encoding/csv"
	"io"
	"strings"
	"time"
)

// Class is what a lookup says of one key. Each distinct key is in exactly one.
type Class string

// The classes. Alive counts claims whose verdict is alive, whatever their
// condition; unclear is a claim without lease or with times that are none.
const (
	ClassStuck    Class = "stuck"
	ClassHeld     Class = "held"
	ClassAlive    Class = "alive"
	ClassFailed   Class = "failed"
	ClassDone     Class = "done"
	ClassFree     Class = "free"
	ClassUnclear  Class = "unclear"
	ClassUnmapped Class = "unmapped"
	ClassNoRow    Class = "no_row"
)

// ClassOf is the class of a judged claim.
func ClassOf(c Claim) Class {
	switch c.State {
	case StateFailed:
		return ClassFailed
	case StateDone:
		return ClassDone
	case StateFree:
		return ClassFree
	case StateUnmapped:
		return ClassUnmapped
	}
	switch {
	case c.Verdict == VerdictAlive:
		return ClassAlive
	case c.Condition == ConditionStuck:
		return ClassStuck
	case c.Condition == ConditionHeld:
		return ClassHeld
	}
	return ClassUnclear
}

// KeyList is a list of keys as a person gave it.
type KeyList struct {
	Keys    []Key // distinct, in the order given
	Repeats int   // lines that repeat an earlier key
	Blank   int   // lines without a key
	// Bad are lines that are no key of this table, with the reason.
	Bad []BadKey
}

// BadKey is a line that is no key.
type BadKey struct {
	Line int // from 1
	Text string
	Err  error
}

// ReadKeys reads a pasted list or a file: a key a line, or the first column of
// a CSV (every line has the same number of commas, at least one). Carriage
// returns, blank lines and repeats are tolerated and counted.
func ReadKeys(text string, columns []KeyColumn) KeyList {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	if last := len(lines) - 1; lines[last] == "" { // the end of the last line
		lines = lines[:last]
	}
	table := isCSV(lines)
	var out KeyList
	seen := map[Key]bool{}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if table && line != "" {
			line = firstField(line)
		}
		if line == "" {
			out.Blank++
			continue
		}
		k, err := ParseKey(line, columns)
		switch {
		case err != nil:
			out.Bad = append(out.Bad, BadKey{Line: i + 1, Text: line, Err: err})
		case seen[k]:
			out.Repeats++
		default:
			seen[k] = true
			out.Keys = append(out.Keys, k)
		}
	}
	return out
}

// isCSV: every line that is not blank has as many fields as the first, and
// more than one.
func isCSV(lines []string) bool {
	fields := 0
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		record, err := csv.NewReader(strings.NewReader(line)).Read()
		if err != nil || len(record) < 2 || (fields > 0 && len(record) != fields) {
			return false
		}
		fields = len(record)
	}
	return fields > 0
}

func firstField(line string) string {
	record, err := csv.NewReader(strings.NewReader(line)).Read()
	if err != nil {
		return line
	}
	return strings.TrimSpace(record[0])
}

// Lookup is what a table says of a list of keys.
type Lookup struct {
	Database Database
	Table    Table
	At       time.Time
	Repeats  int
	Blank    int
	Keys     []LookedUp
}

// LookedUp is one distinct key; Claim is zero where there is no row.
type LookedUp struct {
	Key   Key
	Class Class
	Claim Claim
}

// Counts adds the keys up by class.
func (l Lookup) Counts() map[Class]int {
	out := map[Class]int{}
	for _, k := range l.Keys {
		out[k.Class]++
	}
	return out
}

// KeyReader is a Store that can say of many keys what their rows are.
type KeyReader interface {
	// Lookup reads keys, a thousand at a time, in one read-only transaction.
	Lookup(ctx context.Context, table Table, keys KeyList, before *Look) (Lookup, error)
}

// EncodeLookup writes idemtui.lookup/v1.
func EncodeLookup(w io.Writer, l Lookup) error {
	counts := l.Counts()
	doc := lookupJSON{
		Schema: SchemaLookup, Database: newDatabaseJSON(l.Database), Table: newTableJSON(l.Table), Keys: []lookedUpJSON{},
		Counts: lookupCountsJSON{
			Stuck: counts[ClassStuck], Held: counts[ClassHeld], Alive: counts[ClassAlive], Failed: counts[ClassFailed], Done: counts[ClassDone],
			Free: counts[ClassFree], NoRow: counts[ClassNoRow], Unclear: counts[ClassUnclear], Unmapped: counts[ClassUnmapped],
			Total: len(l.Keys), Repeats: l.Repeats, Blank: l.Blank,
		},
	}
	for _, k := range l.Keys {
		entry := lookedUpJSON{Key: k.Key.String(), Class: k.Class}
		if k.Class != ClassNoRow {
			c := newClaimJSON(k.Claim)
			entry.Claim = &c
		}
		doc.Keys = append(doc.Keys, entry)
	}
	return WriteJSON(w, doc)
}

// SchemaLookup is the schema of the lookup document.
const SchemaLookup = "idemtui.lookup/v1"

type lookupJSON struct {
	Schema   string           `json:"schema"`
	Database databaseJSON     `json:"database"`
	Table    tableJSON        `json:"table"`
	Counts   lookupCountsJSON `json:"counts"`
	Keys     []lookedUpJSON   `json:"keys"`
}

type lookupCountsJSON struct {
	Stuck    int `json:"stuck"`
	Held     int `json:"held"`
	Alive    int `json:"alive"`
	Failed   int `json:"failed"`
	Done     int `json:"done"`
	Free     int `json:"free"`
	NoRow    int `json:"no_row"`
	Unclear  int `json:"unclear"`
	Unmapped int `json:"unmapped"`
	Total    int `json:"total"`
	Repeats  int `json:"repeats"`
	Blank    int `json:"blank"`
}

type lookedUpJSON struct {
	Key   string     `json:"key"`
	Class Class      `json:"class"`
	Claim *claimJSON `json:"claim"`
}
