package triage

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// The tests stand outside, so that they can put the root model around the
// screen.
type (
	TickedMsg     = tickedMsg
	RefreshDueMsg = refreshDueMsg
	FollowDueMsg  = followDueMsg
)

// Load asks for the rows as Init does, without starting the clock.
func (s *Screen) Load() tea.Cmd { return s.loadClaims() }

// Ticked tells the screen the time.
func Ticked(at time.Time) tea.Msg { return tickedMsg{at} }
