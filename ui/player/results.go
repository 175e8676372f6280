package player

import (
	"strconv"

	"idemtui/sim"
	"idemtui/ui/text"
)

// noteEnd remembers what the run came to once the viewer has seen its end, so
// that handlers can be compared without telling the outcome in advance.
func (p *Player) noteEnd() {
	if p.trace == nil || p.n == 0 || p.workloads[p.shown].changed {
		return
	}
	seen := p.workloads[p.shown].seen
	for _, r := range p.rows() {
		over := r.n == r.trace.Len()
		if r != p {
			over = p.now >= r.trace.Duration()
		}
		if _, known := seen[r.trace.Handler().ID]; over && !known {
			seen[r.trace.Handler().ID] = r.trace.Result()
			p.ends++
		}
	}
}

// resultsHeight is how many lines drawResults takes.
func (v *view) resultsHeight() int { return len(v.workloads[v.shown].seen) + 1 }

// drawResults is the lesson's table: a line for each handler whose end was seen
// on this workload, in the order of the handlers.
func (v *view) drawResults(p pane) {
	columns := []struct {
		head  string
		right int // where it ends
		of    func(sim.Result) int64
	}{
		{"deliveries", 21, func(r sim.Result) int64 { return r.Deliveries }},
		{"payments", 31, func(r sim.Result) int64 { return r.Payments }},
		{"charges", 40, func(r sim.Result) int64 { return r.Charges }},
	}
	const words = 42
	for _, c := range columns {
		p.put(c.right-text.Width(c.head), 0, c.head, inkMuted)
	}
	y := 1
	for _, h := range sim.Handlers() {
		r, ok := v.workloads[v.shown].seen[h.ID]
		if !ok {
			continue
		}
		k := inkText
		if h.ID == v.trace.Handler().ID {
			k = inkAccent
		}
		p.put(1, y, h.Name, k)
		for _, c := range columns {
			number := strconv.FormatInt(c.of(r), 10)
			p.put(c.right-len(number), y, number, inkText)
		}
		verdict, k := shortOutcome(r, p.rect.w-words)
		p.cut(words, y, p.rect.w-words, verdict, k)
		y++
	}
}

// shortOutcome says in so many cells whether a run went well.
func shortOutcome(r sim.Result, room int) (string, ink) {
	long := text.Width("✗ charged twice 1234")
	word := func(long, short string, fits bool, n int64) string {
		if !fits {
			long = short
		}
		return "✗ " + long + " " + strconv.FormatInt(n, 10)
	}
	switch {
	case r.ChargedTwice > 0:
		return word("charged twice", "twice", room >= long, r.ChargedTwice), inkBad
	case r.NeverCharged > 0:
		return word("never charged", "never", room >= long, r.NeverCharged), inkBad
	}
	return "each once", inkOK
}
