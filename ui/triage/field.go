package triage

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// fieldLimit bounds a text field: a paste of a whole file is no filter.
const fieldLimit = 500

// field is one line of text that a person types: the filter, a reason, a
// typed confirmation.
type field struct {
	value  []rune
	cursor int
}

// String is the text as typed.
func (f *field) String() string { return string(f.value) }

// set replaces the text and puts the cursor behind it.
func (f *field) set(s string) {
	f.value = []rune(s)
	f.cursor = len(f.value)
}

// press edits the text and reports whether the key was one that edits.
func (f *field) press(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "backspace", "ctrl+h":
		f.cut(f.cursor-1, f.cursor)
	case "delete":
		f.cut(f.cursor, f.cursor+1)
	case "left":
		f.cursor = max(0, f.cursor-1)
	case "right":
		f.cursor = min(len(f.value), f.cursor+1)
	case "home", "ctrl+a":
		f.cursor = 0
	case "end", "ctrl+e":
		f.cursor = len(f.value)
	case "ctrl+u":
		f.cut(0, f.cursor)
	case "ctrl+k":
		f.cut(f.cursor, len(f.value))
	case "ctrl+w", "alt+backspace":
		before := strings.TrimRight(string(f.value[:f.cursor]), " ")
		f.cut(len([]rune(before[:strings.LastIndexByte(before, ' ')+1])), f.cursor)
	default:
		if msg.Text == "" {
			return false
		}
		f.insert(msg.Text)
	}
	return true
}

// insert puts text at the cursor. A line break of a paste becomes a space, so
// that it can answer nothing.
func (f *field) insert(s string) {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
	runes := []rune(s)
	runes = runes[:min(len(runes), fieldLimit-len(f.value))]
	value := make([]rune, 0, len(f.value)+len(runes))
	value = append(value, f.value[:f.cursor]...)
	value = append(value, runes...)
	f.value = append(value, f.value[f.cursor:]...)
	f.cursor += len(runes)
}

func (f *field) cut(from, to int) {
	from, to = max(0, from), min(to, len(f.value))
	if from >= to {
		return
	}
	f.value = append(f.value[:from:from], f.value[to:]...)
	f.cursor = from
}

// view draws the text in at most w cells with its end of interest, the
// cursor, in sight.
func (f *field) view(w int, focused bool, s theme.Styles) string {
	before, after := text.Sanitise(string(f.value[:f.cursor])), text.Sanitise(string(f.value[f.cursor:]))
	if !focused {
		return text.Cut(before+after, w)
	}
	under, rest := " ", ""
	if runes := []rune(after); len(runes) > 0 {
		under, rest = string(runes[0]), string(runes[1:])
	}
	room := max(0, w-text.Width(under))
	if over := text.Width(before) - room; over > 0 {
		before = text.CutLeft(before, over)
	}
	rest = text.Cut(rest, max(0, room-text.Width(before)))
	return before + s.Selected.Render(under) + rest
}
