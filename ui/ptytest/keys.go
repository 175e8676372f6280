//go:build unix

package ptytest

import "unicode/utf8"

// sequences are what xterm sends for keys that are no characters, by their
// names in the key map. Source: xterm's control sequences, section PC-style
// function keys (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
var sequences = map[string]string{
	"space":     " ",
	"enter":     "\r",
	"esc":       "\x1b",
	"tab":       "\t",
	"shift+tab": "\x1b[Z",
	"backspace": "\x7f",
	"delete":    "\x1b[3~",
	"up":        "\x1b[A",
	"down":      "\x1b[B",
	"right":     "\x1b[C",
	"left":      "\x1b[D",
	"home":      "\x1b[H",
	"end":       "\x1b[F",
	"pgup":      "\x1b[5~",
	"pgdown":    "\x1b[6~",

	"shift+up":    "\x1b[1;2A",
	"shift+down":  "\x1b[1;2B",
	"shift+right": "\x1b[1;2C",
	"shift+left":  "\x1b[1;2D",
}

// sequenceOf gives the bytes of a key; ok is false for a name that it does not
// know.
func sequenceOf(name string) (sequence string, ok bool) {
	if s, known := sequences[name]; known {
		return s, true
	}
	if utf8.RuneCountInString(name) == 1 {
		return name, true
	}
	if len(name) == len("ctrl+c") && name[:5] == "ctrl+" && name[5] >= 'a' && name[5] <= 'z' {
		return string(rune(name[5] - 'a' + 1)), true
	}
	return "", false
}
