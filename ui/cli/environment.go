package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// deliberate are the flags that arm or confirm a write, or name its target.
// They are read from the command line only: a variable left in a shell must
// never release a claim.
var deliberate = []string{
	"all-likely-dead", "allow-release", "allow-unverified", "help", "key", "max", "outcome", "override-lease",
	"owner", "plan", "reason", "reference", "result", "save", "version", "yes",
}

// asAlternatives are read where it is known which of them was typed.
var asAlternatives = []string{"dsn", "connection"}

// applyEnvironment sets each flag that the command line left alone from its
// variable: --stale-after from IDEMTUI_STALE_AFTER. A list has one value a
// line.
func (a *app) applyEnvironment(cmd *cobra.Command) error {
	var failed error
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Changed || failed != nil || slices.Contains(deliberate, flag.Name) || slices.Contains(asAlternatives, flag.Name) {
			return
		}
		if _, isLater := flag.Value.(laterFlag); isLater {
			return // another command may read the variable
		}
		if _, kind := flag.Value.(choiceFlag); kind && flag.Name == "broker" {
			return // the variable names a real broker
		}
		variable := environmentName(flag.Name)
		value := a.getenv(variable)
		if value == "" {
			return
		}
		if err := setFlag(cmd.Flags(), flag, value); err != nil {
			failed = usageError(fmt.Sprintf("environment variable %s: %s", variable, err), "correct it or unset it")
		}
	})
	return failed
}

// environmentName is the variable that stands for a flag.
func environmentName(flag string) string {
	return "IDEMTUI_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// setFlag sets a flag as if it had been on the command line.
func setFlag(flags *pflag.FlagSet, flag *pflag.Flag, value string) error {
	values := []string{value}
	if _, isList := flag.Value.(pflag.SliceValue); isList {
		values = strings.FieldsFunc(value, func(r rune) bool { return r == '\n' })
	}
	for _, value := range values {
		if err := flags.Set(flag.Name, value); err != nil {
			return err
		}
	}
	return nil
}
