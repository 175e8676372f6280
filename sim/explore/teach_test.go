package explore

import (
	"strings"
	"testing"

	"idemtui/sim"
)

// teaches explores and says what it teaches.
func teaches(t *testing.T, h sim.HandlerID, n int, b Budgets) string {
	t.Helper()
	run := func(h sim.HandlerID) (Result, bool) {
		r, err := Run(t.Context(), config(h, n, b))
		if err != nil {
			t.Fatal(err)
		}
		return r, true
	}
	r, _ := run(h)
	return r.Teaches(run)
}

// The statements of the specification, each where it is proved and with its
// numbers.
func TestWhatTheNumbersTeach(t *testing.T) {
	all := Budgets{Fail: 1, Timeout: 1, Crash: 1, Slow: 1, Forget: 1}
	for name, c := range map[string]struct {
		handler sim.HandlerID
		n       int
		budgets Budgets
		want    string
	}{
		"check":           {sim.HandlerCheck, 2, Budgets{}, "60 of 66 schedules charge twice"},
		"claim":           {sim.HandlerClaim, 2, failOnce, "trades double charges for lost payments: none charges twice, and 20 of 32 schedules lose"},
		"release fail":    {sim.HandlerRelease, 2, failOnce, "repairs a failure: none of 58 schedules"},
		"release crash":   {sim.HandlerRelease, 2, crashOnce, "repairs a failure, not a crash: 20 of 136"},
		"release timeout": {sim.HandlerRelease, 1, timeoutOnce, "a lost answer into a double charge: 1 of 2"},
		"lease crash":     {sim.HandlerLease, 1, crashOnce, "loses no payment, and has a reachable double charge: under a crash, already with one delivery in 1 of 5 schedules"},
		"lease timeout":   {sim.HandlerLease, 1, timeoutOnce, "under a lost answer, already with one delivery in 1 of 2"},
		"lease two":       {sim.HandlerLease, 1, Budgets{Crash: 1, Timeout: 1}, "under a crash or a lost answer, already with one delivery"},
		"lease all":       {sim.HandlerLease, 2, Budgets{Crash: 1, Slow: 1, Forget: 1}, "under a crash, a slow worker or a table that forgets, with 2 deliveries"},
		"lease slow":      {sim.HandlerLease, 2, slowOnce, "with 2 deliveries in 80 of 98 schedules"},
		"fence slow":      {sim.HandlerFence, 2, slowOnce, "60 of 92 schedules still charge twice (80 of 98 without the token)"},
		"key":             {sim.HandlerKey, 2, all, "holds under every fault: none of"},
		"keyonly":         {sim.HandlerKeyOnly, 2, all, "even with no table of your own"},
		"natural":         {sim.HandlerNatural, 2, all, "idempotent by itself"},
		"onetx":           {sim.HandlerOneTx, 2, crashOnce, "cannot join your transaction"},
		"increment":       {sim.HandlerIncrement, 2, Budgets{}, "6 of 6"},
	} {
		if got := teaches(t, c.handler, c.n, c.budgets); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// No statement says of a result what it does not hold.
func TestNoStatementContradictsItsResult(t *testing.T) {
	for _, h := range sim.Handlers() {
		for n := 1; n <= 3; n++ {
			for _, b := range []Budgets{{}, failOnce, timeoutOnce, crashOnce, slowOnce, forgetOnce, {Fail: 1, Crash: 1}, {Timeout: 1, Forget: 1}} {
				r, err := Run(t.Context(), Config{Handler: h, Deliveries: n, Budgets: b})
				if err != nil {
					t.Fatal(err)
				}
				said := r.Teaches(func(sim.HandlerID) (Result, bool) { return Result{}, false })
				if strings.Contains(said, "loses no payment") && r.Lost.Sign() > 0 ||
					strings.Contains(said, "none charges twice") && r.Double.Sign() > 0 ||
					strings.Contains(said, "charge twice.") && r.Double.Sign() == 0 ||
					strings.Contains(said, "lose the payment") && r.Lost.Sign() == 0 {
					t.Errorf("%s %d %s: %q of %s", h.Name, n, b, said, r.Headline())
				}
			}
		}
	}
	var stopped Result
	if said := stopped.Teaches(nil); said != "" {
		t.Errorf("a search that did not end teaches %q", said)
	}
}
