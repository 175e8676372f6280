package triage

import (
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
		p.outcome("put back", r.AuditID, r.Restored, r.Skipped, r.Failed, d.operation.err)
	} else {
		r := d.operation.released
		p.outcome(verb.ed, r.AuditID, r.Released, r.Skipped, r.Failed, d.operation.err)
		if d.operation.undoable() {
			p.blank()
			p.wrap(s.Muted, "", d.keys.Undo.Help().Key+" puts back what nobody has touched since; later: idemtui inspect undo "+text.Sanitise(r.AuditID))
		}
	}
	p.blank()
	return d.sheet.view(s.Box, title, p.lines, d.form.view(p.w, s), w, h, s)
}

// outcome adds the head with the counts, and each claim.
func (p *page) outcome(word, id string, done []inspect.Key, skipped []inspect.Skip, failed []inspect.Failure, err error) {
	total := len(done) + len(skipped) + len(failed)
	style := p.styles.OK
	if err != nil || len(skipped)+len(failed) > 0 {
		style = p.styles.Warn
	}
	counted := text.Count(int64(len(done)), true) + " of " + text.Count(int64(total), true) + " " + word
	if total == 0 {
		counted = "nothing was " + word
	}
	p.add(style.Bold(true).Render(counted))
	p.audit(id)
	if err != nil {
		p.wrap(p.styles.Bad, "", "✗ "+errText(err))
	}
	p.blank()
	for _, same := range alike(failed, func(f inspect.Failure) string { return f.Error }) {
		p.hanging(p.styles.Bad.Render("✗ "), 2, p.styles.Text, same.names+": "+text.Sanitise(same.text))
	}
	for _, same := range alike(skipped, func(s inspect.Skip) string { return s.Text + " (" + string(s.Reason) + ")" }) {
		p.hanging(p.styles.Warn.Render("- "), 2, p.styles.Text, same.names+": "+text.Sanitise(same.text))
	}
	for i, k := range done {
		if p.enough(i, len(done)) {
			break
		}
		p.hanging(p.styles.OK.Render("● "), 2, p.styles.Text, text.Sanitise(k.Visible())+": "+word)
	}
}

// together is claims of which the same is to be said.
type together struct{ names, text string }

// alike puts the claims together of which the same is to be said, in their
// order: a thousand times the same sentence hides the one that differs.
func alike[T inspect.Failure | inspect.Skip](claims []T, say func(T) string) []together {
	var out []together
	at := map[string]int{}
	named := map[string][]string{}
	for _, c := range claims {
		said := say(c)
		if _, known := at[said]; !known {
			at[said] = len(out)
			out = append(out, together{text: said})
		}
		named[said] = append(named[said], text.Sanitise(keyOf(c).Visible()))
	}
	for i := range out {
		out[i].names = someOf(named[out[i].text])
	}
	return out
}

func keyOf(c any) inspect.Key {
	switch c := c.(type) {
	case inspect.Failure:
		return c.Key
	case inspect.Skip:
		return c.Key
	}
	return inspect.Key{}
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
