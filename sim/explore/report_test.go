package explore

import (
	"encoding/json"
	"strings"
	"testing"

	"idemtui/sim"
)

func TestHeadlines(t *testing.T) {
	stopped := config(sim.HandlerNatural, 4, ones())
	stopped.MaxMemory = 1 << 10
	cut := config(sim.HandlerFence, 4, ones())
	cut.MaxMemory = 400 << 10
	reduced := config(sim.HandlerClaim, 1, failOnce)
	reduced.Symmetry = true
	for want, c := range map[string]Config{
		"CHARGES TWICE: 60 of 66 schedules charge twice or more, the first after 4 steps; no schedule loses the payment.":                       config(sim.HandlerCheck, 2, Budgets{}),
		"CHARGES TWICE: 1 of 2 schedules charges twice or more, the first after 5 steps; no schedule loses the payment.":                        config(sim.HandlerRelease, 1, timeoutOnce),
		"LOSES THE PAYMENT: 1 of 2 schedules never charges though every delivery is acknowledged, the shortest in 4 steps; none charges twice.": config(sim.HandlerClaim, 1, failOnce),
		"LOSES THE PAYMENT: an end without a charge is reachable in 4 steps; none charges twice.":                                               reduced,
		"SAFE: none of the 98 schedules charges twice, and none loses the payment.":                                                             config(sim.HandlerKey, 2, slowOnce),
		"SAFE: the only schedule does not charge twice, and does not lose the payment.":                                                         config(sim.HandlerNone, 1, Budgets{}),
		"CHARGES TWICE: a double charge is reachable in 5 steps; the search did not end, so that more may be reachable.":                        cut,
	} {
		r, _ := Run(t.Context(), c)
		if got := r.Headline(); got != want {
			t.Errorf("headline %q, want %q", got, want)
		}
	}
	r, err := Run(t.Context(), stopped)
	if got := r.Headline(); err == nil || r.Verdict() != Undecided || !strings.HasPrefix(got, "UNDECIDED: no double charge and no loss within the first") {
		t.Errorf("%v: %s, %q", err, r.Verdict(), got)
	}
	if rows := r.Rows(); !strings.HasPrefix(rows[3].Value, "at least ") {
		t.Errorf("a stopped search says %s of its states", rows[3].Value)
	}
	both := config(sim.HandlerRelease, 2, Budgets{Timeout: 1, Crash: 1})
	r, err = Run(t.Context(), both)
	if got := r.Headline(); err != nil || r.Verdict() != Both || !strings.HasPrefix(got, "CHARGES TWICE AND LOSES THE PAYMENT: ") {
		t.Errorf("%v: %s, %q", err, r.Verdict(), got)
	}
}

func TestReportJSON(t *testing.T) {
	r, err := Run(t.Context(), config(sim.HandlerClaim, 2, crashOnce))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r.Report())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"schema":"idemtui.explore/v1","handler":"claim","deliveries":2,"budgets":{"fail":0,"timeout":0,"crash":1,"slow":0,"forget":0},`,
		`"states":40,"edges":80,"canonical_states":25,"terminal":3,"max_depth":7,"interleavings":"136","charged_twice":"0","charged_thrice":"0","never_charged":"20",`,
		`"shortest_double":null,"shortest_lost":6,"counterexamples":{"double":[],"lost":[{"by":"D1","step":"claim-won"},{"by":"D2","step":"claim-lost"},`,
		`"token":"x1.claim.2.0-0-1-0-0.033c00","tokens":{"double":null,"lost":"x1.claim.2.0-0-1-0-0.033c00"}`,
		`"notes":[]`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("JSON lacks %s:\n%s", want, data)
		}
	}
	c := config(sim.HandlerClaim, 2, crashOnce)
	c.VerdictOnly = true
	if r, err = Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	data, _ = json.Marshal(r.Report())
	if want := `"max_depth":null,"interleavings":null,"charged_twice":null,"charged_thrice":null,"never_charged":null`; !strings.Contains(string(data), want) {
		t.Errorf("JSON lacks %s:\n%s", want, data)
	}
}
