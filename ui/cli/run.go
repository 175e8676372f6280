// Package cli holds the commands of idemtui, one file each, and the printers
// for those who have no terminal.
//
// The rules of printing: data goes to standard output and messages to standard
// error. On failure standard output is empty, except where several databases
// were asked and some answered. A person reads one line: what failed, and what
// to do next. Without a terminal there are no escape codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
	"idemtui/inspect/dsn"
)

// Plugs is what main plugs in: the parts that reach the outside world.
type Plugs struct {
	// Stores open a database by the engine that its DSN names.
	Stores map[dsn.Engine]OpenStore
}

// Run runs one command line (without the program's name) and returns the exit
// code. The context ends on a signal. getenv stands for os.Getenv.
func Run(ctx context.Context, args []string, streams Streams, getenv func(string) string, plugs Plugs) int {
	a := &app{streams: streams, getenv: getenv, plugs: plugs, now: time.Now}
	defer a.closeSpools()
	err := a.execute(ctx, args)
	code, keepsOutput := exitCode(ctx, err)
	if keepsOutput {
		if _, writeErr := a.out.WriteTo(streams.Out); writeErr != nil && (err == nil || a.written != "") {
			err, code = failure(fmt.Errorf("the result could not be printed (%w)", writeErr), a.written), exitFailed
		}
	}
	a.report(err, code)
	return code
}

// execute runs a command line.
func (a *app) execute(ctx context.Context, args []string) error {
	root := a.newRoot(args)
	if a.styled() {
		root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.styledHelp(ctx, cmd) })
	}
	return root.ExecuteContext(ctx)
}

// newRoot is the command tree with its streams and arguments.
func (a *app) newRoot(args []string) *cobra.Command {
	root := newRootCommand(a)
	indentExamples(root)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs(args)
	root.SetIn(a.streams.In)
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	return root
}

// indentExamples lays the examples out for plain help; fang lays out its own.
func indentExamples(cmd *cobra.Command) {
	if example := strings.TrimSpace(cmd.Example); example != "" {
		cmd.Example = "  " + strings.ReplaceAll(example, "\n", "\n  ")
	}
	for _, child := range cmd.Commands() {
		indentExamples(child)
	}
}

// styled says whether help may have styles.
func (a *app) styled() bool {
	return a.streams.OutTerminal && !a.dumb() && a.getenv("NO_COLOR") == ""
}

// styledHelp prints the help of a command through fang. fang is used for
// nothing else: around every failure it would ask the terminal for its colours,
// and the answer would land in the shell.
func (a *app) styledHelp(ctx context.Context, cmd *cobra.Command) {
	root := a.newRoot(append(strings.Fields(cmd.CommandPath())[1:], "--help"))
	err := fang.Execute(ctx, root,
		fang.WithVersion(root.Version),
		fang.WithoutManpage(),
		fang.WithColorSchemeFunc(fang.AnsiColorScheme),
		fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}))
	if err != nil {
		a.notef("print the help: %s", err)
	}
}

// report writes the one line that a person reads after a failure.
func (a *app) report(err error, code int) {
	if err == nil {
		return
	}
	var coded *exitError
	isCoded := errors.As(err, &coded)
	switch {
	case code == exitInterrupted && isCoded && coded.keepsOutput:
		a.notef("interrupted: %s", err)
	case code == exitInterrupted:
		a.notef("interrupted")
	case !isCoded || coded.what != "":
		a.notef("%s", err)
	}
}
