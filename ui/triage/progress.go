package triage

import (
	"context"
	"strings"
	"sync/atomic"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// progress is how far a write has come. The write tells it from outside of
// Update; the clock's tick draws it.
type progress struct {
	settled atomic.Int64
	total   int
	cancel  context.CancelFunc
}

func (p *progress) tell(settled, _ int) { p.settled.Store(int64(settled)) }

// progressDialog is on screen while many claims are written. It closes when
// the write has ended; what it offers is to stop after the batch under way.
type progressDialog struct {
	keys     keys.Triage
	buttons  keys.Dialog
	verb     verb
	progress *progress
	stopped  bool
	sheet    sheet
	form     form
}

func (s *Screen) newProgressDialog(v verb, p *progress) *progressDialog {
	return &progressDialog{keys: s.keys, buttons: s.buttons, verb: v, progress: p, sheet: s.newSheet(), form: newForm(nil, "Go on", "Stop here")}
}

// Update takes a message and says whether the dialog is finished. Only the
// stop button stops: every other key changes nothing.
func (d *progressDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case releasedMsg:
		return true, nil
	case tea.KeyPressMsg:
		if key.Matches(msg, d.buttons.Confirm) {
			return false, nil // a y that came too late for the dialog before
		}
		if d.form.press(msg, d.buttons) == answeredYes && !d.stopped {
			d.stopped = true
			d.form = newForm(nil, "Stopping "+text.Ellipsis)
			d.progress.cancel()
		}
	}
	return false, nil
}

// barCells is the longest bar of a progress.
const barCells = 60

// View draws the dialog's box.
func (d *progressDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	settled, total := int(d.progress.settled.Load()), d.progress.total
	cells := min(barCells, p.w)
	full := cells * settled / max(1, total)
	p.add(s.Accent.Render(strings.Repeat("█", full)) + s.Faint.Render(strings.Repeat("░", cells-full)))
	p.wrap(s.Text, "", text.Count(int64(settled), true)+" of "+text.Count(int64(total), true)+" done with")
	p.blank()
	if d.stopped {
		p.wrap(s.Warn, "", "stopping: the batch under way is rolled back or finished, and the outcome of each claim is shown")
	} else {
		p.wrap(s.Muted, "", "stopping ends it between two batches or rolls the one under way back; what is "+d.verb.ed+" by then stays "+d.verb.ed+" and can be undone")
	}
	p.blank()
	return d.sheet.view(s.Box, strings.ToUpper(d.verb.ing[:1])+d.verb.ing[1:]+" "+claims(total), p.lines, d.form.view(p.w, s), w, h, s)
}

// ShortHelp lists the keys for the footer.
func (d *progressDialog) ShortHelp() []key.Binding {
	return []key.Binding{keep(d.buttons.Next, "move"), keep(d.buttons.Choose, "take > choice")}
}

// Guarded asks for the grace period: it can stop a write.
func (d *progressDialog) Guarded() bool { return true }
