package inspect

import (
	"errors"
	"strings"
	"testing"
)

var answerColumns = []KeyColumn{{Column: "id", Kind: PartText}}

func answersText(l AnswerList) string {
	var out []string
	for _, a := range l.Answers {
		line := a.Key.String() + " " + string(a.Outcome) + " " + a.Reference
		if a.Result != nil {
			line += " " + *a.Result
		}
		out = append(out, line)
	}
	return strings.Join(out, "|")
}

func TestReadAnswers(t *testing.T) {
	for name, c := range map[string]struct{ file, reference, want string }{
		"without a header":          {"a,charged,ch_1\nb,not-charged,q_2\n", "", "a charged ch_1|b not-charged q_2"},
		"as exported and filled in": {"key,provider_key,claimed_at,owner,outcome,reference\na,wd-1,2026-03-01,w1,charged,ch_1\n", "", "a charged ch_1"},
		"another order, one result": {"Outcome,Reference,Key,Result\nnot charged,q,a,\nCHARGED,ch,b,\"{\"\"n\"\": 1}\"\n", "", `a not-charged q|b charged ch {"n": 1}`},
		"a byte order mark and CR":  {"\uFEFFkey,outcome,reference\r\na,charged,ch_1\r\n\r\nb,charged,ch_2", "", "a charged ch_1|b charged ch_2"},
		"CR alone":                  {"a,charged,ch_1\rb,charged,ch_2\r", "", "a charged ch_1|b charged ch_2"},
		"semicolons":                {"key;outcome;reference\na;charged;x,y\n", "", "a charged x,y"},
		"one reference for all":     {"key,outcome\na,charged\n", "ticket 7", "a charged ticket 7"},
		"repeats that agree":        {"a,charged,ch_1\na,charged,ch_1\n", "", "a charged ch_1"},
		"blank fields and spaces":   {"key,outcome,reference\n,,\n a , charged , ch_1 \n", "", "a charged ch_1"},
	} {
		list, err := ReadAnswers(c.file, c.reference, answerColumns)
		if got := answersText(list); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
	if list, _ := ReadAnswers("a,charged,c\na,charged,c\na,charged,c\n", "", answerColumns); list.Repeats != 2 {
		t.Errorf("%d repeats, want 2", list.Repeats)
	}
}

func TestReadAnswersNamesEveryBadLineAndUsesNothing(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"an unknown outcome":  {"a,charged,ch\nb,maybe,ch\n", `line 2: outcome "maybe" is neither charged nor not-charged`},
		"no outcome":          {"key,outcome,reference\na,,\n", "line 2: it has no outcome"},
		"no reference":        {"a,charged\n", "line 1: it has no reference"},
		"no key":              {"key,outcome,reference\n,charged,ch\n", "line 2: it has no key"},
		"two answers":         {"a,charged,ch\n\na,not-charged,q\n", "line 3: key a has another answer on line 1"},
		"two references":      {"a,charged,ch\na,charged,ci\n", "line 2: key a has another answer on line 1"},
		"a key of no form":    {"text:\\q,charged,ch\n", "line 1: "},
		"no CSV":              {"a,charged,ch\nb,\"cha\"rged,ch\n", "line 2: it is no CSV"},
		"empty":               {"", "line 1: the file holds no answer"},
		"a header alone":      {"key,outcome,reference\n", "line 1: the file holds no answer"},
		"several, all named":  {"a,x,1\nb,charged,1\nc,y,1\n", "line 3: "},
		"many, some counted":  {strings.Repeat("a,x,1\n", 8), "and 3 more"},
		"a line after quotes": {"a,charged,\"two\nlines\"\nb,x,1\n", "line 3: "},
	} {
		list, err := ReadAnswers(c.file, "", answerColumns)
		var bad BadLines
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || len(list.Answers) > 0 {
			t.Errorf("%s: %v with %d answers, want %q", name, err, len(list.Answers), c.want)
		}
	}
}
