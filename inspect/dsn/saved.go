package dsn

import (
	"net/url"
	"strings"
)

// WithoutPassword is the connection string as it may be kept in a file: whole,
// but for what is secret in it. dropped says that there was something. A DSN of
// PG* variables is written as the place that they name.
func (d DSN) WithoutPassword() (text string, dropped bool) {
	if d.secret == nil || d.secret.text == "" {
		return strings.ReplaceAll(d.String(), ":"+hidden+"@", "@"), false
	}
	if strings.Contains(d.secret.text, "://") {
		return urlWithoutPassword(d.secret.text)
	}
	var kept []string
	for rest := strings.Trim(d.secret.text, blank); rest != ""; rest = strings.TrimLeft(rest, blank) {
		name, after, _ := strings.Cut(rest, "=")
		after = strings.TrimLeft(after, blank)
		_, _, remaining, _ := cutValue(after)
		if name = strings.Trim(name, blank); isSecret(name) {
			dropped = true
		} else {
			kept = append(kept, name+"="+strings.TrimRight(after[:len(after)-len(remaining)], blank))
		}
		rest = remaining
	}
	return strings.Join(kept, " "), dropped
}

func urlWithoutPassword(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil { // a file, or several hosts
		return Redact(text), true
	}
	dropped := false
	if _, has := u.User.Password(); has {
		u.User, dropped = url.User(u.User.Username()), true
	}
	query := u.Query()
	for name := range query {
		if isSecret(name) {
			query.Del(name)
			dropped = true
		}
	}
	if dropped {
		u.RawQuery = query.Encode()
	}
	return u.String(), dropped
}
