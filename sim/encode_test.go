package sim

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestTraceJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := mustRecord(t, anyScenario(t), 64)
		var first, second bytes.Buffer
		if err := trace.WriteJSON(&first); err != nil {
			t.Fatal(err)
		}
		if err := mustRecord(t, trace.Scenario(), 7).WriteJSON(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatal("the same scenario gives other bytes")
		}
		var doc struct {
			Schema   string
			Scenario map[string]any
			Events   []struct {
				Seq     *int
				At      *int64 `json:"at_ns"`
				Lane    string
				Payment *int64
				Ordinal *int64
				Step    string
				Outcome *string
				Cause   *int
			}
		}
		if err := json.Unmarshal(first.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Schema != TraceSchema || len(doc.Events) != trace.Len() || doc.Scenario["handler"] != trace.Handler().Name {
			t.Fatalf("%s, %d events of %d, %v", doc.Schema, len(doc.Events), trace.Len(), doc.Scenario)
		}
		for i, e := range doc.Events {
			want := trace.Event(i)
			if *e.Seq != i || *e.At != want.At || e.Lane != want.Lane.String() || e.Step != trace.Step(want) || e.Step == "" {
				t.Fatalf("event %d: %+v", i, e)
			}
		}
	})
}

func TestSecondsAreExact(t *testing.T) {
	for nanos, want := range map[int64]string{0: "0", 1: "0.000000001", second: "1", 1_500_000: "0.0015", 36 * 3600 * second: "129600", -second / 2: "-0.5"} {
		if got := Seconds(nanos).String(); got != want {
			t.Errorf("%d ns: got %s, want %s", nanos, got, want)
		}
	}
}
