// Package text turns values from outside into what a person reads on a
// terminal: sanitised strings, cell widths, durations and counts. It is the
// only place where a byte from a table, a broker or an error message becomes
// printable.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// zeroWidthJoiner glues emoji into one picture; it is harmless only there.
const zeroWidthJoiner = '\u200d'

// maxCombining is how many combining marks may follow one character before
// the rest are escaped: real scripts use a few, a stack of fifty paints over
// the lines above it.
const maxCombining = 4

// Sanitise returns s on one line with every character that could command a
// terminal, hide or reorder its neighbours replaced by a visible escape:
// control characters of both ranges, line breaks, tabs, bidirectional and
// other format controls, spaces other than U+0020, and bytes that are no
// UTF-8. Printable text is returned unchanged. Sanitising twice changes
// nothing more.
func Sanitise(s string) string {
	if isPlainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	var before rune
	marks := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
			before, marks = 0, 0
			i++
			continue
		}
		i += size
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == zeroWidthJoiner && isPictographic(before) && startsPictographic(s[i:]):
			b.WriteRune(r)
			continue // the joiner does not count as the character before the next
		case marks > maxCombining || !unicode.IsPrint(r) || isInvisible(r):
			writeEscape(&b, r)
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// isInvisible names characters that Unicode calls printable letters and that
// show nothing: two different keys must never look the same on screen.
func isInvisible(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u034f', '\u2800':
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r) && r != '\ufe0f' && r != '\ufe0e'
}

func isPictographic(r rune) bool {
	return r == '\ufe0f' || unicode.Is(unicode.So, r) || (r >= 0x1f3fb && r <= 0x1f3ff)
}

func startsPictographic(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r != utf8.RuneError && unicode.Is(unicode.So, r)
}

func writeEscape(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	default:
		fmt.Fprintf(b, `\u{%x}`, r)
	}
}
