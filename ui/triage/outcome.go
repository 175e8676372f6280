package triage

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// outcomeDialog says what a release or an undo did to each claim.
type outcomeDialog struct {
	keys      keys.Triage
	buttons   keys.Dialog
	operation operation
	sheet     sheet
	form      form
}

// Update takes a message and says whether the dialog is finished.
func (d *outcomeDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || d.sheet.press(press, d.keys) {
		return false, nil
	}
	switch d.form.press(press, d.buttons) {
	case answeredNo:
		return true, nil
	case answeredYes:
		return true, func() tea.Msg { return followChosenMsg{} }
	}
	return false, nil
}

// followChosenMsg says that the person wants to see what becomes of a release.
type followChosenMsg struct{}

// View draws the dialog's box.
func (d *outcomeDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	verb := verbOf(d.operation.released.Plan)
	title := "What the " + verb.noun + " did"
	if d.operation.undo {
		title = "What the undo did"
		r := d.operation.restored
		p.outcome("put back", r.Restored, r.Skipped, r.Failed, d.operation.err)
		p.audit(r.AuditID)
	} else {
		r := d.operation.released
		p.outcome(verb.ed, r.Released, r.Skipped, r.Failed, d.operation.err)
		p.audit(r.AuditID)
		if d.operation.undoable() {
			p.wrap(s.Muted, "", d.keys.Undo.Help().Key+" puts back what nobody has touched since; later: idemtui inspect undo "+text.Sanitise(r.AuditID))
		}
	}
	p.blank()
	return d.sheet.view(s.Box, title, p.lines, d.form.view(p.w, s), w, h, s)
}

// outcome adds the head with the counts, and each claim.
func (p *page) outcome(word string, done []inspect.Key, skipped []inspect.Skip, failed []inspect.Failure, err error) {
	total := len(done) + len(skipped) + len(failed)
	style := p.styles.OK
	if err != nil || len(skipped)+len(failed) > 0 {
		style = p.styles.Warn
	}
	counted := fmt.Sprintf("%d of %d %s", len(done), total, word)
	if total == 0 {
		counted = "nothing was " + word
	}
	p.add(style.Bold(true).Render(counted))
	if err != nil {
		p.wrap(p.styles.Bad, "", "✗ "+errText(err))
	}
	p.blank()
	for i, f := range failed {
		if p.enough(i, len(failed)) {
			break
		}
		p.hanging(p.styles.Bad.Render("✗ "), 2, p.styles.Text, text.Sanitise(f.Key.String())+": "+text.Sanitise(f.Error))
	}
	for i, skip := range skipped {
		if p.enough(i, len(skipped)) {
			break
		}
		p.skip(skip)
	}
	for i, k := range done {
		if p.enough(i, len(done)) {
			break
		}
		p.hanging(p.styles.OK.Render("● "), 2, p.styles.Text, text.Sanitise(k.String())+": "+word)
	}
}

// outcomesNamed is how many claims of each kind an outcome names one by one.
const outcomesNamed = 200

// enough says how many more there are, once enough of them are named.
func (p *page) enough(i, n int) bool {
	if i < outcomesNamed {
		return false
	}
	p.wrap(p.styles.Muted, "", "and "+text.Count(int64(n-i), true)+" more: the audit record has them all")
	return true
}

func (p *page) audit(id string) {
	if id == "" {
		return
	}
	p.blank()
	p.add(p.styles.Muted.Render("audit  ") + text.Sanitise(id))
}

// ShortHelp lists the keys for the footer.
func (d *outcomeDialog) ShortHelp() []key.Binding {
	shown := []key.Binding{keep(d.buttons.Choose, "close"), d.keys.ReadOn}
	if len(d.form.choices.labels) > 1 {
		shown = []key.Binding{keep(d.buttons.Choose, "close"), keep(d.buttons.Confirm, "follow"), d.keys.ReadOn}
	}
	return shown
}

// Guarded asks for the grace period, so that a key in flight does not close
// what nobody has read.
func (d *outcomeDialog) Guarded() bool { return true }
