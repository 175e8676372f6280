package sim

import "fmt"

// formatNanos writes a virtual time with its unit, in three significant digits
// at least, without floating point.
func formatNanos(n int64) string {
	switch {
	case n < 0:
		return "-" + formatNanos(-n)
	case n < microsecond:
		return fmt.Sprintf("%d ns", n)
	case n < millisecond:
		return fmt.Sprintf("%d us", n/microsecond)
	case n < second:
		return fmt.Sprintf("%d.%02d ms", n/millisecond, n%millisecond/(10*microsecond))
	default:
		return fmt.Sprintf("%d.%03d s", n/second, n%second/millisecond)
	}
}
