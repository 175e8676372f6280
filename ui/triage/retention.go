package triage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/ui/text"
)

// pressedRetention takes the keys of the retention tab.
func (s *Screen) pressedRetention(msg tea.KeyPressMsg) tea.Cmd {
	k := s.keys
	switch {
	case key.Matches(msg, k.Up):
		s.health.top--
	case key.Matches(msg, k.Down):
		s.health.top++
	case key.Matches(msg, k.Copy, k.CopyRow) && s.health.ok:
		s.say("the command was sent to the terminal's clipboard; put the source's figures in")
		return tea.SetClipboard(s.health.got.RetentionCommand())
	}
	return nil
}

// remembered are the lines of the retention tab: what the table shows, and how
// to compare it with the time within which a duplicate can still arrive.
func (s *Screen) remembered(w int) []string {
	st := s.styles
	p := s.diagnosisPage(w)
	if !s.health.ok {
		return p.lines
	}
	p.add(st.Title.Render("what this table remembers"))
	var pairs [][2]string
	for _, f := range s.health.got.Remembered() {
		pairs = append(pairs, [2]string{f.Name, text.Sanitise(f.Text)})
	}
	p.fields(pairs)
	p.head("how long it must remember: ? unknown here")
	p.code(st.Info, "  ", s.health.got.RetentionCommand())
	p.wrap(st.Text, "", "compares the two. SOURCE_LIFE is the longest age at which the broker still hands a message out, 7d for example; DOWNTIME is how long the consumer may be stopped. This version does not read them from the broker.")
	p.blank()
	p.wrap(st.Muted, "", "A row must outlive every copy of its message: what the broker can still hand out, what retries add, and what waits while the consumer is down. A copy that comes later finds nothing and is handled as new.")
	return p.lines
}
