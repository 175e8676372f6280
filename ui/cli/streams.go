package cli

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// Streams are the three standard streams of the process, and whether each is
// a terminal. Tests hand in buffers.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	InTerminal  bool
	OutTerminal bool
	ErrTerminal bool

	// Environ is the environment as os.Environ gives it, for screens.
	Environ []string
}

// StandardStreams returns the streams of this process.
func StandardStreams() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(os.Stdin.Fd()),
		OutTerminal: term.IsTerminal(os.Stdout.Fd()),
		ErrTerminal: term.IsTerminal(os.Stderr.Fd()),
		Environ:     os.Environ(),
	}
}
