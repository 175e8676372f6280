package triage

import (
	"context"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// lookupLimit bounds what a paste may hold, in bytes: a list of keys, not a
// dump.
const lookupLimit = 4 << 20

// lookupAskedMsg is a list of keys to look up.
type lookupAskedMsg struct{ keys inspect.KeyList }

// lookedUpMsg is what the table says of them.
type lookedUpMsg struct {
	look inspect.Lookup
	err  error
}

// lookupReleaseMsg says that the stuck ones among the keys are to be released.
type lookupReleaseMsg struct{ keys []inspect.Key }

// wantLookup asks for a list of keys.
func (s *Screen) wantLookup() tea.Cmd {
	if _, can := s.cfg.Store.(inspect.KeyReader); !can {
		s.complain("this database cannot be asked for many keys at once")
		return nil
	}
	return s.dialogs.Push(&pasteDialog{keys: s.keys, buttons: s.buttons, columns: s.cfg.Table.Mapping.Key, sheet: s.newSheet(), typing: true, form: newForm(nil, "No", "Look up", "Settle by it")})
}

// lookUp reads the keys, a thousand at a time.
func (s *Screen) lookUp(msg lookupAskedMsg) tea.Cmd {
	reader, can := s.cfg.Store.(inspect.KeyReader)
	if !can || s.busy() {
		return nil
	}
	s.say("looking %s up …", text.Plural(int64(len(msg.keys.Keys)), "key", "keys"))
	s.looking = true
	table, before := s.cfg.Table, s.memory.forOne()
	return s.ask(func(ctx context.Context) tea.Msg {
		look, err := reader.Lookup(ctx, table, msg.keys, before)
		return lookedUpMsg{look, err}
	})
}

func (s *Screen) lookedUp(msg lookedUpMsg) tea.Cmd {
	s.toast, s.looking = toast{}, false
	if msg.err != nil {
		s.complain("not looked up: %s", msg.err)
		return nil
	}
	d := &lookupDialog{keys: s.keys, buttons: s.buttons, look: msg.look, sheet: s.newSheet(), form: newForm(nil, "Close")}
	for _, k := range msg.look.Keys {
		if k.Class == inspect.ClassStuck {
			d.stuck = append(d.stuck, k.Key)
		}
	}
	if len(d.stuck) > 0 {
		d.form = newForm(nil, "Close", "Release the "+text.Count(int64(len(d.stuck)), true)+" stuck")
	}
	return s.dialogs.Push(d)
}

// pasteDialog takes a list of keys, pasted or typed, a key a line.
type pasteDialog struct {
	keys    keys.Triage
	buttons keys.Dialog
	columns []inspect.KeyColumn
	content string
	typing  bool
	sheet   sheet
	form    form
}

// Update takes a message and says whether the dialog is finished. A paste only
// ever adds to the text.
func (d *pasteDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		d.typing = true
		d.add(msg.Content)
	case tea.KeyPressMsg:
		return d.pressed(msg)
	}
	return false, nil
}

func (d *pasteDialog) add(s string) {
	d.content += s[:min(len(s), max(0, lookupLimit-len(d.content)))]
	d.form.message = ""
}

func (d *pasteDialog) pressed(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if !d.typing {
		if name := msg.String(); name == "up" || name == "shift+tab" && d.form.at == 0 || name == "tab" && d.form.at == 2 {
			d.typing = true
			return false, nil
		}
		switch d.form.press(msg, d.buttons) {
		case answeredNo:
			return true, nil
		case answeredYes:
			return d.ask()
		case answeredOther:
			return d.settle()
		}
		return false, nil
	}
	switch msg.String() {
	case "esc":
		return true, nil
	case "tab":
		d.typing = false
		d.form.at = 1
	case "shift+tab":
		d.typing = false
		d.form.at = 0
	case "enter":
		d.add("\n")
	case "backspace":
		runes := []rune(d.content)
		d.content = string(runes[:max(0, len(runes)-1)])
	case "ctrl+u":
		d.content = ""
	default:
		d.add(msg.Text)
	}
	return false, nil
}

// ask looks the keys up, unless a line is no key of this table: an unread key
// is no key without a row.
func (d *pasteDialog) ask() (bool, tea.Cmd) {
	list := inspect.ReadKeys(strings.TrimPrefix(d.content, "\uFEFF"), d.columns)
	switch {
	case len(list.Bad) > 0:
		bad := list.Bad[0]
		d.form.message = fmt.Sprintf("line %d is no key of this table: %s", bad.Line, text.Sanitise(bad.Err.Error()))
		return false, nil
	case len(list.Keys) == 0:
		d.form.message = "paste keys first, a key a line"
		return false, nil
	}
	return true, func() tea.Msg { return lookupAskedMsg{list} }
}

// settle takes the text as the CSV that was exported to be filled in. One bad
// line, and nothing of it is used.
func (d *pasteDialog) settle() (bool, tea.Cmd) {
	list, err := inspect.ReadAnswers(d.content, "", d.columns)
	if err != nil {
		d.form.message = text.Sanitise(err.Error())
		return false, nil
	}
	return true, func() tea.Msg { return answersPastedMsg{list.Answers} }
}

// pasteLines is how many lines of the text are in sight at most: its end.
const pasteLines = 8

// View draws the dialog's box.
func (d *pasteDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	p.wrap(s.Muted, "", "paste keys, a key a line, or a CSV whose first column they are; blank lines and repeats do no harm; or the CSV to fill in, filled in, to settle by it")
	p.blank()
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(d.content, "\r\n", "\n"), "\r", "\n"), "\n")
	if above := len(lines) - min(pasteLines, max(1, h-10)); above > 0 {
		lines = lines[above:]
		p.lines = p.lines[:0] // the end of a list matters more than how to paste one
		p.wrap(s.Faint, "", text.Plural(int64(above), "line", "lines")+" above")
	}
	for i, line := range lines {
		shown := text.Cut(text.Sanitise(line), p.w-1)
		if d.typing && i == len(lines)-1 {
			shown += s.Selected.Render(" ")
		}
		p.add(shown)
	}
	p.blank()
	view := d.form
	if d.typing {
		view.at = -1
	}
	foot := []string{s.Warn.Render(text.Cut(d.form.message, p.w))}
	buttons := view.choices
	buttons.focused = view.at
	return d.sheet.view(s.Box, "Look keys up, or settle by a CSV", p.lines, append(foot, buttons.view(p.w, s)...), w, h, s)
}

// ShortHelp lists the keys for the footer.
func (d *pasteDialog) ShortHelp() []key.Binding {
	if d.typing {
		return []key.Binding{keep(d.buttons.Next, "go on"), keep(d.keys.Back, "no, close")}
	}
	return d.form.help(d.buttons, d.keys)
}

// Guarded is false: it only reads.
func (d *pasteDialog) Guarded() bool { return false }

// lookupDialog is what the table says of each key.
type lookupDialog struct {
	keys    keys.Triage
	buttons keys.Dialog
	look    inspect.Lookup
	stuck   []inspect.Key
	sheet   sheet
	form    form
}

// Update takes a message and says whether the dialog is finished.
func (d *lookupDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || d.sheet.press(press, d.keys) {
		return false, nil
	}
	switch d.form.press(press, d.buttons) {
	case answeredNo:
		return true, nil
	case answeredYes:
		chosen := lookupReleaseMsg{d.stuck}
		return true, func() tea.Msg { return chosen }
	}
	return false, nil
}

// View draws the dialog's box.
func (d *lookupDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	p.wrap(s.Strong, "", d.look.Summary())
	p.wrap(s.Muted, "", text.Sanitise(d.look.Table.FullName())+" as of "+inspect.FormatTime(d.look.At))
	p.blank()
	for i, k := range d.look.Keys {
		if i == rowsNamed {
			p.wrap(s.Muted, "", "and "+text.Count(int64(len(d.look.Keys)-i), true)+" more: idemtui inspect lookup --from FILE has them all")
			break
		}
		p.hanging(classStyle(k, s).Render(text.Left(k.Class.Words(), 9)), 9, s.Text, text.Sanitise(k.Key.Visible())+lookedUpText(k))
	}
	p.blank()
	return d.sheet.view(s.Box, "What the table says of "+text.Plural(int64(len(d.look.Keys)), "key", "keys"), p.lines, d.form.view(p.w, s), w, h, s)
}

func classStyle(k inspect.LookedUp, s theme.Styles) lipgloss.Style {
	switch k.Class {
	case inspect.ClassStuck:
		return s.Bad
	case inspect.ClassDone, inspect.ClassAlive, inspect.ClassHeld:
		return s.OK
	case inspect.ClassFailed, inspect.ClassUnclear, inspect.ClassUnmapped:
		return s.Warn
	}
	return s.Muted
}

// lookedUpText is the fact behind a class.
func lookedUpText(k inspect.LookedUp) string {
	switch {
	case k.Class == inspect.ClassNoRow:
		return ": never seen, or forgotten"
	case k.Claim.State == inspect.StateProcessing:
		return ": " + VerdictText(k.Claim) + ", claimed " + claimedText(k.Claim) + " by " + text.Sanitise(k.Claim.Owner.Or("nobody named"))
	case k.Claim.State == inspect.StateDone && k.Claim.CompletedAt.Valid():
		return ": since " + text.Sanitise(k.Claim.CompletedAt.String())
	case k.Claim.State == inspect.StateFailed && k.Claim.FailedAt.Valid():
		return ": since " + text.Sanitise(k.Claim.FailedAt.String())
	}
	return ""
}

// ShortHelp lists the keys for the footer.
func (d *lookupDialog) ShortHelp() []key.Binding {
	shown := []key.Binding{keep(d.buttons.Cancel, "close"), d.keys.ReadOn}
	if len(d.stuck) > 0 {
		shown = append(shown, keep(d.buttons.Next, "move"), keep(d.buttons.Confirm, "release the stuck ones, after asking"))
	}
	return shown
}

// Guarded asks for the grace period: it leads to a release.
func (d *lookupDialog) Guarded() bool { return true }
