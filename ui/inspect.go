package ui

import (
	"context"

	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/triage"
)

// RunInspect shows the inspector until the user quits. The caller closes the
// store afterwards.
func RunInspect(ctx context.Context, term Terminal, cfg triage.Config) error {
	keyMap, dialogs := keys.Default(), &frame.Dialogs{}
	return Run(ctx, term, triage.New(ctx, cfg, keyMap, dialogs), dialogs, keyMap)
}
