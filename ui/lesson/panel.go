package lesson

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/text"
)

// panel is where a run is changed on the spot.
type panel struct {
	open     bool
	selected int
	atEnd    bool // the last turn changed nothing
}

// dials are what can be changed at the present place.
func (s *Screen) dials() []lessons.Parameter {
	if s.place.kind == results {
		return s.lesson().Tables[s.place.i].Parameters()
	}
	if s.sequence() != nil {
		return nil
	}
	return s.present().Parameters
}

// dialled is the scenario that the dials turn, and own how the lesson has it.
func (s *Screen) dialled() (scenario, own sim.Scenario) {
	if s.place.kind == results {
		return s.currentTable().Rows[0].Scenario, s.lesson().Tables[s.place.i].Rows[0].Scenario
	}
	return s.scenario(), s.present().Scenario
}

func (s *Screen) pressedInPanel(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	k := s.keys.Lesson
	last := len(s.dials()) - 1
	s.panel.atEnd = false
	switch {
	case key.Matches(msg, k.Up):
		s.panel.selected = max(s.panel.selected-1, 0)
	case key.Matches(msg, k.Down):
		s.panel.selected = min(s.panel.selected+1, last)
	case key.Matches(msg, k.Less):
		return s.dial(-1), true
	case key.Matches(msg, k.More):
		return s.dial(1), true
	case key.Matches(msg, k.Change), key.Matches(msg, k.Back), key.Matches(msg, k.Answer):
		s.panel.open = false
	default:
		return nil, false
	}
	return nil, true
}

// dial turns the selected parameter.
func (s *Screen) dial(by int) tea.Cmd {
	parameter := s.dials()[s.panel.selected]
	if s.place.kind == results {
		changed, ok := s.currentTable().Turn(parameter, by)
		s.panel.atEnd = !ok
		if !ok {
			return nil
		}
		return s.changeTable(changed)
	}
	changed, ok := parameter.Turn(s.scenario(), by)
	s.panel.atEnd = !ok
	if !ok {
		return nil
	}
	return s.change(changed)
}

// panelLines draws the dials in w cells and at most h lines, the selected one
// always among them.
func (s *Screen) panelLines(w, h int) []string {
	dials := s.dials()
	scenario, own := s.dialled()
	names, values := 0, 0
	for _, d := range dials {
		names, values = max(names, text.Width(d.String())), max(values, text.Width(d.Value(scenario)))
	}
	lines := []string{s.rule("change it", "", w)}
	room := max(h-1, 1)
	first := min(max(s.panel.selected-room+1, 0), max(len(dials)-room, 0))
	for i := first; i < len(dials) && i < first+room; i++ {
		d := dials[i]
		cursor, name := "  ", s.styles.Strong
		if i == s.panel.selected {
			cursor, name = s.styles.Accent.Render("> "), s.styles.Accent
		}
		value := d.Value(scenario)
		line := " " + cursor + name.Render(text.Left(d.String(), names)) + "  " + s.styles.Key.Render("← ") +
			s.styles.Strong.Render(text.Right(value, values)) + s.styles.Key.Render(" →")
		about := d.About()
		switch ownValue := d.Value(own); {
		case i == s.panel.selected && s.panel.atEnd:
			about = "it goes no further"
		case ownValue != value:
			about = strings.TrimSuffix(about, ".") + " (lesson: " + ownValue + ")"
		}
		lines = append(lines, text.Cut(line+"  "+s.styles.Muted.Render(about), w))
	}
	return lines
}
