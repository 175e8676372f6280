package player

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/ui/text"
)

const ms, day = int64(time.Millisecond), 24 * int64(time.Hour)

func TestTimesAreSaidInTheUnitOfTheRun(t *testing.T) {
	for _, c := range []struct {
		charge, at int64
		want       string
	}{
		{ms, 930_000, "0.93 ms"},
		{ms, 9*day + 5_200_000, "9d + 5.20 ms"},
		{ms, 62_772_970_000, "1m02s + 772.97 ms"},
		{20_000, 531_700, "531.7 us"},
		{20_000, 15_123_456, "15.123 ms"},
		{2_000 * ms, 2_345 * ms, "2.34 s"},
		{2_000 * ms, 725_250 * ms, "12m00s + 5.25 s"},
		{int64(20 * time.Minute), 1_230_500 * ms, "20m30s"},
		{day, 9*day + int64(5*time.Hour), "9d5h"},
	} {
		if got := timescaleOf(sim.Scenario{Charge: c.charge}).say(c.at); got != c.want {
			t.Errorf("with a charge of %v, %v is %q, want %q", time.Duration(c.charge), time.Duration(c.at), got, c.want)
		}
	}
}

func TestTicksAreCountedInTheUnitOfThePage(t *testing.T) {
	for _, c := range []struct {
		length, least int64
		want          string // of the first ticks after at
		at            int64
	}{
		{2 * ms, 150_000, "0 ms 0.2 0.4 0.6", 0},
		{20_000, 2_000, "0 us 2 4 6", 0},
		{4_000 * ms, 400 * ms, "0 s 0.5 1 1.5", 0},
		{int64(20 * time.Minute), int64(80 * time.Second), "0 m 2 4 6", 0},
		{int64(20 * time.Hour), int64(80 * time.Minute), "0 h 2 4 6", 0},
		{9 * day, 20 * int64(time.Hour), "0 d 1 2 3", 0},
		{2 * ms, 150_000, "18s + 999.8 ms 19s +0.2 +0.4", 18_999_800_000},
		{4_000 * ms, 400 * ms, "3h04m + 59.5 s 3h05m +0.5 +1", int64(3*time.Hour+5*time.Minute) - 500*ms},
	} {
		u := axisUnit(c.length)
		step, got := u.step(c.least), []string{}
		for i := range int64(4) {
			got = append(got, u.label(c.at+i*step, i == 0))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("a page of %v has ticks %q, want %q", time.Duration(c.length), strings.Join(got, " "), c.want)
		}
	}
}

// Ticks are at least as far apart as asked, not much farther, and no two that
// follow each other have the same label. The clock is never wider than its room.
func TestTicksAndClocksFitTheirRoom(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		length := rapid.Int64Range(1_000, 100*sim.MaxTime/ticksApart).Draw(r, "length") >> rapid.IntRange(0, 40).Draw(r, "shift")
		length = max(length, 1_000)
		width := rapid.Int64Range(40, 250).Draw(r, "width")
		least := (ticksApart*length + width - 1) / width
		u := axisUnit(length)
		step := u.step(least)
		if step < least || step > 6*least && step > u.length/1000 {
			r.Fatalf("a page of %d in %d cells has a tick every %d, asked for %d", length, width, step, least)
		}
		at := rapid.Int64Range(0, 10*length).Draw(r, "at") / step * step
		if a, b := u.label(at, false), u.label(at+step, false); a == b {
			r.Fatalf("ticks at %d and %d, %d apart, are both %q", at, at+step, step, a)
		}
		f := fold(anyScene(r))
		f.scale = rapid.SampledFrom([]timescale{inMillis, inMicros, inSeconds, inMinutes}).Draw(r, "scale")
		last := int64(0)
		if n := len(f.gaps); n > 0 {
			last = f.gaps[n-1].end()
		}
		end := last + rapid.Int64Range(0, 3_000_000_000).Draw(r, "rest")
		f.width = f.longestClock(f.real(end))
		now := rapid.Int64Range(0, end).Draw(r, "now")
		if said := f.clock(now); text.Width(said) > f.width {
			r.Fatalf("the clock says %q at %d, which takes more than %d cells", said, now, f.width)
		}
	})
}
