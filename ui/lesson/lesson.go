// Package lesson is the screen of the seven lessons: a page of plain sentences
// under the timeline of a small run, a question before its answer shows, and
// the results at full size. What there is to say comes from package
// sim/lessons, and the timeline is drawn by the player.
package lesson

import (
	"context"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/sim/lessons"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
	"idemtui/ui/theme"
)

// Config is where the lessons begin.
type Config struct {
	Lesson int // which one, from 1; 0 is the race, the second
	// Lessons are those to show, such as with a claim of one's own in them; nil
	// are all as they are.
	Lessons []lessons.Lesson
	Seed    uint64 // of every run
	// Page is the page of the lesson, from 1; 0 is the first. Changed is its run
	// where it is not the lesson's own.
	Page    int
	Changed *sim.Scenario
	Speed   player.Speed // 0: as suits the run
}

// LeftMsg says that the viewer wants to play with a workload, or to see handlers
// on it, or on the run of a page, beneath its own.
type LeftMsg struct {
	Title    string
	Workload sim.Scenario
	Compare  []sim.HandlerID
	Scene    *lessons.Scene // the run of the page, where it is that one
	At       int64          // where the cursor stands in it
	// Token writes the token of the page with its run under a scenario.
	Token func(sim.Scenario) string
}

// Screen is the screen. It implements [frame.Screen].
type Screen struct {
	ctx     context.Context
	config  Config
	keys    keys.Map
	dialogs *frame.Dialogs
	styles  theme.Styles
	player  *player.Player

	list  []lessons.Lesson
	books []book // of each lesson
	at    int    // which lesson, from 0
	place place
	low   bool  // the terminal is too low for a text with a list
	from  place // where the results were asked for
	panel player.Panel

	stepper stepper // the cursor of a page's sequence

	request int   // generation of the newest request for a run
	scene   scene // whose run is shown, or on its way
	shown   said  // what the page says of the run
}

var _ frame.Screen = (*Screen)(nil)

// New makes the screen. Init makes the first run.
func New(ctx context.Context, config Config, keyMap keys.Map, dialogs *frame.Dialogs) *Screen {
	s := &Screen{ctx: ctx, config: config, keys: keyMap, dialogs: dialogs, scene: noScene}
	if config.Lessons == nil {
		config.Lessons = lessons.All()
	}
	for _, l := range config.Lessons {
		s.list = append(s.list, l.WithSeed(config.Seed))
		s.books = append(s.books, newBook(l))
	}
	if config.Lesson == 0 {
		s.config.Lesson = lessons.First
	}
	s.at = s.config.Lesson - 1
	s.player = player.New(player.Config{Speed: config.Speed}, keyMap, dialogs)
	s.SetStyles(theme.New(true))
	return s
}

// Init shows the first page, or the one that was asked for.
func (s *Screen) Init() tea.Cmd {
	at := place{i: min(max(s.config.Page-1, 0), len(s.lesson().Pages)-1)}
	if s.config.Changed != nil {
		s.book().changed[s.lesson().Pages[at.i].Scene] = *s.config.Changed
	}
	return s.enter(at, true)
}

// token is the word that opens the page with its run; empty where the lessons
// are not those that every idemtui has.
func (s *Screen) token() string {
	if s.config.Lessons != nil || s.scene == noScene {
		return ""
	}
	return s.lesson().Token(s.pageOf(s.place), s.scenario())
}

// lesson is the present lesson, and book what the viewer did in it.
func (s *Screen) lesson() *lessons.Lesson { return &s.list[s.at] }
func (s *Screen) book() *book             { return &s.books[s.at] }

// Owns says whether a message is about a lesson, so that it has to arrive also
// while something else is in front.
func Owns(msg tea.Msg) bool {
	switch msg.(type) {
	case recordedMsg, rowMsg, steppedMsg, ChosenMsg:
		return true
	}
	return false
}

// Update takes what no dialog and no global key took.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case recordedMsg:
		return s.recorded(msg)
	case rowMsg:
		return s.rowCame(msg)
	case steppedMsg:
		return s.stepper.stepped(msg)
	case ChosenMsg:
		return s.Open(msg.Lesson)
	case tea.BlurMsg:
		s.stepper.stop()
	case tea.KeyPressMsg:
		return s.pressed(msg)
	case tea.WindowSizeMsg:
		s.low = msg.Height-1 < tall
	}
	return s.player.Update(msg)
}

// Open shows the first page of a lesson, from 1.
func (s *Screen) Open(lesson int) tea.Cmd {
	s.at = min(max(lesson-1, 0), len(s.list)-1)
	s.scene = noScene
	return s.enter(place{}, true)
}

func (s *Screen) pressed(msg tea.KeyPressMsg) tea.Cmd {
	s.player.Arrive()
	s.stepper.arrive()
	if s.Typing() {
		return s.player.Update(msg)
	}
	if s.panel.Open {
		if cmd, taken := s.pressedInPanel(msg); taken {
			return cmd
		}
	}
	if s.place.kind == asking {
		if cmd, taken := s.pressedInQuestion(msg); taken {
			return cmd
		}
	}
	k := s.keys.Lesson
	switch {
	case key.Matches(msg, k.Next):
		return s.turn(1)
	case key.Matches(msg, k.Prev):
		return s.turn(-1)
	case key.Matches(msg, k.Menu):
		return s.dialogs.Push(NewMenu(s.at, s.keys))
	case key.Matches(msg, k.Pick):
		return s.Open(int(msg.String()[0] - '0'))
	case key.Matches(msg, k.Results):
		return s.turnResults()
	case key.Matches(msg, k.All):
		return s.leave(false)
	case key.Matches(msg, s.keys.Player.Compare):
		return s.leave(true)
	case key.Matches(msg, k.Back) && s.place.kind == page && s.player.Stands():
		return s.player.Update(msg)
	case key.Matches(msg, k.Back):
		return s.stepOut()
	case s.place.kind == closing:
		return nil
	case key.Matches(msg, k.Change):
		s.panel = player.Panel{Open: len(s.dials()) > 0}
		return nil
	case key.Matches(msg, k.Reset):
		return s.reset()
	case s.place.kind != page:
		return nil
	case key.Matches(msg, s.keys.Player.Copy) && s.token() != "":
		return s.player.CopyToken(s.token())
	case s.sequence() != nil:
		return s.pressedInSequence(msg)
	case key.Matches(msg, s.keys.Player.NextHandler):
		return s.turnHandler(1)
	case key.Matches(msg, s.keys.Player.PrevHandler):
		return s.turnHandler(-1)
	case key.Matches(msg, s.moves()...):
		return s.player.Update(msg)
	}
	return nil
}

// moves are the player's keys that work on a lesson's run.
func (s *Screen) moves() []key.Binding {
	k := s.keys.Player
	all := []key.Binding{k.Play, k.Step, k.Back, k.NextSeen, k.PrevSeen, k.NextBad, k.PrevBad, k.GoTo, k.First, k.Last, k.Faster, k.Slower}
	return append(all, s.player.Glances()...)
}

// leave goes to the player: with the lesson's workload, or to compare handlers
// on the run of the page.
func (s *Screen) leave(compare bool) tea.Cmd {
	s.panel.Open = false
	left := LeftMsg{Title: s.lesson().Title, Workload: s.lesson().Workload}
	if compare && s.scene.lesson == s.at {
		scene := *s.present()
		scene.Scenario = s.scenario()
		left.Compare = slices.DeleteFunc(slices.Clone(scene.Compare), func(h sim.HandlerID) bool { return h == scene.Scenario.Handler })
		left.Workload.Handler = scene.Scenario.Handler
		if s.place.kind == page {
			left.Scene, left.At = &scene, s.player.Place().At
			if l, at := s.lesson(), s.pageOf(s.place); s.token() != "" {
				left.Token = func(run sim.Scenario) string { return l.Token(at, run) }
			}
		}
	}
	return func() tea.Msg { return left }
}

// stepOut leaves the results that were asked for by key.
func (s *Screen) stepOut() tea.Cmd {
	if s.place.kind == results {
		return s.enter(s.from, false)
	}
	return nil
}

// Shown is the scenario on the screen.
func (s *Screen) Shown() sim.Scenario {
	if t := s.player.Trace(); t != nil {
		return t.Scenario()
	}
	return s.lesson().Workload
}

// Explores is what there is to explore of the run: its handler, and one fault of
// each kind that happens in it.
func (s *Screen) Explores() explore.Config {
	if s.place.kind == results || s.place.kind == closing || s.scene == noScene {
		return s.player.Explores()
	}
	return player.ExploresOf(s.player.Shown(), s.present().Sends)
}

// Pause stops the clock, and ends the way to a moment.
func (s *Screen) Pause() {
	s.player.Arrive()
	s.player.Pause()
	s.stepper.stop()
}

// Title is the window title.
func (s *Screen) Title() string { return "idemtui sim: " + s.lesson().Title }

// Typing says whether the filter of the events has the keyboard.
func (s *Screen) Typing() bool { return s.place.kind == page && s.player.Typing() }

// SetStyles gives the screen its theme.
func (s *Screen) SetStyles(styles theme.Styles) {
	s.styles = styles
	s.player.SetStyles(styles)
}
