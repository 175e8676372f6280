// Package audit keeps the record of what idemtui changed in somebody's table:
// JSON lines of schema idemtui.audit/v1, one file a day, in a folder that only
// its owner may read.
//
// Each batch of an operation writes an intent, with its rows as they were
// locked, which is on disk before the batch commits, and an outcome after. If
// an intent cannot be written, the batch must not commit. An intent without
// an outcome is a batch of which nobody noted how it ended: History names it,
// and the table tells.
package audit

import (
	"crypto/rand"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"idemtui/inspect"
)

// Schema stands in every line.
const Schema = "idemtui.audit/v1"

// The kinds of lines.
const (
	kindIntent  = "intent"
	kindOutcome = "outcome"
)

// Person is who started idemtui, as far as the system tells.
type Person struct {
	OSUser string `json:"os_user"`
	// SudoUser is who used sudo to become OSUser, SSHClient the address the
	// session came from; both may be empty.
	SudoUser  string `json:"sudo_user,omitempty"`
	SSHClient string `json:"ssh_client,omitempty"`
}

// Me reads the person from the system and the environment.
func Me(getenv func(string) string) Person {
	p := Person{OSUser: "uid " + strconv.Itoa(os.Getuid()), SudoUser: getenv("SUDO_USER")}
	if u, err := user.Current(); err == nil && u.Username != "" {
		p.OSUser = u.Username
	}
	for _, name := range []string{"SSH_CLIENT", "SSH_CONNECTION"} {
		if address, _, _ := strings.Cut(getenv(name), " "); address != "" && p.SSHClient == "" {
			p.SSHClient = address
		}
	}
	return p
}

// line is what every line begins with.
type line struct {
	Schema string `json:"schema"`
	Kind   string `json:"record"`
	ID     string `json:"id"`
	// Time is idemtui's clock; the database's is in the intent, as at.
	Time string `json:"time"`
}

// intentLine and outcomeLine are the lines of a file, their fields side by side.
type intentLine struct {
	line
	Person
	inspect.Intent
}

type outcomeLine struct {
	line
	inspect.Outcome
}

// newID makes an audit id from a time: it sorts by the minute, is lower case and
// free of letters that look like others, and so can be read out and typed.
func newID(now time.Time) string {
	const letters = "abcdefghjkmnpqrstuvwxyz23456789"
	// rand.Text has 26 letters of 32; folding them onto 31 is uneven by far
	// less than matters for six letters within one minute.
	text := rand.Text()
	var b strings.Builder
	b.WriteString(now.UTC().Format("20060102-1504-"))
	for i := range 6 {
		const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
		b.WriteByte(letters[strings.IndexByte(base32, text[i])%len(letters)])
	}
	return b.String()
}
