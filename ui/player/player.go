// Package player is the simulator's screen: it plays a finished trace. All
// facts and sentences come from package sim; the player holds a place in the
// trace, a speed and a mode, and draws.
package player

import (
	"cmp"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/theme"
)

// Config is what the player starts with. The zero value is one payment and its
// copy under the handler check, beside the lesson's 2,000 payments.
type Config struct {
	// Scenario is the workload with many payments; its handler is the one
	// shown first, and its seed is that of both workloads. Where it has no
	// payments, it is sim.DefaultScenario.
	Scenario sim.Scenario
	// Many starts with that workload instead of one payment and its copy.
	Many bool
	// Scene is the small run instead of one payment and its copy, nil where it is
	// that one. Its messages may be told one by one.
	Scene *lessons.Scene
	// Token writes the token of the scene's run under a scenario, nil where no
	// token tells of it.
	Token func(sim.Scenario) string
	// At is where the cursor stands at the start, in the time of the run.
	At int64
	// Lesson heads the screen; empty means the second lesson's title.
	Lesson string
	// Speed is the speed at the start; 0 means DefaultSpeed.
	Speed Speed
}

// mode is what the clock does.
type mode uint8

const (
	paused  mode = iota
	playing      // the clock runs, and a tick is on its way
	away         // it would run, but the terminal is not looked at
	gliding      // the cursor is on its way to a place
)

// Player is the screen. It implements [frame.Screen].
type Player struct {
	config  Config
	keys    keys.Map
	dialogs *frame.Dialogs
	palette palette
	look    int // grows with every change of theme

	workloads [2]workload
	shown     int // which of them
	handler   sim.HandlerID
	rivals    []*Player // the handlers beneath the first: each only its trace, its place and what is drawn from them
	request   int       // generation of the newest request for a trace
	trace     *sim.Trace
	own       *sim.Trace // the same run as it was made
	folds     folding    // what trace leaves out of it
	guided    bool       // another screen makes the runs
	failure   string     // why there is no trace

	n      int   // how many events have happened
	now    int64 // the virtual time, never before event n-1 nor after event n
	mode   mode
	glide  glide
	speed  Speed
	tick   int    // the id of the tick that is waited for
	ends   int    // how many results the viewer has seen
	notice string // one line about the last key, until the next
	glance

	cache cache
}

var _ frame.Screen = (*Player)(nil)

// New makes the screen, paused at the beginning. Init makes the first trace.
func New(config Config, keyMap keys.Map, dialogs *frame.Dialogs) *Player {
	if config.Scenario.Payments == 0 {
		config.Scenario = sim.DefaultScenario()
	}
	if config.Lesson == "" {
		config.Lesson = "three handlers, one race"
	}
	p := &Player{
		config: config, keys: keyMap, dialogs: dialogs, speed: cmp.Or(config.Speed, defaultSpeed(config.Scenario.Charge)),
		workloads: newWorkloads(manyOf(config.Scenario)), handler: config.Scenario.Handler,
	}
	if s := config.Scene; s != nil {
		p.workloads[onePayment] = sceneWorkload(*s)
		p.handler = s.Scenario.Handler
	}
	if config.Many && !isDemo(config.Scenario) {
		p.shown = manyPayments
	}
	p.workloads[p.shown].now = config.At
	p.SetStyles(theme.New(true))
	return p
}

// Init starts the first run.
func (p *Player) Init() tea.Cmd { return p.record() }

// Update takes what no dialog and no global key took.
func (p *Player) Update(msg tea.Msg) tea.Cmd {
	defer p.noteEnd()
	switch msg := msg.(type) {
	case traceRecordedMsg:
		p.recorded(msg)
	case rivalRecordedMsg:
		p.rivalRecorded(msg)
	case tickedMsg:
		return p.ticked(msg)
	case paymentChosenMsg:
		if p.trace != nil {
			p.followPayment(msg.payment)
		}
	case tea.PasteMsg:
		if p.filtering {
			p.addToFilter(msg.Content)
		}
	case timeChosenMsg:
		p.seek(p.folds.shown(msg.at))
	case tea.BlurMsg:
		if p.mode == playing {
			p.setMode(away)
		}
	case tea.FocusMsg:
		if p.mode == away {
			return p.setMode(playing)
		}
	case tea.KeyPressMsg:
		return p.pressed(msg)
	}
	return nil
}

func (p *Player) pressed(msg tea.KeyPressMsg) tea.Cmd {
	p.notice = ""
	k := p.keys.Player
	if p.filtering && p.trace != nil {
		p.typeFilter(msg)
		return nil
	}
	if p.panel.Open {
		if cmd, taken := p.pressedInPanel(msg); taken {
			return cmd
		}
	}
	switch {
	case key.Matches(msg, k.NextHandler):
		return p.turnPicked(1)
	case key.Matches(msg, k.PrevHandler):
		return p.turnPicked(-1)
	case key.Matches(msg, k.Compare):
		return p.turnCompare()
	case key.Matches(msg, k.Workload):
		return p.turnWorkload()
	case key.Matches(msg, k.Change):
		p.panel.Open = true
	case key.Matches(msg, k.Reset):
		return p.change(p.workloads[p.shown].own)
	case key.Matches(msg, k.Faster):
		p.speed = p.speed.faster()
	case key.Matches(msg, k.Slower):
		p.speed = p.speed.slower()
	case p.trace == nil:
	case key.Matches(msg, k.Play):
		return p.turnPlay()
	case key.Matches(msg, k.FollowID) && p.trace.Scenario().Payments == 1: // there is no choice
		p.turnFollow()
	case key.Matches(msg, k.FollowID):
		return p.dialogs.Push(newFollowing(p.trace.Scenario().Payments, p.keys))
	case p.glanced(msg):
	case key.Matches(msg, k.Copy):
		return p.copyToken()
	case key.Matches(msg, k.GoTo):
		return p.dialogs.Push(newGoTo(p.folds.real(p.duration()), p.folds.scale.say(p.folds.real(p.duration())), p.keys))
	default:
		p.move(msg)
	}
	return nil
}

// Title is the window title.
func (p *Player) Title() string { return "idemtui sim: " + p.handler.Handler().Title }

// Typing says whether the filter of the events has the keyboard.
func (p *Player) Typing() bool { return p.filtering }

// SetStyles gives the screen its theme.
func (p *Player) SetStyles(s theme.Styles) {
	p.palette = newPalette(s)
	p.look++
}
