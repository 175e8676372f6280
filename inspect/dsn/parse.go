package dsn

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// schemes are the beginnings that tell the engine.
var schemes = []struct {
	prefix string
	engine Engine
}{
	{"postgres://", Postgres},
	{"postgresql://", Postgres},
	{"mysql://", MySQL},
	{"sqlite:", SQLite},
}

// Errors of Parse. None repeats any part of the string.
var (
	errEmpty    = errors.New("the connection string is empty; write postgres://USER@HOST:5432/DATABASE")
	errScheme   = errors.New("not a connection string; write postgres://USER@HOST/DATABASE, host=HOST dbname=DATABASE, mysql://USER@HOST/DATABASE or sqlite:FILE")
	errAddress  = errors.New("the connection string cannot be read after its scheme; in a password write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25 and a space as %20")
	errPort     = errors.New("the connection string has a port that is no number from 1 to 65535; in a password write @ as %40, : as %3A, / as %2F and # as %23")
	errKeywords = errors.New("the connection string's keywords cannot be read; put a value with spaces or quotes in '...', with \\' for a quote in it")
	errFile     = errors.New("the connection string names no file; write sqlite:FILE")
)

// Parse reads a connection string. Its errors say what is wrong without
// repeating any of it.
func Parse(text string) (DSN, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return DSN{}, errEmpty
	}
	if strings.IndexByte(text, 0) >= 0 {
		return DSN{}, errAddress
	}
	for _, s := range schemes {
		rest, ok := strings.CutPrefix(text, s.prefix)
		switch {
		case !ok:
			continue
		case s.engine == SQLite:
			return parseFile(text, rest)
		default:
			return parseURL(s.engine, text, rest)
		}
	}
	before, _, ok := strings.Cut(text, "=")
	if !ok || strings.Contains(before, ":") {
		return DSN{}, errScheme
	}
	return parseKeywords(text)
}

// parseFile reads what follows sqlite:. The driver's options, behind a "?",
// are not shown: they may hold a key.
func parseFile(text, rest string) (DSN, error) {
	file, _, _ := strings.Cut(rest, "?")
	if file == "" {
		return DSN{}, errFile
	}
	return DSN{Engine: SQLite, Database: file, secret: &secret{text: text}}, nil
}

// parseURL reads what follows the scheme of a server's URL.
func parseURL(engine Engine, text, rest string) (DSN, error) {
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	// Behind the authority these come from a password that was not escaped:
	// what looks like the host is then the user, and the rest is the password.
	if strings.ContainsAny(path, "@/#") || strings.ContainsAny(authority, "# ") || strings.Contains(query, "#") {
		return DSN{}, errAddress
	}
	d := DSN{Engine: engine, secret: &secret{text: text}}
	hosts := authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		hosts = authority[at+1:]
		if err := d.setUser(authority[:at]); err != nil {
			return DSN{}, err
		}
	}
	if err := d.setHosts(hosts); err != nil {
		return DSN{}, err
	}
	database, err := url.PathUnescape(path)
	if err != nil {
		return DSN{}, errAddress
	}
	d.Database = database
	return d, d.setQuery(query)
}

// setUser reads USER[:PASSWORD]. Two signs of a name that holds a password, an
// "@" before the colon and an escaped colon, leave the user unknown.
func (d *DSN) setUser(userinfo string) error {
	name, password, ok := strings.Cut(userinfo, ":")
	plainName, errName := url.PathUnescape(name)
	plainPassword, errPassword := url.PathUnescape(password)
	if errName != nil || errPassword != nil {
		return errAddress
	}
	if ok && password != "" {
		d.addPassword(password, plainPassword)
	}
	if strings.Contains(name, "@") || strings.Contains(plainName, ":") {
		d.addPassword(name, plainName)
		return nil
	}
	d.User = plainName
	return nil
}

// addPassword notes forms of a password that Scrub has to find.
func (d *DSN) addPassword(forms ...string) {
	d.secret.passwords = append(d.secret.passwords, forms...)
}

// setHosts reads HOST[:PORT][,HOST[:PORT]...]; an IPv6 address stands in
// brackets, a socket's folder is escaped.
func (d *DSN) setHosts(list string) error {
	if list == "" {
		return nil
	}
	var hosts, ports []string
	for part := range strings.SplitSeq(list, ",") {
		host, port := part, ""
		if inside, after, ok := strings.Cut(strings.TrimPrefix(part, "["), "]"); ok && strings.HasPrefix(part, "[") {
			host, port = inside, strings.TrimPrefix(after, ":")
			if after != "" && !strings.HasPrefix(after, ":") {
				return errAddress
			}
		} else if before, after, ok := strings.Cut(part, ":"); ok {
			host, port = before, after
		}
		plain, err := url.PathUnescape(host)
		if err != nil || strings.ContainsAny(host, "[]") {
			return errAddress
		}
		if port != "" && !isPort(port) {
			return errPort
		}
		hosts, ports = append(hosts, plain), append(ports, port)
	}
	if len(hosts) == 1 {
		d.Host, d.Port = hosts[0], ports[0]
		return nil
	}
	for i, port := range ports {
		if port != "" {
			hosts[i] += ":" + port
		}
	}
	d.Host = strings.Join(hosts, ",")
	return nil
}

// setQuery reads the parameters that are shown or secret; the rest is the
// driver's business.
func (d *DSN) setQuery(query string) error {
	if query == "" {
		return nil
	}
	for chunk := range strings.SplitSeq(query, "&") {
		name, value, ok := strings.Cut(chunk, "=")
		plain, err := url.QueryUnescape(value)
		if chunk == "" {
			continue
		}
		if !ok || err != nil {
			return errAddress
		}
		if isSecret(name) {
			d.addPassword(value, plain)
			continue
		}
		// An "@" here is more likely the end of a password that was not
		// escaped than part of a name.
		if strings.Contains(value, "@") {
			return errAddress
		}
		if err := d.set(name, plain); err != nil {
			return err
		}
	}
	return nil
}

// set notes a setting by its libpq keyword; the ones not shown are ignored. A
// shown value that holds another setting or a URL is refused: "user=
// password=x", with an empty variable in a script, gives the user password=x.
func (d *DSN) set(name, value string) error {
	if name == "passfile" {
		d.passfile = value
	}
	field := d.shown(name)
	if field == nil {
		return nil
	}
	if strings.Contains(value, "=") || strings.Contains(value, "://") {
		return errKeywords
	}
	if name == "host" && strings.LastIndexByte(value, '@') > 0 {
		return errAddress
	}
	if name == "port" {
		for port := range strings.SplitSeq(value, ",") {
			if port != "" && !isPort(port) {
				return errPort
			}
		}
	}
	*field = value
	return nil
}

// shown is where a setting's value is kept to be shown, nil if it is not.
func (d *DSN) shown(name string) *string {
	switch name {
	case "user":
		return &d.User
	case "host":
		return &d.Host
	case "port":
		return &d.Port
	case "dbname", "database":
		return &d.Database
	case "service":
		return &d.Service
	}
	return nil
}

// isSecret tells whether a setting's value must never be shown or echoed.
// passfile is a path.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	return name != "passfile" && (strings.Contains(name, "pass") || strings.Contains(name, "pwd") || strings.Contains(name, "secret") || strings.Contains(name, "token"))
}

// isPort tells whether a text is a port number.
func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}
