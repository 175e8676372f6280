package player

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"idemtui/ui/text"
)

// Speed is how fast the run is played, in thousandths: 1000 shows one virtual
// millisecond a second.
type Speed int64

// Slowest and Fastest bound what [ParseSpeed] takes.
const (
	Slowest = Speed(1)
	Fastest = Speed(1_000_000)
)

// DefaultSpeed shows one payment and its copy in about six seconds: time enough
// to follow both workers with the eye.
const DefaultSpeed = Speed(250)

// defaultSpeed shows a payment whose charge takes so long in about as much time.
func defaultSpeed(charge int64) Speed {
	return Speed(scaled(int64(DefaultSpeed), charge, int64(time.Millisecond))).near()
}

// presets are what the keys for faster and slower choose from.
var presets = []Speed{100, 250, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000}

// ParseSpeed reads a speed as the command line gives it: 1, 0.25, 100, with or
// without an x at the end.
func ParseSpeed(s string) (Speed, error) {
	wrong := fmt.Errorf("%q is no speed; give a number from 0.001 to 1000, such as 0.25", s)
	n, err := parseDecimal(strings.TrimSuffix(strings.TrimSpace(s), "x"), 3)
	if err != nil || Speed(n) < Slowest || Speed(n) > Fastest {
		return 0, wrong
	}
	return Speed(n), nil
}

// String is the speed as the screen shows it: 0.25x.
func (s Speed) String() string {
	if whole := int64(s) / 1000; int64(s)%1000 == 0 && whole >= 1000 {
		return text.Count(whole, true) + "x"
	}
	return formatDecimal(int64(s), 3) + "x"
}

// near is the preset that is nearest to a speed, by its ratio.
func (s Speed) near() Speed {
	best := presets[0]
	for _, p := range presets[1:] {
		if s > best && int64(s)/int64(best) > int64(p)/max(int64(s), 1) {
			best = p
		}
	}
	return best
}

// virtual is how much virtual time passes in a stretch of real time, both in
// nanoseconds.
func (s Speed) virtual(real int64) int64 { return real / 1000 * int64(s) / 1000 }

func (s Speed) faster() Speed {
	for _, p := range presets {
		if p > s {
			return p
		}
	}
	return s
}

func (s Speed) slower() Speed {
	for i := len(presets) - 1; i >= 0; i-- {
		if presets[i] < s {
			return presets[i]
		}
	}
	return s
}

// parseDecimal reads an unsigned decimal as an integer of 10^-digits units,
// exactly; digits beyond those are an error.
func parseDecimal(s string, digits int) (int64, error) {
	whole, part, _ := strings.Cut(s, ".")
	if whole+part == "" || len(part) > digits || len(whole) > 12 || strings.ContainsAny(s, "+-_eE") {
		return 0, fmt.Errorf("%q is no number", s)
	}
	part += strings.Repeat("0", digits-len(part))
	return strconv.ParseInt(whole+part, 10, 64)
}

// formatDecimal writes an integer of 10^-digits units without needless zeros.
func formatDecimal(n int64, digits int) string {
	s := fmt.Sprintf("%0*d", digits+1, n)
	s = s[:len(s)-digits] + "." + s[len(s)-digits:]
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
