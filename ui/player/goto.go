package player

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idemtui/ui/keys"
	"idemtui/ui/text"
)

// timeChosenMsg is the time that the viewer typed, in virtual nanoseconds.
type timeChosenMsg struct{ at int64 }

// timeUnit is a unit in which a time can be typed.
type timeUnit struct {
	name   string
	length int64
	digits int // decimals that it is read with
}

// timeUnits are all of them, the shortest first.
var timeUnits = []timeUnit{
	{"ns", 1, 0},
	{"us", int64(time.Microsecond), 3},
	{"ms", int64(time.Millisecond), 6},
	{"s", int64(time.Second), 9},
	{"m", int64(time.Minute), 6},
	{"h", int64(time.Hour), 6},
	{"d", int64(24 * time.Hour), 6},
}

// spelled are other ways to write a unit.
var spelled = map[string]string{"µs": "us", "μs": "us", "sec": "s", "min": "m"}

// unitNamed finds a unit.
func unitNamed(name string) (timeUnit, bool) {
	if other, ok := spelled[name]; ok {
		name = other
	}
	i := slices.IndexFunc(timeUnits, func(u timeUnit) bool { return u.name == name })
	if i < 0 {
		return timeUnit{}, false
	}
	return timeUnits[i], true
}

// assumedUnit is what a number without a unit counts in a run that ends at end.
func assumedUnit(end int64) timeUnit {
	name := "ms"
	switch d := time.Duration(end); {
	case d < time.Millisecond:
		name = "us"
	case d >= 10*24*time.Hour:
		name = "d"
	case d >= 10*time.Hour:
		name = "h"
	case d >= 10*time.Minute:
		name = "m"
	case d >= 10*time.Second:
		name = "s"
	}
	u, _ := unitNamed(name)
	return u
}

// newGoTo asks for a time in a run that ends at end, which is said as last.
func newGoTo(end int64, last string, keyMap keys.Map) *question {
	assumed := assumedUnit(end)
	return newQuestion(question{
		title: "go to a time", unit: " " + assumed.name, does: "go there",
		hint: "The run lasts " + last + ". A number alone is " + assumed.name + "; or write 1500us, 3.2ms, 2s, 5m, 3h, 9d.",
		read: func(s string) (tea.Msg, error) {
			at, err := parseTime(s, end, assumed, last)
			return timeChosenMsg{at}, err
		},
	}, keyMap)
}

// parseTime reads a time within a run that ends at end, said as last: 3.2ms,
// 1h30m, or a number of the assumed unit.
func parseTime(s string, end int64, assumed timeUnit, last string) (int64, error) {
	rest := strings.ToLower(strings.TrimSpace(s))
	wrong := fmt.Errorf("%s is no time: write it as 1500us, 3.2ms, 2s, 5m, 3h or 9d", text.Sanitise(s))
	if rest == "" {
		return 0, errors.New("type a time, such as 3.2ms")
	}
	sum, alone := int64(0), true
	for rest != "" {
		number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789."))]
		rest = strings.TrimLeft(rest[len(number):], " ")
		name := rest
		if i := strings.IndexAny(rest, "0123456789. "); i >= 0 {
			name = rest[:i]
		}
		rest = strings.TrimLeft(rest[len(name):], " ")
		u, known := unitNamed(name)
		if name == "" && alone && rest == "" {
			u, known = assumed, true
		}
		if !known {
			return 0, wrong
		}
		at, err := u.parse(number)
		if err != nil {
			return 0, wrong
		}
		if at > end-sum {
			return 0, fmt.Errorf("the run ends at %s", last)
		}
		sum, alone = sum+at, false
	}
	return sum, nil
}

// parse reads a decimal number of the unit, in nanoseconds; what is longer than
// any run is the longest time that there is.
func (u timeUnit) parse(number string) (int64, error) {
	const longest = 12 // digits before the point
	whole, part, _ := strings.Cut(number, ".")
	whole = strings.TrimLeft(whole, "0")
	n, err := parseDecimal("0"+whole[:min(len(whole), longest-1)]+"."+part, u.digits)
	if err != nil || number == "" || number == "." || strings.Count(number, ".") > 1 {
		return 0, fmt.Errorf("%q is no number of %s", number, u.name)
	}
	scale := int64(1)
	for range u.digits {
		scale *= 10
	}
	each := max(u.length/scale, 1)
	if len(whole) >= longest || n > math.MaxInt64/each {
		return math.MaxInt64, nil
	}
	return n * each, nil
}
