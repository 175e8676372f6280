package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
)

// A list that a sink took is printed as one that was held in memory, in every
// format, a temporary file between or not.
func TestListTakenByASinkIsPrintedTheSame(t *testing.T) {
	for _, rows := range []int{0, 1, 40, 400} {
		var claims []inspect.Claim
		for i := range rows {
			c := judged(fmt.Sprintf("pay_%d\x1b", i), time.Duration(i)*time.Second, -time.Second)
			c.Owner, c.Notes = inspect.Some("worker\t7"), []string{"a note \u202e"}
			if rows == 400 { // more than memory takes
				c.Owner = inspect.Some(strings.Repeat("w", 4000))
			}
			if i%3 == 0 {
				c.ClaimedAt = inspect.At(at.AddDate(0, -1, 0)) // from long before: folded
			}
			claims = append(claims, c)
		}
		for _, format := range []string{formatTable, formatJSON, formatCSV, formatMarkdown} {
			for _, flags := range []listFlags{{format: format}, {format: format, state: "processing"}} {
				held := listed(&flags, claims...)
				for i := range held.all {
					held.all[i].Incident = inspect.IncidentOf(at, claims, nil)
					held.living[i].Incident = held.all[i].Incident
				}
				a, _ := newTestApp(t, nil)
				if err := held.print(a, format); err != nil {
					t.Fatal(err)
				}
				if got := printedBySink(t, held, claims); got != a.out.String() {
					t.Errorf("%d rows as %s: taken by a sink\n%.2000s\nheld\n%.2000s", rows, format, got, a.out.String())
				}
			}
		}
	}
}

// printedBySink gives the claims to a sink, after others that it must forget.
func printedBySink(t *testing.T, held *listing, claims []inspect.Claim) string {
	t.Helper()
	a, _ := newTestApp(t, nil)
	defer a.closeSpools()
	taken := &listing{mode: held.mode, flags: held.flags}
	sink := taken.newSink(a)
	for _, c := range append(append([]inspect.Claim{judged("of the look before", time.Hour, 0)}, claims...), claims...) {
		if err := sink.Take(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Reset(at); err != nil {
		t.Fatal(err)
	}
	for _, c := range claims {
		if err := sink.Take(c); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range held.all {
		s.Claims, s.Listed, s.Query.Sink = nil, int64(len(claims)), sink
		taken.all, taken.living = append(taken.all, s), append(taken.living, s)
	}
	if err := taken.print(a, held.flags.format); err != nil {
		t.Fatal(err)
	}
	return a.out.String()
}

func TestLongOutputGoesThroughAFileAndComesBackWhole(t *testing.T) {
	a, _ := newTestApp(t, nil)
	defer a.closeSpools()
	var want bytes.Buffer
	line := bytes.Repeat([]byte("x"), 100_000)
	for i := range 40 {
		a.printf("%d ", i)
		fmt.Fprintf(&want, "%d ", i)
		if i%8 == 3 {
			between := a.newSpool()
			for range i {
				_, _ = between.Write(line)
				want.Write(line)
			}
			a.out.attach(between)
		}
	}
	if got := a.out.String(); got != want.String() {
		t.Errorf("%d bytes came back of %d, or others", len(got), want.Len())
	}
}

// --exit-code asks about the claims that the filters ask for.
func TestExitCodeCountsWhatIsAskedFor(t *testing.T) {
	l := listed(&listFlags{owner: "w"}, judged("a", time.Hour, -time.Minute))
	l.living[0].Summary.Stuck, l.living[0].StuckMatching = 7, 0
	if l.stuck() != 0 {
		t.Error("stuck claims of other owners count")
	}
	l.living[0].StuckMatching = 2
	if l.stuck() != 2 {
		t.Error("stuck claims beyond the limit do not count")
	}
}

// A limit that reaches no claim of the incident still lists something.
func TestListOfLeftoversAloneDoesNotFoldAway(t *testing.T) {
	leftovers := []inspect.Claim{judged("old_1", 9*24*time.Hour, -8*24*time.Hour), judged("old_2", 8*24*time.Hour, -7*24*time.Hour)}
	incident := inspect.IncidentOf(at, append([]inspect.Claim{judged("pay_1", time.Hour, -time.Minute), judged("pay_2", time.Hour, -time.Minute)}, leftovers...), nil)
	if incident.Older.Claims != 2 {
		t.Fatalf("the leftovers are not told from the incident: %+v", incident)
	}
	held := listed(&listFlags{format: formatTable}, leftovers...)
	held.living[0].Incident, held.living[0].Matching = incident, inspect.Count{Rows: 4, Exact: true}
	a, _ := newTestApp(t, nil)
	if err := held.print(a, formatTable); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"old_1", "old_2", "2 of 4 shown"} {
		if !strings.Contains(a.out.String(), want) {
			t.Errorf("the list lacks %q:\n%s", want, a.out.String())
		}
	}
	if strings.Contains(a.out.String(), "folded") {
		t.Errorf("the list says that its own rows are folded away:\n%s", a.out.String())
	}
	held.all[0] = held.living[0]
	if got := printedBySink(t, held, leftovers); got != a.out.String() {
		t.Errorf("taken by a sink\n%s\nheld\n%s", got, a.out.String())
	}
}
