package cli

import (
	"fmt"
	"sync"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
)

// app is what every command is given: the streams, the environment, what is
// plugged in, and the clock. One is made for each run.
type app struct {
	streams Streams
	getenv  func(string) string
	plugs   Plugs
	now     func() time.Time

	// out collects a command's data. It reaches standard output when the
	// command ends well, so that a failure leaves standard output empty.
	out output

	// spools hold data on its way to out; they end with the command.
	spools   []*spool
	spooling sync.Mutex

	// written says what was changed in a database, with its audit id: the one
	// thing that must be said even where the data cannot be printed.
	written string

	// secrets are the connection strings in use: nothing of their passwords may
	// stand in a message.
	secrets []dsn.DSN

	// resolving keeps several places from resolving at the same time.
	resolving sync.Mutex

	configFile  *configFile
	configError error
	configRead  bool
}

// dumb says that the terminal cannot be drawn on.
func (a *app) dumb() bool { return a.getenv("TERM") == "dumb" }

// interactive says whether a screen may be opened: standard input and output
// are terminals and TERM is not dumb. Where it is false a command prints text
// and never tries to open a terminal.
func (a *app) interactive() bool {
	return a.streams.InTerminal && a.streams.OutTerminal && !a.dumb()
}

// printf adds a line of data. It reaches standard output when the command ends.
func (a *app) printf(format string, args ...any) { fmt.Fprintf(&a.out, format, args...) }

// notef writes a message to standard error at once.
func (a *app) notef(format string, args ...any) {
	fmt.Fprintln(a.streams.Err, "idemtui: "+a.plain(fmt.Sprintf(format, args...)))
}

// printJSON adds one JSON object in which every unprintable rune is escaped.
func (a *app) printJSON(value any) error { return inspect.WriteJSON(&a.out, value) }
