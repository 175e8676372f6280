package cli

import (
	"fmt"
	"testing"

	"idemtui/inspect"
)

func TestR3_RowsOfEveryStateAreCounted(t *testing.T) {
	exact := func(n int64) inspect.Count { return inspect.Count{Rows: n, Exact: true} }
	many := map[string]inspect.Count{"\x1b[2J": exact(1), "": exact(2)}
	for i := range 9 {
		many[fmt.Sprint("s", i)] = exact(int64(20 - i))
	}
	for want, s := range map[string]inspect.Summary{
		"rows: processing 3 · free 5 · done 22 · unmapped 1 (Delayed 1)": {
			Claimed: exact(3), Unmapped: map[string]inspect.Count{"Delayed": exact(1)},
			ByState: map[inspect.State]inspect.Count{inspect.StateProcessing: exact(3), inspect.StateFree: exact(5), inspect.StateDone: exact(22), inspect.StateFailed: exact(0), inspect.StateUnmapped: exact(1)},
		},
		"rows: processing 80 · done ~399,880": {Claimed: exact(80), ByState: map[inspect.State]inspect.Count{inspect.StateDone: {Rows: 399880}}},
		"rows: processing 0 · unmapped 147 (s0 20, s1 19, s2 18, s3 17, s4 16, s5 15, s6 14, s7 13, and 3 more)": {
			Claimed: exact(0), Unmapped: many, ByState: map[inspect.State]inspect.Count{inspect.StateUnmapped: exact(147)},
		},
		"rows: processing 0 · unmapped 3 (empty 2, \\x1b[2J 1)": {
			Claimed: exact(0), Unmapped: map[string]inspect.Count{"\x1b[2J": exact(1), "": exact(2)}, ByState: map[inspect.State]inspect.Count{inspect.StateUnmapped: exact(3)},
		},
		"": {Claimed: exact(2), ByState: map[inspect.State]inspect.Count{inspect.StateProcessing: exact(2)}},
	} {
		if got := statesLine(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
