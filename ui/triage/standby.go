package triage

import (
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// databaseNow is the database as of the last look.
func (s *Screen) databaseNow() inspect.Database {
	if look := s.current(); look.ok {
		return look.snapshot.Database
	}
	return s.cfg.Database
}

// shownMode is what the badge shows: on a server that takes no writes a session
// is not armed, whatever was allowed.
func (s *Screen) shownMode() inspect.Mode {
	if d := s.databaseNow(); d.Standby || d.ReadOnly {
		return inspect.ModeForbidden
	}
	return s.session
}

// onStandby says, in place of a release, that nothing can be written here, and
// what to type for the primary.
func (s *Screen) onStandby() tea.Cmd {
	d := s.databaseNow()
	lag := ""
	if d.ReplayLag.OK {
		lag = ", " + text.Age(d.ReplayLag.V) + " behind its primary"
	}
	line := inspect.PrimaryLine(d, s.cfg.Table)
	return s.dialogs.Push(&noteDialog{
		keys: s.keys, buttons: s.buttons, title: "Nothing can be released on a standby",
		lines: []string{
			d.ID + " is a standby" + lag + ": it takes no writes, and what it shows may be over already.", "",
			"For the primary, type (PRIMARY stands for its address where this server hides it):", line,
		},
		copied: line, sheet: s.newSheet(), form: newForm(nil, "Close", "Copy the line"),
	})
}
