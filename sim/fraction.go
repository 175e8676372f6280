package sim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Fraction is an exact fraction of all payments, in parts per billion.
type Fraction int64

// One is the fraction 1: all payments.
const One Fraction = 1_000_000_000

// fractionDigits are the decimals that a fraction can have.
const fractionDigits = 9

// of is the fraction of n, rounded to the nearest whole number.
func (f Fraction) of(n int64) int64 {
	return int64((uint64(f)*uint64(n) + uint64(One)/2) / uint64(One))
}

// String is the fraction as a decimal, exactly.
func (f Fraction) String() string {
	sign, n := "", int64(f)
	if n < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%s%d.%0*d", sign, n/int64(One), fractionDigits, n%int64(One))
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// ParseFraction reads a fraction from 0 to 1 exactly: a decimal such as 0.05,
// or a percentage such as 5%. The error is one line.
func ParseFraction(text string) (Fraction, error) {
	number, percent := strings.CutSuffix(text, "%")
	whole, decimals, point := strings.Cut(number, ".")
	digits := fractionDigits
	if percent {
		digits -= 2
	}
	bad := func(why string) (Fraction, error) {
		return 0, fmt.Errorf("bad fraction %s: %s", quoteShort(text), why)
	}
	if whole == "" || point && decimals == "" || !isDigits(whole) || !isDigits(decimals) {
		return bad("write a number from 0 to 1, such as 0.05, or a percentage, such as 5%")
	}
	decimals = strings.TrimRight(decimals, "0")
	if len(decimals) > digits {
		return bad(fmt.Sprintf("at most %d decimals", digits))
	}
	n, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", digits-len(decimals)), 10, 64)
	if errors.Is(err, strconv.ErrRange) || n > int64(One) {
		return bad("it must be 0 to 1")
	}
	return Fraction(n), err
}

func isDigits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// quoteShort quotes text for an error, cut where it is too long to be a number.
func quoteShort(text string) string {
	const longest = 40
	if len(text) > longest {
		return strconv.Quote(text[:longest]) + "..."
	}
	return strconv.Quote(text)
}
