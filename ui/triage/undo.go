package triage

import (
	"context"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// undoPlannedMsg is what an undo would put back.
type undoPlannedMsg struct {
	id      string
	rows    []inspect.AuditRow
	preview inspect.UndoResult
	err     error
}

// undoChosenMsg says that the person confirmed the undo.
type undoChosenMsg struct {
	id     string
	rows   []inspect.AuditRow
	reason string
}

// undoneMsg is what an undo did.
type undoneMsg struct {
	result inspect.UndoResult
	err    error
}

// wantUndo begins the undo of the last release of this session.
func (s *Screen) wantUndo() tea.Cmd {
	switch why := s.cannotWrite(); {
	case why != "":
		s.complain("%s", why)
	case s.last == nil || !s.last.undoable():
		s.say("nothing to undo in this session; what was released earlier: idemtui inspect undo AUDIT-ID")
	case s.busy():
		s.say("one moment: the last one is still under way")
	case s.needsArming():
		return s.dialogs.Push(s.newArmDialog(armedFor{undo: true}))
	default:
		return s.planUndo()
	}
	return nil
}

// planUndo asks what of the last release can be put back.
func (s *Screen) planUndo() tea.Cmd {
	s.planning = true
	id := s.last.released.AuditID
	store, table, audit := s.cfg.Store, s.cfg.Table, s.cfg.Audit
	return s.ask(func(ctx context.Context) tea.Msg {
		rows, err := audit.Rows(id)
		if err != nil {
			return undoPlannedMsg{id: id, err: err}
		}
		preview, err := store.Undo(ctx, table, inspect.UndoRequest{AuditID: id, Rows: rows, DryRun: true})
		return undoPlannedMsg{id: id, rows: rows, preview: preview, err: err}
	})
}

func (s *Screen) undoPlanned(msg undoPlannedMsg) tea.Cmd {
	s.planning = false
	if msg.err != nil {
		s.complain("nothing was put back: %s", msg.err)
		return nil
	}
	d := &undoDialog{
		keys: s.keys, buttons: s.buttons, planned: msg, sheet: s.newSheet(),
		database: text.Sanitise(s.cfg.Database.ID), table: text.Sanitise(s.cfg.Table.FullName()),
	}
	if n := len(msg.preview.Restored); n > 0 {
		d.form = newForm([]*prompt{newReason()}, "No", "Put back "+claims(n))
	} else {
		d.form = newForm(nil, "Close")
	}
	return s.dialogs.Push(d)
}

// undo carries out a confirmed undo.
func (s *Screen) undo(msg undoChosenMsg) tea.Cmd {
	if s.busy() || s.needsArming() || s.cannotWrite() != "" {
		return nil
	}
	s.writing = "putting back " + claims(len(msg.rows)) + " …"
	store, table, audit := s.cfg.Store, s.cfg.Table, s.cfg.Audit
	return s.ask(func(ctx context.Context) tea.Msg {
		auditor, err := audit.Begin()
		if err != nil {
			return undoneMsg{err: err}
		}
		result, err := store.Undo(ctx, table, inspect.UndoRequest{AuditID: msg.id, Rows: msg.rows, Auditor: auditor, Reason: msg.reason})
		s.unseen.note("the undo", auditor.ID(), len(result.Restored), "put back", err)
		return undoneMsg{result: result, err: err}
	})
}

func (s *Screen) undone(msg undoneMsg) tea.Cmd {
	s.writing = ""
	s.unseen.seen()
	if s.last != nil && len(msg.result.Restored) > 0 {
		s.last.undone = true
	}
	for _, k := range msg.result.Restored {
		delete(s.left, k)
	}
	s.last = &operation{undo: true, restored: msg.result, err: msg.err}
	return tea.Batch(s.showOutcome(), s.loadClaims())
}

// undoDialog asks before an undo. What it confirms are the rows of the audit
// record; the guard of the undo skips those that somebody touched since.
type undoDialog struct {
	keys     keys.Triage
	buttons  keys.Dialog
	database string
	table    string
	planned  undoPlannedMsg
	sheet    sheet
	form     form
}

// Update takes a message and says whether the dialog is finished.
func (d *undoDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		d.form.paste(msg.Content)
	case tea.KeyPressMsg:
		if d.sheet.press(msg, d.keys) {
			return false, nil
		}
		switch d.form.press(msg, d.buttons) {
		case answeredNo:
			return true, nil
		case answeredYes:
			chosen := undoChosenMsg{id: d.planned.id, rows: d.planned.rows, reason: strings.TrimSpace(d.form.prompts[0].field.String())}
			return true, func() tea.Msg { return chosen }
		}
	}
	return false, nil
}

// View draws the dialog's box.
func (d *undoDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	restored := d.planned.preview.Restored
	title := "Put back " + claims(len(restored)) + ", as before the release?"
	if len(restored) == 0 {
		title = "Nothing can be put back"
	}
	named := make([]string, 0, len(restored))
	for _, k := range restored {
		named = append(named, text.Sanitise(k.Visible()))
	}
	pairs := [][2]string{{"database", d.database}, {"table", d.table}, {"audit", text.Sanitise(d.planned.id)}}
	if len(named) > 0 {
		pairs = append(pairs, [2]string{"keys", someOf(named)})
	}
	p.fields(pairs)
	for i, skip := range d.planned.preview.Skipped {
		if i == 0 {
			p.head("stays as it is: " + claims(len(d.planned.preview.Skipped)))
		}
		p.skip(skip)
	}
	if len(named) > 0 {
		p.head("what happens")
		p.item("the rows become what the audit record kept of them: claimed again, in the name of the old owner")
		p.item("what ran because of the release is not undone")
	}
	p.blank()
	return d.sheet.view(s.BoxDanger, title, p.lines, d.form.view(p.w, s), w, h, s)
}

// ShortHelp lists the keys for the footer.
func (d *undoDialog) ShortHelp() []key.Binding { return d.form.help(d.buttons, d.keys) }

// Guarded asks for the grace period: it writes.
func (d *undoDialog) Guarded() bool { return true }
