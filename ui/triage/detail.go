package triage

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// detailDelay is how long the selection must rest before its detail is read:
// running down the list asks the server nothing.
const detailDelay = 150 * time.Millisecond

// detail is the selected claim in full, and its scroll position. It is read
// again after each look while it is in sight.
type detail struct {
	generation int
	cancel     context.CancelFunc
	asking     inspect.Key // the key whose answer is under way; the zero Key when none is
	got        inspect.Detail
	ok         bool
	err        error

	text   []string // its lines, fitted to the screen
	top    int      // the first line in sight
	height int      // how many are in sight
}

// detailDueMsg says that the selection has rested.
type detailDueMsg struct{ generation int }

// detailLoadedMsg is the answer for one claim.
type detailLoadedMsg struct {
	generation int
	detail     inspect.Detail
	err        error
}

func (d *detail) scroll(by int) {
	d.top = max(0, min(d.top+by, len(d.text)-d.height))
}

// fit takes the detail's lines for a window of h lines.
func (d *detail) fit(lines []string, h int) {
	d.text, d.height = lines, max(1, h)
	d.scroll(0)
}

// view is the lines in sight, with a mark where more follow.
func (d *detail) view(s theme.Styles) string {
	if len(d.text) == 0 {
		return ""
	}
	end := min(d.top+d.height, len(d.text))
	seen := append([]string(nil), d.text[d.top:end]...)
	if end < len(d.text) {
		seen[len(seen)-1] = s.Faint.Render(more(len(d.text) - end + 1))
	}
	return strings.Join(seen, "\n")
}

func more(n int) string {
	return "… " + text.Plural(int64(n), "more line", "more lines") + " below"
}

// detailInSight reports whether the detail of the selection is on screen.
func (s *Screen) detailInSight() bool {
	return s.mode == reading || s.mode == plain || s.wide()
}

// wantDetail asks for the selected claim's detail once the selection rests,
// if the detail is in sight.
func (s *Screen) wantDetail() tea.Cmd {
	r, ok := s.list.selected()
	if !ok || !s.detailInSight() {
		return nil
	}
	if s.detail.ok && s.detail.got.Claim.Key != r.claim.Key {
		s.detail = detail{generation: s.detail.generation, cancel: s.detail.cancel, asking: s.detail.asking}
	}
	if s.detail.asking == r.claim.Key {
		return nil // a slow answer must not be given up for the next refresh
	}
	s.detail.generation++
	generation := s.detail.generation
	return tea.Tick(detailDelay, func(time.Time) tea.Msg { return detailDueMsg{generation} })
}

func (s *Screen) detailDue(msg detailDueMsg) tea.Cmd {
	r, ok := s.list.selected()
	if msg.generation != s.detail.generation || !ok || r.gone != "" {
		return nil
	}
	if s.detail.cancel != nil {
		s.detail.cancel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.detail.cancel = cancel
	s.detail.asking = r.claim.Key
	store, table, key, options := s.cfg.Store, s.cfg.Table, r.claim.Key, inspect.ShowOptions{Before: s.memory.forOne()}
	return s.askWith(ctx, func(ctx context.Context) tea.Msg {
		defer cancel()
		got, err := store.Show(ctx, table, key, options)
		return detailLoadedMsg{generation: msg.generation, detail: got, err: err}
	})
}

func (s *Screen) detailLoaded(msg detailLoadedMsg) {
	if msg.generation != s.detail.generation {
		return
	}
	s.detail.asking = inspect.Key{}
	if errors.Is(msg.err, context.Canceled) {
		return
	}
	s.detail.err = msg.err
	if msg.err == nil {
		s.detail.got, s.detail.ok = msg.detail, true
	}
}

// openDetail gives the detail the keyboard.
func (s *Screen) openDetail() tea.Cmd {
	if _, ok := s.list.selected(); !ok {
		return nil
	}
	s.mode = reading
	s.detail.top = 0
	return s.wantDetail()
}

// detailText is the selected claim in lines of at most w cells.
func (s *Screen) detailText(w int) []string {
	r, ok := s.list.selected()
	switch {
	case !ok:
		return nil
	case s.mode == plain:
		return s.plainLines(r, w)
	}
	return s.detailLines(r, w)
}

// detailLines is everything about one claim, in lines of at most w cells.
func (s *Screen) detailLines(r row, w int) []string {
	st := s.styles
	claim, at := r.claim, s.current().snapshot.At
	if s.detail.ok && s.detail.got.Claim.Key == claim.Key {
		claim, at = s.detail.got.Claim, s.detail.got.At
	}
	p := &page{w: w, styles: st}
	p.wrap(st.Strong, "", r.key)
	if r.gone != "" {
		p.wrap(st.Info, "", text.Sanitise(r.gone))
	}
	p.add(verdictStyle(claim, st).Render(VerdictText(claim)) + "  " + st.Muted.Render(conditionText(claim)))
	p.wrap(st.Text, "", text.Sanitise(DecidingText(claim)))
	if s.detail.err != nil {
		p.wrap(st.Bad, "", "not read again: "+faultText(s.detail.err))
	}
	for _, line := range freesText(claim, at) {
		p.wrap(st.Muted, "", line)
	}
	p.head("evidence")
	for _, e := range claim.Evidence {
		p.rung(e)
	}
	p.head("if you release")
	s.consequence(p, claim)
	p.head("claim")
	p.fields(claimFields(claim, at))
	s.otherColumns(p, claim)
	p.queries(claim.Evidence)
	return p.lines
}

// consequence is what a release would cause, from the store; until it is read,
// that is said.
func (s *Screen) consequence(p *page, claim inspect.Claim) {
	switch {
	case s.detail.ok && s.detail.got.Claim.Key == claim.Key && len(s.detail.got.IfReleased) > 0:
		for _, line := range s.detail.got.IfReleased {
			p.item(text.Sanitise(line))
		}
	case s.detail.ok && s.detail.got.Claim.Key == claim.Key:
		p.wrap(p.styles.Muted, "", "it is not PROCESSING: there is nothing to release")
	case s.detail.err != nil:
		p.wrap(p.styles.Muted, "", "not read")
	default:
		p.wrap(p.styles.Muted, "", "reading …")
	}
}

// otherColumns lists the columns that the claim's fields do not show already.
func (s *Screen) otherColumns(p *page, claim inspect.Claim) {
	if !s.detail.ok || s.detail.got.Claim.Key != claim.Key || len(s.detail.got.Columns) == 0 {
		return
	}
	p.head("row as stored")
	pairs := make([][2]string, 0, len(s.detail.got.Columns))
	for _, c := range s.detail.got.Columns {
		value := "NULL"
		if c.Value != nil {
			value = text.Sanitise(*c.Value)
		}
		pairs = append(pairs, [2]string{text.Sanitise(c.Column), value})
	}
	p.fields(pairs)
}

// freesText says when the claim frees itself, or that nothing frees it: the
// claim's own notes, after the time that is left on its lease.
func freesText(c inspect.Claim, at time.Time) []string {
	var lines []string
	switch {
	case c.FreesItselfAt.After(at) && c.LeaseUntil.Valid():
		lines = append(lines, "frees itself in "+text.Duration(c.FreesItselfAt.Time.Sub(at))+", when its lease ends")
	case c.Lapsed.OK:
		lines = append(lines, "its lease has lapsed: the next delivery may take over, if one comes")
	}
	for _, note := range c.Notes {
		lines = append(lines, text.Sanitise(note))
	}
	return lines
}

// claimFields are the claim's fields and their values, ages included.
func claimFields(c inspect.Claim, at time.Time) [][2]string {
	orNone := func(n inspect.Null[string]) string {
		if !n.OK {
			return "none"
		}
		return text.Sanitise(n.V)
	}
	tries := "unknown"
	if c.Attempts.OK {
		tries = text.Count(c.Attempts.V, true)
	}
	fields := [][2]string{
		{"state", strings.ToUpper(string(c.State)) + storedState(c)},
		{"owner", orNone(c.Owner)},
		{"token", orNone(c.Token)},
		{"tries", tries},
	}
	for _, s := range c.Stamps() {
		label := strings.ReplaceAll(strings.TrimSuffix(s.Name, "_at"), "_", " ")
		fields = append(fields, [2]string{label, stampText(s.Stamp, at)})
	}
	return fields
}

func storedState(c inspect.Claim) string {
	if c.RawState == "" || strings.EqualFold(c.RawState, string(c.State)) {
		return ""
	}
	return " (stored as " + text.Sanitise(c.RawState) + ")"
}

// stampText is a stored time and its distance from the database's clock.
func stampText(s inspect.Stamp, at time.Time) string {
	if !s.Valid() {
		return text.Sanitise(s.String())
	}
	when := s.Time.Format("2006-01-02 15:04:05.000000Z")
	when = strings.Replace(when, ".000000Z", "Z", 1)
	if d := at.Sub(s.Time); d >= 0 {
		return when + "  " + text.Duration(d) + " ago"
	}
	return when + "  in " + text.Duration(s.Time.Sub(at))
}

func verdictStyle(c inspect.Claim, s theme.Styles) lipgloss.Style {
	switch c.Verdict {
	case inspect.VerdictAlive:
		return s.OK
	case inspect.VerdictLikelyDead:
		return s.Bad
	case inspect.VerdictCannotTell:
		return s.Warn
	}
	return s.Muted
}

// faultText is an error as one printable line.
func faultText(err error) string { return text.Sanitise(err.Error()) }
