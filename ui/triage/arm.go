package triage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// acceptWord is what a person types to accept an unverified profile.
const acceptWord = "unverified"

// armedMsg says that the person armed this session, and what for.
type armedMsg struct{ then armedFor }

// armedFor is what was wanted when the session turned out to be read-only.
type armedFor struct {
	release *inspect.PlanRequest
	settle  []inspect.Key
	answers []inspect.KeyAnswer // to settle by
	undo    bool                // the last release is to be undone
}

// armDialog arms the session, once: by typing the table's name, and where the
// profile was never tested, by accepting that.
type armDialog struct {
	keys     keys.Triage
	buttons  keys.Dialog
	database string
	table    string
	profile  string // "" where it is verified or accepted
	arm      bool
	then     armedFor
	sheet    sheet
	form     form
}

func (s *Screen) newArmDialog(then armedFor) *armDialog {
	d := &armDialog{
		keys: s.keys, buttons: s.buttons, then: then, sheet: s.newSheet(),
		database: text.Sanitise(s.cfg.Database.ID),
		table:    text.Sanitise(s.cfg.Table.Name),
		arm:      s.session != inspect.ModeArmed,
	}
	var prompts []*prompt
	if d.arm {
		prompts = append(prompts, newTyped("type the table's name, "+d.table, d.table))
	}
	if !s.accepted {
		d.profile = text.Sanitise(s.cfg.Table.Mapping.Profile)
		prompts = append(prompts, newTyped("type "+acceptWord, acceptWord))
	}
	d.form = newForm(prompts, d.labels()...)
	d.form.at = 0
	return d
}

func (d *armDialog) labels() []string {
	if !d.arm {
		return []string{"No", "Accept"}
	}
	return []string{"No, stay read-only", "Arm this session"}
}

// Update takes a message and says whether the dialog is finished.
func (d *armDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		d.form.paste(msg.Content)
	case tea.KeyPressMsg:
		if d.sheet.press(msg, d.keys) {
			return false, nil
		}
		before := d.form.at
		switch answer := d.form.press(msg, d.buttons); {
		case answer == answeredNo:
			return true, nil
		case answer == answeredYes, d.typedOut(before):
			armed := armedMsg{d.then}
			return true, func() tea.Msg { return armed }
		}
	}
	return false, nil
}

// typedOut reports that enter left the last field and every field is filled:
// the typed words are the confirmation.
func (d *armDialog) typedOut(before int) bool {
	if before != len(d.form.prompts)-1 || d.form.at != len(d.form.prompts) {
		return false
	}
	return d.form.confirm() == answeredYes
}

// View draws the dialog's box.
func (d *armDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	title := "Accept an unverified profile?"
	if d.arm {
		title = "This session is READ-ONLY. Arm it?"
		p.fields([][2]string{{"database", d.database}, {"table", d.table}})
		p.blank()
		p.wrap(s.Muted, "", "Armed, r opens the release dialog; each release still asks on its own. The badge on top shows it until you quit.")
	}
	if d.profile != "" {
		if d.arm {
			p.blank()
		}
		p.wrap(s.Warn, "", "The profile "+d.profile+" is unverified: it was never tested on a table that its framework made. A release may do more, or less, than it says.")
	}
	p.blank()
	return d.sheet.view(s.BoxDanger, title, p.lines, d.form.view(p.w, s), w, h, s)
}

// ShortHelp lists the keys for the footer.
func (d *armDialog) ShortHelp() []key.Binding { return d.form.help(d.buttons, d.keys) }

// Guarded asks for the grace period: it leads to a write.
func (d *armDialog) Guarded() bool { return true }
