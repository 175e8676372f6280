package retention

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrTooLong is returned where a sum of durations cannot be represented: beyond
// 292 million years, so a setting is wrong or means "no limit".
var ErrTooLong = errors.New("the sum of the durations is too large: a setting that means no limit must be given as unbounded")

// Millis is an exact length of time in milliseconds, the unit of the brokers'
// settings. In JSON it is a number of seconds.
type Millis int64

// Second is the number of milliseconds in a second.
const Second Millis = 1000

// MillisOf converts a duration, rounded up to a whole millisecond: a horizon is
// never understated.
func MillisOf(d time.Duration) Millis {
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	}
	return Millis(ms)
}

// FloorMillisOf converts a duration, rounded down: what a table keeps is never
// overstated.
func FloorMillisOf(d time.Duration) Millis { return Millis(d / time.Millisecond) }

// Seconds writes the length as an exact decimal number of seconds.
func (m Millis) Seconds() string {
	whole, part := int64(m)/1000, int64(m)%1000
	text := strconv.FormatInt(whole, 10)
	if part == 0 {
		return text
	}
	if part < 0 {
		part = -part
		if whole == 0 {
			text = "-0"
		}
	}
	return text + "." + strings.TrimRight(strconv.FormatInt(part+1000, 10)[1:], "0")
}

// String writes the length in the compact form, such as 16d1h30m15s.
func (m Millis) String() string {
	if m%Second == 0 {
		return FormatSeconds(int64(m / Second))
	}
	if m > math.MaxInt64/Millis(time.Millisecond) {
		return m.Seconds() + "s"
	}
	return FormatDuration(time.Duration(m) * time.Millisecond)
}

// MarshalJSON writes the length as a number of seconds, exactly.
func (m Millis) MarshalJSON() ([]byte, error) { return []byte(m.Seconds()), nil }

// upToSecond rounds up to a whole second.
func (m Millis) upToSecond() (Millis, error) {
	if rest := m % Second; rest > 0 {
		return addMillis(m, Second-rest)
	}
	return m, nil
}

// addMillis adds lengths that are zero or more.
func addMillis(terms ...Millis) (Millis, error) {
	total := Millis(0)
	for _, term := range terms {
		if term > math.MaxInt64-total {
			return 0, ErrTooLong
		}
		total += term
	}
	return total, nil
}

// timesMillis multiplies a length by a count; both are zero or more.
func timesMillis(m Millis, n int64) (Millis, error) {
	if n != 0 && m > math.MaxInt64/Millis(n) {
		return 0, ErrTooLong
	}
	return m * Millis(n), nil
}
