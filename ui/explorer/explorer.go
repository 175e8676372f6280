// Package explorer is the screen of the exhaustive search: a matrix of handlers
// and faults that fills as verdicts arrive, and schedules on the timeline, where
// the viewer may choose the next step. All verdicts, numbers and counterexamples
// come from package sim/explore.
package explorer

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
	"idemtui/ui/theme"
)

// Config is where the explorer begins.
type Config struct {
	Handler    sim.HandlerID
	Deliveries int             // 0 means 2
	Budgets    explore.Budgets // the faults that are marked, or get a column of their own
	Scheduler  bool            // begin as the scheduler of that handler, not in the matrix
	Path       *explore.Path   // begin with this schedule on the timeline, if set
}

// ClosedMsg says that the viewer has left the explorer.
type ClosedMsg struct{}

// page is what the screen shows.
type page uint8

const (
	pageMatrix page = iota
	pageSchedule
)

// Explorer is the screen. It implements [frame.Screen].
type Explorer struct {
	ctx     context.Context // ends with the screen: every search is below it
	stop    context.CancelFunc
	keys    keys.Map
	dialogs *frame.Dialogs
	styles  theme.Styles
	page    page
	root    page // where esc leaves the explorer

	matrix   matrix
	searches searches
	play     schedule
	strip    player.Strip
	notice   string // one line about the last key, until the next

	cache struct {
		w, h  int
		fresh bool
		frame string
	}
}

var (
	_ frame.Screen = (*Explorer)(nil)
	_ frame.Closer = (*Explorer)(nil)
)

// New makes the screen. Its searches end with ctx or with Close. Init starts
// the first.
func New(ctx context.Context, config Config, keyMap keys.Map, dialogs *frame.Dialogs) *Explorer {
	e := &Explorer{keys: keyMap, dialogs: dialogs}
	e.ctx, e.stop = context.WithCancel(ctx)
	e.searches.found = make(map[job]finding)
	if config.Path != nil {
		start := startOf(config.Path)
		config.Handler, config.Deliveries, config.Budgets = start.Handler, start.Deliveries, start.Budgets
	}
	e.matrix = newMatrix(config)
	switch {
	case config.Path != nil:
		e.page = pageSchedule
		e.play = newSchedule(e.matrix.selected(), []titled{{"the schedule that you opened", config.Path}})
	case config.Scheduler:
		e.page, e.root = pageSchedule, pageSchedule
		e.play = newSchedule(e.matrix.selected(), nil)
	}
	e.SetStyles(theme.New(true))
	return e
}

// Close ends every search.
func (e *Explorer) Close() { e.stop() }

// Init starts the first searches.
func (e *Explorer) Init() tea.Cmd {
	if e.page == pageSchedule {
		return e.lookAhead()
	}
	return e.searchNext()
}

// Update takes what no dialog and no global key took.
func (e *Explorer) Update(msg tea.Msg) tea.Cmd {
	e.cache.fresh = false
	switch msg := msg.(type) {
	case searchedMsg:
		return e.searched(msg)
	case progressedMsg:
		return e.progressed()
	case lookedMsg:
		e.looked(msg)
	case steppedMsg:
		return e.stepped(msg)
	case budgetsChosenMsg:
		return e.chooseBudgets(msg)
	case tea.KeyPressMsg:
		e.notice = ""
		if e.page == pageSchedule {
			return e.pressedInSchedule(msg)
		}
		return e.pressedInMatrix(msg)
	}
	return nil
}

// View draws the screen in w by h cells.
func (e *Explorer) View(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	c := &e.cache
	if !c.fresh || c.w != w || c.h != h {
		c.w, c.h, c.fresh = w, h, true
		if e.page == pageSchedule {
			c.frame = frame.Fit(e.viewSchedule(w, h), w, h)
		} else {
			c.frame = frame.Fit(e.viewMatrix(w, h), w, h)
		}
	}
	return c.frame
}

// ShortHelp lists the keys for the footer.
func (e *Explorer) ShortHelp() []key.Binding {
	if e.page == pageSchedule {
		return e.scheduleHelp()
	}
	k := e.keys.Explorer
	choose, be, own := short(k.Choose, "timeline"), short(k.Scheduler, "be the scheduler"), short(k.Budgets, "your faults")
	if e.searches.long() {
		return []key.Binding{short(k.Back, "cancel the search"), choose, be, k.Deliveries, own}
	}
	return []key.Binding{choose, be, k.Deliveries, own, k.Back}
}

func (e *Explorer) scheduleHelp() []key.Binding {
	k := e.keys.Schedule
	play := k.Play
	if e.play.playing {
		play = short(k.Play, "pause")
	}
	choose := k.Take
	choose.SetHelp(k.Prev.Help().Key+k.Next.Help().Key+" "+k.Take.Help().Key, "choose")
	all := []key.Binding{short(k.Pick, "take"), choose, short(k.Undo, "undo"), play, k.Back, short(k.Nearest, "nearest")}
	if len(e.play.list) > 1 {
		all = append(all, short(k.Other, "other"))
	}
	return append(all, short(k.Copy, "copy"))
}

// short is a binding with a shorter description, for the footer.
func short(b key.Binding, does string) key.Binding {
	b.SetHelp(b.Help().Key, does)
	return b
}

// FullHelp lists the keys for the help overlay.
func (e *Explorer) FullHelp() []frame.KeyGroup {
	k, s := e.keys.Explorer, e.keys.Schedule
	if e.page == pageSchedule {
		return []frame.KeyGroup{
			{Title: "a schedule", Keys: []key.Binding{s.Pick, s.Prev, s.Next, s.Take, s.Undo, s.Begin, s.End, s.Play, s.Own, s.Nearest, s.Other, s.OtherUp, s.Copy, s.Back}},
			{Title: "marks", Keys: player.Legend()},
		}
	}
	return []frame.KeyGroup{
		{Title: "matrix", Keys: []key.Binding{k.Up, k.Down, k.Left, k.Right, k.First, k.Last, k.Choose, k.Scheduler, k.Deliveries, k.Budgets, k.Again, k.Back}},
		{Title: "faults", Keys: faultLegend()},
	}
}

// Title is the window title.
func (e *Explorer) Title() string {
	return "idemtui explore: " + e.matrix.selected().handler.Handler().Title
}

// Typing is false: there is no text field.
func (e *Explorer) Typing() bool { return false }

// SetStyles gives the screen its theme.
func (e *Explorer) SetStyles(s theme.Styles) {
	e.styles = s
	e.strip.SetStyles(s)
	e.cache.fresh = false
}

// close leaves the explorer. What was found is kept for the next time.
func (e *Explorer) close() tea.Cmd {
	e.dropSearch()
	return func() tea.Msg { return ClosedMsg{} }
}

// Enter comes back to an explorer that was left.
func (e *Explorer) Enter(config Config) tea.Cmd {
	e.cache.fresh = false
	e.page, e.root, e.notice = pageMatrix, pageMatrix, ""
	if config.Deliveries == 0 {
		config.Deliveries = e.matrix.deliveries
	}
	e.matrix.enter(config)
	if config.Scheduler {
		e.root = pageSchedule
		return e.openSchedule(nil)
	}
	return e.searchNext()
}
