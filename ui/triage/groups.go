package triage

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// grouped is the list by groups: what the claims are grouped by ("" is the
// plain list) and the group under the cursor, which follows its name.
type grouped struct {
	by    inspect.Grouping
	focus string
}

// nextGrouping goes from the list to each grouping in turn, and back.
func (s *Screen) nextGrouping() {
	i := slices.Index(inspect.Groupings, s.groups.by) + 1
	s.groups = grouped{}
	s.only = group{}
	s.list.setOnly(nil)
	if i < len(inspect.Groupings) {
		s.groups.by = inspect.Groupings[i]
	}
}

// group is the one group whose claims are listed; none where by is "".
type group struct {
	by   inspect.Grouping
	name string
}

func (g group) has(c inspect.Claim) bool {
	of := inspect.GroupClaims([]inspect.Claim{c}, g.by)
	return len(of) == 1 && of[0].Name == g.name
}

// groupsNow are the groups of the last look.
func (s *Screen) groupsNow() []inspect.Group { return s.current().snapshot.Groups[s.groups.by] }

// groupAt is the place of the group under the cursor.
func (s *Screen) groupAt(groups []inspect.Group) int {
	return max(0, slices.IndexFunc(groups, func(g inspect.Group) bool { return g.Name == s.groups.focus }))
}

// pressedGroups moves among the groups; enter lists the claims of one.
func (s *Screen) pressedGroups(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	groups := s.groupsNow()
	k, page := s.keys, max(1, s.list.height-1)
	to := s.groupAt(groups)
	switch {
	case key.Matches(msg, k.Open):
		if to < len(groups) {
			s.only = group{s.groups.by, groups[to].Name}
			s.groups = grouped{}
			s.list.setOnly(s.only.has)
			return s.wantDetail(), true
		}
		return nil, true
	case key.Matches(msg, k.Back):
		s.groups = grouped{}
		return s.wantDetail(), true
	case key.Matches(msg, k.Up):
		to--
	case key.Matches(msg, k.Down):
		to++
	case key.Matches(msg, k.PageUp):
		to -= page
	case key.Matches(msg, k.PageDown):
		to += page
	case key.Matches(msg, k.First):
		to = 0
	case key.Matches(msg, k.Last):
		to = len(groups)
	case key.Matches(msg, k.Mark), key.Matches(msg, k.MarkAll), key.Matches(msg, k.Release), key.Matches(msg, k.Settle), key.Matches(msg, k.Owner),
		key.Matches(msg, k.Copy), key.Matches(msg, k.CopyRow), key.Matches(msg, k.Plain), key.Matches(msg, k.Explain), key.Matches(msg, k.Sort), key.Matches(msg, k.Unsort):
		s.say("no claim is selected here: %s lists the claims of a group", k.Open.Help().Key)
		return nil, true
	default:
		return nil, false
	}
	if len(groups) > 0 {
		s.groups.focus = groups[max(0, min(to, len(groups)-1))].Name
	}
	return nil, true
}

// groupsView draws the groups in sight under their heads.
func (s *Screen) groupsView(l layout) (head string, rows string) {
	st := s.styles
	const number, gap = 9, 2
	name := max(8, min(48, l.listW-3-4*(number+gap)))
	line := func(label, stuck, claimed, oldest, newest string) string {
		return text.Left(label, name) + strings.Repeat(" ", gap) + text.Right(stuck, number) + strings.Repeat(" ", gap) + text.Right(claimed, number) +
			strings.Repeat(" ", gap) + text.Right(oldest, number) + strings.Repeat(" ", gap) + text.Right(newest, number)
	}
	head = st.Muted.Render("   " + line(strings.ToUpper(string(s.groups.by)), "STUCK", "CLAIMED", "OLDEST", "NEWEST"))
	groups := s.groupsNow()
	if len(groups) == 0 {
		return head, "\n   " + st.Muted.Render("nothing is claimed, so there is nothing to group")
	}
	at := s.groupAt(groups)
	top := max(0, min(at-l.rows/2, len(groups)-l.rows))
	whole := !s.current().snapshot.Summary.LookCut
	var lines []string
	for i, g := range groups[top:min(top+l.rows, len(groups))] {
		shown := line(text.Cut(text.Sanitise(g.Name), name), text.Count(g.Stuck, whole), text.Count(g.Claimed, whole), ageOf(g.Oldest), ageOf(g.Newest))
		if top+i == at {
			lines = append(lines, st.Selected.Render(text.Left(">  "+shown, l.listW)))
			continue
		}
		lines = append(lines, "   "+st.Text.Render(shown))
	}
	return head, strings.Join(lines, "\n")
}

// orderText is the order of the list, or what it is grouped or narrowed by.
func (s *Screen) orderText() string {
	switch {
	case s.groups.by != "":
		return "by " + string(s.groups.by) + ": " + s.keys.Open.Help().Key + " lists a group, " + s.keys.Group.Help().Key + " goes on"
	case s.only.by != "":
		return "only " + string(s.only.by) + " " + text.Cut(text.Sanitise(s.only.name), 30) + ": " + s.keys.Back.Help().Key + " lists all"
	}
	return s.list.order.String()
}
