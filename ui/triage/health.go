package triage

import (
	"context"
	"errors"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/frame"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// health is the diagnosis of the table, read when its tab is opened and on
// request, for it costs more than a look.
type health struct {
	generation int
	cancel     context.CancelFunc
	asking     bool
	got        inspect.Health
	ok         bool
	err        error
	focus      string // the code of the finding under the cursor
	at         int    // its place
	top        int    // of the retention tab: the first line in sight
}

// healthLoadedMsg is a diagnosis.
type healthLoadedMsg struct {
	generation int
	health     inspect.Health
	err        error
}

// openDiagnosis shows one of the two tabs that the diagnosis fills, and asks
// unless something is known already.
func (s *Screen) openDiagnosis(tab mode) tea.Cmd {
	if _, can := s.cfg.Store.(inspect.HealthChecker); !can {
		s.complain("this database cannot be diagnosed by this version")
		return nil
	}
	s.mode, s.health.top = tab, 0
	if s.health.ok || s.health.asking {
		return nil
	}
	return s.askHealth()
}

func (s *Screen) askHealth() tea.Cmd {
	checker, can := s.cfg.Store.(inspect.HealthChecker)
	if !can {
		return nil
	}
	if s.health.cancel != nil {
		s.health.cancel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.health.cancel, s.health.asking = cancel, true
	s.health.generation++
	generation, table := s.health.generation, s.cfg.Table
	return s.askWith(ctx, func(ctx context.Context) tea.Msg {
		defer cancel()
		got, err := checker.Health(ctx, table, inspect.HealthPolicy{})
		return healthLoadedMsg{generation, got, err}
	})
}

func (s *Screen) healthLoaded(msg healthLoadedMsg) {
	if msg.generation != s.health.generation {
		return
	}
	s.health.asking = false
	if errors.Is(msg.err, context.Canceled) {
		return
	}
	s.health.err = msg.err
	if msg.err == nil {
		s.health.got, s.health.ok = msg.health, true
		s.health.find()
	}
}

// find keeps the cursor on its finding, wherever that stands now.
func (h *health) find() {
	for i, f := range h.got.Findings {
		if f.Code == h.focus {
			h.at = i
			return
		}
	}
	h.move(0)
}

func (h *health) move(by int) {
	n := len(h.got.Findings)
	if n == 0 {
		h.at = 0
		return
	}
	h.at = max(0, min(h.at+by, n-1))
	h.focus = h.got.Findings[h.at].Code
}

// pressedDiagnosis takes the keys of the two tabs that the diagnosis fills. None
// of them leads to a write: no claim is in sight here.
func (s *Screen) pressedDiagnosis(msg tea.KeyPressMsg) tea.Cmd {
	k, back := s.keys, msg.String() == "shift+tab"
	switch {
	case key.Matches(msg, k.Back), key.Matches(msg, k.Stuck):
		return s.leaveDiagnosis(tabStuck)
	case key.Matches(msg, k.Claims):
		return s.leaveDiagnosis(tabClaims)
	case key.Matches(msg, k.Retention):
		return s.openDiagnosis(remembering)
	case key.Matches(msg, k.Health):
		return s.openDiagnosis(diagnosing)
	case key.Matches(msg, k.Refresh):
		return s.askHealth()
	case key.Matches(msg, k.Incident):
		return s.showIncident()
	case key.Matches(msg, k.Disarm):
		s.disarm()
		return nil
	case !key.Matches(msg, k.NextTab):
	case s.mode == remembering && back:
		return s.leaveDiagnosis(tabClaims)
	case s.mode == remembering:
		return s.openDiagnosis(diagnosing)
	case back:
		return s.openDiagnosis(remembering)
	default:
		return s.leaveDiagnosis(tabStuck)
	}
	if s.mode == remembering {
		return s.pressedRetention(msg)
	}
	return s.pressedHealth(msg)
}

// pressedHealth takes the keys of the findings.
func (s *Screen) pressedHealth(msg tea.KeyPressMsg) tea.Cmd {
	k := s.keys
	switch {
	case key.Matches(msg, k.Up):
		s.health.move(-1)
	case key.Matches(msg, k.Down):
		s.health.move(1)
	case key.Matches(msg, k.PageUp), key.Matches(msg, k.First):
		s.health.move(-len(s.health.got.Findings))
	case key.Matches(msg, k.PageDown), key.Matches(msg, k.Last):
		s.health.move(len(s.health.got.Findings))
	case key.Matches(msg, k.Copy):
		return s.copyFinding(false)
	case key.Matches(msg, k.CopyRow):
		return s.copyFinding(true)
	}
	return nil
}

func (s *Screen) leaveDiagnosis(t tab) tea.Cmd {
	s.mode = browsing
	return s.show(t)
}

// copyFinding sends the SQL that mends the finding to the clipboard, or with
// whole what is wrong too.
func (s *Screen) copyFinding(whole bool) tea.Cmd {
	h := s.health
	if h.at >= len(h.got.Findings) {
		return nil
	}
	f := h.got.Findings[h.at]
	content := f.FixSQL
	switch {
	case whole && f.FixSQL != "":
		content = f.Code + ": " + f.Text + "\n" + f.FixSQL
	case whole || content == "":
		content = f.Code + ": " + f.Text
		s.say("what is wrong was sent to the terminal's clipboard")
		return tea.SetClipboard(content)
	}
	s.say("the SQL was sent to the terminal's clipboard; idemtui never runs it")
	return tea.SetClipboard(content)
}

// healthView is the tab: the findings, worst first, each with what it causes
// and the SQL that mends it.
func (s *Screen) healthView(l layout) string {
	lines := []string{s.headerLine(l.w), s.tabsLine(l.w, s.healthAsOf())}
	body, from, to := s.findings(l.w - 2)
	if s.mode == remembering {
		body, from, to = s.remembered(l.w-2), 0, 0
	}
	room := max(1, l.h-len(lines)-1)
	top := 0
	if s.mode == remembering {
		s.health.top = max(0, min(s.health.top, len(body)-room))
		top = s.health.top
	}
	if to > room {
		top = min(from, len(body)-room)
	}
	if over := len(body) - room; over <= 0 {
		top = 0
	}
	shown := body[max(0, top):]
	for _, line := range strings.Split(frame.Fit(strings.Join(shown, "\n"), l.w-1, room), "\n") {
		lines = append(lines, " "+line)
	}
	return strings.Join(append(lines, s.statusLine(l.w)), "\n")
}

// findings are the lines of the tab, and which of them are the finding under
// the cursor.
func (s *Screen) findings(w int) (lines []string, from, to int) {
	st, h := s.styles, s.health
	p := s.diagnosisPage(w)
	if !h.ok {
		return p.lines, 0, 0
	}
	if len(h.got.Findings) == 0 {
		p.wrap(st.OK, "", "● nothing is wrong with the table's design and upkeep, as far as this role can see")
	}
	for i, f := range h.got.Findings {
		if i > 0 || len(p.lines) > 0 {
			p.blank()
		}
		start := len(p.lines)
		mark, style := severityMark(f.Severity, st)
		cursor := "  "
		if i == h.at {
			cursor = "> "
		}
		p.add(st.Text.Render(cursor) + style.Render(mark+" "+strings.ToUpper(string(f.Severity))) + "  " + st.Strong.Render(f.Code))
		p.wrap(st.Text, "    ", text.Sanitise(f.Text))
		if f.FixSQL != "" {
			p.wrap(st.Muted, "    ", "mended by, never run by idemtui:")
			p.code(st.Info, "      ", f.FixSQL)
		}
		if i == h.at {
			from, to = start, len(p.lines)
		}
	}
	work := h.got.Work()
	p.head(work.Name)
	p.wrap(st.Text, "    ", text.Sanitise(work.Text))
	if h.at >= len(h.got.Findings)-1 {
		to = len(p.lines) // or nothing would scroll to it
	}
	return p.lines, from, to
}

// diagnosisPage begins a tab that the diagnosis fills: with why it is empty or
// old, if it is.
func (s *Screen) diagnosisPage(w int) *page {
	st, h := s.styles, s.health
	p := &page{w: w, styles: st}
	switch {
	case h.err != nil:
		p.wrap(st.Bad, "", "✗ not diagnosed: "+faultText(h.err)+"; "+s.keys.Refresh.Help().Key+" tries again")
	case !h.ok:
		p.wrap(st.Muted, "", "looking at the table's design and upkeep …")
	}
	return p
}

func severityMark(severity inspect.Severity, s theme.Styles) (string, interface{ Render(...string) string }) {
	switch severity {
	case inspect.SeverityCritical:
		return "✗", s.Bad
	case inspect.SeverityWarning:
		return "!", s.Warn
	}
	return "·", s.Muted
}

func (s *Screen) healthAsOf() string {
	switch h := s.health; {
	case h.asking:
		return s.styles.Muted.Render("asking … ")
	case h.ok:
		return s.styles.Text.Render("as of "+h.got.At.UTC().Format("15:04:05Z")) + s.styles.Muted.Render("  "+s.keys.Refresh.Help().Key+" looks again ")
	}
	return ""
}
