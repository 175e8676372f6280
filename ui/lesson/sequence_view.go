package lesson

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"idemtui/sim/lessons"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// sequenceStyles are how the parts of a sequence look; without a terminal they
// are all plain.
type sequenceStyles struct{ lane, mark, note, wrong, rail, cursor lipgloss.Style }

func stylesOfSequence(s theme.Styles) sequenceStyles {
	return sequenceStyles{lane: s.Muted, mark: s.Strong, note: s.Muted, wrong: s.Bad, rail: s.Faint, cursor: s.Accent}
}

// SequenceText draws a sequence to its end, without styles, for those who have
// no screen.
func SequenceText(q *lessons.Sequence, w int) string {
	d := drawing{q: q, n: len(q.Instants), w: w}
	return strings.Join(append(d.lanes(len(q.Lanes)+len(d.noted())), d.axis()), "\n")
}

// drawing is a sequence in w cells, of which the first n instants have happened.
type drawing struct {
	q      *lessons.Sequence
	n, w   int
	marked int // the lane that is spoken of; 0: none
	styles sequenceStyles
}

// gutter is how wide the lanes' names are, with the blanks around them.
func (d *drawing) gutter() int {
	widest := 0
	for _, lane := range d.q.Lanes {
		widest = max(widest, text.Width(lane))
	}
	return widest + 3
}

// column is where an instant stands. Instants are equally far apart, whatever
// the time between them.
func (d *drawing) column(i int) int {
	return d.gutter() + i*max((d.w-d.gutter()-1)/len(d.q.Instants), 1)
}

// noted are the lanes in which something has a note.
func (d *drawing) noted() []int {
	var noted []int
	for lane := range d.q.Lanes {
		for _, instant := range d.q.Instants {
			if instant.Marks[lane].Note != "" {
				noted = append(noted, lane)
				break
			}
		}
	}
	return noted
}

// lanes draws the lanes in h lines at most: notes below the lowest lanes first,
// where there is no room for all.
func (d *drawing) lanes(h int) []string {
	noted, room := d.noted(), max(h-len(d.q.Lanes), 0)
	withNote := map[int]bool{}
	for i := len(noted) - 1; i >= 0 && room > 0; i-- {
		withNote[noted[i]] = true
		room--
	}
	spread := room >= len(d.q.Lanes)-1
	var lines []string
	for lane := range d.q.Lanes {
		if spread && lane > 0 {
			lines = append(lines, d.line(lane, blankLine))
		}
		lines = append(lines, d.line(lane, markLine))
		if withNote[lane] {
			lines = append(lines, d.line(lane, noteLine))
		}
	}
	return lines[:min(len(lines), h)]
}

// lineOf is what a line of a lane has.
type lineOf uint8

const (
	markLine lineOf = iota
	noteLine
	blankLine
)

// line draws one line of a lane: what has happened, dots where it still holds,
// and the bar of the cursor.
func (d *drawing) line(lane int, of lineOf) string {
	out, at := "", 0
	put := func(x int, what string, style lipgloss.Style) {
		if x < at {
			return
		}
		what = text.Cut(what, d.w-1-x)
		out += strings.Repeat(" ", x-at) + style.Render(what)
		at = x + text.Width(what)
	}
	if of == markLine {
		if d.marked > 0 && lane == d.marked {
			put(0, "▶", d.styles.cursor)
		}
		put(1, d.q.Lanes[lane], d.styles.lane)
	}
	standing := false
	for i := range d.n {
		mark, x, next := d.q.Instants[i].Marks[lane], d.column(i), d.column(i+1)
		said, style := mark.Text, d.styles.mark
		if mark.Wrong {
			style = d.styles.wrong
		}
		if of == noteLine {
			said, style = mark.Note, d.styles.note
			if said != "" {
				x++
			}
		}
		if of == blankLine {
			said = ""
		}
		last := i == d.n-1
		switch {
		case said != "":
			put(x, text.Cut(said, next-x-1), style)
		case last:
			put(x, "│", d.styles.cursor)
		}
		standing = standing || said != ""
		if from := at; of == markLine && standing && !last && next-from > 2 {
			if said != "" {
				from++
			}
			to := next
			if d.q.Instants[i+1].Marks[lane].Text != "" {
				to--
			}
			put(from, strings.Repeat("·", to-from), d.styles.rail)
		}
	}
	return out
}

// axis draws the times of the instants.
func (d *drawing) axis() string {
	out := strings.Repeat(" ", d.gutter())
	for i, instant := range d.q.Instants {
		room := d.column(i+1) - d.column(i)
		label := text.Cut(text.Duration(time.Duration(instant.At)), room-2)
		tick, style := "┴", d.styles.rail
		if i == max(d.n-1, 0) {
			tick, style = "┃", d.styles.cursor
		}
		out += style.Render(tick) + d.styles.note.Render(label)
		rest := room - 1 - text.Width(label)
		fold := "╱╱"
		if i == len(d.q.Instants)-1 || rest < 4 {
			fold = "──"
		}
		out += d.styles.rail.Render(text.Cut(strings.Repeat("─", max(rest-2, 0)/2)+fold+strings.Repeat("─", max(rest-1, 0)/2), rest))
	}
	return out
}

// viewSequence is a page about a sequence: its lanes in the place of the
// timeline, and below the text what is executed and what comes of it.
func (s *Screen) viewSequence(w, h int) []string {
	lines := []string{s.heading(w)}
	block := s.block(w, h < tall)
	if h >= roomy {
		lines, block = append(lines, ""), append(block, "")
	}
	d := drawing{q: s.sequence(), n: s.stepper.n, w: w, marked: s.lesson().Pages[s.place.i].Lane, styles: stylesOfSequence(s.styles)}
	lower := s.sequenceLower(w)
	room := h - len(lines) - len(block)
	upper := len(d.q.Lanes) + len(d.noted()) + 2
	if room-upper-s.lowerHeight(w) >= len(d.q.Lanes) {
		upper += len(d.q.Lanes) - 1
		if h >= roomy {
			upper++
		}
	}
	if h < tall || upper > room {
		upper, lower = max(room, 0), nil
	}
	above, exhibit := d.upper(upper, s.sequenceHead(w)), s.exhibit(w)
	switch {
	case exhibit == nil:
	case lower == nil:
		above = fitted(strings.Join(exhibit, "\n"), upper)
	default:
		lower = append(append(exhibit, ""), lower...)
	}
	return append(append(append(lines, above...), block...), lower...)
}

// upper is head, lanes and axis in exactly h lines. Where there is no room for
// all, the head goes first, then the axis.
func (d *drawing) upper(h int, head string) []string {
	full := len(d.q.Lanes) + len(d.noted())
	var lines []string
	axis := h > full
	room := h
	if axis {
		room--
	}
	if h > full+1 {
		lines = append(lines, head)
		room--
	}
	lanes := d.lanes(room)
	if axis {
		lanes = append(lanes, d.axis())
	}
	return fitted(strings.Join(append(lines, lanes...), "\n"), h)
}

// sequenceHead names the sequence, and at the right says where the cursor is.
func (s *Screen) sequenceHead(w int) string {
	word := s.styles.Muted.Render("paused")
	switch p := &s.stepper; {
	case p.moving():
		word = s.styles.OK.Render("▶ playing")
	case p.n == len(p.sequence.Instants):
		word = s.styles.Accent.Render("the end")
	}
	right := word + s.styles.Strong.Render(fmt.Sprintf("  step %d of %d ", s.stepper.n, len(s.sequence().Instants)))
	left := text.Cut(" "+s.styles.Accent.Render(s.sequence().Title), w-text.Width(right)-1)
	return left + strings.Repeat(" ", max(w-text.Width(left)-text.Width(right), 0)) + right
}

// sequenceLower tells the instant at the cursor, and lists what is executed.
func (s *Screen) sequenceLower(w int) []string {
	if s.stepper.n == 0 {
		return []string{s.styles.Info.Render(" Nothing has happened yet.")}
	}
	return s.instantLines(s.sequence().Instants[s.stepper.n-1], w)
}

// lowerHeight is how many lines the longest instant takes.
func (s *Screen) lowerHeight(w int) int {
	longest := 0
	for _, instant := range s.sequence().Instants {
		longest = max(longest, len(s.instantLines(instant, w)))
	}
	return longest
}

func (s *Screen) instantLines(instant lessons.Instant, w int) []string {
	var lines []string
	for _, line := range text.Wrap(instant.Told, min(w-2, widest)) {
		lines = append(lines, " "+s.styles.Info.Render(line))
	}
	who := 0
	for _, line := range instant.Lines {
		who = max(who, text.Width(line.Who))
	}
	width := max(w-who-6, 10)
	for _, line := range instant.Lines {
		name := " " + s.styles.Muted.Render(text.Left(line.Who, who)) + "  "
		for _, part := range text.Wrap(line.Code, width) {
			lines = append(lines, name+s.styles.Text.Render(part))
			name = strings.Repeat(" ", who+5)
		}
		if line.Result == "" {
			continue
		}
		const arrow = "  → "
		if last := len(lines) - 1; text.Width(lines[last])+len(arrow)+text.Width(line.Result) > w {
			lines = append(lines, strings.Repeat(" ", who+3))
		}
		lines[len(lines)-1] += s.styles.Faint.Render(arrow) + s.styles.Strong.Render(line.Result)
	}
	return lines
}
