package triage

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// copyKey sends the selected key to the terminal's clipboard (OSC 52). The
// terminal does not answer, so no more can be said than that it was sent.
func (s *Screen) copyKey() tea.Cmd {
	r, ok := s.list.selected()
	if !ok {
		return nil
	}
	s.say("key sent to the terminal's clipboard; where it does not arrive, %s shows it uncut", s.keys.Plain.Help().Key)
	return tea.SetClipboard(r.claim.Key.String())
}

// copyRow sends the selected claim as JSON, the same document as
// `inspect show --format json`.
func (s *Screen) copyRow() tea.Cmd {
	r, ok := s.list.selected()
	if !ok {
		return nil
	}
	var doc strings.Builder
	if err := inspect.EncodeClaim(&doc, s.detailOf(r)); err != nil {
		s.complain("not copied: %s", err)
		return nil
	}
	s.say("row sent to the terminal's clipboard as JSON")
	return tea.SetClipboard(doc.String())
}

// detailOf is everything known of a row: its detail if that was read, else
// what the list has.
func (s *Screen) detailOf(r row) inspect.Detail {
	if s.detail.ok && s.detail.got.Claim.Key == r.claim.Key {
		return s.detail.got
	}
	snapshot := s.current().snapshot
	return inspect.Detail{Database: snapshot.Database, Table: s.cfg.Table, At: snapshot.At, Claim: r.claim}
}

// togglePlain shows the selected claim as bare text, without panes and
// borders, so that it can be selected with the mouse and copied uncut.
func (s *Screen) togglePlain() tea.Cmd {
	if s.mode == plain {
		s.mode = browsing
		return nil
	}
	if _, ok := s.list.selected(); !ok {
		return nil
	}
	s.mode = plain
	s.detail.top = 0
	return s.wantDetail()
}

func (s *Screen) plainView(l layout) string {
	return s.detail.view(s.styles) + strings.Repeat("\n", max(1, l.h-len(s.detail.text))) + s.statusLine(l.w)
}

// plainLines is the claim as bare text in lines of at most w cells: the key,
// its fields, the evidence and the queries, each from the first column.
func (s *Screen) plainLines(r row, w int) []string {
	d := s.detailOf(r)
	p := &page{w: w, styles: s.styles}
	bare := func(line string) { p.wrap(s.styles.Text, "", line) }
	bare(text.Sanitise(d.Database.ID) + "  " + text.Sanitise(s.cfg.Table.FullName()) + "  as of " + inspect.FormatTime(d.At))
	bare(r.key)
	bare(VerdictText(d.Claim) + "  " + conditionText(d.Claim))
	for _, pair := range claimFields(d.Claim, d.At) {
		bare(pair[0] + ": " + pair[1])
	}
	for _, line := range freesText(d.Claim, d.At) {
		bare(line)
	}
	for _, e := range d.Claim.Evidence {
		bare(string(e.Rung) + " (" + string(e.For) + "): " + text.Sanitise(e.Text))
	}
	for _, query := range d.SQL {
		p.blank()
		p.code(s.styles.Text, "", query)
	}
	if notes := s.notes(); len(notes) > 0 {
		p.blank()
		for _, note := range notes {
			bare(text.Sanitise(note))
		}
	}
	return p.lines
}
