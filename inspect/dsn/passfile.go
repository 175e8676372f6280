package dsn

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// WithoutOpenPassfile does as libpq does with a passfile that others may read:
// it is not read. The warning says so; it is "" where the passfile is kept well,
// is not there, or is not needed. The driver itself reads whatever file there is.
// https://www.postgresql.org/docs/current/libpq-pgpass.html
func (d DSN) WithoutOpenPassfile(getenv func(string) string) (DSN, string) {
	if d.Engine != Postgres || runtime.GOOS == "windows" { // where libpq does not look either
		return d, ""
	}
	path := d.passfilePath(getenv)
	info, err := os.Stat(path)
	warning := ""
	switch {
	case path == "" || err != nil:
		return d, ""
	case !info.Mode().IsRegular():
		warning = fmt.Sprintf("passfile %s is no plain file, so it is not read", path)
	case info.Mode().Perm()&0o077 != 0:
		warning = fmt.Sprintf("passfile %s may be read by others, so it is not read: chmod 0600 it", path)
	default:
		return d, ""
	}
	text := d.Secret()
	known := []string(nil)
	if d.secret != nil {
		known = d.secret.passwords
	}
	switch { // of several the last one counts
	case !strings.Contains(text, "://"):
		text += " passfile='" + os.DevNull + "'"
	case strings.Contains(text, "?"):
		text += "&passfile=" + os.DevNull
	default:
		text += "?passfile=" + os.DevNull
	}
	d.secret = &secret{text: strings.TrimSpace(text), passwords: known}
	if len(known) > 0 {
		warning = "" // it would not have been looked for
	}
	return d, warning
}

// passfilePath is where the driver looks for passwords.
func (d DSN) passfilePath(getenv func(string) string) string {
	if d.passfile != "" {
		return d.passfile
	}
	if path := getenv("PGPASSFILE"); path != "" {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".pgpass")
}
