package sim

import "fmt"

// exactUnits are the units in which a time that is a whole number of them is
// said, longest first.
var exactUnits = []struct {
	length int64
	format string
}{
	{24 * 3600 * second, "%dd"},
	{3600 * second, "%dh"},
	{60 * second, "%d min"},
	{second, "%d s"},
}

// formatNanos writes a virtual time with its unit, in three significant digits
// at least, without floating point.
func formatNanos(n int64) string {
	if n < 0 {
		return "-" + formatNanos(-n)
	}
	for _, u := range exactUnits {
		if n >= u.length && n%u.length == 0 {
			return fmt.Sprintf(u.format, n/u.length)
		}
	}
	switch {
	case n < microsecond:
		return fmt.Sprintf("%d ns", n)
	case n < millisecond:
		return fmt.Sprintf("%d us", n/microsecond)
	case n < second:
		return fmt.Sprintf("%d.%02d ms", n/millisecond, n%millisecond/(10*microsecond))
	}
	return fmt.Sprintf("%d.%03d s", n/second, n%second/millisecond)
}

// limitUnits are the units of a limit, longest first, as a flag takes them.
var limitUnits = []struct {
	length int64
	name   string
}{
	{24 * 3600 * second, "d"},
	{3600 * second, "h"},
	{60 * second, "m"},
	{second, "s"},
	{millisecond, "ms"},
	{microsecond, "us"},
	{1, "ns"},
}

// formatLimit writes the most that a time may be, so that a person can read it and
// type it: in its two largest units, rounded down, and very long ones in years.
func formatLimit(n int64) string {
	if n >= 2*MaxTime {
		return fmt.Sprintf("%d years", n/MaxTime)
	}
	for i, u := range limitUnits {
		if n < u.length {
			continue
		}
		limit := fmt.Sprintf("%d%s", n/u.length, u.name)
		if rest := n % u.length; i+1 < len(limitUnits) && rest >= limitUnits[i+1].length {
			limit += fmt.Sprintf("%d%s", rest/limitUnits[i+1].length, limitUnits[i+1].name)
		}
		return limit
	}
	return "0s"
}

// plural is a number with the word for it.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
