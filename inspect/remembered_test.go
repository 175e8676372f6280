package inspect_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idemtui/inspect"
	"idemtui/retention"
)

func TestWhatATableRemembersIsSaidOrSaidToBeUnknown(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	known := inspect.Health{
		At:    at,
		Table: inspect.Table{Mapping: inspect.Mapping{CompletedAt: "completed_at"}},
		Facts: inspect.TableFacts{
			OldestFinished: inspect.At(at.Add(-13*24*time.Hour - 21*time.Hour - 59*time.Minute)),
			RowsPerDay:     inspect.Some[int64](84000), RowBytes: inspect.Some[int64](212), Sampled: true,
		},
	}
	unknown := inspect.Health{At: at}
	for _, c := range []struct {
		health  inspect.Health
		want    []string
		command string
	}{
		{known, []string{"13d21h59m old", "an older one may exist", "84,000 finished", "212 bytes"}, " \\\n  --dedup-retention 13d21h --rows-per-day 84000 --row-bytes 212"},
		{unknown, []string{"no column says when", "rows a day not known", "never analyzed"}, "--max-downtime DOWNTIME"},
	} {
		var all strings.Builder
		for _, f := range c.health.Remembered() {
			all.WriteString(f.Name + " " + f.Text + "\n")
		}
		for _, want := range c.want {
			if !strings.Contains(all.String(), want) {
				t.Errorf("%q is missing in\n%s", want, all.String())
			}
		}
		if got := c.health.RetentionCommand(); !strings.HasSuffix(got, c.command) {
			t.Errorf("the command is %s", got)
		}
	}
}

// What the command states of the table is never more than was seen: more would
// make an unsafe table look safe.
func TestTheRetentionCommandNeverStatesMoreThanWasSeen(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		age := time.Duration(rapid.Int64Range(-int64(time.Hour), int64(4000*24*time.Hour)).Draw(t, "age"))
		h := inspect.Health{At: at, Facts: inspect.TableFacts{OldestFinished: inspect.At(at.Add(-age))}}
		_, stated, given := strings.Cut(h.RetentionCommand(), "--dedup-retention ") // the last flag here
		if !given {
			if age >= time.Second {
				t.Fatalf("%s is not stated", age)
			}
			return
		}
		d, err := retention.ParseDuration(stated)
		// A stored time is cut to microseconds, which makes a row older by less.
		if err != nil || d > age+time.Microsecond {
			t.Fatalf("%s is stated as %s (%v)", age, stated, err)
		}
	})
}
