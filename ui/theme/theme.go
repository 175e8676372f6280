// Package theme holds every colour and text style of the screens. Screens name
// a meaning (Bad, Muted, Selected) and never a colour. The palette is the
// terminal's own sixteen colours, so it follows the user's scheme on light and
// dark backgrounds; without colour (NO_COLOR) bold, faint and reverse remain,
// and no state is told by colour alone.
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Styles are the styles of one theme. It is a plain value: screens keep a
// copy and get a new one when the background becomes known.
type Styles struct {
	Dark bool

	Text     lipgloss.Style // ordinary text
	Strong   lipgloss.Style // what a sentence is about
	Muted    lipgloss.Style // labels, units, things of less weight
	Faint    lipgloss.Style // rules, rails, what is past
	Title    lipgloss.Style // the program's name and the heads of panes
	Accent   lipgloss.Style // where the user is: cursor, active tab
	Selected lipgloss.Style // the selected row, in reverse
	Key      lipgloss.Style // a key in the footer or the help
	KeyText  lipgloss.Style // what the key does

	OK       lipgloss.Style // done, alive, safe
	Warn     lipgloss.Style // held, cannot tell, tight
	Bad      lipgloss.Style // charged twice, likely dead, unsafe
	Info     lipgloss.Style // notes, narration
	ReadOnly lipgloss.Style // the mode badge while nothing can be written
	Armed    lipgloss.Style // the mode badge once a release is possible

	Box       lipgloss.Style // a dialog's border and padding
	BoxDanger lipgloss.Style // the same, for a dialog that writes

	// Spans tell the steps of a handler apart on the timeline: check and claim,
	// charge, remember and complete, release. The word is always there too.
	SpanRead   lipgloss.Style
	SpanCharge lipgloss.Style
	SpanWrite  lipgloss.Style
	SpanUndo   lipgloss.Style
}

// New makes the styles for a dark or a light background.
func New(dark bool) Styles {
	pick := lipgloss.LightDark(dark)
	c := func(light, onDark string) color.Color {
		return pick(lipgloss.Color(light), lipgloss.Color(onDark))
	}
	var (
		plain  = lipgloss.NewStyle()
		red    = plain.Foreground(c("1", "9"))
		green  = plain.Foreground(c("2", "10"))
		yellow = plain.Foreground(c("3", "11"))
		blue   = plain.Foreground(c("4", "12"))
		violet = plain.Foreground(c("5", "13"))
		cyan   = plain.Foreground(c("6", "14"))
		grey   = plain.Foreground(c("8", "7"))
		dim    = plain.Foreground(c("7", "8"))
	)
	box := plain.Border(lipgloss.RoundedBorder()).Padding(0, 1)
	return Styles{
		Dark:       dark,
		Text:       plain,
		Strong:     plain.Bold(true),
		Muted:      grey,
		Faint:      dim,
		Title:      violet.Bold(true),
		Accent:     cyan.Bold(true),
		Selected:   plain.Reverse(true),
		Key:        plain.Bold(true),
		KeyText:    grey,
		OK:         green,
		Warn:       yellow,
		Bad:        red.Bold(true),
		Info:       blue,
		ReadOnly:   green.Bold(true),
		Armed:      red.Bold(true).Reverse(true),
		Box:        box.BorderForeground(c("8", "7")),
		BoxDanger:  box.BorderForeground(c("1", "9")),
		SpanRead:   cyan,
		SpanCharge: yellow,
		SpanWrite:  green,
		SpanUndo:   violet,
	}
}
