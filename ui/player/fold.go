package player

import (
	"sort"
	"time"

	"idemtui/sim"
	"idemtui/ui/text"
)

// folding shortens the stretches of a small run in which nothing happens, so
// that all of it can be seen at once: a lease that lapses, a week until a
// replay. The screen works in folded time, and says the time that it really is.
// The zero value folds nothing.
type folding struct {
	gaps  []gap
	scale timescale
	width int // cells of the longest clock, so that nothing beside it moves
}

// gap is a stretch without an event. It begins at at in the run and at folded on
// the screen, and takes length in the run and short on the screen.
type gap struct{ at, folded, length, short int64 }

// end is where the gap ends on the screen.
func (g gap) end() int64 { return g.folded + g.short }

// leastShort is the least that a gap takes on the screen: about as long as the
// calls to the table, which do not get faster with the provider.
const leastShort = int64(500 * time.Microsecond)

// fold finds the stretches that are long and empty in all of the runs: those
// longer than two charges become as long as one.
func fold(traces ...*sim.Trace) folding {
	first := traces[0].Scenario()
	f := folding{scale: timescaleOf(first)}
	short := max(first.Charge, leastShort)
	removed, last := int64(0), int64(0)
	next := make([]int, len(traces))
	for {
		at := int64(-1)
		for i, t := range traces {
			if next[i] < t.Len() && (at < 0 || t.Event(next[i]).At < at) {
				at = t.Event(next[i]).At
			}
		}
		if at < 0 {
			break
		}
		for i, t := range traces {
			for next[i] < t.Len() && t.Event(next[i]).At == at {
				next[i]++
			}
		}
		if length := at - last; length > 2*short {
			f.gaps = append(f.gaps, gap{at: last, folded: last - removed, length: length, short: short})
			removed += length - short
		}
		last = at
	}
	f.width = f.longestClock(last)
	return f
}

// shown is where a time of the run is on the screen.
func (f folding) shown(at int64) int64 {
	i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].at > at }) - 1
	if i < 0 {
		return at
	}
	g := f.gaps[i]
	if in := at - g.at; in < g.length {
		return g.folded + min(in/max(g.length/g.short, 1), g.short)
	}
	return g.folded + g.short + at - g.at - g.length
}

// real is the time of the run at a time on the screen.
func (f folding) real(shown int64) int64 {
	i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].folded > shown }) - 1
	if i < 0 {
		return shown
	}
	g := f.gaps[i]
	if in := shown - g.folded; in < g.short {
		return g.at + min(in*(g.length/g.short), g.length)
	}
	return g.at + g.length + shown - g.folded - g.short
}

// within says whether a time of the screen lies in a gap, and not at its ends.
func (f folding) within(shown int64) bool {
	i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].end() > shown })
	return i < len(f.gaps) && f.gaps[i].folded < shown
}

// clock says a time of the screen as the run has it. On the way through a gap,
// where hours pass in a moment, it says roughly how late it is.
func (f folding) clock(shown int64) string {
	at := f.real(shown)
	if (f.scale == inMinutes || f.scale.base(at) > 0) && f.within(shown) {
		return text.Age(time.Duration(at))
	}
	return f.scale.say(at)
}

// longestClock is how many cells the clock takes at most in a run that ends at
// end.
func (f folding) longestClock(end int64) int {
	const usual = 9
	width, from := usual, int64(0)
	note := func(said string) { width = max(width, text.Width(said)) }
	stretch := func(to int64) {
		note(f.scale.widest(from))
		note(f.scale.widest(to))
		for _, whole := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour} { // 1h is short, and 59m59s before it is not
			if before := to - to%int64(whole) - int64(time.Second); before >= from {
				note(f.scale.widest(before))
			}
		}
	}
	for _, g := range f.gaps {
		stretch(g.at)
		from = g.at + g.length
		note(f.scale.small(min(from, f.scale.long()) - 1))
	}
	stretch(end)
	return width
}
