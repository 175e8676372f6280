package explore

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"idemtui/sim"
)

func config(h sim.HandlerID, n int, b Budgets) Config {
	return Config{Handler: h.Handler(), Deliveries: n, Budgets: b}
}

var (
	failOnce    = Budgets{Fail: 1}
	timeoutOnce = Budgets{Timeout: 1}
	crashOnce   = Budgets{Crash: 1}
	slowOnce    = Budgets{Slow: 1}
	forgetOnce  = Budgets{Forget: 1}
)

func TestShortestCounterexamples(t *testing.T) {
	const (
		claimCrash = "D1 claim-won, D2 claim-lost, D2 ack, D1 crash, D1 claim-lost, D1 ack"
		leaseSlow  = "D1 claim-won, D1 charge, env expire-slow, D2 claim-takeover, D2 charge"
	)
	for name, c := range map[string]struct {
		config       Config
		double, lost string
	}{
		"check 2":           {config(sim.HandlerCheck, 2, Budgets{}), "D1 check-new, D1 charge, D2 check-new, D2 charge", ""},
		"claim 1 fail":      {config(sim.HandlerClaim, 1, failOnce), "", "D1 claim-won, D1 charge-fail, D1 claim-lost, D1 ack"},
		"claim 2 crash":     {config(sim.HandlerClaim, 2, crashOnce), "", claimCrash},
		"release 2 crash":   {config(sim.HandlerRelease, 2, crashOnce), "", claimCrash},
		"release 1 timeout": {config(sim.HandlerRelease, 1, timeoutOnce), "D1 claim-won, D1 charge-timeout, D1 release, D1 claim-won, D1 charge", ""},
		"lease 2 slow":      {config(sim.HandlerLease, 2, slowOnce), leaseSlow, ""},
		"fence 2 slow":      {config(sim.HandlerFence, 2, slowOnce), leaseSlow, ""},
		"lease 1 crash":     {config(sim.HandlerLease, 1, crashOnce), "D1 claim-won, D1 charge, D1 crash, env expire, D1 claim-takeover, D1 charge", ""},
		"lease 2 forget":    {config(sim.HandlerLease, 2, forgetOnce), "D1 claim-won, D1 charge, D1 complete, env forget, D2 claim-won, D2 charge", ""},
	} {
		for _, symmetry := range []bool{false, true} {
			c.config.Symmetry = symmetry
			result, err := Run(t.Context(), c.config)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(result.ShortestDouble); got != c.double {
				t.Errorf("%s, symmetry %v: double %q, want %q", name, symmetry, got, c.double)
			}
			if got := text(result.ShortestLost); got != c.lost {
				t.Errorf("%s, symmetry %v: lost %q, want %q", name, symmetry, got, c.lost)
			}
		}
	}
}

// text is the path in words, or nothing.
func text(p *Path) string {
	if p == nil {
		return ""
	}
	return p.String()
}

func TestOddsOfARandomWalk(t *testing.T) {
	for name, c := range map[string]struct {
		config       Config
		double, lost *big.Rat // nil: not stated
	}{
		"check 2":           {config(sim.HandlerCheck, 2, Budgets{}), big.NewRat(3, 4), nil},
		"check 3":           {config(sim.HandlerCheck, 3, Budgets{}), big.NewRat(8, 9), nil},
		"claim 1 fail":      {config(sim.HandlerClaim, 1, failOnce), nil, big.NewRat(1, 2)},
		"claim 2 crash":     {config(sim.HandlerClaim, 2, crashOnce), nil, big.NewRat(11, 64)},
		"release 2 crash":   {config(sim.HandlerRelease, 2, crashOnce), nil, big.NewRat(11, 64)},
		"lease 2 slow":      {config(sim.HandlerLease, 2, slowOnce), big.NewRat(1, 2), nil},
		"fence 2 slow":      {config(sim.HandlerFence, 2, slowOnce), big.NewRat(3, 8), nil},
		"lease 1 crash":     {config(sim.HandlerLease, 1, crashOnce), big.NewRat(1, 8), nil},
		"lease 2 crash":     {config(sim.HandlerLease, 2, crashOnce), big.NewRat(1, 18), nil},
		"release 1 timeout": {config(sim.HandlerRelease, 1, timeoutOnce), big.NewRat(1, 2), nil},
	} {
		odds, err := WalkOdds(t.Context(), c.config)
		if err != nil {
			t.Fatal(err)
		}
		if c.double != nil && odds.Double.Cmp(c.double) != 0 {
			t.Errorf("%s: P(double) = %s, want %s", name, odds.Double, c.double)
		}
		if c.lost != nil && odds.Lost.Cmp(c.lost) != 0 {
			t.Errorf("%s: P(lost) = %s, want %s", name, odds.Lost, c.lost)
		}
		checkSampling(t, name, c.config, odds)
	}
}

// checkSampling walks at random with a fixed seed and compares the frequency
// with the exact odds, within five standard deviations at most.
func checkSampling(t *testing.T, name string, c Config, odds Odds) {
	t.Helper()
	const walks = 20_000
	random := rand.New(rand.NewPCG(1, 2))
	double, lost := 0, 0
	for range walks {
		path, err := Walk(c, random.IntN)
		if err != nil {
			t.Fatal(err)
		}
		states := path.States()
		end := states[len(states)-1]
		if end.Cell.Charges >= 2 {
			double++
		} else if end.Cell.Charges == 0 {
			lost++
		}
	}
	for what, pair := range map[string]struct {
		got  int
		want *big.Rat
	}{"double": {double, odds.Double}, "lost": {lost, odds.Lost}} {
		want, _ := pair.want.Float64()
		// A standard deviation is at most sqrt(1/4/20000) = 0.0035.
		if got := float64(pair.got) / walks; got < want-0.018 || got > want+0.018 {
			t.Errorf("%s: %s in %.4f of the walks, want %.4f", name, what, got, want)
		}
	}
}

// What the numbers teach, as sentences that a search proves.
func TestLessons(t *testing.T) {
	run := func(h sim.HandlerID, n int, b Budgets) Result {
		t.Helper()
		r, err := Run(t.Context(), config(h, n, b))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	// A lease loses no payment, and charges twice under one fault.
	for _, h := range []sim.HandlerID{sim.HandlerLease, sim.HandlerFence} {
		for n := 1; n <= 3; n++ {
			if r := run(h, n, ones()); r.ShortestLost != nil || r.Lost.Sign() != 0 || r.ShortestDouble == nil {
				t.Errorf("%s, %d deliveries, all faults: lost %s, double %s", h, n, text(r.ShortestLost), text(r.ShortestDouble))
			}
		}
		if r := run(h, 1, crashOnce); r.ShortestDouble == nil {
			t.Errorf("%s does not charge twice under a crash", h)
		}
	}
	// The key at the provider, and an effect that is idempotent, are safe.
	for _, h := range []sim.HandlerID{sim.HandlerKey, sim.HandlerKeyOnly, sim.HandlerNatural} {
		for n := 1; n <= 4; n++ {
			c := config(h, n, ones())
			c.VerdictOnly = true
			r, err := Run(t.Context(), c)
			if err != nil || r.ShortestDouble != nil || r.ShortestLost != nil {
				t.Errorf("%s, %d deliveries, all faults: %v, double %s, lost %s", h, n, err, text(r.ShortestDouble), text(r.ShortestLost))
			}
		}
	}
	// Claiming without a lease trades double charges for losses.
	if r := run(sim.HandlerClaim, 3, Budgets{}); r.ShortestDouble != nil || r.ShortestLost != nil {
		t.Error("claim without faults is not safe")
	}
}
