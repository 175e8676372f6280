package postgres

import (
	"fmt"
	"strings"
)

// image is a text[] as the server writes it, read byte by byte: the driver's
// own reading replaces bytes that are no UTF-8, and a record must hold what the
// row held.
type image struct {
	values  []*string
	present bool // false for NULL
}

// Scan implements sql.Scanner.
func (i *image) Scan(src any) error {
	*i = image{}
	if src == nil {
		return nil
	}
	s, ok := src.(string)
	if !ok || len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' {
		return fmt.Errorf("read an array of columns: got %T", src)
	}
	i.present = true
	s = s[1 : len(s)-1]
	for len(s) > 0 {
		var value *string
		value, s = element(s)
		i.values = append(i.values, value)
	}
	return nil
}

// element cuts the first value off the inside of an array's text.
func element(s string) (value *string, rest string) {
	if s[0] != '"' {
		plain, rest, _ := strings.Cut(s, ",")
		if plain == "NULL" {
			return nil, rest
		}
		return &plain, rest
	}
	var b strings.Builder
	at := 1
	for at < len(s) && s[at] != '"' {
		if s[at] == '\\' && at+1 < len(s) {
			at++
		}
		b.WriteByte(s[at])
		at++
	}
	text := b.String()
	return &text, strings.TrimPrefix(s[min(at+1, len(s)):], ",")
}
