package triage

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// overrideWord is what a person types to release a claim whose lease runs.
const overrideWord = "override"

// keysNamed is how many keys a dialog names one by one.
const keysNamed = 8

// releaseChosenMsg says that the person confirmed this plan.
type releaseChosenMsg struct {
	plan   inspect.Plan
	reason string
}

// overrideChosenMsg says that the person wants to override a running lease.
type overrideChosenMsg struct{ request inspect.PlanRequest }

// releaseDialog asks before the write. What it shows and what it confirms is
// one plan, as it was read when the dialog opened: no refresh changes it.
type releaseDialog struct {
	keys     keys.Triage
	buttons  keys.Dialog
	database string
	request  inspect.PlanRequest
	plan     inspect.Plan
	sheet    sheet
	form     form
}

func (s *Screen) newReleaseDialog(request inspect.PlanRequest, plan inspect.Plan) *releaseDialog {
	d := &releaseDialog{keys: s.keys, buttons: s.buttons, database: s.cfg.Database.ID, request: request, plan: plan, sheet: s.newSheet()}
	n := plan.Count()
	if n == 0 {
		d.form = newForm(nil, "Close")
		return d
	}
	prompts := []*prompt{newReason()}
	if len(request.Keys) != 1 || n > 1 {
		count := strconv.Itoa(n)
		prompts = append(prompts, newTyped("type the count, "+count, count))
	}
	if plan.OverrideLease {
		prompts = append(prompts, newTyped("type "+overrideWord, overrideWord))
	}
	d.form = newForm(prompts, "No", "Release "+claims(n))
	return d
}

func claims(n int) string { return text.Plural(int64(n), "claim", "claims") }

// Update takes a message and says whether the dialog is finished.
func (d *releaseDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		d.form.paste(msg.Content)
	case tea.KeyPressMsg:
		if d.sheet.press(msg, d.keys) {
			return false, nil
		}
		if d.overridable() && key.Matches(msg, d.keys.Override) {
			chosen := overrideChosenMsg{d.request}
			chosen.request.OverrideLease = true
			return true, func() tea.Msg { return chosen }
		}
		switch d.form.press(msg, d.buttons) {
		case answeredNo:
			return true, nil
		case answeredYes:
			chosen := releaseChosenMsg{plan: d.plan, reason: strings.TrimSpace(d.form.prompts[0].field.String())}
			return true, func() tea.Msg { return chosen }
		}
	}
	return false, nil
}

// overridable reports that the one claim asked for was refused for its running
// lease alone.
func (d *releaseDialog) overridable() bool {
	return d.plan.Count() == 0 && len(d.request.Keys) == 1 && !d.request.OverrideLease &&
		len(d.plan.Refused) == 1 && d.plan.Refused[0].Reason == inspect.ReasonLeaseRunning
}

// View draws the dialog's box.
func (d *releaseDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	n := d.plan.Count()
	title := "Release " + claims(n) + "?"
	switch {
	case n == 0:
		title = "Nothing can be released"
	case d.plan.OverrideLease:
		title = "Release a claim whose lease still runs?"
	}
	d.what(p)
	d.refused(p)
	if n > 0 {
		p.head("what happens, and what could go wrong")
		for _, line := range d.plan.Consequence {
			p.item(text.Sanitise(line))
		}
		p.head("the statement")
		p.code(s.Muted, "", d.plan.SQL)
	}
	box := s.BoxDanger
	if n == 0 {
		box = s.Box
	}
	if d.overridable() {
		p.blank()
		p.wrap(s.Warn, "", d.keys.Override.Help().Key+" overrides the running lease, after a typed confirmation")
	}
	p.blank()
	return d.sheet.view(box, title, p.lines, d.form.view(p.w, s), w, h, s)
}

// what names what is about to be written.
func (d *releaseDialog) what(p *page) {
	pairs := [][2]string{{"database", text.Sanitise(d.database)}, {"table", text.Sanitise(d.plan.Table)}}
	if d.plan.Count() > 0 {
		named := make([]string, 0, keysNamed)
		for _, r := range d.plan.Rows {
			named = append(named, text.Sanitise(r.Key.String()))
		}
		label := "key"
		if len(named) > 1 {
			label = "keys"
		}
		pairs = append(pairs,
			[2]string{label, someOf(named)},
			[2]string{"count", text.Plural(int64(d.plan.Count()), "row", "rows") + ": " + verdicts(d.plan.Rows)},
			[2]string{"mode", string(d.plan.Mode)},
			[2]string{"read at", d.plan.ReadAt.UTC().Format("15:04:05Z") + "; what differs by then is skipped, never overwritten"},
		)
	}
	p.fields(pairs)
}

// someOf joins the first few keys and counts the rest.
func someOf(named []string) string {
	if len(named) <= keysNamed {
		return strings.Join(named, "  ")
	}
	return strings.Join(named[:keysNamed], "  ") + fmt.Sprintf("  and %d more", len(named)-keysNamed)
}

// verdicts counts planned rows by verdict, in words.
func verdicts(rows []inspect.PlannedRow) string {
	var parts []string
	for _, v := range []inspect.Verdict{inspect.VerdictLikelyDead, inspect.VerdictCannotTell, inspect.VerdictAlive} {
		n := 0
		for _, r := range rows {
			if r.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(v), "-", " ")))
		}
	}
	return strings.Join(parts, ", ")
}

// refused lists what was asked for and is not in the plan, with the reason.
func (d *releaseDialog) refused(p *page) {
	if len(d.plan.Refused) == 0 {
		return
	}
	p.head("refused: " + claims(len(d.plan.Refused)))
	for i, skip := range d.plan.Refused {
		if i == keysNamed {
			p.wrap(p.styles.Muted, "", fmt.Sprintf("and %d more", len(d.plan.Refused)-i))
			break
		}
		p.skip(skip)
	}
}

// skip adds a claim that is not released, and why.
func (p *page) skip(skip inspect.Skip) {
	p.hanging(p.styles.Warn.Render("- "), 2, p.styles.Text,
		text.Sanitise(skip.Key.String())+": "+text.Sanitise(skip.Text)+" ("+string(skip.Reason)+")")
}

// ShortHelp lists the keys for the footer.
func (d *releaseDialog) ShortHelp() []key.Binding { return d.form.help(d.buttons, d.keys) }

// Guarded asks for the grace period: it writes.
func (d *releaseDialog) Guarded() bool { return true }
