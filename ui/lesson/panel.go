package lesson

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/player"
)

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
	by, taken := s.panel.Pressed(msg, s.keys.Lesson, len(s.dials()))
	if by == 0 {
		return nil, taken
	}
	return s.dial(by), true
}

// dial turns the selected parameter.
func (s *Screen) dial(by int) tea.Cmd {
	parameter := s.panel.Selected(s.dials())
	if s.place.kind == results {
		changed, ok := s.currentTable().Turn(parameter, by)
		s.panel.Turned(ok)
		if !ok {
			return nil
		}
		return s.changeTable(changed)
	}
	changed, ok := parameter.Turn(s.scenario(), by)
	s.panel.Turned(ok)
	if !ok {
		return nil
	}
	return s.change(changed)
}

// panelLines draws the dials in w cells and at most h lines, the selected one
// always among them.
func (s *Screen) panelLines(w, h int) []string {
	scenario, own := s.dialled()
	dials := player.Dials{Parameters: s.dials(), Now: scenario, Own: own, Whose: "lesson", Title: "change it"}
	return strings.Split(s.player.Panel(&s.panel, dials, w, min(h, len(dials.Parameters)+1)), "\n")
}
