package sim

import (
	"strings"
	"testing"
)

// play runs a schedule such as "D1 check-new, env expire, D2 fenced" and fails
// where a transition does not have the label that the schedule names.
func play(t *testing.T, h *Handler, schedule string) (Cell, map[string]*Delivery) {
	t.Helper()
	c, ds := Cell{}, map[string]*Delivery{}
	for i, move := range strings.Split(schedule, ", ") {
		by, want, _ := strings.Cut(move, " ")
		var got Label
		d := ds[by]
		if d == nil && by != "env" {
			d = &Delivery{}
			ds[by] = d
		}
		switch want {
		case "expire":
			got, _ = h.Expire(&c, false)
		case "expire-slow":
			got, _ = h.Expire(&c, true)
		case "forget":
			got, _ = h.Forget(&c)
		case "crash":
			got, _ = h.Crash(&c, d)
		default:
			o := OK
			if want == "charge-fail" {
				o = Fail
			} else if want == "charge-timeout" {
				o = Timeout
			}
			var busy bool
			before, dBefore := c, *d
			if got, busy = h.Step(&c, d, o); busy {
				if c != before || *d != dBefore {
					t.Fatalf("%s: move %d (%s): busy changed something", h.Name, i+1, move)
				}
				want = strings.TrimPrefix(want, "busy")
			}
		}
		if got.String() != want {
			t.Fatalf("%s: move %d (%s): got %q", h.Name, i+1, move, got)
		}
	}
	return c, ds
}

func TestStepSchedules(t *testing.T) {
	tests := []struct {
		handler, schedule string
		charges           uint32
		rec               Rec
	}{
		{"none", "D1 charge, D2 charge, D1 ack, D2 ack", 2, RecAbsent},
		{"none", "D1 charge-fail, D1 charge-timeout, D1 charge, D1 ack", 2, RecAbsent},
		{"check", "D1 check-new, D1 charge, D2 check-new, D2 charge, D1 remember, D1 ack, D2 remember, D2 ack", 2, RecAbsent},
		{"check", "D1 check-new, D1 charge, D1 remember, D2 check-seen, D2 ack, D1 ack", 1, RecAbsent},
		{"check", "D1 check-new, D1 charge, D1 remember, env forget, D2 check-new, D2 charge", 2, RecAbsent},
		{"claim", "D1 claim-won, D2 claim-lost, D2 ack, D1 charge, D1 ack", 1, RecClaimed},
		{"claim", "D1 claim-won, D1 charge-fail, D1 claim-lost, D1 ack", 0, RecClaimed},
		{"claim", "D1 claim-won, D2 claim-lost, D2 ack, D1 crash, D1 claim-lost, D1 ack", 0, RecClaimed},
		{"claim", "D1 claim-won, env forget, D2 claim-won, D2 charge, D1 charge", 2, RecClaimed},
		{"release", "D1 claim-won, D1 charge-fail, D1 release, D1 claim-won, D1 charge, D1 ack", 1, RecClaimed},
		{"release", "D1 claim-won, D1 charge-timeout, D1 release, D1 claim-won, D1 charge", 2, RecClaimed},
		{"lease", "D1 claim-won, D2 busy, D1 charge, D1 complete, D2 claim-done, D2 ack, D1 ack", 1, RecDone},
		{"lease", "D1 claim-won, D1 charge, env expire-slow, D2 claim-takeover, D2 charge, D1 complete-stale, D2 complete", 2, RecDone},
		{"lease", "D1 claim-won, D1 charge, D1 crash, env expire, D1 claim-takeover, D1 charge", 2, RecClaimed},
		{"lease", "D1 claim-won, D1 charge-fail, D1 mark-failed, D1 claim-retry, D1 charge", 1, RecClaimed},
		{"lease", "D1 claim-won, D1 charge-fail, env expire-slow, D2 claim-takeover, D1 mark-failed-stale, D1 busy", 0, RecClaimed},
		{"lease", "D1 claim-won, D1 charge, D1 complete, env forget, D2 claim-won, D2 charge", 2, RecClaimed},
		{"fence", "D1 claim-won, env expire-slow, D2 claim-takeover, D2 charge, D1 fenced, D1 busy", 1, RecClaimed},
		{"fence", "D1 claim-won, D1 charge, env expire-slow, D2 claim-takeover, D2 charge", 2, RecClaimed},
		{"key", "D1 claim-won, D1 charge, D1 crash, env expire, D1 claim-takeover, D1 charge, D1 complete, D1 ack", 1, RecDone},
		{"keyonly", "D1 charge-timeout, D1 charge, D2 charge, D1 ack, D2 ack", 1, RecAbsent},
		{"natural", "D1 charge, D2 charge, D1 ack, D2 ack", 1, RecAbsent},
		{"increment", "D1 charge, D2 charge, D1 ack, D2 ack", 2, RecAbsent},
		{"onetx", "D1 claim-won, D2 busy, D1 charge-timeout, D1 rollback, D2 claim-won, D2 charge, D2 commit, D1 claim-done", 2, RecDone},
		{"onetx", "D1 claim-won, D1 charge, D1 crash, D2 claim-won, D2 charge, D2 commit, D2 ack", 2, RecDone},
	}
	for _, tt := range tests {
		h, ok := ByName(tt.handler)
		if !ok {
			t.Fatalf("no handler %q", tt.handler)
		}
		c, _ := play(t, h, tt.schedule)
		if c.Charges != tt.charges || c.Rec != tt.rec {
			t.Errorf("%s: %s: got %d charges and %v, want %d and %v", tt.handler, tt.schedule, c.Charges, c.Rec, tt.charges, tt.rec)
		}
	}
}

func TestHandlersInTheOrderOfTheCommandLine(t *testing.T) {
	want := "none check claim release lease fence key keyonly natural increment onetx"
	var names []string
	for i, h := range Handlers() {
		names = append(names, h.Name)
		if int(h.ID) != i || h.ID.Handler() != h || h.ID.String() != h.Name {
			t.Errorf("handler %s is out of place", h.Name)
		}
		for pc, op := range h.Program {
			if used := pc < h.Steps; used != (op.Kind != OpNone) || used != (op.Code != "") {
				t.Errorf("%s: step %d is half filled in", h.Name, pc)
			}
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEveryLabelHasANameOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for l := NoLabel; l < labelCount; l++ {
		if name := l.String(); seen[name] || (name == "") != (l == NoLabel) {
			t.Errorf("label %d is called %q", l, name)
		} else {
			seen[name] = true
		}
	}
}

func TestCrashAndForgetOnlyWhereAllowed(t *testing.T) {
	for _, h := range Handlers() {
		c, d := Cell{}, Delivery{PC: End}
		if _, ok := h.Crash(&c, &d); ok {
			t.Errorf("%s: an acknowledged delivery crashed", h.Name)
		}
		if _, ok := h.Forget(&c); ok {
			t.Errorf("%s: forgot an empty table", h.Name)
		}
		if _, ok := h.Expire(&c, true); ok {
			t.Errorf("%s: a lease that does not run lapsed", h.Name)
		}
	}
}

// BenchmarkStep: four steps in 23 ns, without allocation (one core of a 2 vCPU machine).
func BenchmarkStep(b *testing.B) {
	h := HandlerFence.Handler()
	b.ReportAllocs()
	for b.Loop() {
		c, d := Cell{}, Delivery{}
		for d.PC != End {
			h.Step(&c, &d, OK)
		}
	}
}
