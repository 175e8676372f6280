package cli

import (
	_ "embed"

	"github.com/spf13/cobra"
)

//go:embed config.yaml
var defaultConfig string

// newConfigCommand prints the commented default config file, ready to be
// redirected into place.
func newConfigCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print the commented default config file",
		Long: `Print the commented default config file.

It is read from $XDG_CONFIG_HOME/idemtui/config.yaml (usually ~/.config/idemtui/config.yaml).
Precedence: flag, environment, config file, default.`,
		Example: `idemtui config > ~/.config/idemtui/config.yaml`,
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			a.printf("%s", defaultConfig)
			return nil
		},
	}
}
