package triage

import (
	"context"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// answerChosenMsg is what the person says that the provider answered.
type answerChosenMsg struct{ answers []inspect.KeyAnswer }

// answersPastedMsg is a CSV of answers, read.
type answersPastedMsg struct{ answers []inspect.KeyAnswer }

// wantSettleBy begins to settle by a CSV.
func (s *Screen) wantSettleBy(msg answersPastedMsg) tea.Cmd {
	switch {
	case !s.maySettle():
	case s.needsArming():
		return s.dialogs.Push(s.newArmDialog(armedFor{answers: msg.answers}))
	default:
		return s.planSettle(answerChosenMsg(msg))
	}
	return nil
}

// wantSettle begins to settle the marked claims, or the selected one.
func (s *Screen) wantSettle() tea.Cmd {
	targets := s.list.targets()
	switch {
	case !s.maySettle():
	case len(targets) == 0:
		s.say("no claim is selected")
	case s.needsArming():
		return s.dialogs.Push(s.newArmDialog(armedFor{settle: targets}))
	default:
		return s.dialogs.Push(s.newAnswerDialog(targets))
	}
	return nil
}

// maySettle says why nothing can be settled now, if so.
func (s *Screen) maySettle() bool {
	_, can := s.cfg.Store.(inspect.Settler)
	switch why := s.cannotWrite(); {
	case why != "":
		s.complain("%s", why)
	case !can:
		s.complain("this database cannot be settled by this version: complete the claim by the consumer's own code")
	case s.busy():
		s.say("one moment: the last one is still under way")
	default:
		return true
	}
	return false
}

// planSettle asks what the answers would write.
func (s *Screen) planSettle(msg answerChosenMsg) tea.Cmd {
	settler, can := s.cfg.Store.(inspect.Settler)
	if !can || s.busy() {
		return nil
	}
	s.planning = true
	table := s.cfg.Table
	return s.ask(func(ctx context.Context) tea.Msg {
		plan, err := settler.PlanSettle(ctx, table, inspect.SettleRequest{Answers: msg.answers, Mode: inspect.ReleaseAuto})
		return plannedMsg{plan: plan, settle: true, err: err}
	})
}

// answerDialog asks what the provider answered. It writes nothing: the plan
// that follows asks again.
type answerDialog struct {
	keys     keys.Triage
	buttons  keys.Dialog
	database string
	table    string
	targets  []inspect.Claim
	memory   string // how long the provider remembers a key, "" if not known
	refused  string // why charged cannot be written here, "" if it can
	sheet    sheet
	form     form
}

func (s *Screen) newAnswerDialog(targets []inspect.Key) *answerDialog {
	d := &answerDialog{
		keys: s.keys, buttons: s.buttons, sheet: s.newSheet(),
		database: text.Sanitise(s.cfg.Database.ID), table: text.Sanitise(s.cfg.Table.FullName()),
	}
	for _, k := range targets {
		d.targets = append(d.targets, s.list.claimOf(k))
	}
	if m := s.cfg.Table.Mapping.ProviderMemory; m > 0 {
		d.memory = text.Duration(m)
	}
	if err := inspect.CheckCompletion(s.cfg.Table); err != nil {
		d.refused = faultText(err)
	}
	reference := &prompt{label: "reference", missing: "say where the provider has the answer: the id of the charge, the refusal or the query"}
	labels := []string{"No", "It was not charged", "It was charged"}
	if d.refused != "" {
		labels = labels[:2]
	}
	d.form = newForm([]*prompt{reference}, labels...)
	d.form.few = 1
	return d
}

// Update takes a message and says whether the dialog is finished. y answers
// nothing here: which of the two it would mean is not for a key to guess.
func (d *answerDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		d.form.paste(msg.Content)
	case tea.KeyPressMsg:
		typing := d.form.at < len(d.form.prompts)
		if d.sheet.press(msg, d.keys) {
			return false, nil
		}
		if !typing && key.Matches(msg, d.buttons.Confirm) {
			d.form.message = "move to what the provider answered, and press " + d.buttons.Choose.Help().Key
			return false, nil
		}
		switch d.form.press(msg, d.buttons) {
		case answeredNo:
			return true, nil
		case answeredYes:
			return true, d.answered(inspect.AnswerNotCharged)
		case answeredOther:
			return true, d.answered(inspect.AnswerCharged)
		}
	}
	return false, nil
}

func (d *answerDialog) answered(answer inspect.Answer) tea.Cmd {
	reference := strings.TrimSpace(d.form.prompts[0].field.String())
	chosen := answerChosenMsg{}
	for _, c := range d.targets {
		chosen.answers = append(chosen.answers, inspect.KeyAnswer{Key: c.Key, Settlement: inspect.Settlement{Outcome: answer, Reference: reference}})
	}
	return func() tea.Msg { return chosen }
}

// View draws the dialog's box.
func (d *answerDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	p.fields([][2]string{{"database", d.database}, {"table", d.table}})
	p.head("ask the provider about " + claims(len(d.targets)))
	for i, c := range d.targets {
		if i == rowsNamed {
			p.wrap(s.Muted, "", fmt.Sprintf("and %d more", len(d.targets)-i))
			break
		}
		provider := "no provider key is stored"
		if c.ProviderKey.OK {
			provider = "provider key " + text.Sanitise(c.ProviderKey.V)
		}
		p.item(text.Sanitise(c.Key.Visible()) + ": " + provider + ", claimed " + text.Sanitise(c.ClaimedAt.String()))
	}
	if d.memory != "" {
		p.wrap(s.Muted, "", "the provider remembers a key for "+d.memory+" from the first call; after that it answers as if it had never seen it")
	}
	p.head("what its answer means")
	p.item("not charged: the claim is released, and whatever runs next may charge")
	if d.refused == "" {
		p.item("charged: the claim becomes DONE, and nothing charges again")
	} else {
		p.hanging(s.Warn.Render("- "), 2, s.Warn, d.refused)
	}
	p.item("no answer, or not sure: choose No; asking again costs nothing")
	if len(d.targets) > 1 {
		p.wrap(s.Warn, "", "one answer for all "+claims(len(d.targets))+": where they differ, "+d.keys.Export.Help().Key+" in the list exports a CSV to fill in")
	}
	p.blank()
	return d.sheet.view(s.BoxDanger, "What did the provider answer?", p.lines, d.form.view(p.w, s), w, h, s)
}

// ShortHelp lists the keys for the footer.
func (d *answerDialog) ShortHelp() []key.Binding {
	if d.form.at < len(d.form.prompts) {
		return d.form.help(d.buttons, d.keys)
	}
	return []key.Binding{d.buttons.Cancel, keep(d.buttons.Next, "move"), keep(d.buttons.Choose, "take > choice"), d.keys.ReadOn}
}

// Guarded asks for the grace period: it leads to a write.
func (d *answerDialog) Guarded() bool { return true }
