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

// keysNamed is how many keys one line names; rowsNamed is how many rows a
// dialog lists one by one.
const (
	keysNamed = 8
	rowsNamed = 1000
)

// tryFirstFrom is from how many claims on the first choice is to release one
// and follow it.
const tryFirstFrom = 11

// releaseChosenMsg says that the person confirmed this plan.
type releaseChosenMsg struct {
	plan   inspect.Plan
	reason string
	follow bool // it is one of many, followed at once
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
	switch {
	case request.Owner.OK:
		owner := text.Sanitise(request.Owner.V)
		prompts = append(prompts, newTyped("type the owner, "+owner, owner))
	case len(request.Keys) != 1 || n > 1:
		count := strconv.Itoa(n)
		prompts = append(prompts, newTyped("type the count, "+count, count))
	}
	if plan.OverrideLease {
		prompts = append(prompts, newTyped("type "+overrideWord, overrideWord))
	}
	labels := []string{"No", "Release " + claims(n)}
	if n >= tryFirstFrom {
		labels = []string{"No", "Release one and follow it", "Release all " + text.Count(int64(n), true)}
	}
	d.form = newForm(prompts, labels...)
	d.form.few = 1
	return d
}

// newSettleDialog asks before a settle: its plan holds the answers.
func (s *Screen) newSettleDialog(plan inspect.Plan) *releaseDialog {
	d := &releaseDialog{keys: s.keys, buttons: s.buttons, database: s.cfg.Database.ID, plan: plan, sheet: s.newSheet()}
	n := plan.Count()
	if n == 0 {
		d.form = newForm(nil, "Close")
		return d
	}
	prompts := []*prompt{newReason()}
	if n > 1 {
		count := strconv.Itoa(n)
		prompts = append(prompts, newTyped("type the count, "+count, count))
	}
	d.form = newForm(prompts, "No", "Settle "+claims(n))
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
		answer := d.form.press(msg, d.buttons)
		switch answer {
		case answeredNo:
			return true, nil
		case answeredYes, answeredOther:
			chosen := releaseChosenMsg{plan: d.plan, reason: strings.TrimSpace(d.form.prompts[0].field.String())}
			if d.one() && answer == answeredYes {
				chosen.plan, chosen.follow = d.plan.First(), true
			}
			return true, func() tea.Msg { return chosen }
		}
	}
	return false, nil
}

// one reports that the first yes releases one claim and follows it.
func (d *releaseDialog) one() bool { return len(d.form.choices.labels) > 2 }

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
		title = "Nothing can be " + verbOf(d.plan).ed
	case d.plan.Settles():
		title = "Settle " + claims(n) + " as " + answersText(d.plan) + "?"
	case d.request.Owner.OK:
		title = "Release " + claims(n) + " of " + text.Cut(text.Sanitise(d.request.Owner.V), max(8, p.w/2)) + "?"
	case d.request.AllLikelyDead:
		title = "Release all that are likely dead: " + claims(n) + "?"
	case d.plan.OverrideLease:
		title = "Release a claim whose lease still runs?"
	}
	d.what(p)
	d.refused(p)
	if n == 0 && len(d.plan.Refused) == 0 {
		p.blank()
		p.wrap(s.Text, "", d.noneText())
	}
	if n > 0 {
		p.head("what happens, and what could go wrong")
		for _, line := range d.plan.Consequence {
			if d.plan.RunsNext == inspect.RunsNextUnknown && strings.HasPrefix(line, "runs next") {
				p.hanging(s.Warn.Render("? "), 2, s.Warn, text.Sanitise(line))
				continue
			}
			p.item(text.Sanitise(line))
		}
		d.rows(p)
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
			named = append(named, text.Sanitise(r.Key.Visible()))
		}
		label := "key"
		if len(named) > 1 {
			label = "keys"
		}
		if d.one() {
			pairs = append(pairs, [2]string{"first", named[0] + ": released alone by the first choice, and followed"})
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

// noneText says why a plan asks for nothing.
func (d *releaseDialog) noneText() string {
	switch {
	case d.request.AllLikelyDead:
		return "No claim is LIKELY DEAD now. Those of which nobody can tell are released by key, by marks or by owner."
	case d.request.Owner.OK:
		return "This owner holds no claim any more."
	}
	return "None of the rows asked for is there any more."
}

// rows lists exactly the claims that would be written, one by one, with what is
// known about the charge of each.
func (d *releaseDialog) rows(p *page) {
	if d.plan.Count() < 2 && !d.plan.Settles() {
		return
	}
	differ := false // one text for all stands among the consequences
	for _, r := range d.plan.Rows {
		differ = differ || r.Unknown != d.plan.Rows[0].Unknown
	}
	p.head("exactly these: " + claims(d.plan.Count()))
	for i, r := range d.plan.Rows {
		if i == rowsNamed {
			p.wrap(p.styles.Muted, "", "and "+text.Count(int64(d.plan.Count()-i), true)+" more, read in the same look")
			break
		}
		line := text.Sanitise(r.Key.Visible()) + "  owner " + ownerText(r.Owner) + "  " + VerdictText(inspect.Claim{Verdict: r.Verdict})
		if r.Settlement != nil {
			line += "  " + string(r.Settlement.Outcome) + " (" + text.Sanitise(r.Settlement.Reference) + ")"
		}
		p.item(line)
		if differ {
			p.wrap(p.styles.Muted, "  ", text.Sanitise(r.Unknown))
		}
	}
}

func ownerText(owner *string) string {
	if owner == nil {
		return "none"
	}
	return text.Sanitise(*owner)
}

// answersText is what the provider answered, in words.
func answersText(plan inspect.Plan) string {
	charged, not := plan.CompletedBy()
	switch {
	case len(not) == 0:
		return "charged"
	case len(charged) == 0:
		return "not charged"
	}
	return fmt.Sprintf("%d charged, %d not charged", len(charged), len(not))
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
		text.Sanitise(skip.Key.Visible())+": "+text.Sanitise(skip.Text)+" ("+string(skip.Reason)+")")
}

// ShortHelp lists the keys for the footer.
func (d *releaseDialog) ShortHelp() []key.Binding { return d.form.help(d.buttons, d.keys) }

// Guarded asks for the grace period: it writes.
func (d *releaseDialog) Guarded() bool { return true }
