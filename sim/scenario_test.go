package sim

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestImpossibleParametersAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Scenario){
		"payments":     func(s *Scenario) { s.Payments = 0 },
		"workers":      func(s *Scenario) { s.Workers = MaxWorkers + 1 },
		"distance":     func(s *Scenario) { s.Distance = 0 },
		"max-receives": func(s *Scenario) { s.MaxReceives = -1 },
		"commit-every": func(s *Scenario) { s.CommitEvery = -1 },
		"duplicates":   func(s *Scenario) { s.Duplicates = 2 * One },
		"fail":         func(s *Scenario) { s.Fail = -1 },
		"crash":        func(s *Scenario) { s.Crash = One + 1 },
		"timeout":      func(s *Scenario) { s.Timeout = -1 },
		"slow":         func(s *Scenario) { s.Slow = -1 },
		"ack-lost":     func(s *Scenario) { s.AckLost = -1 },
		"rebalance":    func(s *Scenario) { s.Rebalance = One },
		"charge":       func(s *Scenario) { s.Charge = MaxTime },
		"lease":        func(s *Scenario) { s.Lease = -1 },
		"renew":        func(s *Scenario) { s.Renew, s.Charge, s.Payments = 1, second, 1 },
		"copy-after":   func(s *Scenario) { s.CopyAfter = -1 },
		"visibility":   func(s *Scenario) { s.Visibility = 1 },
		"window":       func(s *Scenario) { s.Window = -1 },
		"retention":    func(s *Scenario) { s.Retention = -1 },
		"key-memory":   func(s *Scenario) { s.KeyMemory = -1 },
		"skew":         func(s *Scenario) { s.Skew = -1 },
		"direct":       func(s *Scenario) { s.Log, s.Direct = true, true },
		"seed":         func(s *Scenario) { s.Seed = MaxSeed + 1 },
		"handler":      func(s *Scenario) { s.Handler = idCount },
		"guard":        func(s *Scenario) { s.Guard = GuardName + 1 },
	} {
		s := DefaultScenario()
		change(&s)
		_, err := Run(s)
		var outside *RangeError
		if !errors.As(err, &outside) || outside.Name != want || outside.Allowed == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// Pauses of a year, one after the other, would outlast 64 bits of nanoseconds.
func TestWaitsMustFitTheClock(t *testing.T) {
	s := DefaultScenario()
	s.Slow, s.Lease = One, MaxTime
	var outside *RangeError
	if _, err := Run(s); !errors.As(err, &outside) || outside.Name != "lease" {
		t.Errorf("got %v", err)
	}
	s.Lease = MaxTime / 50
	if r, err := Run(s); err != nil || r.VirtualNanos < 0 || r.Payments != s.Payments {
		t.Errorf("%+v, %v", r, err)
	}
}

// mustEnd runs the engine and fails where a run goes on and on.
func mustEnd(t interface{ Fatalf(string, ...any) }, s Scenario, sends []Send) Result {
	const most = 2_000_000
	e := newEngine(s, nil)
	e.sends = sends
	e.start()
	if e.steps(most) {
		t.Fatalf("after %d events %+v has not ended: %+v", most, s, e.result)
	}
	return e.finish()
}

// Whatever the parameters are, a run ends with an error or with a result; it
// never hangs, overflows or panics.
func TestAnyParametersEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		odd := func(name string, high int64) int64 {
			return rapid.OneOf(rapid.Int64Range(-1, 3), rapid.Int64Range(-1, high)).Draw(t, name)
		}
		s := anyScenario(t)
		s.Payments = rapid.Int64Range(1, 5).Draw(t, "few payments")
		s.Charge, s.Lease, s.Renew = odd("odd charge", MaxTime), odd("odd lease", MaxTime), odd("odd renew", MaxTime)
		s.CopyAfter, s.Visibility, s.Skew = odd("odd copy", MaxTime), odd("odd visibility", MaxTime), odd("odd skew", MaxTime)
		s.Retention, s.KeyMemory, s.MaxReceives = odd("odd retention", MaxTime), odd("odd memory", MaxTime), odd("odd receives", 5)
		if s.Validate() != nil || s.timings().visibility < 1000*s.shortest() {
			return // what comes back a million times ends, too, and takes long
		}
		if r := mustEnd(t, s, nil); r.Payments != s.Payments || r.VirtualNanos < 0 || r.Deliveries < r.Payments {
			t.Fatalf("%+v gives %+v", s, r)
		}
	})
}

// The broker's patience and the lease matter beside the charge: they are some
// part or a few times of it here.
func TestAnyProportionsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Payments = rapid.Int64Range(1, 5).Draw(t, "few payments")
		some := func(name string) int64 {
			return max(rapid.SampledFrom([]int64{s.Charge / 100, s.Charge / 3, s.Charge - 1, s.Charge, s.Charge * 2, s.Charge * 5}).Draw(t, name), 1)
		}
		s.Visibility, s.Lease = some("visibility beside the charge"), max(some("lease beside the charge"), microsecond)
		if s.Renew > 0 {
			s.Renew = max(s.Lease/3, s.Charge/maxRenewals, 1)
		}
		if s.Validate() != nil || s.timings().visibility < 1000*s.shortest() {
			return // as above
		}
		if r := mustEnd(t, s, nil); r.Payments != s.Payments || r.VirtualNanos < 0 || r.Deliveries < r.Payments {
			t.Fatalf("%+v gives %+v", s, r)
		}
		mustAgree(t, mustRecord(t, s, 64))
	})
}
