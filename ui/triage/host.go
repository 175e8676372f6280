package triage

import (
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
)

// NextDatabaseMsg, TablesMsg and ExplainMsg are for whoever hosts the screen:
// the person wants to see the next database, to choose another table, or to
// see a claim played.
type (
	NextDatabaseMsg struct{}
	TablesMsg       struct{}
	ExplainMsg      struct {
		Claim inspect.Claim
		Table inspect.Table
	}
)

// Leave stops the refresh while another screen is in front. It reports false
// where something is under way that must be seen to its end.
func (s *Screen) Leave() bool {
	if s.busy() || s.dialogs.Open() {
		s.say("one moment: the last one is still under way")
		return false
	}
	s.away = true
	s.mode = browsing
	return true
}

// Return goes on where Leave stopped, with a new look. What was asked meanwhile may
// have been answered to nobody, so that it is asked again when it is wanted.
func (s *Screen) Return() tea.Cmd {
	s.away, s.detail.asking, s.health.asking = false, inspect.Key{}, false
	return s.loadClaims()
}

// wantElse asks the host for something that this screen cannot show.
func (s *Screen) wantElse(msg tea.Msg) tea.Cmd {
	if s.busy() {
		s.say("one moment: the last one is still under way")
		return nil
	}
	return func() tea.Msg { return msg }
}

// explain asks to see the selected claim played.
func (s *Screen) explain() tea.Cmd {
	r, ok := s.list.selected()
	if !ok {
		s.say("no claim is selected")
		return nil
	}
	return s.wantElse(ExplainMsg{Claim: s.detailOf(r).Claim, Table: s.cfg.Table})
}

// Say puts a note of the host into the status line.
func (s *Screen) Say(note string) { s.say("%s", note) }
