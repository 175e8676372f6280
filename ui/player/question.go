package player

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// question is a dialog that asks for one value.
type question struct {
	title, unit, hint, does string
	read                    func(string) (tea.Msg, error)
	field                   textinput.Model
	wrong                   string
	keys                    keys.Dialog
}

// paymentChosenMsg is the payment that the viewer typed.
type paymentChosenMsg struct{ payment int32 }

func newQuestion(q question, keyMap keys.Map) *question {
	q.field = textinput.New()
	q.field.Prompt, q.field.CharLimit = "", 20
	q.field.SetWidth(12)
	q.field.Focus()
	q.keys = keyMap.Dialog
	return &q
}

// newFollowing asks for one of so many payments.
func newFollowing(payments int64, keyMap keys.Map) *question {
	return newQuestion(question{
		title: "follow a payment", hint: "p1 to " + sim.PaymentName(int32(payments-1)), does: "follow it",
		read: func(s string) (tea.Msg, error) {
			payment, err := parsePayment(s, payments)
			return paymentChosenMsg{payment}, err
		},
	}, keyMap)
}

// Update edits the field, and ends on enter with a value or on esc without one.
func (q *question) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc":
			return true, nil
		case "enter":
			value, err := q.read(q.field.Value())
			if err != nil {
				q.wrong = err.Error()
				return false, nil
			}
			return true, func() tea.Msg { return value }
		}
		q.wrong = ""
	}
	q.field, cmd = q.field.Update(msg)
	return false, cmd
}

// View draws the box.
func (q *question) View(w, _ int, s theme.Styles) string {
	inner := min(44, w-s.Box.GetHorizontalFrameSize())
	lines := []string{
		s.Title.Render(q.title),
		"",
		q.field.View() + s.Muted.Render(q.shownUnit()),
		"",
		s.Muted.Render(strings.Join(text.Wrap(q.hint, inner), "\n")),
	}
	if q.wrong != "" {
		lines[4] = s.Bad.Render(strings.Join(text.Wrap("✗ "+q.wrong, inner), "\n"))
	}
	return s.Box.Width(inner + s.Box.GetHorizontalFrameSize()).Render(strings.Join(lines, "\n"))
}

// shownUnit is the unit behind the field, as long as none was typed.
func (q *question) shownUnit() string {
	if strings.Trim(q.field.Value(), "0123456789. ") != "" {
		return ""
	}
	return q.unit
}

// ShortHelp lists the keys for the footer.
func (q *question) ShortHelp() []key.Binding {
	choose := q.keys.Choose
	choose.SetHelp(choose.Help().Key, q.does)
	cancel := q.keys.Cancel
	cancel.SetHelp(cancel.Help().Key, "close")
	return []key.Binding{choose, cancel}
}

// Guarded is false: the dialog writes nothing.
func (q *question) Guarded() bool { return false }

// parsePayment reads a payment as the screen names it, with or without its p.
func parsePayment(s string, payments int64) (int32, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, errors.New("type a payment, such as p17")
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.ToLower(s), "p"), 10, 32)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s is no payment: type one such as p17", text.Sanitise(s))
	}
	if n > payments {
		return 0, fmt.Errorf("the last payment is %s", sim.PaymentName(int32(payments-1)))
	}
	return int32(n - 1), nil
}
