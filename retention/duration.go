package retention

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Day and Week are the fixed lengths that a duration's d and w stand for. A
// duration is an elapsed time, so a day is always 24 hours.
const (
	Day  = 24 * time.Hour
	Week = 7 * Day
)

// maxDurationText bounds the text that is parsed: an exact duration never needs
// more, and an error message quotes the text whole.
const maxDurationText = 64

// maxDurationName is the largest representable duration, as errors name it.
const maxDurationName = "106751d (292 years)"

var (
	errMonthOrYear = errors.New("a month or a year has no fixed length: say it in days, such as 30d or 365d")
	errTooLong     = errors.New("longer than " + maxDurationName)
)

// unit is one unit of time: its name in a duration and its length.
type unit struct {
	name   string
	length time.Duration
}

// compactUnits are the units of the compact form, longest first. FormatDuration
// leaves out the week: 14d reads better beside a broker's 7d than 2w.
var compactUnits = []unit{
	{"w", Week},
	{"d", Day},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
	{"ns", time.Nanosecond},
}

// isoDateUnits and isoTimeUnits are the designators before and after the T of
// an ISO 8601 duration, longest first.
var (
	isoDateUnits = []unit{{"W", Week}, {"D", Day}}
	isoTimeUnits = []unit{{"H", time.Hour}, {"M", time.Minute}, {"S", time.Second}}
)

// ParseDuration reads a duration that is zero or more: the compact form (90s,
// 15m, 36h, 7d, 2w, 1d12h, 250ms; units from long to short, each once) or ISO
// 8601 (P7D, PT36H, P1DT12H, P2W). A decimal fraction is accepted where it is a
// whole number of nanoseconds (1.5h). Nothing is rounded. Months and years are
// refused, because they have no fixed length. Zero needs no unit.
//
// The error is one line that names the text and what is wrong with it.
func ParseDuration(text string) (time.Duration, error) {
	d, err := parseDuration(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("bad duration %s: %w", quoteShort(text), err)
	}
	return d, nil
}

// quoteShort quotes text for an error, cut where it is too long to be a duration.
func quoteShort(text string) string {
	if len(text) > maxDurationText {
		return strconv.Quote(text[:maxDurationText]) + "..."
	}
	return strconv.Quote(text)
}

func parseDuration(text string) (time.Duration, error) {
	switch {
	case text == "":
		return 0, errors.New("it is empty; write it as 90s, 15m, 36h, 7d or P7D")
	case len(text) > maxDurationText:
		return 0, errors.New("too long to be a duration")
	case text[0] == '-' || strings.Contains(text, "-"):
		return 0, errors.New("it must not be negative")
	case text == "0":
		return 0, nil
	case text[0] == 'P' || text[0] == 'p':
		return parseISO(strings.ToUpper(text[1:]))
	}
	total := new(big.Int)
	if err := addParts(total, text, compactUnits); err != nil {
		return 0, err
	}
	return toDuration(total)
}

// parseISO reads what follows the P of an ISO 8601 duration.
func parseISO(text string) (time.Duration, error) {
	date, clock, hasClock := strings.Cut(text, "T")
	if date == "" && clock == "" || hasClock && clock == "" {
		return 0, errors.New("an ISO 8601 duration needs a value, such as P7D or PT36H")
	}
	total := new(big.Int)
	if err := addParts(total, date, isoDateUnits); err != nil {
		return 0, err
	}
	if err := addParts(total, clock, isoTimeUnits); err != nil {
		return 0, err
	}
	return toDuration(total)
}

func toDuration(total *big.Int) (time.Duration, error) {
	if !total.IsInt64() {
		return 0, errTooLong
	}
	return time.Duration(total.Int64()), nil
}

// plainest is the unit to name as an example: seconds, or days where there are
// none. Hardly anybody means nanoseconds.
func plainest(units []unit) unit {
	i := len(units) - 1
	for units[i].length < time.Second {
		i--
	}
	return units[i]
}

// addParts adds each number and unit of text to total, in nanoseconds. Units
// come from long to short, each at most once.
func addParts(total *big.Int, text string, units []unit) error {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if end == 0 {
			return fmt.Errorf("a number is missing before %q", text)
		}
		if end < 0 {
			return fmt.Errorf("the number %s has no unit: write %s%s, for example", text, text, plainest(units).name)
		}
		number := text[:end]
		text = text[end:]
		name := text
		if next := strings.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' || r == '.' }); next >= 0 {
			name = text[:next]
		}
		text = text[len(name):]
		rest, u, err := takeUnit(units, name)
		if err != nil {
			return err
		}
		units = rest
		if err := addPart(total, number, u); err != nil {
			return err
		}
		if text != "" && len(units) == 0 {
			return fmt.Errorf("nothing can follow %s%s", number, name)
		}
	}
	return nil
}

// takeUnit finds the unit called name and returns the units that may follow it.
func takeUnit(units []unit, name string) (rest []unit, found unit, err error) {
	for i, u := range units {
		if u.name == name || u.name == "us" && (name == "µs" || name == "μs") {
			return units[i+1:], u, nil
		}
	}
	return nil, unit{}, unitError(name)
}

// unitError says why name cannot be the unit at its place.
func unitError(name string) error {
	switch name {
	case "y", "Y", "yr", "year", "years", "mo", "mon", "month", "months":
		return errMonthOrYear
	case "M":
		return fmt.Errorf("unit M: %w; minutes are m, or PT15M", errMonthOrYear)
	case "w", "d", "h", "m", "s", "ms", "us", "µs", "μs", "ns", "W", "D", "H", "S":
		return fmt.Errorf("unit %s is out of place: write units from long to short, each once, as in 1d12h or P1DT12H", name)
	}
	return fmt.Errorf("unknown unit %q; units are w, d, h, m, s, ms, us, ns", name)
}

// addPart adds number (decimal digits, possibly with one point) of u to total.
func addPart(total *big.Int, number string, u unit) error {
	whole, fraction, hasPoint := strings.Cut(number, ".")
	if whole == "" || hasPoint && fraction == "" || strings.Contains(fraction, ".") {
		return fmt.Errorf("%q is not a number", number)
	}
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return fmt.Errorf("%q is not a number", number)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)
	length, remainder := digits.Mul(digits, big.NewInt(int64(u.length))).QuoRem(digits, scale, new(big.Int))
	if remainder.Sign() != 0 {
		return fmt.Errorf("%s%s is not a whole number of nanoseconds", number, u.name)
	}
	total.Add(total, length)
	return nil
}

// FormatDuration writes d in the compact form, exactly: ParseDuration of the
// text gives d back. The longest unit is the day. A negative d is written with a
// leading minus, which ParseDuration refuses.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	rest := uint64(d)
	if d < 0 {
		b.WriteByte('-')
		rest = -rest
	}
	for _, u := range compactUnits[1:] {
		length := uint64(u.length)
		if n := rest / length; n > 0 {
			b.WriteString(strconv.FormatUint(n, 10))
			b.WriteString(u.name)
			rest %= length
		}
	}
	return b.String()
}

// FormatSeconds writes a whole number of seconds in the compact form, exactly.
// Unlike FormatDuration it also covers spans beyond 292 years.
func FormatSeconds(seconds int64) string {
	if seconds <= math.MaxInt64/int64(time.Second) && seconds >= math.MinInt64/int64(time.Second) {
		return FormatDuration(time.Duration(seconds) * time.Second)
	}
	days := seconds / 86400
	rest := seconds % 86400
	if rest == 0 {
		return strconv.FormatInt(days, 10) + "d"
	}
	if rest < 0 {
		rest = -rest
	}
	return strconv.FormatInt(days, 10) + "d" + FormatDuration(time.Duration(rest)*time.Second)
}
