package sim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// traceEvent is an event of the Trace Event Format, which Perfetto and Chrome
// read. Times are in microseconds and may have decimals.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"` // X: complete, i: instant, M: metadata
	Time  json.Number    `json:"ts"`
	For   json.Number    `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Scope string         `json:"s,omitempty"` // of an instant; t: its thread
	Args  map[string]any `json:"args,omitempty"`
}

// micros is a virtual time in microseconds, exactly.
func micros(nanos int64) json.Number {
	const digits = 1000
	if nanos%digits == 0 {
		return json.Number(fmt.Sprint(nanos / digits))
	}
	return json.Number(fmt.Sprintf("%d.%03d", nanos/digits, nanos%digits))
}

// WritePerfetto writes the trace in the Trace Event Format: a thread for each
// lane, a slice for each step, pick-up, pause and crash, and an instant for what
// happens on the lanes of broker, table and provider.
func (t *Trace) WritePerfetto(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[\n")
	first := true
	add := func(e traceEvent) error {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("write trace: %w", err)
		}
		if !first {
			fmt.Fprint(out, ",\n")
		}
		first = false
		// The writer keeps the first error for Flush.
		_, _ = out.Write(line)
		return nil
	}
	process := traceEvent{Name: "process_name", Phase: "M", Time: "0", PID: 1, Args: map[string]any{"name": "idemtui " + t.handler.Name + ": " + t.handler.Title}}
	if err := add(process); err != nil {
		return err
	}
	for i, lane := range t.Lanes() {
		name := traceEvent{Name: "thread_name", Phase: "M", Time: "0", PID: 1, TID: i + 1, Args: map[string]any{"name": lane.String()}}
		order := traceEvent{Name: "thread_sort_index", Phase: "M", Time: "0", PID: 1, TID: i + 1, Args: map[string]any{"sort_index": i}}
		if err := add(name); err != nil {
			return err
		}
		if err := add(order); err != nil {
			return err
		}
		for _, s := range t.Spans(lane, 0, t.Duration()) {
			if err := add(t.slice(s, i+1)); err != nil {
				return err
			}
		}
	}
	fmt.Fprint(out, "\n]}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

// slice is a span as an event of the format.
func (t *Trace) slice(s Span, tid int) traceEvent {
	e := traceEvent{Name: s.Step, Phase: "X", Time: micros(s.Start), For: micros(s.End - s.Start), PID: 1, TID: tid, Args: map[string]any{}}
	if s.Kind == SpanMoment {
		e.Phase, e.For, e.Scope = "i", "", "t"
	}
	if s.Kind == SpanPickUp {
		e.Name = "pick up"
	}
	if s.Payment >= 0 {
		e.Name += " " + PaymentName(s.Payment)
		e.Args["payment"] = s.Payment + 1
	}
	if s.Ordinal > 0 {
		e.Args["delivery"] = s.Ordinal
	}
	if s.Label != NoLabel {
		e.Args["outcome"] = s.Label.String()
	}
	if v, ok := t.ViolationAt(int(s.EffectSeq)); ok {
		e.Args["violation"] = v.Kind.String()
	}
	return e
}
