package dsn

import (
	"errors"
	"fmt"
	"strings"
)

// Variable is the environment variable read after the flag --dsn.
const Variable = "IDEMTUI_DSN"

// ErrNone says that nothing names a database. There is no default server.
var ErrNone = errors.New("no database given; use --dsn, --connection, " + Variable + " or PGHOST, PGDATABASE or PGSERVICE (--demo, a table to try it on, is not in this version)")

// placeVariables are the libpq variables that say where to connect. One of
// them is enough; a lone PGUSER or PGPASSWORD names no database.
var placeVariables = []string{"PGHOST", "PGPORT", "PGDATABASE", "PGSERVICE"}

// Find decides which connection string counts: the flag's, else that of
// IDEMTUI_DSN, else the PG* variables, which the driver then reads itself, else
// ErrNone. getenv is os.Getenv, or a test's. Errors name the source and hold
// nothing of the string.
func Find(flag string, getenv func(string) string) (DSN, error) {
	for _, candidate := range []struct{ source, text string }{{"--dsn", flag}, {Variable, getenv(Variable)}} {
		if candidate.text == "" {
			continue
		}
		d, err := Parse(candidate.text)
		if err != nil {
			return DSN{}, fmt.Errorf("%s: %w", candidate.source, err)
		}
		d.Source = candidate.source
		return d.withEnvironment(getenv), nil
	}
	for _, name := range placeVariables {
		if getenv(name) != "" {
			return DSN{Engine: Postgres, Source: "PG* variables"}.withEnvironment(getenv), nil
		}
	}
	return DSN{}, ErrNone
}

// OfService makes the connection string that reads a section of the libpq
// service file.
func OfService(name string) DSN {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name)
	return DSN{Engine: Postgres, Service: name, secret: &secret{text: "service='" + quoted + "'"}}
}

// withEnvironment fills what the string leaves open as libpq would, so that
// Display can show it and Scrub knows the password.
func (d DSN) withEnvironment(getenv func(string) string) DSN {
	if d.Engine != Postgres {
		return d
	}
	if d.secret == nil {
		d.secret = &secret{}
	}
	if d.Service == "" {
		d.Service = getenv("PGSERVICE")
	}
	// A service's settings come before the variables'.
	if d.Service == "" {
		for name, field := range map[string]*string{"PGUSER": &d.User, "PGHOST": &d.Host, "PGPORT": &d.Port, "PGDATABASE": &d.Database} {
			if *field == "" && (name != "PGPORT" || !strings.Contains(d.Host, ",")) {
				*field = getenv(name)
			}
		}
	}
	for _, name := range []string{"PGPASSWORD", "PGSSLPASSWORD"} {
		if password := getenv(name); password != "" {
			d.addPassword(password)
		}
	}
	return d
}
