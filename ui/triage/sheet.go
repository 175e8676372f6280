package triage

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"idemtui/inspect"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// sheetWidth is the widest inside of a dialog: longer lines are hard to read.
const sheetWidth = 96

// sheet is the paper a dialog is written on: a text that scrolls where it is
// too long, above a part that is always in sight.
type sheet struct {
	session inspect.Mode // shown in the head, which stays in sight
	readOn  string       // the key that scrolls on
	top     int
	over    int // lines that did not fit when last fitted
	height  int
}

func (s *Screen) newSheet() sheet {
	return sheet{session: s.shownMode(), readOn: s.keys.ReadOn.Help().Key}
}

// press scrolls and reports whether the key was one that does.
func (p *sheet) press(msg tea.KeyPressMsg, k keys.Triage) bool {
	page := max(1, p.height-1)
	switch {
	case key.Matches(msg, k.ReadOn):
		p.top = min(p.top+page, p.over)
	case key.Matches(msg, k.ReadBack):
		p.top = max(0, p.top-page)
	default:
		return false
	}
	return true
}

// inner is the width of the text inside a box of at most w cells.
func inner(w int) int { return max(10, min(w-4, sheetWidth)) }

// view draws the box in at most w by h cells: the title and the session's mode,
// the body, and the foot.
func (p *sheet) view(box lipgloss.Style, title string, body, foot []string, w, h int, s theme.Styles) string {
	head := []string{spread(s.Strong.Render(title), " "+badge(p.session, s), inner(w)), ""}
	if h < 26 {
		head = head[:1]
	}
	p.height = max(1, h-2-len(head)-len(foot))
	p.over = max(0, len(body)-p.height)
	p.top = min(p.top, p.over)
	if p.over > 0 {
		end := p.top + p.height
		seen := append([]string(nil), body[p.top:end]...)
		if end < len(body) {
			seen[len(seen)-1] = s.Warn.Render(more(len(body)-end+1) + ": " + p.readOn)
		}
		body = seen
	}
	lines := slices.Concat(head, body, foot)
	if len(lines) > h-2 {
		lines = lines[len(lines)-max(1, h-2):]
	}
	for i := range lines {
		lines[i] = text.Left(lines[i], inner(w))
	}
	return box.Render(strings.Join(lines, "\n"))
}

// choices are the buttons of a dialog. The first is the safe one and has the
// focus until the person moves it.
type choices struct {
	labels  []string
	focused int // -1 while a text field has the focus
}

// view is the buttons in lines of at most w cells: none is ever cut away.
func (c choices) view(w int, s theme.Styles) []string {
	var lines []string
	line, used := "", 0
	for i, label := range c.labels {
		label = " " + label + " "
		button := s.Muted.Render("[" + label + "]")
		if i == c.focused {
			button = s.Selected.Render(">" + label)
		}
		room := text.Width(label) + 2
		if used > 0 && used+2+room > w {
			lines = append(lines, line)
			line, used = "", 0
		}
		if used > 0 {
			line += "  "
			used += 2
		}
		line += button
		used += room
	}
	return append(lines, line)
}

// prompt is one text field of a dialog with its label. want is what must be
// typed; "" takes any text that is not blank. missing is said when it is not
// there.
type prompt struct {
	label   string
	want    string
	missing string
	field   field
}

// newReason is the field that every write asks for.
func newReason() *prompt {
	return &prompt{label: "reason", missing: "say why first: it goes into the audit record"}
}

// newTyped is a field for a word that must be typed to confirm.
func newTyped(label, want string) *prompt {
	return &prompt{label: label, want: want, missing: "type " + want + " first"}
}

func (p *prompt) filled() bool {
	typed := strings.TrimSpace(p.field.String())
	if p.want != "" {
		return typed == p.want
	}
	return typed != ""
}

func (p *prompt) view(w int, focused bool, s theme.Styles) string {
	label := p.label + ": "
	style := s.Muted
	if focused {
		style = s.Accent
	}
	return style.Render(label) + p.field.view(max(8, w-text.Width(label)), focused, s)
}

// form is what a dialog asks: text fields, then buttons of which the first
// says no. It starts on no. few is how many of the fields the first yes of
// several needs; the last one needs all.
type form struct {
	prompts []*prompt
	choices choices
	few     int
	at      int // the focused field, or len(prompts) + the focused button
	message string
}

func newForm(prompts []*prompt, labels ...string) form {
	return form{prompts: prompts, choices: choices{labels: labels}, at: len(prompts)}
}

// answer is what a key did to a form.
type answer int

const (
	unanswered answer = iota
	answeredNo
	answeredYes   // the first button that is not no
	answeredOther // the second
)

// press takes a key. Enter on a field goes on to the next one and never
// answers; enter on a button takes it, and y the one that has the focus or the
// first that is not no, once the fields it needs are filled.
func (f *form) press(msg tea.KeyPressMsg, k keys.Dialog) answer {
	f.message = ""
	typing := f.at < len(f.prompts)
	switch {
	case msg.String() == "esc", !typing && key.Matches(msg, k.Cancel):
		return answeredNo
	case typing && f.prompts[f.at].field.press(msg):
		return unanswered
	case typing && key.Matches(msg, k.Choose):
		f.at++
	case key.Matches(msg, k.Next):
		f.move(1)
	case key.Matches(msg, k.Prev):
		f.move(-1)
	case !typing && key.Matches(msg, k.Choose) && f.at == len(f.prompts):
		return answeredNo
	case !typing && (key.Matches(msg, k.Confirm) || key.Matches(msg, k.Choose)):
		return f.confirm()
	}
	return unanswered
}

// confirm answers yes, or goes to the first field that is not filled.
func (f *form) confirm() answer {
	buttons := len(f.choices.labels)
	if buttons < 2 {
		return unanswered
	}
	button := max(1, f.at-len(f.prompts))
	needed := f.prompts
	if button < buttons-1 {
		needed = f.prompts[:f.few]
	}
	for i, p := range needed {
		if !p.filled() {
			f.at = i
			f.message = p.missing
			return unanswered
		}
	}
	return answer(button) + answeredNo
}

func (f *form) move(by int) {
	n := len(f.prompts) + len(f.choices.labels)
	f.at = (f.at + by + n) % n
}

// paste puts a paste into the field that has the focus; elsewhere it is lost,
// so that no paste answers.
func (f *form) paste(content string) {
	if f.at < len(f.prompts) {
		f.prompts[f.at].field.insert(content)
	}
}

// view is the fields, the message and the buttons.
func (f *form) view(w int, s theme.Styles) []string {
	lines := make([]string, 0, len(f.prompts)+3)
	for i, p := range f.prompts {
		lines = append(lines, p.view(w, i == f.at, s))
	}
	lines = append(lines, s.Warn.Render(f.message))
	buttons := f.choices
	buttons.focused = f.at - len(f.prompts)
	return append(lines, buttons.view(w, s)...)
}

// help lists the keys that work where the focus is.
func (f *form) help(k keys.Dialog, t keys.Triage) []key.Binding {
	if f.at < len(f.prompts) {
		return []key.Binding{keep(k.Choose, "next"), keep(k.Next, "next"), keep(t.Back, "no, close")}
	}
	shown := []key.Binding{k.Cancel, keep(k.Next, "move"), keep(k.Choose, "take > choice")}
	if len(f.choices.labels) > 1 {
		shown = append(shown, k.Confirm)
	}
	return append(shown, t.ReadOn)
}
