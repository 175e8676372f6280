package sim

import (
	"testing"

	"pgregory.net/rapid"
)

func TestALateCopyUndoesASetAndNotAConditionalUpdate(t *testing.T) {
	for form, want := range map[Form]struct {
		status string
		rows   [3]int
		count  int
	}{
		FormSet:         {"SHIPPED", [3]int{1, 1, 1}, 0},
		FormUpsert:      {"SHIPPED", [3]int{1, 1, 1}, 0},
		FormConditional: {"DELIVERED", [3]int{1, 1, 0}, 0},
		FormIncrement:   {"PACKED", [3]int{1, 1, 1}, 3},
	} {
		status, updates := LateCopy()
		written := ApplyUpdates(form, status, updates)
		last := written[len(written)-1]
		if last.Status != want.status || last.Count != want.count {
			t.Errorf("%v ends with %s and %d, want %s and %d", form, last.Status, last.Count, want.status, want.count)
		}
		for i, w := range written {
			if w.Rows != want.rows[i] {
				t.Errorf("%v: message %d changes %d rows, want %d", form, i+1, w.Rows, want.rows[i])
			}
		}
	}
}

// Twice in a row is as good as once, in every form but the increment.
func TestAnImmediateCopyChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := []string{"NEW", "PACKED", "SHIPPED", "DELIVERED"}
		state := rapid.SampledFrom(states)
		start := state.Draw(t, "start")
		u := Update{"m", state.Draw(t, "from"), state.Draw(t, "to")}
		form := rapid.SampledFrom([]Form{FormSet, FormConditional, FormUpsert}).Draw(t, "form")
		if u.From == u.To && form == FormConditional {
			t.Skip("it does not change the state that it expects")
		}
		once := ApplyUpdates(form, start, []Update{u})
		twice := ApplyUpdates(form, start, []Update{u, u})
		if once[0].Status != twice[1].Status {
			t.Fatalf("%v: once %v, twice %v", form, once, twice)
		}
	})
}

func TestEveryHopMustPassTheKeyOn(t *testing.T) {
	for want, hops := range map[int][][]KeyAt{
		1: {{}, {KeyForwarded}, {KeyForwarded, KeyForwarded}},
		3: {{KeyMade}, {KeyDropped}, {KeyForwarded, KeyMade}, {KeyDropped, KeyForwarded}},
	} {
		for _, h := range hops {
			if got := ChargesThroughHops(3, h...); got != want {
				t.Errorf("%v: %d charges, want %d", h, got, want)
			}
		}
	}
	if got := ChargesThroughHops(0, KeyForwarded); got != 0 {
		t.Errorf("no try charges %d times", got)
	}
}
