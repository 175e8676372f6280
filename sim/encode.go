package sim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// TraceSchema names the JSON form of a trace.
const TraceSchema = "idemtui.trace/v1"

// Parameters is a scenario as JSON has it: fractions as exact decimals, times
// in seconds, also exact.
type Parameters struct {
	Handler    string      `json:"handler,omitempty"`
	Seed       uint64      `json:"seed"`
	Payments   int64       `json:"payments"`
	Workers    int         `json:"workers"`
	Duplicates json.Number `json:"duplicates"`
	Distance   int64       `json:"distance"`
	CopyAfter  json.Number `json:"copy_after_seconds"`
	Fail       json.Number `json:"fail"`
	Crash      json.Number `json:"crash"`
	Timeout    json.Number `json:"timeout"`
	Slow       json.Number `json:"slow"`
	Charge     json.Number `json:"charge_seconds"`
	Lease      json.Number `json:"lease_seconds"`
	Renew      json.Number `json:"renew_seconds"`
	Guard      string      `json:"guard"`

	AckLost     json.Number `json:"ack_lost"`
	Exact       bool        `json:"exact"`
	NoNack      bool        `json:"no_nack"`
	Direct      bool        `json:"direct"`
	Visibility  json.Number `json:"visibility_seconds"`
	MaxReceives int64       `json:"max_receives"`
	Window      json.Number `json:"window_seconds"`
	Retention   json.Number `json:"retention_seconds"`
	KeyMemory   json.Number `json:"key_memory_seconds"`
	NewKeys     bool        `json:"new_keys"`
	ByMessage   bool        `json:"by_message"`
	Log         bool        `json:"log"`
	CommitEvery int64       `json:"commit_every"`
	RetryTopic  bool        `json:"retry_topic"`
	Rebalance   json.Number `json:"rebalance"`
	NodeClock   bool        `json:"node_clock"`
	Skew        json.Number `json:"skew_seconds"`
	LateAck     string      `json:"late_ack,omitempty"` // "ignored", or left out: honoured
}

// Parameters is the scenario for JSON.
func (s Scenario) Parameters() Parameters {
	late := ""
	if s.LateAckIgnored {
		late = "ignored"
	}
	return Parameters{
		LateAck: late,

		Handler: s.Handler.String(), Seed: s.Seed, Payments: s.Payments, Workers: s.Workers,
		Duplicates: json.Number(s.Duplicates.String()), Distance: s.Distance, CopyAfter: Seconds(s.CopyAfter),
		Fail: json.Number(s.Fail.String()), Crash: json.Number(s.Crash.String()),
		Timeout: json.Number(s.Timeout.String()), Slow: json.Number(s.Slow.String()),
		Charge: Seconds(s.Charge), Lease: Seconds(s.Lease), Renew: Seconds(s.Renew), Guard: s.Guard.String(),
		AckLost: json.Number(s.AckLost.String()), Exact: s.Exact, NoNack: s.NoNack, Direct: s.Direct, Visibility: Seconds(s.Visibility),
		MaxReceives: s.MaxReceives, Window: Seconds(s.Window), Retention: Seconds(s.Retention), KeyMemory: Seconds(s.KeyMemory),
		NewKeys: s.NewKeys, ByMessage: s.ByMessage,
		Log: s.Log, CommitEvery: s.CommitEvery, RetryTopic: s.RetryTopic, Rebalance: json.Number(s.Rebalance.String()),
		NodeClock: s.NodeClock, Skew: Seconds(s.Skew),
	}
}

// Seconds is a virtual time as a decimal number of seconds, exactly.
func Seconds(nanos int64) json.Number {
	if nanos < 0 {
		return "-" + Seconds(-nanos)
	}
	// A nanosecond is to a second what a billionth is to one.
	return json.Number(Fraction(nanos).String())
}

// WriteJSON writes the trace as idemtui.trace/v1: one object, one event a line.
// Payments and workers count from 1, as on screen; what does not apply is null.
// The bytes depend on the scenario alone.
func (t *Trace) WriteJSON(w io.Writer) error {
	scenario, err := json.Marshal(t.scenario.Parameters())
	if err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "{\"schema\":%q,\n\"scenario\":%s,\n\"events\":[", TraceSchema, scenario)
	var line []byte
	for i := range t.events {
		line = line[:0]
		if i > 0 {
			line = append(line, ',')
		}
		line = append(t.appendEvent(append(line, '\n'), t.events[i]), '}')
		// The writer keeps the first error for Flush.
		_, _ = out.Write(line)
	}
	fmt.Fprint(out, "\n]}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

// appendEvent writes an event without its closing brace. Every text in it is
// made of letters and dashes, so it needs no escapes.
func (t *Trace) appendEvent(b []byte, e Event) []byte {
	number := func(name string, n int64, known bool) {
		b = append(append(append(b, '"'), name...), `":`...)
		if known {
			b = strconv.AppendInt(b, n, 10)
		} else {
			b = append(b, "null"...)
		}
		b = append(b, ',')
	}
	text := func(name, s string) {
		b = append(append(append(b, '"'), name...), `":`...)
		if s == "" {
			b = append(b, "null"...)
		} else {
			b = append(append(append(b, '"'), s...), '"')
		}
		b = append(b, ',')
	}
	b = append(b, '{')
	number("seq", int64(e.Seq), true)
	number("at_ns", e.At, true)
	text("lane", e.Lane.String())
	number("payment", int64(e.Payment)+1, e.Payment >= 0)
	number("ordinal", int64(e.Ordinal), e.Ordinal > 0)
	text("step", t.Step(e))
	text("outcome", t.Outcome(e))
	number("cause", int64(e.Cause), e.Cause >= 0)
	number("worker", int64(e.Worker)+1, e.Worker >= 0)
	number("message", int64(e.Copy)+1, e.Payment >= 0)
	return b[:len(b)-1]
}
