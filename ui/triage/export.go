package triage

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// exportChosenMsg says what to export.
type exportChosenMsg struct {
	kind ExportKind
	list inspect.Snapshot
}

// exportedMsg is where it was written.
type exportedMsg struct {
	path string
	err  error
}

// wantExport asks in which form the list is exported: the marked claims, or
// those that are shown.
func (s *Screen) wantExport() tea.Cmd {
	list := s.current().snapshot
	list.Claims = s.exported()
	switch {
	case s.cfg.Export == nil:
		s.complain("this session has nowhere to export to")
	case len(list.Claims) == 0:
		s.say("no claim is listed: there is nothing to export")
	default:
		return s.dialogs.Push(&exportDialog{
			keys: s.keys, buttons: s.buttons, list: list, marked: len(s.list.marked) > 0, filter: s.list.filter, sheet: s.newSheet(),
			form: newForm(nil, "No", "CSV", "JSON", "CSV to fill in"),
		})
	}
	return nil
}

// exported are the marked claims, or all that are shown.
func (s *Screen) exported() []inspect.Claim {
	var claims []inspect.Claim
	for _, r := range s.list.shown {
		if r.gone == "" && (len(s.list.marked) == 0 || s.list.marked[r.claim.Key]) {
			claims = append(claims, r.claim)
		}
	}
	return claims
}

func (s *Screen) export(msg exportChosenMsg) tea.Cmd {
	write := s.cfg.Export
	return s.ask(func(context.Context) tea.Msg {
		path, err := write(msg.kind, msg.list)
		return exportedMsg{path, err}
	})
}

func (s *Screen) wasExported(msg exportedMsg) tea.Cmd {
	if msg.err != nil {
		s.complain("%s", msg.err)
		return nil
	}
	s.paths = append(s.paths, msg.path)
	return s.dialogs.Push(&noteDialog{
		keys: s.keys, buttons: s.buttons, title: "Exported", lines: []string{msg.path, "", "it is printed again when you quit"},
		sheet: s.newSheet(), form: newForm(nil, "Close"),
	})
}

// exportDialog asks for the form of an export. It writes no row.
type exportDialog struct {
	keys    keys.Triage
	buttons keys.Dialog
	list    inspect.Snapshot
	marked  bool
	filter  string
	sheet   sheet
	form    form
}

// Update takes a message and says whether the dialog is finished.
func (d *exportDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || d.sheet.press(press, d.keys) {
		return false, nil
	}
	switch answer := d.form.press(press, d.buttons); answer {
	case unanswered:
		return false, nil
	case answeredNo:
		return true, nil
	default:
		chosen := exportChosenMsg{kind: ExportKind(answer - answeredYes), list: d.list}
		return true, func() tea.Msg { return chosen }
	}
}

// View draws the dialog's box.
func (d *exportDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	which := "those of the list"
	switch {
	case d.marked:
		which = "the marked ones"
	case d.filter != "":
		which = "those that the filter shows"
	}
	p.wrap(s.Text, "", claims(len(d.list.Claims))+": "+which+", as of "+inspect.FormatTime(d.list.At))
	if more := d.list.Matching.Rows - int64(len(d.list.Claims)); more > 0 && !d.marked && d.filter == "" {
		p.wrap(s.Warn, "", text.AtLeast(more, d.list.Matching.Exact)+" more match and are not on screen: idemtui inspect list --limit N has them")
	}
	p.blank()
	p.item("CSV and JSON are what idemtui inspect list prints")
	p.item("CSV to fill in: key, provider key, time of the claim, owner, and two empty columns, outcome and reference, for what the provider answers; then idemtui inspect settle --from FILE")
	p.item("a new file in the folder where idemtui was started; nothing is overwritten")
	p.blank()
	return d.sheet.view(s.Box, "Export "+claims(len(d.list.Claims))+"?", p.lines, d.form.view(p.w, s), w, h, s)
}

// ShortHelp lists the keys for the footer.
func (d *exportDialog) ShortHelp() []key.Binding { return d.form.help(d.buttons, d.keys) }

// Guarded is false: an export changes no row.
func (d *exportDialog) Guarded() bool { return false }

// noteDialog tells something that must not vanish by itself.
type noteDialog struct {
	keys    keys.Triage
	buttons keys.Dialog
	title   string
	lines   []string
	copied  string // what the second button sends to the clipboard
	sheet   sheet
	form    form
}

// Update takes a message and says whether the dialog is finished.
func (d *noteDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || d.sheet.press(press, d.keys) {
		return false, nil
	}
	switch d.form.press(press, d.buttons) {
	case answeredNo:
		return true, nil
	case answeredYes:
		d.form.message = "sent to the terminal's clipboard"
		return false, tea.SetClipboard(d.copied)
	}
	return false, nil
}

// View draws the dialog's box.
func (d *noteDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	for _, line := range d.lines {
		if line == "" {
			p.blank()
			continue
		}
		p.wrap(s.Text, "", text.Sanitise(line))
	}
	p.blank()
	return d.sheet.view(s.Box, d.title, p.lines, d.form.view(p.w, s), w, h, s)
}

// ShortHelp lists the keys for the footer.
func (d *noteDialog) ShortHelp() []key.Binding {
	if d.copied != "" {
		return []key.Binding{keep(d.buttons.Choose, "close"), keep(d.buttons.Confirm, "copy the line"), d.keys.ReadOn}
	}
	return []key.Binding{keep(d.buttons.Choose, "close"), d.keys.ReadOn}
}

// Guarded is false: it asks nothing.
func (d *noteDialog) Guarded() bool { return false }
