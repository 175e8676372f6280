package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The exit codes that scripts depend on.
const (
	exitFine        = 0   // it worked, or the person quit with q
	exitFailed      = 1   // it failed: one line says what, and what to do
	exitUsage       = 2   // the command line or the configuration is wrong
	exitCondition   = 3   // the condition asked for with --exit-code holds
	exitRefused     = 4   // some claim was refused, skipped or failed
	exitInterrupted = 130 // ctrl-c, SIGINT, SIGTERM or SIGHUP
)

// exitError is an error that knows its exit code. What it says to a person is
// one line: what failed, and what to do next.
type exitError struct {
	code int
	what string
	todo string
	err  error
	// keepsOutput is set where the data already printed is still good:
	// the living ones of several databases, or a list whose condition holds.
	keepsOutput bool
}

func (e *exitError) Error() string {
	if e.todo == "" {
		return e.what
	}
	return e.what + "; " + e.todo
}

func (e *exitError) Unwrap() error { return e.err }

// usageError is a wrong command line or configuration: exit 2.
func usageError(what, todo string) error {
	return &exitError{code: exitUsage, what: what, todo: todo}
}

// failure is something that did not work: exit 1. The todo says what to do
// next, and may be empty where err says it already.
func failure(err error, todo string) error {
	return &exitError{code: exitFailed, what: err.Error(), todo: todo, err: err}
}

// partialFailure is a failure beside data that is still good, so that the data
// is printed: exit 1.
func partialFailure(err error, todo string) error {
	return &exitError{code: exitFailed, what: err.Error(), todo: todo, err: err, keepsOutput: true}
}

// conditionHolds ends a command whose --exit-code condition is met: exit 3,
// the data is printed and nothing is said on standard error.
func conditionHolds() error {
	return &exitError{code: exitCondition, keepsOutput: true}
}

// refused ends a release of which some claim was not released: exit 4. The
// data says which; what may be empty.
func refused(what, todo string) error {
	return &exitError{code: exitRefused, what: what, todo: todo, keepsOutput: true}
}

// exitCode gives the code for an error, and whether the data already prepared
// for standard output is to be printed all the same.
func exitCode(ctx context.Context, err error) (code int, keepsOutput bool) {
	if err == nil {
		return exitFine, true
	}
	code = exitFailed
	var coded *exitError
	if errors.As(err, &coded) {
		code, keepsOutput = coded.code, coded.keepsOutput
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted) {
		code = exitInterrupted
	}
	return code, keepsOutput
}

// errInterrupted is what an interactive command returns after ctrl-c.
var errInterrupted = errors.New("interrupted")

// oneLine joins a message of several lines: what reaches a person is one line.
func oneLine(text string) string {
	var parts []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, " ")
}

// seeHelp is the usual "what to do next" of a usage error.
func seeHelp(command string) string {
	return fmt.Sprintf("see '%s --help'", command)
}
