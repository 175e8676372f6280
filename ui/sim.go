package ui

import (
	"context"

	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
)

// RunSim shows the simulator's screen until the user quits.
func RunSim(ctx context.Context, term Terminal, config player.Config) error {
	keyMap, dialogs := keys.Default(), &frame.Dialogs{}
	return Run(ctx, term, NewSimulator(ctx, config, nil, keyMap, dialogs), dialogs, keyMap)
}
