package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

const (
	// castSlower is how many times longer than virtual time a recording takes:
	// one virtual millisecond in four seconds, as the screen plays it.
	castSlower = 4000
	// castLongest is how long a recording takes at most, in nanoseconds; what
	// would take longer is played faster.
	castLongest = int64(120_000_000_000)
	// castWait is the longest that nothing moves, in nanoseconds.
	castWait = int64(4_000_000_000)
	// castFrames is how many events a recording shows at most.
	castFrames = 1000
	castWidth  = laneNameWidth + timelineWidth
)

// writeCast writes the run as a recording in asciicast v2, which asciinema plays:
// one frame for each event. https://docs.asciinema.org/manual/asciicast/v2/
func writeCast(trace *sim.Trace) func(io.Writer) error {
	return func(w io.Writer) error {
		out := bufio.NewWriter(w)
		lanes := len(trace.Lanes())
		header := map[string]any{
			"version": 2, "width": castWidth, "height": lanes + trace.Handler().Steps + 10,
			"title": "idemtui sim: " + trace.Handler().Title,
		}
		if err := castLine(out, header); err != nil {
			return err
		}
		last := min(trace.Len(), castFrames)
		for n, at := range castTimes(trace, last) {
			picture := castFrame(trace, n)
			if n == last && last < trace.Len() {
				picture += fmt.Sprintf(" The recording ends here, after %d of %d events.\n", last, trace.Len())
			}
			frame := "\x1b[H\x1b[2J" + strings.ReplaceAll(picture, "\n", "\r\n")
			if err := castLine(out, []any{sim.Seconds(at), "o", frame}); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("write recording: %w", err)
		}
		return nil
	}
}

// castTimes is when each of the frames 0 to last is shown. A wait of the run is
// cut short, so that a lease of 30 s does not leave a second for all the rest.
func castTimes(trace *sim.Trace, last int) []int64 {
	times := make([]int64, last+1)
	before := int64(0)
	for n := 1; n <= last; n++ {
		at := trace.Event(n - 1).At
		times[n] = times[n-1] + min(at-before, castWait/castSlower)*castSlower
		before = at
	}
	const milli = 1_000_000 // keeps the product in range
	if whole := times[last]; whole > castLongest {
		for n := range times {
			times[n] = times[n] / milli * (castLongest / milli) / (whole / milli) * milli
		}
	}
	return times
}

// castLine writes one line of JSON.
func castLine(out *bufio.Writer, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	// The writer keeps the first error for Flush.
	_, _ = out.Write(append(line, '\n'))
	return nil
}

// castFrame is the screen after n events.
func castFrame(trace *sim.Trace, n int) string {
	state := trace.At(n)
	var b strings.Builder
	h, c := trace.Handler(), state.Counters
	fmt.Fprintf(&b, " %s: %s   %s\n", h.Name, h.Title, text.Millis(state.Now))
	fmt.Fprintf(&b, " deliveries %d   payments %d   charges %d", c.Deliveries, c.Payments, c.Charges)
	if c.ChargedTwice > 0 {
		fmt.Fprintf(&b, "   ✗ charged twice %d", c.ChargedTwice)
	}
	if c.Lost > 0 {
		fmt.Fprintf(&b, "   ✗ never charged %d", c.Lost)
	}
	b.WriteString("\n\n" + timelineAt(trace, n, timelineWidth) + "\n")
	for pc := range h.Steps {
		markers := ""
		for i, w := range state.Workers {
			if w.Payment >= 0 && w.Phase != sim.PhaseIdle && int(w.Step) == pc {
				markers += " ▶" + sim.WorkerLane(i).String()
			}
		}
		fmt.Fprintf(&b, " %d%s  %s\n", pc+1, text.Left(markers, 9), h.Program[pc].Code)
	}
	b.WriteString("\n")
	for _, line := range text.Wrap(trace.Narrate(n), castWidth-2) {
		b.WriteString(" " + line + "\n")
	}
	return b.String()
}
