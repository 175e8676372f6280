package triage

import (
	"context"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// Picker is a list of tables that look like claim tables, one of which a person
// chooses. It implements [frame.Screen].
type Picker struct {
	ctx      context.Context
	store    inspect.Store
	database inspect.Database
	keys     keys.Triage
	styles   theme.Styles
	tables   []inspect.Table
	asked    bool
	err      error
	at       int
	message  string
	mayLeave bool // a table is in front already, to which one can go back
}

// PickedMsg is the table that was chosen; LeftPickerMsg that none was.
type (
	PickedMsg     struct{ Table inspect.Table }
	LeftPickerMsg struct{}
)

// tablesListedMsg is what the store found.
type tablesListedMsg struct {
	tables []inspect.Table
	err    error
}

// NewPicker makes the picker; Init asks the store for its tables.
func NewPicker(ctx context.Context, store inspect.Store, database inspect.Database, keyMap keys.Map, mayLeave bool) *Picker {
	return &Picker{ctx: ctx, store: store, database: database, keys: keyMap.Triage, mayLeave: mayLeave}
}

// Init asks the store which tables look like claim tables.
func (p *Picker) Init() tea.Cmd {
	store, ctx := p.store, p.ctx
	return func() tea.Msg {
		tables, err := store.Tables(ctx)
		return tablesListedMsg{tables, err}
	}
}

// Say shows why a chosen table could not be opened.
func (p *Picker) Say(err error) { p.message = faultText(err) }

// Update takes one message.
func (p *Picker) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tablesListedMsg:
		p.tables, p.err, p.asked = msg.tables, msg.err, true
	case tea.KeyPressMsg:
		return p.pressed(msg)
	}
	return nil
}

func (p *Picker) pressed(msg tea.KeyPressMsg) tea.Cmd {
	k := p.keys
	p.message = ""
	switch {
	case key.Matches(msg, k.Back) && p.mayLeave:
		return func() tea.Msg { return LeftPickerMsg{} }
	case key.Matches(msg, k.Up):
		p.move(-1)
	case key.Matches(msg, k.Down):
		p.move(1)
	case key.Matches(msg, k.First), key.Matches(msg, k.PageUp):
		p.move(-len(p.tables))
	case key.Matches(msg, k.Last), key.Matches(msg, k.PageDown):
		p.move(len(p.tables))
	case key.Matches(msg, k.Refresh):
		return p.Init()
	case key.Matches(msg, k.Open) && p.at < len(p.tables):
		table := p.tables[p.at]
		if table.Incomplete {
			p.message = "its mapping is not complete: name it with --table and --map, see idemtui inspect tables"
			return nil
		}
		return func() tea.Msg { return PickedMsg{table} }
	}
	return nil
}

func (p *Picker) move(by int) { p.at = max(0, min(p.at+by, len(p.tables)-1)) }

// View draws the list, and the reasons for the table under the cursor.
func (p *Picker) View(w, h int) string {
	st := p.styles
	lines := []string{" " + st.Title.Render("idemtui inspect") + "  " + st.Strong.Render(text.Sanitise(p.database.ID)), ""}
	body := &page{w: w - 2, styles: st}
	switch {
	case p.err != nil:
		body.wrap(st.Bad, "", "✗ the tables could not be listed: "+faultText(p.err)+"; "+p.keys.Refresh.Help().Key+" tries again")
	case !p.asked:
		body.wrap(st.Muted, "", "looking for tables with claims …")
	case len(p.tables) == 0:
		body.wrap(st.Warn, "", "no table of a known shape: name yours with --table and --map, see idemtui inspect schema")
	default:
		body.wrap(st.Strong, "", "Which of these tables holds the claims?")
	}
	for _, line := range body.lines {
		lines = append(lines, " "+line)
	}
	lines = append(lines, "")
	room := max(1, h-len(lines)-8)
	top := max(0, min(p.at-room/2, len(p.tables)-room))
	name := max(12, min(40, w-44))
	for i, t := range p.tables[top:min(top+room, len(p.tables))] {
		rows := "unknown"
		if t.EstimatedRows.OK {
			rows = text.Count(t.EstimatedRows.V, false)
		}
		profile := t.Mapping.Profile
		if profile == "" {
			profile = "guessed"
		}
		line := fmt.Sprintf("%s  %s  %s rows  score %d", text.Left(text.Cut(text.Sanitise(t.FullName()), name), name), text.Left(text.Cut(text.Sanitise(profile), 20), 20), text.Right(rows, 8), t.Score)
		if top+i == p.at {
			lines = append(lines, st.Selected.Render(text.Left("> "+line, w)))
		} else {
			lines = append(lines, "  "+st.Text.Render(text.Cut(line, w-2)))
		}
	}
	lines = append(lines, "")
	lines = append(lines, p.why(w)...)
	if p.message != "" {
		lines = append(lines, "", " "+st.Bad.Render(text.Cut("✗ "+p.message, w-1)))
	}
	return frame.Fit(strings.Join(lines, "\n"), w, h)
}

// why is what speaks for the table under the cursor.
func (p *Picker) why(w int) []string {
	if p.at >= len(p.tables) {
		return nil
	}
	body := &page{w: w - 2, styles: p.styles}
	for _, reason := range p.tables[p.at].Reasons {
		body.item(text.Sanitise(reason))
	}
	for i := range body.lines {
		body.lines[i] = " " + body.lines[i]
	}
	return body.lines
}

// ShortHelp lists the keys for the footer.
func (p *Picker) ShortHelp() []key.Binding {
	shown := []key.Binding{pair(p.keys.Up, p.keys.Down, "move"), keep(p.keys.Open, "look at it")}
	if p.mayLeave {
		shown = append(shown, p.keys.Back)
	}
	return shown
}

// FullHelp lists the groups of keys for the help overlay.
func (p *Picker) FullHelp() []frame.KeyGroup {
	return []frame.KeyGroup{{Title: "choose", Keys: []key.Binding{pair(p.keys.Up, p.keys.Down, "one"), keep(p.keys.Open, "look at it"), p.keys.Back, keep(p.keys.Refresh, "list again")}}}
}

// Title is the window title.
func (p *Picker) Title() string { return "idemtui inspect: choose a table" }

// Typing is false: no text is typed here.
func (p *Picker) Typing() bool { return false }

// SetStyles gives the picker its theme.
func (p *Picker) SetStyles(s theme.Styles) { p.styles = s }
