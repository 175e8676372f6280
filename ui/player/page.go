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
	trace         *sim.Trace
	start, length int64 // virtual nanoseconds
	width         int   // cells
	number, count int   // this page, from 1, of so many
	workers       []track
	broker        []mark
	table         []mark
	provider      []mark
	unchanged     map[int32]bool // the calls that left the ledger as it was
}

// track is a worker's row.
type track struct {
	worker int
	blocks []block
}

// onOnePage says whether a run may be shown on a single page of this length.
func onOnePage(trace *sim.Trace, width int, length int64) bool {
	charge := trace.Scenario().Charge
	if trace.Scenario().Payments == 1 {
		return length <= charge*int64(width)/leastCharge
	}
	return trace.Duration() <= shortRun*charge
}

// fitting is the length of a single page that holds the run.
func fitting(trace *sim.Trace) int64 {
	d := max(trace.Duration(), 1)
	return roundUp(d + d/25)
}

// pageLength is how much time a page of so many cells shows, where the run
// takes several.
func pageLength(trace *sim.Trace, width int) int64 {
	return roundDown(trace.Scenario().Charge * int64(width) / cellsPerCharge)
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

// newPage lays out the page on which the time stands. A run on one page gets
// the length of its workload, so that handlers are drawn to one scale, unless
// that leaves it in a corner.
func newPage(trace *sim.Trace, now int64, width int, workload int64) *page {
	p := &page{trace: trace, width: width, length: workload, unchanged: map[int32]bool{}}
	if own := fitting(trace); workload > 2*own || !onOnePage(trace, width, workload) {
		p.length = own
	}
	if !onOnePage(trace, width, p.length) {
		p.length = pageLength(trace, width)
	}
	i, last := p.index(now), p.index(trace.Duration()-1)
	i = min(i, last)
	p.start, p.number, p.count = i*p.step(), int(i)+1, int(last)+1
	if i == last && i > 0 { // the last page ends with the run, so that it is never nearly empty
		p.start = min(p.start, trace.Duration()+p.length/20-p.length)
	}
	p.lay()
	return p
}

// lay fills the lanes.
func (p *page) lay() {
	for w := range p.trace.Scenario().Workers {
		blocks := p.layBlocks(p.trace.Spans(sim.WorkerLane(w), p.start, p.end()))
		p.workers = append(p.workers, track{worker: w, blocks: blocks})
	}
	p.broker = p.layMarks(p.wishes(sim.LaneBroker))
	p.table = p.layMarks(p.tableWishes())
	p.provider = p.layMarks(p.wishes(sim.LaneProvider))
}

func (p *page) end() int64 { return p.start + p.length }

// step is the time from one page to the next. A quarter of a page is shown
// again on the next one, so that there is always something before the cursor.
func (p *page) step() int64 { return p.length - p.length/4 }

// index is the page for a time, from 0: the cursor leaves a page at its right
// end, and comes to the next one a quarter into it.
func (p *page) index(at int64) int64 {
	return max(at-p.length/4, 0) / p.step()
}

// holds says whether this is the page for a time.
func (p *page) holds(at int64) bool {
	return min(p.index(at), int64(p.count-1)) == int64(p.number-1)
}

// column is the cell of a time; it may lie outside the page.
func (p *page) column(at int64) int {
	offset := at - p.start
	if offset < 0 {
		return -1
	}
	return int(offset * int64(p.width) / p.length)
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

// busiest picks at most limit workers to show, in their own order: those who
// charge a customer again on this page first, then those with other work.
func (p *page) busiest(limit int) (shown []track) {
	chosen := make([]bool, len(p.workers))
	for rank := 2; rank >= 0; rank-- {
		for i, t := range p.workers {
			if limit > 0 && p.rank(t) == rank {
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

// tickStep is the distance of the axis' ticks: round, and at least so many
// cells apart.
func (p *page) tickStep(cells int) int64 {
	power := int64(1)
	for {
		for _, s := range []int64{1, 2, 5} {
			if step := s * power; step*int64(p.width) >= int64(cells)*p.length {
				return step
			}
		}
		power *= 10
	}
}

// runLength is the length of a single page that holds the run.
func runLength(trace *sim.Trace) int64 { return fitting(trace) }

// newPage lays out the page for the present time. A run that was made elsewhere
// has only one.
func (p *Player) newPage(width int) *page {
	length := p.workloads[p.shown].length
	if p.own == nil {
		return newPage(p.trace, p.now, width, length)
	}
	if own := runLength(p.trace); length > 2*own {
		length = own
	}
	pg := &page{trace: p.trace, width: width, length: length, number: 1, count: 1, unchanged: map[int32]bool{}}
	pg.lay()
	return pg
}
