package player

import "idemtui/sim"

// cellsPerCharge is how wide a charge of the median time is at least, where a
// run takes more than one page: wide enough for the words of its steps.
const cellsPerCharge = 40

// A run is shown on one page where its charges stay readable: a single payment
// down to leastCharge cells for a charge, many payments up to shortRun charges.
const (
	leastCharge = 10
	shortRun    = 4
)

// page is a stretch of the timeline that stands still while the cursor moves
// over it. It is laid out whole, the future included, so that nothing moves
// when time goes on; what is not yet past is left out when it is drawn.
type page struct {
	trace *sim.Trace
	stretch
	width     int  // cells
	dense     bool // too much time for the words of the steps
	workers   []track
	broker    []mark
	table     []mark
	provider  []mark
	unchanged map[int32]bool // the calls that left the ledger as it was
	firsts    map[int32]bool // the first charge of each payment, where calls may charge nothing
}

// track is a worker's row.
type track struct {
	worker int
	blocks []block
	notes  []mark // what came of each step, for a line under it
}

// onOnePage says whether a run that takes so long may be shown on a single page
// of this length.
func onOnePage(s sim.Scenario, duration int64, width int, length int64) bool {
	if s.Payments == 1 {
		return length <= scaled(s.Charge, int64(width), leastCharge)
	}
	return duration <= shortRun*s.Charge
}

// fitting is the length of a single page that holds a run of this duration.
func fitting(duration int64) int64 {
	d := max(duration, 1)
	return roundUp(d + d/25)
}

// pageLength is how much time a page of so many cells shows, where the run
// takes several.
func pageLength(s sim.Scenario, width int) int64 {
	return roundDown(scaled(s.Charge, int64(width), cellsPerCharge))
}

// roundUp and roundDown find lengths of two digits, so that handlers whose runs
// are nearly as long get the same page.
func roundUp(d int64) int64 {
	power := int64(1)
	for power*100 < d {
		power *= 10
	}
	return (d + power - 1) / power * power
}

func roundDown(d int64) int64 {
	power := int64(1)
	for power*100 <= d {
		power *= 10
	}
	return max(d/power*power, 1)
}

// layPage lays out a stretch of the run.
func layPage(trace *sim.Trace, width int, s stretch) *page {
	p := &page{trace: trace, width: width, stretch: s, unchanged: map[int32]bool{}}
	p.dense = s.far && scaled(trace.Scenario().Charge, int64(width), s.length) < leastCharge
	p.lay()
	return p
}

// lay fills the lanes.
func (p *page) lay() {
	for w := range p.trace.Scenario().Workers {
		blocks := p.layBlocks(p.trace.Spans(sim.WorkerLane(w), p.start, p.end()))
		p.workers = append(p.workers, track{worker: w, blocks: blocks, notes: p.layNotes(blocks)})
	}
	p.broker = p.layMarks(p.wishes(sim.LaneBroker))
	p.table = p.layMarks(p.tableWishes())
	p.provider = p.layMarks(p.wishes(sim.LaneProvider))
}

// column is the cell of a time; it may lie outside the page.
func (p *page) column(at int64) int {
	offset := at - p.start
	if offset < 0 {
		return -1
	}
	return int(scaled(offset, int64(p.width), p.length))
}

// cursor is the cell of the present, or the one after the last where the
// present is later than the page.
func (p *page) cursor(now int64) int {
	if now > p.end() {
		return p.width
	}
	return min(max(p.column(now), 0), p.width-1)
}

// rank orders workers by what the page shows of them.
func (p *page) rank(t track) int {
	rank := 0
	for i := range t.blocks {
		rank = 1
		if _, wrong := p.violation(t.blocks[i].span.EffectSeq); wrong {
			return 2
		}
	}
	return rank
}

// busiest picks at most limit workers to show, in their own order: the picked
// one, then those who charge a customer again on this page, then those with
// other work.
func (p *page) busiest(limit, picked int) (shown []track) {
	chosen := make([]bool, len(p.workers))
	if picked >= 0 {
		chosen[picked] = true
		limit--
	}
	for rank := 2; rank >= 0; rank-- {
		for i, t := range p.workers {
			if limit > 0 && !chosen[i] && p.rank(t) == rank {
				chosen[i] = true
				limit--
			}
		}
	}
	for i, t := range p.workers {
		if chosen[i] {
			shown = append(shown, t)
		}
	}
	return shown
}
