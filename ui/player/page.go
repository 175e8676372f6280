package player

import (
	"slices"

	"idemtui/sim"
)

// cellsPerCharge is how wide a charge of the median time is at least, where a
// run takes more than one page: wide enough for the words of its steps.
const cellsPerCharge = 30

// singlePage is how many charges long a run may be that is shown on one page.
const singlePage = 4

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
}

// track is a worker's row.
type track struct {
	worker int
	blocks []block
}

// pageLength is how much time a page of so many cells shows.
func pageLength(trace *sim.Trace, width int) int64 {
	duration, charge := max(trace.Duration(), 1), trace.Scenario().Charge
	if duration <= singlePage*charge {
		return roundUp(duration + duration/20)
	}
	return roundDown(charge * int64(width) / cellsPerCharge)
}

// steps are the lengths a page may have, in tenths of a power of ten: the same
// for runs of nearly the same length, so that handlers can be compared.
var steps = []int64{10, 12, 16, 20, 25, 30, 40, 50, 60, 80, 100}

func roundUp(d int64) int64 {
	power := int64(1)
	for power*100 < d {
		power *= 10
	}
	for _, s := range steps {
		if s*power >= d {
			return s * power
		}
	}
	return d
}

func roundDown(d int64) int64 {
	power := int64(1)
	for power*100 <= d {
		power *= 10
	}
	for _, s := range slices.Backward(steps) {
		if s*power <= d {
			return s * power
		}
	}
	return max(d, 1)
}

// newPage lays out the page on which the time stands.
func newPage(trace *sim.Trace, now int64, width int) *page {
	p := &page{trace: trace, width: width, length: pageLength(trace, width)}
	last := max(trace.Duration()-1, 0) / p.length
	i := min(now/p.length, last)
	p.start, p.number, p.count = i*p.length, int(i)+1, int(last)+1
	for w := range trace.Scenario().Workers {
		blocks := p.layBlocks(trace.Spans(sim.WorkerLane(w), p.start, p.end()))
		p.workers = append(p.workers, track{worker: w, blocks: blocks})
	}
	p.broker = p.layMarks(p.wishes(sim.LaneBroker))
	p.table = p.layMarks(p.tableWishes())
	p.provider = p.layMarks(p.wishes(sim.LaneProvider))
	return p
}

func (p *page) end() int64 { return p.start + p.length }

// holds says whether a time is on the page.
func (p *page) holds(at int64) bool {
	return at >= p.start && (at < p.end() || p.number == p.count)
}

// column is the cell of a time; it may lie outside the page.
func (p *page) column(at int64) int {
	offset := at - p.start
	if offset < 0 {
		return -1
	}
	return int(offset * int64(p.width) / p.length)
}

// busiest picks at most limit workers to show, those with work on the page
// first, in their own order.
func (p *page) busiest(limit int) (shown []track) {
	if len(p.workers) <= limit {
		return p.workers
	}
	chosen := make([]bool, len(p.workers))
	for _, atWork := range []bool{true, false} {
		for i, t := range p.workers {
			if limit > 0 && (len(t.blocks) > 0) == atWork {
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
