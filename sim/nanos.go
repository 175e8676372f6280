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
