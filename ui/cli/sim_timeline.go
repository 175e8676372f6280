package cli

import (
	"strings"
	"time"

	"idemtui/sim"
	"idemtui/ui/text"
)

// timelineWidth is how many columns the time axis of a text timeline has.
const timelineWidth = 100

// timelineTail is the room for what happens at the very end.
const timelineTail = 10

// laneNameWidth is the column of the lanes' names.
const laneNameWidth = 10

// textTimeline draws every lane of a short run over its whole time.
func textTimeline(trace *sim.Trace, width int) string {
	return timelineAt(trace, trace.Len(), width)
}

// timelineAt draws what has happened after n events; the whole width is the
// whole run.
func timelineAt(trace *sim.Trace, n, width int) string {
	now := trace.Duration()
	if n < trace.Len() {
		now = 0
		if n > 0 {
			now = trace.Event(n - 1).At
		}
	}
	var out strings.Builder
	for _, lane := range trace.Lanes() {
		row := []rune(strings.Repeat(" ", width))
		for _, s := range trace.Spans(lane, 0, now) {
			if int(s.FirstSeq) >= n {
				continue
			}
			s.End = min(s.End, now)
			drawSpan(row, trace, s)
		}
		name := laneName(lane)
		if lane == sim.LaneBroker && trace.Scenario().Direct {
			name = "caller"
		}
		out.WriteString(strings.TrimRight(text.Left(name, laneNameWidth)+string(row), " ") + "\n")
	}
	out.WriteString(text.Left("", laneNameWidth) + axis(trace, width) + "\n")
	return out.String()
}

// laneName is a lane's name in full.
func laneName(lane sim.Lane) string {
	if _, ok := lane.Worker(); ok {
		return strings.Replace(lane.String(), "w", "worker ", 1)
	}
	return lane.String()
}

// column is where a time stands on the axis.
func column(at, duration int64, width int) int {
	// Halves keep the product in range for a run of a year.
	for duration > 1<<40 {
		at, duration = at/2, duration/2
	}
	return int(at * int64(width-timelineTail) / max(duration, 1))
}

// drawSpan draws a step as a box with its name, and an instant as a glyph with
// what it concerns.
func drawSpan(row []rune, trace *sim.Trace, s sim.Span) {
	first, last := column(s.Start, trace.Duration(), len(row)), column(s.End, trace.Duration(), len(row))
	switch s.Kind {
	case sim.SpanMoment:
		writeApart(row, first, momentText(trace, s))
		return
	case sim.SpanPickUp:
		fill(row, first, last, '·')
		return
	case sim.SpanPause, sim.SpanDown:
		fill(row, first, last, '░')
		return
	}
	inside := last - first - 1
	if inside < 1 {
		row[first] = '│'
		return
	}
	fill(row, first+1, last, '─')
	row[first], row[last] = '├', '┤'
	name := s.Step
	if long := name + " " + sim.PaymentName(s.Payment); trace.Scenario().Payments > 1 && len(long) <= inside {
		name = long
	}
	if len(name) <= inside {
		write(row, first+1+(inside-len(name))/2, name)
	}
}

// momentText is what a lane shows for an instant.
func momentText(trace *sim.Trace, s sim.Span) string {
	payment := sim.PaymentName(s.Payment)
	switch {
	case s.Event == sim.EventArrive:
		return ""
	case s.Event == sim.EventDeliver && s.Ordinal == 1:
		return "●" + payment
	case s.Event == sim.EventDeliver || s.Event == sim.EventRedeliver:
		return "↻" + payment
	case s.Label == sim.LabelCharge || s.Label == sim.LabelChargeTimeout:
		said := "$"
		if _, wrong := trace.ViolationAt(int(s.FirstSeq)); wrong {
			said = "✗ $"
		} else if !charges(trace, s) {
			said = "="
		}
		if trace.Scenario().Payments > 1 {
			said += " " + payment
		}
		return said
	case s.Event == sim.EventBusy:
		return "busy"
	case s.Event == sim.EventAckLate:
		return "late ack"
	case s.Event == sim.EventReplay:
		return "replay"
	case s.Label == sim.LabelAck:
		return "ack"
	case s.Event == sim.EventReturn, s.Event == sim.EventDelete:
		return s.Event.String()
	case s.Event == sim.EventRebalance:
		return "╹" // what is delivered anew at the same instant needs the room
	case s.Event == sim.EventAckLost:
		return "✗ ack lost"
	case s.Event == sim.EventDeadLetter:
		return "✗ dead letter"
	}
	return s.Label.String()
}

// charges says whether the call of a moment made the ledger grow: a key that the
// provider knows, or a value that is set again, leaves it as it is.
func charges(trace *sim.Trace, s sim.Span) bool {
	if e := trace.Handler().Effect; e == sim.EffectCount || e == sim.EffectFence {
		return true
	}
	n := int(s.FirstSeq)
	return trace.At(n + 1).Payments[s.Payment].Charges > trace.At(n).Payments[s.Payment].Charges
}

// write puts text into the row where there is room for it whole, and says
// whether there is. The first of two at one place is the one that is read.
func write(row []rune, at int, what string) bool {
	runes := []rune(what)
	if at+len(runes) > len(row) {
		return false
	}
	for _, taken := range row[at : at+len(runes)] {
		if taken != ' ' && taken != '─' {
			return false
		}
	}
	copy(row[at:], runes)
	return true
}

// writeApart writes a word where it does not run into the one before it: up to
// two columns later, if need be.
func writeApart(row []rune, at int, what string) {
	for late := range 3 {
		if start := at + late; (start == 0 || start <= len(row) && !isWord(row[start-1])) && write(row, start, what) {
			return
		}
	}
}

// isWord says whether a rune belongs to what an instant shows, and not to the
// drawing around it.
func isWord(r rune) bool { return !strings.ContainsRune(" ·─├┤│░", r) }

func fill(row []rune, first, last int, r rune) {
	for i := first; i < last && i < len(row); i++ {
		row[i] = r
	}
}

// axis is the line of time with its beginning, middle and end.
func axis(trace *sim.Trace, width int) string {
	row := []rune(strings.Repeat("─", width))
	for _, at := range []int64{0, trace.Duration() / 2, trace.Duration()} {
		write(row, column(at, trace.Duration(), width), momentTime(at)+" ")
	}
	return string(row)
}

// logTime is an event's time in the log: exact, and never cut.
func logTime(at int64) string {
	if whole := at - at%int64(time.Minute); whole >= int64(time.Hour) {
		return text.Duration(time.Duration(whole)) + " + " + text.Millis(at-whole)
	}
	stamp := text.Millis(at)
	return text.Right(stamp, max(laneNameWidth, len(stamp)))
}
