package triage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// headView is everything above the rows.
func (s *Screen) headView(l layout) []string {
	lines := []string{s.headerLine(l.w), s.tabsLine(l.w, s.asOf())}
	if l.compact {
		lines = append(lines, s.summaryCompact(l.w))
	} else {
		lines = append(lines, s.summaryLine(l.w), s.verdictLine(l.w), s.storyLine(l.w))
	}
	if l.tall {
		lines = append(lines, s.timesLine(l.w))
	}
	return append(lines, s.infoLine(l.w), s.headings(l))
}

// headerLine says where we are and what this session may do. The mode is
// never cut; the database, the table and the profile give way in turn.
func (s *Screen) headerLine(w int) string {
	st := s.styles
	right := badge(s.shownMode(), st) + " "
	database := s.databaseNow()
	if database.Standby {
		standby := "STANDBY"
		if database.ReplayLag.OK {
			standby += " " + text.Age(database.ReplayLag.V) + " behind"
		}
		right = st.Warn.Render(standby) + "  " + right
	}
	profile := s.cfg.Table.Mapping.Profile
	if profile == "" {
		profile = "own mapping"
	}
	if !s.cfg.Table.Mapping.Verified {
		profile += ", unverified"
	}
	id := text.Sanitise(s.cfg.Database.ID)
	if s.cfg.Place != "" {
		id = s.cfg.Place + " " + id
	}
	parts := []string{id, text.Sanitise(s.cfg.Table.FullName()), text.Sanitise(profile)}
	name := "idemtui inspect"
	if text.Width(name+parts[0]+parts[1]+right)+8 > w {
		name = "inspect"
	}
	left := " " + st.Title.Render(name)
	room := w - text.Width(left) - text.Width(right) - 2
	for i, part := range parts {
		if room < 6 || i == 2 && text.Width(part)+2 > room {
			break
		}
		part = text.Cut(part, room-2)
		style := st.Strong
		if i == 2 {
			style = st.Muted
		}
		left += "  " + style.Render(part)
		room -= text.Width(part) + 2
	}
	return spread(left, "  "+right, w)
}

// badge says what the session may do; it is always on screen.
func badge(mode inspect.Mode, s theme.Styles) string {
	switch mode {
	case inspect.ModeArmed:
		return s.Armed.Render(" ARMED ")
	case inspect.ModeForbidden:
		return s.ReadOnly.Render("READ-ONLY (fixed)")
	}
	return s.ReadOnly.Render("READ-ONLY")
}

// tabsLine is the tabs, with their counts, and what is said on the right. Where
// there is no room for all names, the tabs that are not in sight keep their
// number only.
func (s *Screen) tabsLine(w int, right string) string {
	look := s.current()
	stuck, claims := "", ""
	if look.ok {
		sum := look.snapshot.Summary
		stuck = " " + text.Count(sum.Stuck, !sum.LookCut)
		claims = " " + text.Count(sum.Claimed.Rows, sum.Claimed.Exact)
	}
	health := "4 Health"
	if s.health.ok {
		health += " " + text.Count(int64(len(s.health.got.Findings)), true)
	}
	listing := s.mode != diagnosing && s.mode != remembering
	tabs := []struct {
		label string
		here  bool
	}{
		{"1 Stuck" + stuck, listing && s.tab == tabStuck},
		{"2 Claims" + claims, listing && s.tab == tabClaims},
		{"3 Retention", s.mode == remembering},
		{health, s.mode == diagnosing},
	}
	if state := s.oneState(); state != "" {
		tabs = slices.Delete(tabs, 1, 2)
		tabs[0].label, tabs[0].here = "1 "+strings.ToUpper(string(state)), listing
	}
	draw := func(gap string, short bool) string {
		line := ""
		for i, t := range tabs {
			style := s.styles.Muted
			switch {
			case t.here:
				style = s.styles.Accent.Underline(true)
			case short:
				t.label, _, _ = strings.Cut(t.label, " ")
			}
			if i > 0 {
				line += gap
			}
			line += style.Render(t.label)
		}
		return " " + line + " "
	}
	left := draw("   ", false)
	for _, narrower := range []string{draw("  ", false), draw("  ", true)} {
		if text.Width(left)+text.Width(right) > w {
			left = narrower
		}
	}
	return spread(left, right, w)
}

// asOf is the database's time of the rows on screen, their age, and what the
// refresh is doing.
func (s *Screen) asOf() string {
	st := s.styles
	look := s.looks[s.tab]
	state := "↻ " + text.Age(s.load.every)
	switch {
	case s.load.paused:
		state = "paused"
	case s.load.failures > 0:
		state = "✗ failing"
	case s.load.inFlight && s.now.Sub(s.load.asked) >= 2*time.Second && !s.load.asked.IsZero():
		state = "asking for " + text.Age(s.now.Sub(s.load.asked).Truncate(time.Second))
	}
	if !look.ok {
		return st.Muted.Render(state) + " "
	}
	age := max(0, s.now.Sub(look.at)).Truncate(time.Second)
	ageText := fmt.Sprintf("%ds", int(age/time.Second))
	if age >= time.Minute {
		ageText = text.Age(age)
	}
	stamp := "as of " + look.snapshot.At.UTC().Format("15:04:05Z")
	style := st.Muted
	if s.load.failures > 0 || age > 2*s.load.every+5*time.Second {
		style, ageText = st.Warn, ageText+" old"
	}
	return st.Text.Render(stamp) + "  " + style.Render(text.Right(ageText, max(3, text.Width(ageText)))) + "  " + style.Render(state) + " "
}

// summaryLine is the figures people write a query for first.
func (s *Screen) summaryLine(w int) string {
	look := s.current()
	if !look.ok {
		return ""
	}
	st, sum := s.styles, look.snapshot.Summary
	counted := func(n int64) string { return text.Count(n, !sum.LookCut) }
	stuck := st.OK
	if sum.Stuck > 0 {
		stuck = st.Bad
	}
	parts := []string{stuck.Render(counted(sum.Stuck)+" stuck") + " of " + text.Count(sum.Claimed.Rows, sum.Claimed.Exact) + " claimed"}
	if sum.Oldest.OK {
		parts = append(parts, "oldest "+text.Age(sum.Oldest.V), "median "+text.Age(sum.Median.V))
	}
	parts = append(parts, "over 1h: "+counted(sum.Over1h), "over 6h: "+counted(sum.Over6h))
	return text.Cut(" "+strings.Join(parts, st.Faint.Render(" · ")), w)
}

// verdictLine is the claims by verdict, and the picture of their ages.
func (s *Screen) verdictLine(w int) string {
	look := s.current()
	if !look.ok {
		return ""
	}
	return spread(" "+s.verdictCounts("   "), histogram(look.snapshot.Summary.Ages, s.styles)+" ", w)
}

// odd counts the claims that fit no rule, and the rows in states that the
// mapping does not name: neither may be overlooked.
func (s *Screen) odd() string {
	look := s.current()
	if !look.ok {
		return ""
	}
	sum := look.snapshot.Summary
	var parts []string
	for _, odd := range []struct {
		n    int64
		word string
	}{{sum.NoLease, "no lease"}, {sum.InvalidTime, "invalid time"}, {sum.Future, "in the future"}} {
		if odd.n > 0 {
			parts = append(parts, odd.word+" "+text.Count(odd.n, !sum.LookCut))
		}
	}
	for _, state := range slices.Sorted(maps.Keys(sum.Unmapped)) {
		n := sum.Unmapped[state]
		parts = append(parts, "unmapped "+text.Sanitise(state)+" "+text.Count(n.Rows, n.Exact))
	}
	return s.styles.Warn.Render(strings.Join(parts, " · "))
}

func (s *Screen) verdictCounts(gap string) string {
	sum := s.current().snapshot.Summary
	parts := make([]string, 0, 3)
	for _, v := range []struct {
		glyph, word string
		n           int64
		style       lipgloss.Style
	}{
		{"✗", "likely dead", sum.LikelyDead, s.styles.Bad},
		{"?", "cannot tell", sum.CannotTell, s.styles.Warn},
		{"●", "alive", sum.Alive, s.styles.OK},
	} {
		style := v.style
		if v.n == 0 {
			style = s.styles.Muted
		}
		parts = append(parts, style.Render(v.glyph+" "+v.word+" "+text.Count(v.n, !sum.LookCut)))
	}
	return strings.Join(parts, gap)
}

func (s *Screen) summaryCompact(w int) string {
	look := s.current()
	if !look.ok {
		return ""
	}
	sum := look.snapshot.Summary
	line := text.Count(sum.Stuck, !sum.LookCut) + " of " + text.Count(sum.Claimed.Rows, sum.Claimed.Exact)
	line = " " + line + " · " + s.verdictCounts("  ")
	if oldest := " · oldest " + text.Age(sum.Oldest.V); sum.Oldest.OK && text.Width(line+oldest) <= w {
		line += oldest
	}
	return text.Cut(line, w)
}

// infoLine is the filter while there is one, else the order; the marks; and on
// the right what is odd in the table.
func (s *Screen) infoLine(w int) string {
	st := s.styles
	var parts []string
	filter := s.filter.String()
	filtered := s.mode == filtering || filter != ""
	if filtered {
		shown := fmt.Sprintf("%s of %s", text.Count(int64(len(s.list.shown)), true), text.Count(int64(len(s.list.all)), true))
		parts = append(parts, st.Accent.Render("/")+s.filter.view(max(8, w-40), s.mode == filtering, st), st.Muted.Render(shown))
	} else {
		parts = append(parts, st.Muted.Render(s.orderText()))
	}
	if pulse := s.pulse; pulse.OK && !filtered {
		parts = append(parts, st.Muted.Render(text.Sanitise(pulse.V.Text(s.cfg.Table.Mapping))))
	}
	if n := len(s.list.marked); n > 0 {
		marked := text.Plural(int64(n), "marked", "marked")
		if hidden := s.list.hiddenMarks(); hidden > 0 {
			marked += fmt.Sprintf(", %d hidden by the filter", hidden)
		}
		parts = append(parts, st.Accent.Render("* "+marked))
	}
	if look := s.looks[s.tab]; look.ok {
		if listed := int64(len(look.snapshot.Claims)); look.snapshot.Matching.Rows > listed {
			parts = append(parts, st.Warn.Render(text.Count(listed, true)+" of "+MatchingText(look.snapshot)+" listed"))
		}
	}
	return spread(" "+strings.Join(parts, st.Faint.Render(" · ")), text.Cut(s.odd(), w*2/3)+" ", w)
}

// statusLine is the last line of the body: what just happened, what fails, or
// what one should know about this table.
func (s *Screen) statusLine(w int) string {
	st := s.styles
	switch {
	case s.writing != "":
		return st.Warn.Render(text.Cut(" "+s.writing, w))
	case s.toast.text != "" && s.toast.bad:
		return st.Bad.Render(text.Cut(" ✗ "+text.Sanitise(s.toast.text), w))
	case s.toast.text != "":
		return st.Info.Render(text.Cut(" "+text.Sanitise(s.toast.text), w))
	case s.load.err != nil && s.looks[s.tab].ok:
		return st.Bad.Render(text.Cut(fmt.Sprintf(" ✗ refresh failed (%d): %s", s.load.failures, faultText(s.load.err)), w))
	case s.planning:
		return st.Muted.Render(text.Cut(" reading the claims again …", w))
	case s.follow != nil:
		line := " followed: " + text.Sanitise(s.follow.follow.Summary()) + "  (" + s.keys.Follow.Help().Key + ")"
		return st.Info.Render(text.Cut(line, w))
	}
	if notes := s.notes(); len(notes) > 0 {
		note := text.Sanitise(notes[0])
		if len(notes) > 1 {
			note = fmt.Sprintf("%s  (+%d in %s)", note, len(notes)-1, s.keys.Plain.Help().Key)
		}
		return st.Muted.Render(text.Cut(" "+note, w))
	}
	return ""
}

// notes are what the look and the table have to say.
func (s *Screen) notes() []string {
	var notes []string
	if look := s.looks[s.tab]; look.ok {
		notes = append(notes, look.snapshot.Notes...)
	}
	return append(notes, s.cfg.Table.Warnings...)
}

// MatchingText is how many rows the filters match: exactly, more than a page,
// or at least those that a look which stopped early has read.
func MatchingText(s inspect.Snapshot) string {
	if s.Summary.LookCut {
		return text.AtLeast(s.Matching.Rows, s.Matching.Exact)
	}
	return text.MoreThan(s.Matching.Rows, s.Matching.Exact)
}
