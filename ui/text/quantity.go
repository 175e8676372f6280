package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// beyond is a difference of instants that no Duration holds.
const beyond = ">292y"

// Duration writes d to the second as people say it: 250ms, 8s, 3m00s,
// 47m30s, 4h29m30s, 91d. Above an hour, units that are zero at the end are
// left out. Below a second it is exact to the millisecond.
func Duration(d time.Duration) string {
	switch {
	case d == math.MaxInt64:
		return beyond
	case d == math.MinInt64:
		return "-" + beyond
	case d < 0:
		return "-" + Duration(-d)
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < time.Minute:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return joinUnits(d, 4)
}

// Age writes d in its two largest units, for columns: 8s, 11m, 3h12m, 2d4h.
// It rounds down, so that a claim is never said to be older than it is.
func Age(d time.Duration) string {
	switch {
	case d == math.MaxInt64:
		return beyond
	case d == math.MinInt64:
		return "-" + beyond
	case d < 0:
		return "-" + Age(-d)
	}
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	}
	if d >= 10*time.Minute && d < time.Hour {
		return strconv.FormatInt(int64(d/time.Minute), 10) + "m"
	}
	return joinUnits(d, 2)
}

func joinUnits(d time.Duration, most int) string {
	units := []struct {
		size time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}}
	first := 0
	for first < len(units)-1 && d < units[first].size {
		first++
	}
	parts := make([]string, 0, most)
	for _, u := range units[first:min(first+most, len(units))] {
		n := int64(d / u.size)
		d %= u.size
		format := "%d%s"
		if len(parts) > 0 && u.name != "h" {
			format = "%02d%s"
		}
		parts = append(parts, fmt.Sprintf(format, n, u.name))
	}
	for len(parts) > 1 && strings.Trim(parts[len(parts)-1], "0dhms") == "" {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, "")
}

// Count writes n with thousands separators. An estimate carries a ~, and an
// estimated zero is said to be unknown: statistics leave rare values out.
func Count(n int64, exact bool) string {
	if !exact && n <= 0 {
		return "unknown"
	}
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if !exact {
		sign = "~" + sign
	}
	return sign + s
}

// MoreThan writes how many match, where a look that stops early knows only that
// there are at least n: that is no estimate.
func MoreThan(n int64, exact bool) string {
	if exact {
		return Count(n, true)
	}
	return "more than " + Count(n-1, true)
}

// AtLeast writes a number of which a look that stops early knows a lower bound.
func AtLeast(n int64, exact bool) string {
	if exact {
		return Count(n, true)
	}
	return "at least " + Count(n, true)
}

// Millis writes a virtual time in nanoseconds as milliseconds with two
// digits, as the simulator's clock shows it: 3.20 ms.
func Millis(ns int64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	return fmt.Sprintf("%s%d.%02d ms", sign, ns/1_000_000, ns%1_000_000/10_000)
}

// Plural joins a count and its noun: 1 row, 2 rows.
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n, true) + " " + many
}
