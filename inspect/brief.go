package inspect

// briefRunes is how much of a stored value a sentence quotes.
const briefRunes = 80

// Brief cuts a stored value to what a sentence can hold: an owner may be a
// megabyte.
func Brief(s string) string {
	n := 0
	for i := range s {
		if n == briefRunes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
