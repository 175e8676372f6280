package player

import (
	"errors"
	"fmt"
	"strings"

	"idemtui/ui/text"
)

// timeChosenMsg is the time that the viewer typed, in virtual nanoseconds.
type timeChosenMsg struct{ at int64 }

// units are the suffixes a time may have, as powers of ten of a nanosecond.
var units = []struct {
	suffix string
	digits int
}{{"ms", 6}, {"us", 3}, {"µs", 3}, {"ns", 0}, {"s", 9}, {"", 6}}

// parseTime reads a time within the run: 3.2 and 3.2 ms are milliseconds,
// 300us microseconds.
func parseTime(s string, end int64) (int64, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, errors.New("type a time in milliseconds, such as 3.2")
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		at, err := parseDecimal(strings.TrimSpace(number), u.digits)
		if err != nil {
			break
		}
		if at > end {
			return 0, fmt.Errorf("the run ends at %s", text.Millis(end))
		}
		return at, nil
	}
	return 0, fmt.Errorf("%s is no time: type milliseconds, such as 3.2", text.Sanitise(s))
}
