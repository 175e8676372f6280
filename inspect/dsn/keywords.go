package dsn

import "strings"

// blank is what separates libpq's settings.
const blank = " \t\n\r\v\f"

// parseKeywords reads libpq's form, as its documentation and pgx do: settings
// KEYWORD = VALUE separated by blanks, a value with blanks in single quotes, a
// backslash before a quote or a backslash.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
func parseKeywords(text string) (DSN, error) {
	d := DSN{Engine: Postgres, secret: &secret{text: text}}
	for rest := strings.Trim(text, blank); rest != ""; rest = strings.TrimLeft(rest, blank) {
		name, after, ok := strings.Cut(rest, "=")
		name = strings.Trim(name, blank)
		if !ok || !isKeyword(name) {
			return DSN{}, errKeywords
		}
		value, raw, remaining, ok := cutValue(strings.TrimLeft(after, blank))
		if !ok {
			return DSN{}, errKeywords
		}
		rest = remaining
		if isSecret(name) {
			if value != "" {
				d.addPassword(value, raw)
			}
			continue
		}
		if err := d.set(name, value); err != nil {
			return DSN{}, err
		}
	}
	return d, nil
}

// isKeyword tells whether a name can be a setting's: of libpq, of pgx or of the
// server.
func isKeyword(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == ""
}

// cutValue reads the value at the beginning of text: as meant, as written, and
// what follows it. It reports false for a quote that is not closed and for
// one that is closed in the middle of a word.
func cutValue(text string) (value, raw, rest string, ok bool) {
	quoted := strings.HasPrefix(text, "'")
	var b strings.Builder
	start := 0
	if quoted {
		start = 1
	}
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case quoted && c == '\'':
			rest = text[i+1:]
			if rest != "" && !strings.ContainsRune(blank, rune(rest[0])) {
				return "", "", "", false
			}
			return b.String(), text[start:i], rest, true
		case !quoted && strings.IndexByte(blank, c) >= 0:
			return b.String(), text[:i], text[i:], true
		case c == '\\':
			// libpq drops a backslash at the very end.
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), text[start:], "", !quoted
}
