// Package dsn reads connection strings and keeps what is secret in them out of
// everything that people or files get to see.
//
// It accepts postgres:// and postgresql:// URLs, libpq's keywords ("host=db-1
// dbname=payments"), mysql://user:pw@host:3306/db and sqlite:FILE. It reads
// as much as idemtui shows; the driver reads the whole from Secret.
//
// The rule of redaction is to show only parts that are known to be harmless:
// user, host, port, database, service, file. Whatever cannot be read for
// certain is hidden whole, because a password that somebody forgot to escape
// may stand anywhere in it.
package dsn

import (
	"net"
	"net/url"
	"strings"
)

// Engine is the kind of database server a connection string leads to.
type Engine string

// The engines.
const (
	Postgres Engine = "postgres"
	MySQL    Engine = "mysql"
	SQLite   Engine = "sqlite"
)

// hidden stands where something is not shown.
const hidden = "***"

// DSN is a connection string that has been read. However it is printed, by any
// verb of fmt or as JSON, it shows no password.
type DSN struct {
	// Engine is the kind of server.
	Engine Engine
	// User, Host, Port and Database are as written, unescaped; empty where the
	// string leaves them to the driver. Several hosts are joined by commas.
	// SQLite has its file in Database.
	User, Host, Port, Database string
	// Service names a section of the libpq service file.
	Service string
	// Source is where the string came from, such as "--dsn"; it may be empty.
	Source string

	// passfile is where the string says that passwords are; it is not shown.
	passfile string

	// A pointer, because fmt follows no pointers below the top: a struct that
	// holds a DSN prints an address here.
	secret *secret
}

// secret is what only a driver may see.
type secret struct {
	text      string
	passwords []string
}

// Secret is the connection string for the driver, password included. For
// PG* variables it is empty, which makes pgx read them. It must not be printed;
// what the driver says of it goes through Scrub.
func (d DSN) Secret() string {
	if d.secret == nil {
		return ""
	}
	return d.secret.text
}

// Display names the database for people, as payments@db-1:5432.
func (d DSN) Display() string {
	switch {
	case d.Engine == SQLite:
		return d.Database
	case d.Service != "" && d.Host == "" && d.Database == "":
		return "service=" + d.Service
	}
	database, port := d.Database, d.Port
	if database == "" {
		database = d.User
	}
	if port == "" {
		port = defaultPort(d.Engine)
	}
	return Label(database, d.Host, port)
}

// Label writes database, host and port as Display does, for a driver that knows
// them better: payments@db-1:5432, payments@[::1]:5432, and
// payments@/var/run/postgresql:5432 for a socket's folder.
func Label(database, host, port string) string {
	if host == "" {
		return database
	}
	if strings.HasPrefix(host, "/") || strings.Contains(host, ",") {
		return database + "@" + host + ":" + port
	}
	return database + "@" + net.JoinHostPort(host, port)
}

// defaultPort is the port an engine listens on unless told otherwise.
func defaultPort(engine Engine) string {
	if engine == MySQL {
		return "3306"
	}
	return "5432"
}

// String is the redacted connection string.
func (d DSN) String() string {
	if d.Engine == SQLite {
		return "sqlite:" + d.Database
	}
	if d.Engine == "" {
		return hidden
	}
	var b strings.Builder
	b.WriteString(string(d.Engine) + "://")
	if d.User != "" {
		b.WriteString(url.User(d.User).String())
	}
	if d.secret != nil && len(d.secret.passwords) > 0 {
		b.WriteString(":" + hidden)
	}
	if b.Len() > len(d.Engine)+len("://") {
		b.WriteByte('@')
	}
	if strings.Contains(d.Host, ":") && !strings.Contains(d.Host, ",") {
		b.WriteString("[" + d.Host + "]")
	} else {
		b.WriteString(strings.ReplaceAll(d.Host, "/", "%2F"))
	}
	if d.Port != "" {
		b.WriteString(":" + d.Port)
	}
	b.WriteString("/" + url.PathEscape(d.Database))
	if d.Service != "" {
		b.WriteString("?service=" + url.QueryEscape(d.Service))
	}
	return b.String()
}

// GoString is String: %#v must not show more.
func (d DSN) GoString() string { return d.String() }

// MarshalText is String: nor must JSON.
func (d DSN) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Redact shows a connection string without what is secret in it. A string
// that Parse does not accept is hidden whole, but for its scheme.
func Redact(text string) string {
	if d, err := Parse(text); err == nil {
		return d.String()
	}
	for _, s := range schemes {
		if strings.HasPrefix(strings.TrimSpace(text), s.prefix) {
			return s.prefix + hidden
		}
	}
	return hidden
}

// scrubLength is the length from which a password is looked for in other text:
// replacing every "a" would tell more than it hides.
const scrubLength = 4

// Scrub hides the connection string and its passwords, escaped or not,
// wherever they stand in a text, such as a driver's error.
func (d DSN) Scrub(text string) string {
	if d.secret == nil {
		return text
	}
	if len(d.secret.text) >= scrubLength {
		text = strings.ReplaceAll(text, d.secret.text, d.String())
	}
	for _, password := range d.secret.passwords {
		for _, form := range []string{password, url.QueryEscape(password), url.PathEscape(password), url.UserPassword("", password).String()[1:]} {
			if len(form) >= scrubLength {
				text = strings.ReplaceAll(text, form, hidden)
			}
		}
	}
	return text
}
