package cli

import (
	"context"
	"errors"

	"idemtui/ui"
	"idemtui/ui/start"
)

// startChoices are what 'idemtui' alone offers on a terminal.
var startChoices = []start.Choice{
	{Title: "See why customers pay twice", About: "the animated explainer", Args: []string{"sim"}},
	{Title: "Inspect a claim table", About: "the stuck claims of a database, with evidence; needs IDEMTUI_DSN", Args: []string{"inspect"}},
	{Title: "Triage at 3 a.m.", About: "what to do with stuck claims, step by step", Args: []string{"help", "triage"}},
	{Title: "All commands", About: "what idemtui can do on the command line", Args: []string{"--help"}},
}

// terminal is what a screen runs on. A config file that cannot be read pins no
// theme: whoever needs more of it says so.
func (a *app) terminal() ui.Terminal {
	term := ui.Terminal{In: a.streams.In, Out: a.streams.Out, Env: a.streams.Environ}
	if config, err := a.config(); err == nil {
		term.Theme = config.Theme
	}
	return term
}

// screenError turns the end of a screen into the error of the command.
func screenError(err error) error {
	if errors.Is(err, ui.ErrInterrupted) {
		return errInterrupted
	}
	return err
}

// runStart shows the start page, then runs what was chosen on it.
func (a *app) runStart(ctx context.Context) error {
	args, err := ui.RunStart(ctx, a.terminal(), startChoices)
	if err != nil || len(args) == 0 {
		return screenError(err)
	}
	return a.execute(ctx, args)
}
