package triage

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// The pause after a failed look doubles from the first to the longest.
const (
	firstBackoff   = 250 * time.Millisecond
	longestBackoff = 5 * time.Second
)

// intervals are the pauses between looks that + and - step through.
var intervals = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute,
}

// loader is the state of the refresh: one question in flight, the next armed
// by its answer. An answer of an older generation is dropped.
type loader struct {
	generation int
	inFlight   bool
	asked      time.Time // when the question went out, by the local clock
	cancel     context.CancelFunc
	every      time.Duration
	paused     bool
	failures   int
	err        error
}

// claimsLoadedMsg is the answer to one look.
type claimsLoadedMsg struct {
	generation int
	tab        tab
	snapshot   inspect.Snapshot
	err        error
	at         time.Time
}

// refreshDueMsg says that the pause after an answer is over.
type refreshDueMsg struct {
	generation int
	at         time.Time
}

// loadClaims asks for the rows of the current tab, and gives up the question
// in flight.
func (s *Screen) loadClaims() tea.Cmd {
	if s.load.cancel != nil {
		s.load.cancel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.load.cancel = cancel
	s.load.generation++
	s.load.inFlight = true
	s.load.asked = s.now
	generation, tab := s.load.generation, s.tab
	store, table, query := s.cfg.Store, s.cfg.Table, s.cfg.Query
	query.All, query.LeftoversLast = tab == tabClaims, tab == tabStuck && !s.list.unfolded
	query.Before = s.memory.forList()
	return s.askWith(ctx, func(ctx context.Context) tea.Msg {
		defer cancel()
		snapshot, err := store.Snapshot(ctx, table, query)
		return claimsLoadedMsg{generation: generation, tab: tab, snapshot: snapshot, err: err, at: time.Now()}
	})
}

func (s *Screen) claimsLoaded(msg claimsLoadedMsg) tea.Cmd {
	if msg.generation != s.load.generation {
		return nil
	}
	s.load.inFlight = false
	s.now = msg.at
	if msg.err != nil {
		if errors.Is(msg.err, context.Canceled) && s.ctx.Err() != nil {
			return nil
		}
		s.load.failures++
		s.load.err = msg.err
		return s.armRefresh(backoff(s.load.failures))
	}
	s.load.failures, s.load.err = 0, nil
	s.looks[msg.tab] = look{snapshot: msg.snapshot, at: msg.at, ok: true}
	s.memory.keep(msg.snapshot.Seen)
	s.feelPulse(msg.snapshot)
	s.list.old = s.olderOf(msg.snapshot)
	s.list.replace(msg.snapshot.Claims, msg.snapshot.At, s.now, s.left)
	return tea.Batch(s.armRefresh(s.load.every), s.wantDetail())
}

// backoff is the pause before the next try after this many failures in a row.
func backoff(failures int) time.Duration {
	pause := firstBackoff << min(failures-1, 10)
	return min(pause, longestBackoff)
}

func (s *Screen) armRefresh(pause time.Duration) tea.Cmd {
	generation := s.load.generation
	return tea.Tick(pause, func(at time.Time) tea.Msg { return refreshDueMsg{generation, at} })
}

func (s *Screen) refreshDue(msg refreshDueMsg) tea.Cmd {
	if msg.generation != s.load.generation || s.load.inFlight || s.load.paused || s.away {
		return nil
	}
	s.now = msg.at
	return s.loadClaims()
}

// pause stops and resumes the refresh.
func (s *Screen) pause() tea.Cmd {
	s.load.paused = !s.load.paused
	if s.load.paused {
		s.say("refresh paused; %s resumes", s.keys.Pause.Help().Key)
		return nil
	}
	s.say("refreshing every %s", text.Age(s.load.every))
	if s.load.inFlight {
		return nil
	}
	return s.loadClaims()
}

// step makes the pause between looks longer (1) or shorter (-1).
func (s *Screen) step(by int) tea.Cmd {
	i := 0
	for i < len(intervals)-1 && intervals[i] < s.load.every {
		i++
	}
	s.load.every = intervals[max(0, min(i+by, len(intervals)-1))]
	s.say("refreshing every %s", text.Age(s.load.every))
	if s.load.inFlight || s.load.paused {
		return nil
	}
	return s.armAnew(s.load.every)
}

// armAnew replaces the pause that runs by another one.
func (s *Screen) armAnew(pause time.Duration) tea.Cmd {
	s.load.generation++
	return s.armRefresh(pause)
}

// show switches to a tab, with the rows of its last look until the next one.
func (s *Screen) show(t tab) tea.Cmd {
	if t == s.tab || s.oneState() != "" {
		return nil
	}
	s.tab = t
	s.mode = browsing
	s.groups = grouped{}
	if look := s.looks[t]; look.ok {
		s.list.old = s.olderOf(look.snapshot)
		s.list.replace(look.snapshot.Claims, look.snapshot.At, s.now, s.left)
	}
	return s.loadClaims()
}

// olderOf says which claims fold away: those from long before the incident, in
// the list of what is stuck. Where nothing else is listed they stay: the list would
// be empty.
func (s *Screen) olderOf(snapshot inspect.Snapshot) func(inspect.Claim) bool {
	folded := snapshot.Incident.Folded
	if s.tab != tabStuck || !slices.ContainsFunc(snapshot.Claims, func(c inspect.Claim) bool { return !folded(c) }) {
		return nil
	}
	return folded
}

// nextTab goes on to the next tab, or back; a database that cannot be diagnosed
// has two lists only, and a list of one state stands alone.
func (s *Screen) nextTab(back bool) tea.Cmd {
	_, can := s.cfg.Store.(inspect.HealthChecker)
	switch {
	case s.tab == tabStuck && !back && s.oneState() == "", s.tab == tabClaims && back:
		return s.show(tabs - 1 - s.tab)
	case can && back:
		return s.openDiagnosis(diagnosing)
	case can:
		return s.openDiagnosis(remembering)
	}
	return s.show(tabs - 1 - s.tab)
}

// oneState is the state whose rows alone are listed; "" for the usual lists.
func (s *Screen) oneState() inspect.State {
	if state := s.cfg.Query.State; state != inspect.StateProcessing {
		return state
	}
	return ""
}

// current is the last look of the tab in sight; where it has none yet, that of
// the other, so that the header keeps its figures.
func (s *Screen) current() look {
	if s.looks[s.tab].ok {
		return s.looks[s.tab]
	}
	for _, l := range s.looks {
		if l.ok {
			return l
		}
	}
	return look{}
}
