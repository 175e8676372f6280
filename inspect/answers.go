package inspect

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// AnswerList is a file of answers as a person filled it in.
type AnswerList struct {
	Answers []KeyAnswer // one a key, in the order given
	Repeats int         // lines that say the same of the same key again
}

// BadLines are the lines of a file that are no answers. Nothing of such a file
// is used.
type BadLines []BadLine

// BadLine is one of them.
type BadLine struct {
	Line int // from 1
	What string
}

// badLinesNamed is how many lines an error names; the rest it counts.
const badLinesNamed = 5

// Error is one line for a person.
func (b BadLines) Error() string {
	var parts []string
	for _, bad := range b[:min(len(b), badLinesNamed)] {
		parts = append(parts, fmt.Sprintf("line %d: %s", bad.Line, bad.What))
	}
	if more := len(b) - badLinesNamed; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// ReadAnswers reads CSV with the columns key, outcome, reference and, if there
// is one, result. Their order is that of the header; other columns are left
// alone; without a header it is key, outcome, reference. A byte order mark,
// carriage returns, blank lines and semicolons in place of commas, as
// spreadsheets write them, are tolerated. reference stands in where a line
// has none. An error is a BadLines.
func ReadAnswers(text, reference string, columns []KeyColumn) (AnswerList, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = -1
	if first, _, _ := strings.Cut(text, "\n"); strings.Contains(first, ";") && !strings.Contains(first, ",") {
		reader.Comma = ';'
	}
	r := answerReader{columns: columns, reference: reference, seen: map[Key]seenAnswer{}}
	for {
		record, err := reader.Read()
		var bad *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return r.end()
		case errors.As(err, &bad):
			r.refuse(bad.StartLine, "it is no CSV: %v", bad.Err)
			return r.end() // what follows cannot be told apart
		case err != nil:
			return AnswerList{}, fmt.Errorf("read answers: %w", err)
		}
		line, _ := reader.FieldPos(0)
		for i := range record {
			record[i] = strings.TrimSpace(record[i])
		}
		r.record(line, record)
	}
}

// answerReader takes in one record after the other.
type answerReader struct {
	columns   []KeyColumn
	reference string
	places    map[string]int // of the fields, by name; nil before the first record
	list      AnswerList
	seen      map[Key]seenAnswer
	bad       BadLines
}

type seenAnswer struct {
	Settlement
	line   int
	result string
}

func (r *answerReader) refuse(line int, format string, args ...any) {
	r.bad = append(r.bad, BadLine{line, fmt.Sprintf(format, args...)})
}

func (r *answerReader) end() (AnswerList, error) {
	if len(r.bad) > 0 {
		return AnswerList{}, r.bad
	}
	if len(r.list.Answers) == 0 {
		return AnswerList{}, BadLines{{1, "the file holds no answer: it needs key,outcome,reference"}}
	}
	return r.list, nil
}

// header takes the first record as the names of the fields, if it is that.
func (r *answerReader) header(record []string) bool {
	named := map[string]int{}
	for i, name := range record {
		if name = strings.ToLower(name); name != "" {
			named[name] = i
		}
	}
	_, key := named["key"]
	_, outcome := named["outcome"]
	if key && outcome {
		r.places = named
		return true
	}
	r.places = map[string]int{"key": 0, "outcome": 1, "reference": 2}
	return false
}

func (r *answerReader) record(line int, record []string) {
	if r.places == nil && r.header(record) || !slices.ContainsFunc(record, func(s string) bool { return s != "" }) {
		return
	}
	field := func(name string) string {
		if i, ok := r.places[name]; ok && i < len(record) {
			return record[i]
		}
		return ""
	}
	if field("key") == "" {
		r.refuse(line, "it has no key")
		return
	}
	key, err := ParseKey(field("key"), r.columns)
	if err != nil {
		r.refuse(line, "%v", err)
		return
	}
	answer := KeyAnswer{Key: key, Settlement: Settlement{Reference: field("reference")}}
	if answer.Reference == "" {
		answer.Reference = r.reference
	}
	result := field("result")
	if result != "" {
		answer.Result = &result
	}
	if answer.Outcome, err = ParseAnswer(field("outcome")); err != nil {
		r.refuse(line, "%v", err)
		return
	}
	before, again := r.seen[key]
	switch {
	case answer.Reference == "":
		r.refuse(line, "it has no reference: where the provider has the answer")
	case again && (before.Outcome != answer.Outcome || before.Reference != answer.Reference || before.result != result):
		r.refuse(line, "key %s has another answer on line %d", key, before.line)
	case again:
		r.list.Repeats++
	default:
		r.seen[key] = seenAnswer{answer.Settlement, line, result}
		r.list.Answers = append(r.list.Answers, answer)
	}
}

// ParseAnswer reads an outcome as people write it.
func ParseAnswer(s string) (Answer, error) {
	switch strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(s)) {
	case "charged":
		return AnswerCharged, nil
	case "not-charged":
		return AnswerNotCharged, nil
	case "":
		return "", errors.New("it has no outcome: write charged or not-charged, or leave the line out")
	}
	return "", fmt.Errorf("outcome %q is neither charged nor not-charged", s)
}
