package sim

import "testing"

func TestTimesAreSaidWithTheirUnit(t *testing.T) {
	for nanos, want := range map[int64]string{
		0: "0 ns", 999: "999 ns", 1500: "1 us", 300 * microsecond: "300 us", millisecond: "1.00 ms", 1_234_567: "1.23 ms",
		30 * second: "30 s", 90 * second: "90 s", 120 * second: "2 min", 1_500_000_000: "1.500 s", 3600 * second: "1h",
		25 * 3600 * second: "25h", MaxTime: "366d", -second: "-1 s",
	} {
		if got := formatNanos(nanos); got != want {
			t.Errorf("%d: got %q, want %q", nanos, got, want)
		}
	}
}

func TestLimitsAreRoundedDownToWhatCanBeTyped(t *testing.T) {
	for nanos, want := range map[int64]string{
		0: "0s", 1: "1ns", 1_500: "1us500ns", millisecond: "1ms", 26352 * 60 * second: "18d7h", 90*second + 1: "1m30s",
		MaxTime: "366d", MaxTime - 1: "365d23h", 10*MaxTime + 5: "10 years", longestRun / 2: "50 years",
	} {
		if got := formatLimit(nanos); got != want {
			t.Errorf("%d: got %q, want %q", nanos, got, want)
		}
	}
}
