package triage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// followDialog shows what has become of the released keys, while that is read.
// It writes nothing.
type followDialog struct {
	keys      keys.Triage
	buttons   keys.Dialog
	following *following
	sheet     sheet
	form      form
	copied    bool
}

func (s *Screen) newFollowDialog() *followDialog {
	return &followDialog{keys: s.keys, buttons: s.buttons, following: s.follow, sheet: s.newSheet(), form: newForm(nil, "Close", "Copy the line")}
}

// Update takes a message and says whether the dialog is finished.
func (d *followDialog) Update(msg tea.Msg) (bool, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || d.sheet.press(press, d.keys) {
		return false, nil
	}
	switch d.form.press(press, d.buttons) {
	case answeredNo:
		return true, nil
	case answeredYes:
		d.copied = true
		return false, tea.SetClipboard(d.following.follow.Summary())
	}
	return false, nil
}

// View draws the dialog's box.
func (d *followDialog) View(w, h int, s theme.Styles) string {
	p := &page{w: inner(w), styles: s}
	f := d.following
	p.wrap(s.Strong, "", text.Sanitise(f.follow.Summary()))
	switch {
	case f.err != nil:
		p.wrap(s.Bad, "", "✗ not read, trying again: "+faultText(f.err))
	case f.over && f.follow.Over():
		p.wrap(s.Muted, "", "over: there is nothing more to wait for")
	case f.over:
		p.wrap(s.Warn, "", "the time is over ("+text.Duration(followFor)+"); later: idemtui inspect follow "+text.Sanitise(f.follow.AuditID))
	default:
		p.wrap(s.Muted, "", "read again every "+text.Age(followEvery)+", for "+text.Duration(max(0, f.left()))+" more; it goes on when this is closed")
	}
	if f.follow.Count(inspect.FollowNotPickedUp) > 0 && f.runsNext != "" {
		p.wrap(s.Warn, "", "not picked up yet; "+text.Sanitise(f.runsNext))
	}
	p.blank()
	for i, k := range f.follow.Keys {
		if p.enough(i, len(f.follow.Keys)) {
			break
		}
		mark, style := followMark(k.State, s)
		p.hanging(style.Render(mark+" "), 2, s.Text, text.Sanitise(k.Key.Visible())+": "+k.State.Words()+" ("+text.Sanitise(k.Text)+")")
	}
	if d.copied {
		p.blank()
		p.wrap(s.Info, "", "the line was sent to the terminal's clipboard; it is printed again when you quit")
	}
	p.blank()
	return d.sheet.view(s.Box, "What became of the release", p.lines, d.form.view(p.w, s), w, h, s)
}

// followMark is the glyph of a followed key; the word stands behind it.
func followMark(state inspect.FollowState, s theme.Styles) (string, lipgloss.Style) {
	switch state {
	case inspect.FollowDone:
		return "●", s.OK
	case inspect.FollowAtWork:
		return "▶", s.Info
	case inspect.FollowFailedAgain:
		return "✗", s.Bad
	case inspect.FollowNotPickedUp:
		return "·", s.Warn
	}
	return "?", s.Muted
}

// ShortHelp lists the keys for the footer.
func (d *followDialog) ShortHelp() []key.Binding {
	return []key.Binding{keep(d.buttons.Cancel, "close"), keep(d.buttons.Confirm, "copy the line"), d.keys.ReadOn}
}

// Guarded asks for the grace period, so that a key in flight does not close
// what nobody has read.
func (d *followDialog) Guarded() bool { return true }
