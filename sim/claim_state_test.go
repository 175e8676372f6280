package sim

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// claims lists how the claim on p1 stood, each state once as it came.
func claims(t *Trace) (states []ClaimState) {
	for n := range t.Len() + 1 {
		s := t.At(n)
		if state := t.Claim(&s, 0).State; len(states) == 0 || states[len(states)-1] != state {
			states = append(states, state)
		}
	}
	return states
}

func TestStatesOfAClaim(t *testing.T) {
	lease := exactly(HandlerLease)
	lease.Charge, lease.Lease, lease.Visibility = second, 2*second, 4*second
	for _, tt := range []struct {
		name    string
		handler HandlerID
		change  func(*Scenario)
		send    Send
		want    []ClaimState
	}{
		{"all is well", HandlerLease, nil, Send{}, []ClaimState{ClaimNoRow, ClaimRunning, ClaimDone}},
		{"refused", HandlerLease, nil, Send{Outcome: Fail}, []ClaimState{ClaimNoRow, ClaimRunning, ClaimFailed, ClaimRunning, ClaimDone}},
		{"the answer is lost", HandlerKey, func(s *Scenario) { s.Lease, s.Visibility = 20*second, 40*second }, Send{Outcome: Timeout}, []ClaimState{ClaimNoRow, ClaimRunning, ClaimUnknown, ClaimFailed, ClaimRunning, ClaimDone}},
		{"the answer is lost, and a takeover comes first", HandlerKey, nil, Send{Outcome: Timeout}, []ClaimState{ClaimNoRow, ClaimRunning, ClaimUnknown, ClaimRunning, ClaimDone}},
		{"a crash before the charge", HandlerLease, nil, Send{Fault: FaultCrash, After: 1}, []ClaimState{ClaimNoRow, ClaimRunning, ClaimLapsed, ClaimRunning, ClaimDone}},
		{"a crash after the charge", HandlerLease, nil, Send{Fault: FaultCrash, After: 2}, []ClaimState{ClaimNoRow, ClaimRunning, ClaimUnknown, ClaimRunning, ClaimDone}},
		{"a dead letter", HandlerLease, func(s *Scenario) { s.MaxReceives = 1 }, Send{Outcome: Fail}, []ClaimState{ClaimNoRow, ClaimRunning, ClaimFailed, ClaimFailedForGood}},
		{"a dead letter with an unknown outcome", HandlerLease, func(s *Scenario) { s.MaxReceives = 1 }, Send{Fault: FaultCrash, After: 2}, []ClaimState{ClaimNoRow, ClaimRunning, ClaimUnknown, ClaimFailedForGood}},
		{"a claim without a lease", HandlerClaim, nil, Send{}, []ClaimState{ClaimNoRow, ClaimWithoutLease}},
		{"the same, and the answer is lost", HandlerClaim, nil, Send{Outcome: Timeout}, []ClaimState{ClaimNoRow, ClaimWithoutLease, ClaimUnknown}},
		{"released", HandlerRelease, nil, Send{Outcome: Fail}, []ClaimState{ClaimNoRow, ClaimWithoutLease, ClaimNoRow, ClaimWithoutLease}},
		{"check", HandlerCheck, nil, Send{}, []ClaimState{ClaimNoRow, ClaimDone}},
		{"one transaction", HandlerOneTx, nil, Send{}, []ClaimState{ClaimNoRow, ClaimInTransaction, ClaimDone}},
		{"no table", HandlerKeyOnly, nil, Send{Outcome: Timeout}, []ClaimState{ClaimNoTable}},
	} {
		s := lease
		s.Handler = tt.handler
		if tt.change != nil {
			tt.change(&s)
		}
		if got := claims(mustScript(t, s, tt.send)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// What is said of an unknown outcome, and of what comes next.
func TestAnUnknownOutcomeIsSaid(t *testing.T) {
	for h, want := range map[HandlerID][]string{
		HandlerLease:   {"That is the mistake: a lost answer is no refusal, and the next delivery charges again."},
		HandlerFence:   {"That is the mistake"},
		HandlerRelease: {"That is the mistake", "w1 has released its claim on p1, although its outcome is unknown."},
		HandlerKey:     {"Here that is safe: the next delivery asks under the same key and gets the first result."},
	} {
		s := exactly(h)
		s.Charge = second
		trace := mustScript(t, s, Send{Outcome: Timeout})
		wantTold(t, trace, append(want, "The answer is lost: from now on only the provider knows.", "No answer came, which looks like a failure.")...)
	}
}

func TestRowAndNextDeliveryInWords(t *testing.T) {
	key := exactly(HandlerKey)
	key.Charge, key.Lease, key.Visibility = second, 2*second, 4*second
	trace := mustScript(t, key, Send{Fault: FaultCrash, After: 2})
	var rows, next []string
	for n := range trace.Len() + 1 {
		s := trace.At(n)
		c := trace.Claim(&s, 0)
		if len(rows) == 0 || rows[len(rows)-1] != c.Row() {
			rows, next = append(rows, c.Row()), append(next, c.Next())
		}
	}
	wantRows := []string{
		"no row", "PROCESSING, token 1, lease running", "PROCESSING, unknown outcome, token 1, lease running",
		"PROCESSING, unknown outcome, token 1, lease lapsed", "PROCESSING, token 2, lease running", "DONE",
	}
	wantNext := []string{
		"claims it and charges", "does nothing now and comes back later", "does nothing now and comes back later",
		"takes over with a higher token and gets the provider's first result under the same key", "does nothing now and comes back later",
		"acknowledges, and returns the stored result",
	}
	if !slices.Equal(rows, wantRows) || !slices.Equal(next, wantNext) {
		t.Errorf("rows %q\nnext %q", rows, next)
	}
}

// Next is what the steps do: a state's next delivery claims, waits, takes over or
// acknowledges as the handler's own step does in that cell.
func TestNextIsWhatTheHandlerDoes(t *testing.T) {
	verbs := map[Label]string{
		LabelCheckNew: "finds nothing", LabelCheckSeen: "acknowledges", LabelClaimWon: "claims it", LabelClaimLost: "finds it claimed",
		LabelClaimRetry: "claims it again", LabelClaimTakeover: "takes over", LabelClaimDone: "acknowledges",
	}
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Payments = min(s.Payments, 3)
		trace := mustRecord(t, s, 64)
		n := rapid.IntRange(0, trace.Len()).Draw(t, "n")
		state := trace.At(n)
		for p := range state.Payments {
			c := trace.Claim(&state, int32(p))
			if c.Row() == "" || c.Next() == "" || c.State.String() == "" {
				t.Fatalf("%+v says nothing", c)
			}
			if c.State == ClaimNoTable || c.deadLetter {
				continue
			}
			cell, d := c.Cell, Delivery{}
			label, busy := trace.Handler().Step(&cell, &d, OK)
			if busy {
				if c.State != ClaimInTransaction && !c.Cell.Live {
					t.Fatalf("%+v: the next delivery is busy", c)
				}
				continue
			}
			if !strings.HasPrefix(c.Next(), verbs[label]) {
				t.Fatalf("%+v: the next delivery %s, and the step is %v", c, c.Next(), label)
			}
			if c.Cell.Rec != RecClaimed && state.Payments[p].Unknown[0] {
				t.Fatalf("%+v: an unknown outcome of a claim that nobody holds", c)
			}
		}
	})
}
