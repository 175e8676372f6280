package ui

import (
	"context"
	"reflect"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/theme"
	"idemtui/ui/triage"
)

// Place is one database that the inspector shows.
type Place struct {
	Store    inspect.Store
	Database inspect.Database
	// Table is where the person begins; without one they choose it.
	Table *inspect.Table
	// Resolve checks a table that was chosen, as the person would have named it.
	Resolve func(ctx context.Context, table inspect.Table) (inspect.Table, error)
	// Configure makes the screen's configuration for a table.
	Configure func(table inspect.Table) (triage.Config, error)
}

// RunInspect shows the inspector until the user quits. The caller closes the
// stores afterwards.
func RunInspect(ctx context.Context, term Terminal, places []Place) error {
	keyMap, dialogs := keys.Default(), &frame.Dialogs{}
	screen, err := NewInspector(ctx, places, keyMap, dialogs)
	if err != nil {
		return err
	}
	return Run(ctx, term, screen, dialogs, keyMap)
}

// inspector holds the screens of the databases, one of which is in front. What
// a screen asked for comes back to it alone, so that no row of one database is
// ever shown under the name of another.
type inspector struct {
	ctx     context.Context
	keys    keys.Map
	dialogs *frame.Dialogs
	styles  theme.Styles
	size    tea.WindowSizeMsg
	rooms   []*room
	at      int
	issued  int          // screens made so far
	lesson  frame.Screen // a claim that is played; nil when none is
}

// room is one database: its table's screen, and the picker while it is open.
type room struct {
	place  Place
	id     int // of the screen in front; an answer for an older one is dropped
	triage *triage.Screen
	picker *triage.Picker
	begun  bool
}

var (
	_ frame.Screen = (*inspector)(nil)
	_ frame.Closer = (*inspector)(nil)
)

// forMsg is an answer and the screen that asked for it.
type forMsg struct {
	id  int
	msg tea.Msg
}

// resolvedMsg is a chosen table, checked.
type resolvedMsg struct {
	table inspect.Table
	err   error
}

// NewInspector makes the screen.
func NewInspector(ctx context.Context, places []Place, keyMap keys.Map, dialogs *frame.Dialogs) (frame.Screen, error) {
	n := &inspector{ctx: ctx, keys: keyMap, dialogs: dialogs}
	for _, p := range places {
		r := &room{place: p}
		n.rooms = append(n.rooms, r)
		if p.Table == nil {
			n.pick(r)
			continue
		}
		if err := n.enter(r, *p.Table); err != nil {
			return nil, err
		}
	}
	n.SetStyles(theme.New(true))
	return n, nil
}

// pick puts the picker of a database in front.
func (n *inspector) pick(r *room) {
	n.issued++
	r.id = n.issued
	r.picker = triage.NewPicker(n.ctx, r.place.Store, r.place.Database, n.keys, r.triage != nil)
	r.picker.SetStyles(n.styles)
}

// enter makes the screen of a table. The one before it is closed.
func (n *inspector) enter(r *room, table inspect.Table) error {
	config, err := r.place.Configure(table)
	if err != nil {
		return err
	}
	if r.triage != nil {
		r.triage.Close()
	}
	n.issued++
	r.id, r.picker, r.begun = n.issued, nil, false
	r.triage = triage.New(n.ctx, config, n.keys, n.dialogs)
	r.triage.SetStyles(n.styles)
	return nil
}

// here is the database in front; front is what is looked at.
func (n *inspector) here() *room { return n.rooms[n.at] }

func (n *inspector) front() frame.Screen {
	switch r := n.here(); {
	case n.lesson != nil:
		return n.lesson
	case r.picker != nil:
		return r.picker
	default:
		return r.triage
	}
}

// Init starts the database in front.
func (n *inspector) Init() tea.Cmd { return n.begin(n.here()) }

// begin starts what is in front of a database, or lets it go on.
func (n *inspector) begin(r *room) tea.Cmd {
	switch {
	case r.picker != nil:
		return n.own(r.id, r.picker.Init())
	case r.begun:
		return n.own(r.id, r.triage.Return())
	}
	r.begun = true
	return tea.Batch(n.own(r.id, r.triage.Update(n.size)), n.own(r.id, r.triage.Init()))
}

// own marks what a command answers with the screen that gave it. What is not of
// the inspector's screens (the clipboard, a dialog's grace) stays as it is.
func (n *inspector) own(id int, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			owned := make(tea.BatchMsg, 0, len(msg))
			for _, c := range msg {
				if c != nil {
					owned = append(owned, n.own(id, c))
				}
			}
			return owned
		default:
			if of := reflect.TypeOf(msg).PkgPath(); of == triagePackage {
				return forMsg{id, msg}
			}
			return msg
		}
	}
}

var triagePackage = reflect.TypeFor[triage.Config]().PkgPath()

// Update gives each message to the screen that it is for: an answer to the one
// that asked, a key to the one in front, the size to all.
func (n *inspector) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case forMsg:
		for _, r := range n.rooms {
			if r.id == msg.id {
				// The root model offered the dialogs only the envelope.
				_, cmd := n.dialogs.Update(msg.msg)
				return tea.Batch(n.own(r.id, cmd), n.answered(r, msg.msg))
			}
		}
		return nil // the screen that asked is gone
	case tea.WindowSizeMsg:
		n.size = msg
		var all []tea.Cmd
		for _, r := range n.rooms {
			if r.triage != nil {
				all = append(all, n.own(r.id, r.triage.Update(msg)))
			}
		}
		if n.lesson != nil {
			all = append(all, n.lesson.Update(msg))
		}
		return tea.Batch(all...)
	}
	if n.lesson != nil {
		return n.updateLesson(msg)
	}
	return n.answered(n.here(), msg)
}

// answered gives a message to what is in front of a database.
func (n *inspector) answered(r *room, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case triage.NextDatabaseMsg:
		return n.turn()
	case triage.TablesMsg:
		if r.triage != nil && r.triage.Leave() {
			n.pick(r)
			return n.begin(r)
		}
		return nil
	case triage.ExplainMsg:
		return n.explain(r, msg)
	case triage.LeftPickerMsg:
		n.issued++
		r.id, r.picker = n.issued, nil
		return n.begin(r)
	case triage.PickedMsg:
		return n.resolve(r, msg.Table)
	case resolvedMsg:
		return n.resolved(r, msg)
	}
	if r.picker != nil {
		return n.own(r.id, r.picker.Update(msg))
	}
	return n.own(r.id, r.triage.Update(msg))
}

// turn puts the next database in front. It stays where something is under way.
func (n *inspector) turn() tea.Cmd {
	r := n.here()
	if len(n.rooms) < 2 {
		if r.triage != nil {
			r.triage.Say("there is one database here: name more with --dsn, or a group with --connection")
		}
		return nil
	}
	if r.picker == nil && !r.triage.Leave() {
		return nil
	}
	n.at = (n.at + 1) % len(n.rooms)
	return n.begin(n.here())
}

// resolve checks the chosen table before its screen opens.
func (n *inspector) resolve(r *room, table inspect.Table) tea.Cmd {
	id, ctx, check := r.id, n.ctx, r.place.Resolve
	return func() tea.Msg {
		resolved, err := check(ctx, table)
		return forMsg{id, resolvedMsg{resolved, err}}
	}
}

// resolved opens the chosen table, or says why it cannot be.
func (n *inspector) resolved(r *room, msg resolvedMsg) tea.Cmd {
	err := msg.err
	if err == nil {
		err = n.enter(r, msg.table)
	}
	if err != nil {
		if r.picker != nil {
			r.picker.Say(err)
		}
		return nil
	}
	return n.begin(r)
}

// Close ends all screens.
func (n *inspector) Close() {
	for _, r := range n.rooms {
		if r.triage != nil {
			r.triage.Close()
		}
	}
}

// View draws what is in front.
func (n *inspector) View(w, h int) string { return n.front().View(w, h) }

// Title is that of what is in front.
func (n *inspector) Title() string { return n.front().Title() }

// Typing reports that a text field in front has the keyboard.
func (n *inspector) Typing() bool { return n.front().Typing() }

// SetStyles gives all screens the theme.
func (n *inspector) SetStyles(s theme.Styles) {
	n.styles = s
	for _, r := range n.rooms {
		if r.triage != nil {
			r.triage.SetStyles(s)
		}
		if r.picker != nil {
			r.picker.SetStyles(s)
		}
	}
	if n.lesson != nil {
		n.lesson.SetStyles(s)
	}
}
