//go:build unix

package ptytest

import (
	"syscall"

	"github.com/charmbracelet/x/termios"
)

// lineMode reads whether the terminal echoes and edits lines.
func lineMode(fd uintptr) (echo, lines bool, err error) {
	state, err := termios.GetTermios(int(fd))
	if err != nil {
		return false, false, err
	}
	return state.Lflag&syscall.ECHO != 0, state.Lflag&syscall.ICANON != 0, nil
}
