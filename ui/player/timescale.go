package player

import (
	"fmt"
	"time"

	"idemtui/sim"
	"idemtui/ui/text"
)

// timescale is how finely the times of a run are said.
type timescale uint8

// The timescales: the unit that a charge is best told in.
const (
	inMillis timescale = iota
	inMicros
	inSeconds
	inMinutes
)

// timescaleOf fits a run: its steps take some hundredths of a charge.
func timescaleOf(s sim.Scenario) timescale {
	switch charge := time.Duration(s.Charge); {
	case charge < 100*time.Microsecond:
		return inMicros
	case charge < time.Second:
		return inMillis
	case charge < time.Minute:
		return inSeconds
	}
	return inMinutes
}

// say writes a time of the run. What is long is counted from the last whole
// second, or minute: 9d + 5.20 ms.
func (t timescale) say(at int64) string {
	switch base := t.base(at); {
	case t == inMinutes:
		return text.Duration(time.Duration(at).Truncate(time.Second))
	case base > 0:
		return text.Duration(time.Duration(base)) + " + " + t.small(at-base)
	}
	return t.small(at)
}

// small writes a time that is short for the scale.
func (t timescale) small(at int64) string {
	switch {
	case t == inSeconds:
		return fmt.Sprintf("%d.%02d s", at/int64(time.Second), at%int64(time.Second)/int64(10*time.Millisecond))
	case t == inMicros && at < int64(10*time.Millisecond):
		return fmt.Sprintf("%d.%d us", at/1_000, at%1_000/100)
	case t == inMicros:
		return fmt.Sprintf("%d.%03d ms", at/1_000_000, at%1_000_000/1_000)
	}
	return text.Millis(at)
}

// base is the whole seconds, or minutes, of a time that is too long to be said
// in smaller units alone.
func (t timescale) base(at int64) int64 {
	whole := int64(time.Second)
	if t == inSeconds {
		whole = int64(time.Minute)
	}
	if t == inMinutes || at < t.long() {
		return 0
	}
	return at - at%whole
}

// long is from when on a time is counted from a base.
func (t timescale) long() int64 {
	if t == inSeconds {
		return int64(10 * time.Minute)
	}
	return int64(10 * time.Second)
}

// widest is the widest text of the times up to at that have the same base as it.
func (t timescale) widest(at int64) string {
	base := t.base(at)
	switch {
	case t == inMinutes:
		return t.say(at)
	case base == 0:
		return t.small(at)
	case t == inSeconds:
		return t.say(base + int64(time.Minute) - 1)
	}
	return t.say(base + int64(time.Second) - 1)
}

// unit is what the ticks of an axis are counted in.
type unit struct {
	name   string
	length int64
	from   int64   // the shortest page that is told in it
	steps  []int64 // between two ticks, in hundredths; none: 1, 2 and 5 with any zeros
}

// axisUnits are the units of an axis, the longest first.
var axisUnits = []unit{
	{"d", int64(24 * time.Hour), int64(5 * 24 * time.Hour), []int64{25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000}},
	{"h", int64(time.Hour), int64(5 * time.Hour), []int64{25, 50, 100, 200, 300, 600, 1200, 2400}},
	{"m", int64(time.Minute), int64(5 * time.Minute), []int64{50, 100, 200, 500, 1000, 2000, 3000, 6000}},
	{"s", int64(time.Second), int64(2 * time.Second), nil},
	{"ms", int64(time.Millisecond), int64(50 * time.Microsecond), nil},
	{"us", int64(time.Microsecond), 0, nil},
}

// axisUnit is the unit for a page of so much time.
func axisUnit(length int64) unit {
	for _, u := range axisUnits {
		if length >= u.from {
			return u
		}
	}
	return axisUnits[len(axisUnits)-1]
}

// step is the distance of two ticks that are at least so long apart.
func (u unit) step(least int64) int64 {
	for _, s := range u.steps {
		if step := s * (u.length / 100); step >= least {
			return step
		}
	}
	for power := int64(1); ; power *= 10 {
		for _, s := range []int64{1, 2, 5} {
			if step := s * power; step >= least && step >= u.length/1000 {
				return step
			}
		}
	}
}

// label writes the time of a tick: whole, or behind a + what has passed since
// the last whole second, minute, hour or day, which the clock names. The first
// label of an axis names the unit.
func (u unit) label(at int64, first bool) string {
	base := u.base(at)
	number := u.number(at - base)
	switch {
	case at == base && base > 0:
		return text.Duration(time.Duration(base))
	case base > 0 && first:
		return text.Duration(time.Duration(base)) + " + " + number + " " + u.name
	case base > 0:
		return "+" + number
	case first:
		return number + " " + u.name
	}
	return number
}

// number is a time in the unit, without needless zeros.
func (u unit) number(at int64) string {
	switch u.name {
	case "us":
		return formatDecimal(at, 3)
	case "ms":
		return formatDecimal(at, 6)
	case "s":
		return formatDecimal(at, 9)
	}
	return formatDecimal(at/(u.length/100), 2)
}

// base is the whole longer units of a time that would be long to write in this
// one.
func (u unit) base(at int64) int64 {
	whole, long := int64(time.Second), int64(10*time.Second)
	switch u.name {
	case "s":
		whole, long = int64(time.Minute), int64(10*time.Minute)
	case "m":
		whole, long = int64(time.Hour), int64(10*time.Hour)
	case "h":
		whole, long = int64(24*time.Hour), int64(10*24*time.Hour)
	case "d":
		return 0
	}
	if at < long {
		return 0
	}
	return at - at%whole
}
