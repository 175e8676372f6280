package lesson

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim/lessons"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// ChosenMsg is the lesson that the viewer chose, from 1.
type ChosenMsg struct{ Lesson int }

// Menu is the dialog that lists the lessons.
type Menu struct {
	keys     keys.Map
	titles   []string
	selected int
}

var _ frame.Dialog = (*Menu)(nil)

// NewMenu makes the list, with a lesson selected, from 0.
func NewMenu(selected int, keyMap keys.Map) *Menu {
	m := &Menu{keys: keyMap, selected: selected}
	for _, l := range lessons.All() {
		m.titles = append(m.titles, l.Title)
	}
	return m
}

// Update moves the selection, and ends with a lesson or without one.
func (m *Menu) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false, nil
	}
	switch {
	case key.Matches(press, m.keys.Lesson.Pick):
		m.selected = int(press.String()[0] - '1')
		return true, m.choose()
	case key.Matches(press, m.keys.Dialog.Choose):
		return true, m.choose()
	case key.Matches(press, m.keys.Dialog.Cancel), key.Matches(press, m.keys.Lesson.Menu):
		return true, nil
	case key.Matches(press, m.keys.Dialog.Next):
		m.selected = (m.selected + 1) % len(m.titles)
	case key.Matches(press, m.keys.Dialog.Prev):
		m.selected = (m.selected + len(m.titles) - 1) % len(m.titles)
	}
	return false, nil
}

func (m *Menu) choose() tea.Cmd {
	chosen := ChosenMsg{m.selected + 1}
	return func() tea.Msg { return chosen }
}

// View draws the box.
func (m *Menu) View(w, _ int, s theme.Styles) string {
	inner := min(58, w-s.Box.GetHorizontalFrameSize())
	lines := []string{s.Title.Render("lessons"), ""}
	for i, title := range m.titles {
		cursor, style := "  ", s.Text
		if i == m.selected {
			cursor, style = s.Accent.Render("> "), s.Accent
		}
		lines = append(lines, text.Cut(cursor+s.Key.Render(fmt.Sprint(i+1))+" "+style.Render(title), inner))
	}
	return s.Box.Width(inner + s.Box.GetHorizontalFrameSize()).Render(strings.Join(lines, "\n"))
}

// ShortHelp lists the keys for the footer.
func (m *Menu) ShortHelp() []key.Binding {
	next := m.keys.Dialog.Next
	next.SetHelp("↑↓", "mark")
	choose := m.keys.Dialog.Choose
	choose.SetHelp(choose.Help().Key, "open")
	cancel := m.keys.Dialog.Cancel
	cancel.SetHelp(cancel.Help().Key, "close")
	return []key.Binding{next, m.keys.Lesson.Pick, choose, cancel}
}

// Guarded is false: the dialog writes nothing.
func (m *Menu) Guarded() bool { return false }
