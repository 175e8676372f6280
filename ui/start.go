package ui

import (
	"context"

	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/start"
)

// RunStart shows the start page and returns the command line the user chose,
// without the program's name; none if they quit.
func RunStart(ctx context.Context, term Terminal, choices []start.Choice) ([]string, error) {
	keyMap := keys.Default()
	page := start.New(choices, keyMap)
	if err := Run(ctx, term, page, &frame.Dialogs{}, keyMap); err != nil {
		return nil, err
	}
	if choice, ok := page.Chosen(); ok {
		return choice.Args, nil
	}
	return nil, nil
}
