package explorer

import (
	"context"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/explore"
)

// titled is a schedule with what it is.
type titled struct {
	title string
	path  *explore.Path
}

// schedule is one schedule on the timeline, and the choice of the next step. A
// cursor stands between its steps: what lies behind it is the known future,
// which lasts until the viewer takes another step.
type schedule struct {
	job
	list  []titled // the ready-made schedules
	which int      // the one that is shown; -1: the viewer's own
	path  *explore.Path
	trace *sim.Trace

	failure error // why there is no trace: a defect, since Step made the path

	states []explore.State // before the first step, and after each
	at     int             // steps behind the cursor
	moves  []explore.Move  // what can happen at the cursor
	choice int             // the marked one

	ahead      map[explore.State]outlook
	generation int // of the newest look ahead
	stopLook   context.CancelFunc

	playing bool
	tick    int // id of the step that is waited for
}

// outlook is what a look ahead found.
type outlook struct {
	explore.Outlook
	err error
}

// stepTime is the time from one step to the next while a schedule is played:
// enough to read a line.
const stepTime = 900 * time.Millisecond

// lookedMsg brings a look ahead.
type lookedMsg struct {
	generation int
	state      explore.State
	outlook    outlook
}

// steppedMsg asks for the next step of a schedule that is played.
type steppedMsg struct{ id int }

// newSchedule begins with the first of the ready-made schedules, or where there
// is none with the viewer as the scheduler.
func newSchedule(j job, list []titled) schedule {
	s := schedule{job: j, list: list, which: -1, ahead: make(map[explore.State]outlook)}
	if len(list) > 0 {
		s.show(0)
		return s
	}
	s.follow(&explore.Path{Handler: j.handler.Handler(), Start: j.config().Start()}, 0)
	return s
}

// show begins one of the ready-made schedules.
func (s *schedule) show(which int) {
	s.which = which
	s.follow(s.list[which].path, 0)
}

// follow puts a path on the timeline, with the cursor after so many steps.
func (s *schedule) follow(path *explore.Path, at int) {
	s.path, s.states = path, path.States()
	s.trace, s.failure = path.Trace()
	s.goTo(at)
}

// goTo moves the cursor and marks the known next step.
func (s *schedule) goTo(at int) {
	s.at = min(max(at, 0), s.path.Len())
	s.moves = s.here().Moves(s.path.Handler)
	s.choice = 0
	if s.at < s.path.Len() {
		s.choice = max(s.known(), 0)
	}
}

// here is the state at the cursor.
func (s *schedule) here() explore.State { return s.states[s.at] }

// known is the place of the known next step among the moves, or -1.
func (s *schedule) known() int {
	if s.at >= s.path.Len() {
		return -1
	}
	next := s.path.Steps[s.at].Choice
	return slices.IndexFunc(s.moves, func(m explore.Move) bool { return m.Choice == next })
}

// take makes a move: along the known future, or away from it.
func (s *schedule) take(i int) {
	if i < 0 || i >= len(s.moves) {
		return
	}
	if i == s.known() {
		s.goTo(s.at + 1)
		return
	}
	choices := make([]explore.Choice, 0, s.at+1)
	for _, step := range s.path.Steps[:s.at] {
		choices = append(choices, step.Choice)
	}
	// A move that is listed is possible.
	path, err := explore.Replay(s.config(), append(choices, s.moves[i].Choice))
	if err != nil {
		return
	}
	s.which = -1
	s.follow(path, s.at+1)
}

// openSchedule goes to the timeline: on ready-made schedules, or as the
// scheduler of the marked cell.
func (e *Explorer) openSchedule(list []titled) tea.Cmd {
	e.dropSearch()
	e.page = pageSchedule
	e.play = newSchedule(e.matrix.selected(), list)
	return e.lookAhead()
}

func (e *Explorer) pressedInSchedule(msg tea.KeyPressMsg) tea.Cmd {
	k, s := e.keys.Schedule, &e.play
	if !key.Matches(msg, k.Play) {
		s.playing = false
		s.tick++
	}
	switch {
	case key.Matches(msg, k.Back):
		return e.leaveSchedule()
	case key.Matches(msg, k.Prev):
		s.choice = max(s.choice-1, 0)
		return nil
	case key.Matches(msg, k.Next):
		s.choice = min(s.choice+1, max(len(s.moves)-1, 0))
		return nil
	case key.Matches(msg, k.Take):
		s.take(s.choice)
	case key.Matches(msg, k.Pick):
		s.take(int(msg.Code - '1'))
	case key.Matches(msg, k.Undo):
		s.goTo(s.at - 1)
	case key.Matches(msg, k.Begin):
		s.goTo(0)
	case key.Matches(msg, k.End):
		s.goTo(s.path.Len())
	case key.Matches(msg, k.Own):
		s.become()
	case key.Matches(msg, k.Nearest):
		e.notice = s.nearest()
	case key.Matches(msg, k.Other):
		s.turn(1)
	case key.Matches(msg, k.OtherUp):
		s.turn(-1)
	case key.Matches(msg, k.Play):
		return e.turnPlay()
	case key.Matches(msg, k.Copy):
		e.notice = "The token was sent to the terminal: idemtui sim --open " + s.path.Token()
		return tea.SetClipboard(s.path.Token())
	default:
		return nil
	}
	return e.lookAhead()
}

// become makes the viewer the scheduler from the cursor on.
func (s *schedule) become() {
	s.which = -1
	path := *s.path
	path.Steps = slices.Clone(path.Steps[:s.at])
	s.follow(&path, s.at)
}

// nearest makes the shortest way on to a double charge or a loss the known
// future, and says so.
func (s *schedule) nearest() string {
	o, known := s.ahead[s.here()]
	way := o.Double
	if way == nil || o.Lost != nil && o.Lost.Len() < way.Len() {
		way = o.Lost
	}
	switch {
	case s.here().Cell.Charges >= 2:
		return "It is broken already."
	case !known || o.err != nil:
		return "What lies ahead is not known."
	case way == nil || way.Len() == 0:
		return "There is no way on from here that breaks it."
	}
	path := *s.path
	path.Steps = append(slices.Clone(path.Steps[:s.at]), way.Steps...)
	s.which = -1
	s.follow(&path, s.at)
	return "The shortest way to break it from here is in the schedule now: follow it, or play it."
}

// turn goes to another of the ready-made schedules.
func (s *schedule) turn(by int) {
	n := len(s.list)
	switch {
	case n == 0:
	case s.which < 0:
		s.show(0)
	default:
		s.show((s.which + by + n) % n)
	}
}

// leaveSchedule goes back to the matrix, or out.
func (e *Explorer) leaveSchedule() tea.Cmd {
	e.stopLooking()
	if e.root == pageSchedule {
		return e.close()
	}
	e.page = pageMatrix
	return e.searchNext()
}

// turnPlay plays the known steps one by one, or pauses.
func (e *Explorer) turnPlay() tea.Cmd {
	s := &e.play
	s.playing = !s.playing && s.path.Len() > 0
	s.tick++
	if !s.playing {
		return nil
	}
	if s.at == s.path.Len() {
		s.goTo(0)
	}
	return tea.Batch(e.lookAhead(), s.nextStep())
}

func (s *schedule) nextStep() tea.Cmd {
	id := s.tick
	return tea.Tick(stepTime, func(time.Time) tea.Msg { return steppedMsg{id} })
}

// stepped makes the next known step, and comes again while there is one.
func (e *Explorer) stepped(msg steppedMsg) tea.Cmd {
	s := &e.play
	if msg.id != s.tick || !s.playing || e.page != pageSchedule {
		return nil
	}
	s.goTo(s.at + 1)
	if s.playing = s.at < s.path.Len(); !s.playing {
		return e.lookAhead()
	}
	return tea.Batch(e.lookAhead(), s.nextStep())
}

// lookAhead finds out, away from the loop, what can still be reached from the
// cursor. A look that is under way is given up.
func (e *Explorer) lookAhead() tea.Cmd {
	e.stopLooking()
	s := &e.play
	from := s.here()
	if _, ok := s.ahead[from]; ok {
		return nil
	}
	ctx, cancel := context.WithCancel(e.ctx)
	s.stopLook = cancel
	generation, config := s.generation, s.config()
	config.MaxMemory = aheadMemory
	return func() tea.Msg {
		defer cancel()
		o, err := explore.Ahead(ctx, config, from)
		return lookedMsg{generation: generation, state: from, outlook: outlook{o, err}}
	}
}

// stopLooking gives up the look ahead under way.
func (e *Explorer) stopLooking() {
	s := &e.play
	s.generation++
	if s.stopLook != nil {
		s.stopLook()
		s.stopLook = nil
	}
}

// looked keeps what a look ahead found.
func (e *Explorer) looked(msg lookedMsg) {
	if s := &e.play; msg.generation == s.generation {
		s.ahead[msg.state] = msg.outlook
		s.stopLook = nil
	}
}
