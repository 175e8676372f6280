package inspect

import (
	"fmt"
	"math"
	"time"
)

// StampKind says whether a stored time can be read as an instant.
type StampKind uint8

const (
	// StampNone is a NULL or an unmapped column.
	StampNone StampKind = iota
	// StampValid is an instant between the years 2 and 9999.
	StampValid
	// StampInvalid is stored but is no instant: infinity, a zero date, a year
	// that RFC 3339 cannot write, or text that cannot be read.
	StampInvalid
)

// Stamp is a time as a table stores it. The zero value is "none".
//
// A valid Stamp is in UTC and cut to microseconds, so that two Stamps of one
// stored value compare equal with ==.
type Stamp struct {
	Kind StampKind
	Time time.Time
	// Raw is the stored text of an invalid Stamp.
	Raw string
}

// At makes a valid Stamp. The year 1 is the zero date of several languages
// and nobody's claim time, so it comes out as invalid, as do years that
// RFC 3339 cannot write.
func At(t time.Time) Stamp {
	t = t.UTC().Truncate(time.Microsecond)
	if y := t.Year(); y <= 1 || y > 9999 {
		return Stamp{Kind: StampInvalid, Raw: t.Format("2006-01-02 15:04:05.999999Z07:00")}
	}
	return Stamp{Kind: StampValid, Time: t}
}

// NoTime makes an invalid Stamp that keeps the stored text.
func NoTime(raw string) Stamp { return Stamp{Kind: StampInvalid, Raw: raw} }

// Valid reports whether the Stamp is an instant.
func (s Stamp) Valid() bool { return s.Kind == StampValid }

// Invalid reports whether something is stored that is no instant.
func (s Stamp) Invalid() bool { return s.Kind == StampInvalid }

// None reports whether nothing is stored.
func (s Stamp) None() bool { return s.Kind == StampNone }

// Before reports whether a valid Stamp lies before t; anything else does not.
func (s Stamp) Before(t time.Time) bool { return s.Valid() && s.Time.Before(t) }

// After reports whether a valid Stamp lies after t; anything else does not.
func (s Stamp) After(t time.Time) bool { return s.Valid() && s.Time.After(t) }

// String is the Stamp as RFC 3339 in UTC with microseconds, "none", or
// "invalid time" with the stored text.
func (s Stamp) String() string {
	switch s.Kind {
	case StampValid:
		return FormatTime(s.Time)
	case StampInvalid:
		return "invalid time " + s.Raw
	default:
		return "none"
	}
}

// FormatTime writes an instant as RFC 3339 in UTC with microseconds.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// FormatSpan writes a duration as people say it, exactly to the second, with
// the zeros that keep columns in line: 47m30s, 3m00s, 3h, 2d4h; below ten
// seconds with tenths. Negative spans get a minus.
// A difference that no Duration holds is "over 292 years".
func FormatSpan(d time.Duration) string {
	switch {
	case d == math.MaxInt64:
		return "over 292 years"
	case d == math.MinInt64:
		return "-over 292 years"
	case d < 0:
		return "-" + FormatSpan(-d)
	}
	if d < 10*time.Second {
		tenths := d.Round(100*time.Millisecond) / (100 * time.Millisecond)
		if tenths%10 == 0 {
			return fmt.Sprintf("%ds", tenths/10)
		}
		return fmt.Sprintf("%d.%ds", tenths/10, tenths%10)
	}
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	days, hours, minutes, seconds := d/(24*time.Hour), d/time.Hour%24, d/time.Minute%60, d/time.Second%60
	span := ""
	if days > 0 {
		span = fmt.Sprintf("%dd", days)
	}
	switch {
	case seconds > 0:
		return span + fmt.Sprintf("%dh%02dm%02ds", hours, minutes, seconds)
	case minutes > 0:
		return span + fmt.Sprintf("%dh%02dm", hours, minutes)
	case hours > 0:
		return span + fmt.Sprintf("%dh", hours)
	}
	return span
}
