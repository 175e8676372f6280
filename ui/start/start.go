// Package start is the page that `idemtui` without a command shows: what there
// is, each one key away.
package start

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// Choice is one line of the page.
type Choice struct {
	Title string   // what the user wants
	About string   // what they will see
	Args  []string // the command line that opens it
}

// Page is the start page. It implements [frame.Screen].
type Page struct {
	choices  []Choice
	selected int
	chosen   bool
	keys     keys.Start
	styles   theme.Styles
}

// New makes the page. At least one choice is needed.
func New(choices []Choice, keyMap keys.Map) *Page {
	return &Page{choices: choices, keys: keyMap.Start}
}

// Chosen is the choice the user made, if any.
func (p *Page) Chosen() (Choice, bool) { return p.choices[p.selected], p.chosen }

// Init starts nothing: the page is still.
func (p *Page) Init() tea.Cmd { return nil }

// Update moves the selection and ends the program on a choice.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch {
	case key.Matches(press, p.keys.Up):
		p.selected = (p.selected + len(p.choices) - 1) % len(p.choices)
	case key.Matches(press, p.keys.Down):
		p.selected = (p.selected + 1) % len(p.choices)
	case key.Matches(press, p.keys.Choose):
		p.chosen = true
		return tea.Quit
	}
	return nil
}

// race is the whole subject in four lines: two deliveries of one payment, both
// checked before either remembered.
var race = []string{
	"worker 1  ├check┤├────charge────┤├remember┤ack",
	"worker 2        ├check┤├────charge────┤├remember┤ack",
	"provider           $ p17        ✗ $ p17",
}

// View draws the page.
func (p *Page) View(w, h int) string {
	s := p.styles
	const intro = "A message system delivers at least once, which means sometimes twice. " +
		"idemtui shows why a customer is charged twice, and helps with the claims that are stuck."
	lines := []string{"", "  " + s.Title.Render("idemtui"), ""}
	for _, line := range text.Wrap(intro, min(w-4, 76)) {
		lines = append(lines, "  "+line)
	}
	if h >= len(lines)+len(p.choices)*3+len(race)+2 {
		lines = append(lines, "")
		for i, line := range race {
			style := s.Faint
			if i == len(race)-1 {
				style = s.Bad
			}
			lines = append(lines, "  "+style.Render(line))
		}
	}
	lines = append(lines, "")
	roomy := h >= len(lines)+len(p.choices)*3
	for i, c := range p.choices {
		lines = append(lines, p.line(i, c, w))
		if roomy {
			lines = append(lines, "    "+s.Muted.Render(text.Cut(c.About, w-4)), "")
		}
	}
	return strings.Join(lines, "\n")
}

func (p *Page) line(i int, c Choice, w int) string {
	cursor, title := "  ", p.styles.Strong.Render(c.Title)
	if i == p.selected {
		cursor, title = p.styles.Accent.Render("> "), p.styles.Accent.Render(c.Title)
	}
	command := p.styles.Muted.Render("idemtui " + strings.Join(c.Args, " "))
	const column = 36
	return text.Cut("  "+cursor+text.Left(title, min(column, w-4))+command, w)
}

// ShortHelp lists the keys for the footer.
func (p *Page) ShortHelp() []key.Binding {
	return []key.Binding{p.keys.Up, p.keys.Down, p.keys.Choose}
}

// FullHelp lists the keys for the help overlay.
func (p *Page) FullHelp() []frame.KeyGroup {
	return []frame.KeyGroup{{Title: "start", Keys: p.ShortHelp()}}
}

// Title is the window title.
func (p *Page) Title() string { return "idemtui" }

// Typing is false: the page has no text field.
func (p *Page) Typing() bool { return false }

// SetStyles gives the page its theme.
func (p *Page) SetStyles(s theme.Styles) { p.styles = s }
