package player

import (
	"errors"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// timeChosenMsg is the time that the viewer typed, in virtual nanoseconds.
type timeChosenMsg struct{ at int64 }

// goTo is the dialog that asks for a time.
type goTo struct {
	field textinput.Model
	end   int64
	wrong string
	keys  keys.Dialog
}

func newGoTo(end int64, keyMap keys.Map) *goTo {
	field := textinput.New()
	field.Prompt, field.CharLimit = "", 20
	field.SetWidth(8)
	field.Focus()
	return &goTo{field: field, end: end, keys: keyMap.Dialog}
}

// Update edits the field, and ends on enter with a time or on esc without one.
func (g *goTo) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc":
			return true, nil
		case "enter":
			at, err := parseTime(g.field.Value(), g.end)
			if err != nil {
				g.wrong = err.Error()
				return false, nil
			}
			return true, func() tea.Msg { return timeChosenMsg{at} }
		}
		g.wrong = ""
	}
	g.field, cmd = g.field.Update(msg)
	return false, cmd
}

// View draws the box.
func (g *goTo) View(w, _ int, s theme.Styles) string {
	inner := min(44, w-s.Box.GetHorizontalFrameSize())
	lines := []string{
		s.Title.Render("go to a time"),
		"",
		g.field.View() + s.Muted.Render(" ms"),
		"",
		s.Muted.Render("the run lasts " + text.Millis(g.end)),
	}
	if g.wrong != "" {
		lines[4] = s.Bad.Render(strings.Join(text.Wrap("✗ "+g.wrong, inner), "\n"))
	}
	return s.Box.Width(inner + s.Box.GetHorizontalFrameSize()).Render(strings.Join(lines, "\n"))
}

// ShortHelp lists the keys for the footer.
func (g *goTo) ShortHelp() []key.Binding {
	choose := g.keys.Choose
	choose.SetHelp(choose.Help().Key, "go there")
	cancel := g.keys.Cancel
	cancel.SetHelp(cancel.Help().Key, "close")
	return []key.Binding{choose, cancel}
}

// Guarded is false: the dialog writes nothing.
func (g *goTo) Guarded() bool { return false }

// units are the suffixes a time may have, as powers of ten of a nanosecond.
var units = []struct {
	suffix string
	digits int
}{{"ms", 6}, {"us", 3}, {"µs", 3}, {"ns", 0}, {"s", 9}, {"", 6}}

// parseTime reads a time within the run: 3.2 and 3.2 ms are milliseconds,
// 300us microseconds.
func parseTime(s string, end int64) (int64, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, errors.New("type a time in milliseconds, such as 3.2")
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		at, err := parseDecimal(strings.TrimSpace(number), u.digits)
		if err != nil {
			break
		}
		if at > end {
			return 0, fmt.Errorf("the run ends at %s", text.Millis(end))
		}
		return at, nil
	}
	return 0, fmt.Errorf("%s is no time: type milliseconds, such as 3.2", text.Sanitise(s))
}
