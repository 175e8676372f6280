package explorer

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/explore"
)

// searchMemory bounds each search of the screen, and aheadMemory each look
// ahead from a schedule.
const (
	searchMemory = 1 << 30
	aheadMemory  = 256 << 20
)

// progressEvery is how often a running search is looked at, and longAfter when
// it is called long: then it shows its progress, and esc cancels it.
const (
	progressEvery = 100 * time.Millisecond
	longAfter     = 250 * time.Millisecond
)

// job is one cell of the matrix: what is to be searched.
type job struct {
	handler    sim.HandlerID
	deliveries int
	budgets    explore.Budgets
}

func (j job) config() explore.Config {
	return explore.Config{Handler: j.handler.Handler(), Deliveries: j.deliveries, Budgets: j.budgets, MaxMemory: searchMemory}
}

// finding is what became of a search.
type finding struct {
	result    explore.Result
	err       error
	cancelled bool // by the viewer; it is not taken up again by itself
}

// searches runs one search at a time and keeps what was found.
type searches struct {
	found      map[job]finding
	generation int // of the newest search
	running    *running
	ticking    bool // a look at the progress is on its way
}

// running is a search under way.
type running struct {
	job
	cancel   context.CancelFunc
	began    time.Time
	dropped  bool                              // nobody waits for it any more
	progress *atomic.Pointer[explore.Progress] // written by the search
	seen     explore.Progress                  // as last looked at
	elapsed  time.Duration
}

// searchedMsg brings a finished search.
type searchedMsg struct {
	generation int
	result     explore.Result
	err        error
}

// progressedMsg asks for a look at the running search.
type progressedMsg struct{}

// long says whether a search runs that the viewer can see running.
func (s *searches) long() bool {
	return s.running != nil && !s.running.dropped && s.running.elapsed >= longAfter
}

// searchNext starts the next search, if none runs and one is wanted.
func (e *Explorer) searchNext() tea.Cmd {
	if e.searches.running != nil || e.ctx.Err() != nil {
		return nil
	}
	next, ok := e.matrix.next(e.searches.found)
	if !ok {
		return nil
	}
	return e.search(next)
}

// search starts a search away from the loop.
func (e *Explorer) search(j job) tea.Cmd {
	s := &e.searches
	s.generation++
	generation, config := s.generation, j.config()
	ctx, cancel := context.WithCancel(e.ctx)
	progress := new(atomic.Pointer[explore.Progress])
	config.Progress = func(p explore.Progress) { progress.Store(&p) }
	s.running = &running{job: j, cancel: cancel, began: time.Now(), progress: progress}
	run := func() tea.Msg {
		defer cancel()
		result, err := explore.Run(ctx, config)
		return searchedMsg{generation: generation, result: result, err: err}
	}
	if s.ticking {
		return run
	}
	s.ticking = true
	return tea.Batch(run, lookAgain())
}

func lookAgain() tea.Cmd {
	return tea.Tick(progressEvery, func(time.Time) tea.Msg { return progressedMsg{} })
}

// searched keeps what a search found and starts the next.
func (e *Explorer) searched(msg searchedMsg) tea.Cmd {
	s := &e.searches
	if msg.generation != s.generation || s.running == nil {
		return nil
	}
	r := s.running
	s.running = nil
	_, cancelled := s.found[r.job]
	switch {
	case !r.dropped:
		s.found[r.job] = finding{result: msg.result, err: msg.err}
	case cancelled:
		s.found[r.job] = finding{result: msg.result, err: msg.err, cancelled: msg.err != nil}
	}
	return e.searchNext()
}

// progressed looks at the running search, and comes again while there is one.
func (e *Explorer) progressed() tea.Cmd {
	s := &e.searches
	s.ticking = false
	if s.running == nil || e.ctx.Err() != nil {
		return nil
	}
	s.running.elapsed = time.Since(s.running.began)
	if p := s.running.progress.Load(); p != nil {
		s.running.seen = *p
	}
	s.ticking = true
	return lookAgain()
}

// cancelSearch stops the running search for good. Nobody waits for it: the
// screen goes on at once.
func (e *Explorer) cancelSearch() {
	r := e.searches.running
	r.cancel()
	r.dropped = true
	e.searches.found[r.job] = finding{cancelled: true}
}

// dropSearch stops the running search because something else is wanted first.
func (e *Explorer) dropSearch() {
	if r := e.searches.running; r != nil && !r.dropped {
		r.cancel()
		r.dropped = true
	}
}
