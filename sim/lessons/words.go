package lessons

import (
	"strconv"
	"strings"
	"time"

	"idemtui/retention"
)

// fill replaces each {word} of a text by what look says of it, and {} by a brace. A
// word that nobody knows stays as it is; the tests let none through.
func fill(text string, look func(word string) (string, bool)) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		word, after, _ := strings.Cut(rest, "}")
		if said, known := look(word); word == "" {
			out.WriteString("{")
		} else if known {
			out.WriteString(said)
		} else {
			out.WriteString("{" + word + "}")
		}
		text = after
	}
}

// literal is a text from outside as fill gives it back.
func literal(text string) string { return strings.ReplaceAll(text, "{", "{}") }

// count is a number with its thousands apart.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := (len(digits)-1)%3 + 1
	out := digits[:first]
	for i := first; i < len(digits); i += 3 {
		out += "," + digits[i:i+3]
	}
	return out
}

// times says how often.
func times(n int64) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return count(n) + " times"
}

// plural is a number with the word for one or for several.
func plural(n int64, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + several
}

// length is a duration in nanoseconds as commands spell it.
func length(nanos int64) string { return retention.FormatDuration(time.Duration(nanos)) }
