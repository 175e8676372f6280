package triage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
)

// shiftStep is how far one key scrolls long values, in cells.
const shiftStep = 8

// pressed gives a key to whatever has the keyboard. None of these keys writes:
// the two that lead to a write open a dialog.
func (s *Screen) pressed(msg tea.KeyPressMsg) tea.Cmd {
	switch s.mode {
	case filtering:
		return s.pressedFilter(msg)
	case reading, plain:
		return s.pressedReading(msg)
	case diagnosing, remembering:
		return s.pressedDiagnosis(msg)
	}
	if s.groups.by != "" {
		if cmd, taken := s.pressedGroups(msg); taken {
			return cmd
		}
	}
	if s.moved(msg) {
		return s.wantDetail()
	}
	if cmd, ok := s.pressedAction(msg); ok {
		return cmd
	}
	k := s.keys
	switch {
	case key.Matches(msg, k.Open):
		return s.openDetail()
	case key.Matches(msg, k.Back):
		return s.stepBack()
	case key.Matches(msg, k.Group):
		s.nextGrouping()
	case key.Matches(msg, k.Fold):
		return s.toggleFold()
	case key.Matches(msg, k.Filter):
		s.groups = grouped{}
		s.mode = filtering
	case key.Matches(msg, k.Sort):
		s.sort(s.list.order.next())
	case key.Matches(msg, k.Unsort):
		s.sort(s.list.order.previous())
	case key.Matches(msg, k.Mark):
		s.list.toggle()
		return s.wantDetail()
	case key.Matches(msg, k.MarkAll):
		s.list.toggleAll()
	case key.Matches(msg, k.Stuck):
		return s.show(tabStuck)
	case key.Matches(msg, k.Claims):
		return s.show(tabClaims)
	case key.Matches(msg, k.NextTab):
		return s.nextTab(msg.String() == "shift+tab")
	case key.Matches(msg, k.Retention):
		return s.openDiagnosis(remembering)
	case key.Matches(msg, k.Health):
		return s.openDiagnosis(diagnosing)
	}
	return nil
}

// moved moves in the list and reports whether the key was one that does.
func (s *Screen) moved(msg tea.KeyPressMsg) bool {
	k := s.keys
	switch {
	case key.Matches(msg, k.Up):
		s.list.move(-1)
	case key.Matches(msg, k.Down):
		s.list.move(1)
	case key.Matches(msg, k.PageUp):
		s.list.move(-s.list.height)
	case key.Matches(msg, k.PageDown):
		s.list.move(s.list.height)
	case key.Matches(msg, k.First):
		s.list.move(-len(s.list.shown))
	case key.Matches(msg, k.Last):
		s.list.move(len(s.list.shown))
	case key.Matches(msg, k.Left):
		s.list.shift = max(0, s.list.shift-shiftStep)
	case key.Matches(msg, k.Right):
		s.list.shift = min(s.list.shift+shiftStep, s.widest())
	default:
		return false
	}
	return true
}

// pressedAction handles the keys that work in the list and in the detail.
func (s *Screen) pressedAction(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k := s.keys
	switch {
	case key.Matches(msg, k.Release):
		return s.wantRelease(), true
	case key.Matches(msg, k.Owner):
		return s.wantOwner(), true
	case key.Matches(msg, k.Dead):
		return s.wantPlan(inspect.PlanRequest{AllLikelyDead: true}), true
	case key.Matches(msg, k.Settle):
		return s.wantSettle(), true
	case key.Matches(msg, k.Explain):
		return s.explain(), true
	case key.Matches(msg, k.Database):
		return s.wantElse(NextDatabaseMsg{}), true
	case key.Matches(msg, k.Tables):
		return s.wantElse(TablesMsg{}), true
	case key.Matches(msg, k.Incident):
		return s.showIncident(), true
	case key.Matches(msg, k.Lookup):
		return s.wantLookup(), true
	case key.Matches(msg, k.Export):
		return s.wantExport(), true
	case key.Matches(msg, k.Follow):
		return s.showFollow(), true
	case key.Matches(msg, k.Undo):
		return s.wantUndo(), true
	case key.Matches(msg, k.Outcome):
		return s.showOutcome(), true
	case key.Matches(msg, k.Disarm):
		s.disarm()
		return nil, true
	case key.Matches(msg, k.Copy):
		return s.copyKey(), true
	case key.Matches(msg, k.CopyRow):
		return s.copyRow(), true
	case key.Matches(msg, k.Plain):
		return s.togglePlain(), true
	case key.Matches(msg, k.Pause):
		return s.pause(), true
	case key.Matches(msg, k.Slower):
		return s.step(1), true
	case key.Matches(msg, k.Faster):
		return s.step(-1), true
	case key.Matches(msg, k.Refresh):
		return s.loadClaims(), true
	}
	return nil, false
}

// pressedFilter edits the filter; the list narrows with each key.
func (s *Screen) pressedFilter(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, s.keys.Back):
		s.filter.set("")
		s.mode = browsing
	case key.Matches(msg, s.keys.Open):
		s.mode = browsing
	default:
		s.filter.press(msg)
	}
	s.list.setFilter(s.filter.String())
	return s.wantDetail()
}

// pressedReading scrolls the detail.
func (s *Screen) pressedReading(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := s.pressedAction(msg); ok {
		return cmd
	}
	k := s.keys
	switch {
	case key.Matches(msg, k.Back), key.Matches(msg, k.Open):
		s.mode = browsing
		s.detail.top = 0
	case key.Matches(msg, k.Up):
		s.detail.scroll(-1)
	case key.Matches(msg, k.Down):
		s.detail.scroll(1)
	case key.Matches(msg, k.PageUp):
		s.detail.scroll(-max(1, s.detail.height-1))
	case key.Matches(msg, k.PageDown):
		s.detail.scroll(max(1, s.detail.height-1))
	case key.Matches(msg, k.First):
		s.detail.scroll(-len(s.detail.text))
	case key.Matches(msg, k.Last):
		s.detail.scroll(len(s.detail.text))
	}
	return nil
}

// stepBack leaves one transient thing: the filter, then the marks.
func (s *Screen) stepBack() tea.Cmd {
	switch {
	case s.filter.String() != "":
		s.filter.set("")
		s.list.setFilter("")
	case s.only.by != "":
		s.only = group{}
		s.list.setOnly(nil)
	case len(s.list.marked) > 0:
		clear(s.list.marked)
	}
	return s.wantDetail()
}

func (s *Screen) sort(o order) {
	s.list.order = o
	s.list.arrange()
}
