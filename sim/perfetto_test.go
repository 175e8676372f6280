package sim

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestPerfettoFollowsTheTraceEventFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := mustRecord(t, anyScenario(t), 64)
		var b bytes.Buffer
		if err := trace.WritePerfetto(&b); err != nil {
			t.Fatal(err)
		}
		var doc struct {
			DisplayTimeUnit string
			TraceEvents     []struct {
				Name, Ph, S string
				Ts, Dur     *float64
				PID, TID    *int
				Args        map[string]any
			}
		}
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		named, steps := map[int]bool{}, 0
		for _, e := range doc.TraceEvents {
			if e.Name == "" || e.Ts == nil || e.PID == nil || e.TID == nil || *e.Ts < 0 {
				t.Fatalf("incomplete: %+v", e)
			}
			switch e.Ph {
			case "M":
				if e.Name == "thread_name" {
					named[*e.TID] = true
				}
			case "X":
				if e.Dur == nil || *e.Dur < 0 {
					t.Fatalf("a slice without duration: %+v", e)
				}
				steps++
			case "i":
				if e.S != "t" || e.Dur != nil {
					t.Fatalf("an instant: %+v", e)
				}
			default:
				t.Fatalf("phase %q", e.Ph)
			}
			if e.Ph != "M" && !named[*e.TID] {
				t.Fatalf("thread %d has no name", *e.TID)
			}
		}
		if len(named) != len(trace.Lanes()) || steps == 0 {
			t.Fatalf("%d lanes, %d slices", len(named), steps)
		}
	})
}
