package player

import (
	"math"
	"math/bits"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
)

// changeable are what can be changed of a run here, what matters most first.
var changeable = []lessons.Parameter{
	lessons.Workers, lessons.PaymentCount, lessons.Duplicates, lessons.Distance, lessons.CopyAfter, lessons.Charge,
	lessons.Lease, lessons.Renew, lessons.Guard, lessons.Fail, lessons.Crash, lessons.Timeout, lessons.Slow, lessons.AckLost, lessons.Rebalance,
	lessons.Retention, lessons.KeyMemory, lessons.NewKeys, lessons.ByMessage, lessons.Visibility, lessons.LateAck, lessons.MaxReceives, lessons.Window,
	lessons.Log, lessons.CommitEvery, lessons.NodeClock, lessons.Skew, lessons.Seed,
}

// dials are what can be changed of the workload on the screen.
func (p *Player) dials() Dials {
	w := &p.workloads[p.shown]
	without := func(parameter lessons.Parameter) bool {
		return !applies(parameter, w.scenario) || len(w.sends) > 0 && slices.Contains(told, parameter)
	}
	return Dials{
		Parameters: slices.DeleteFunc(slices.Clone(changeable), without),
		Now:        w.scenario, Own: w.own, Whose: "was", Title: "change the run",
	}
}

// told are what a run whose messages are told one by one has from them.
var told = []lessons.Parameter{
	lessons.PaymentCount, lessons.Duplicates, lessons.Distance, lessons.CopyAfter, lessons.Fail, lessons.Crash, lessons.Timeout, lessons.Slow,
	lessons.AckLost, lessons.Rebalance, lessons.Log,
}

// applies says whether a parameter means something in a scenario: only a log has
// partitions and an offset, only a queue settles each message alone, and a
// worker's clock matters only where it judges leases.
func applies(parameter lessons.Parameter, s sim.Scenario) bool {
	switch parameter {
	case lessons.Rebalance, lessons.CommitEvery:
		return s.Log
	case lessons.AckLost:
		return !s.Log
	case lessons.LateAck:
		return !s.Log && !s.Direct
	case lessons.Skew:
		return s.NodeClock
	case lessons.Distance:
		return s.CopyAfter == 0 && s.Payments > 1
	}
	return true
}

// pressedInPanel takes a key while the panel is open. taken is false for keys
// that work as they do without it.
func (p *Player) pressedInPanel(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	if key.Matches(msg, p.keys.Player.Reset) {
		return p.change(p.workloads[p.shown].own), true
	}
	d := p.dials()
	by, taken := p.panel.Pressed(msg, p.keys.Lesson, len(d.Parameters))
	if by == 0 {
		return nil, taken
	}
	parameter := p.panel.Selected(d.Parameters)
	changed, ok := parameter.Turn(d.Now, by)
	if parameter == lessons.Log && ok { // what only one of the two has
		changed.AckLost, changed.Rebalance = 0, 0
	}
	p.panel.Turned(ok)
	if !ok {
		return nil, true
	}
	return p.change(changed), true
}

// change makes the run, and those beneath it, again with another scenario. The
// cursor stays at its time; where the charge takes longer or shorter, at the
// same part of it, and it is played about as long as before.
func (p *Player) change(scenario sim.Scenario) tea.Cmd {
	w := &p.workloads[p.shown]
	if scenario == w.scenario {
		return nil
	}
	p.keepPlace()
	if scenario.Charge != w.scenario.Charge {
		w.now = scaled(w.now, scenario.Charge, w.scenario.Charge)
		p.speed = Speed(scaled(int64(p.speed), scenario.Charge, w.scenario.Charge)).near()
	}
	w.scenario, w.changed = scenario, true
	w.name()
	return tea.Batch(p.record(), p.recordRivals(true))
}

// scaled is n times by over of, without overflow; of is above 0.
func scaled(n, by, of int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(by))
	if hi >= uint64(of) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(of))
	return int64(min(q, math.MaxInt64))
}
