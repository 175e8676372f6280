package cli

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootLong = `idemtui explains why a message is processed twice, and works on the claims that are stuck.

'idemtui sim' animates deliveries, claims and charges, and searches every schedule for a double charge.
'idemtui inspect' reads a real claim table, shows the stuck claims with evidence, and releases them safely.`

// Commands are listed in the order in which a newcomer meets them.
func init() { cobra.EnableCommandSorting = false }

// newRootCommand builds the whole command tree.
func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "idemtui",
		Short: "Explain and repair exactly-once processing on at-least-once delivery",
		Long:  rootLong,
		Example: `
# the animated explainer
idemtui sim
# the stuck claims of a real table
idemtui inspect list --dsn postgres://user@host/db`,
		Version:           version(),
		Args:              commandsOnly,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.applyEnvironment(cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.interactive() {
				return a.runStart(cmd.Context())
			}
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelpCommand(a))
	root.AddCommand(
		newSimCommand(a),
		newInspectCommand(a),
		newRetentionCommand(a),
		newConfigCommand(a),
		newManCommand(a),
	)
	return root
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, modified := "", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value[:min(12, len(setting.Value))]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			modified = ", modified"
		}
	}
	name := info.Main.Version
	if name == "" || name == "(devel)" {
		name = "devel"
	}
	if revision == "" {
		return name
	}
	return fmt.Sprintf("%s (%s%s)", name, revision, modified)
}

// commandsOnly refuses arguments of a command that only has subcommands: a
// word there is a command that does not exist.
func commandsOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args[0])
}

// unknownCommand names the wrong word and, where one is near, the right one.
func unknownCommand(cmd *cobra.Command, word string) error {
	what := fmt.Sprintf("unknown command %q for %q", word, cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2 // letters; cobra's own default when it suggests
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return usageError(what, fmt.Sprintf("did you mean '%s %s'?", cmd.CommandPath(), near[0]))
	}
	return usageError(what, seeHelp(cmd.CommandPath()))
}

// noArguments refuses arguments of a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError(fmt.Sprintf("%q takes no argument, and was given %q", cmd.CommandPath(), args[0]), seeHelp(cmd.CommandPath()))
}

// flagError turns what the flag parser says into one usage error. A wrong
// command is named first: its flags are unknown only because it is.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasAvailableSubCommands() && cmd.Flags().NArg() > 0 {
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	var later *exitError
	if errors.As(err, &later) {
		return later
	}
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		if near := nearFlag(cmd, missing.GetSpecifiedName()); near != "" {
			return usageError(err.Error(), fmt.Sprintf("did you mean '--%s'?", near))
		}
	}
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if errors.As(err, &invalid) && errors.As(err, &number) {
		why := "is no number"
		if errors.Is(number, strconv.ErrRange) {
			why = "is too large or too small a number"
		}
		return usageError(fmt.Sprintf("--%s %q %s", invalid.GetFlag().Name, invalid.GetValue(), why), seeHelp(cmd.CommandPath()))
	}
	return usageError(err.Error(), seeHelp(cmd.CommandPath()))
}

// nearFlag finds a flag that begins with the word, or the word with it, or
// that differs in one letter.
func nearFlag(cmd *cobra.Command, word string) string {
	if len(word) < 2 {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	i := slices.IndexFunc(names, func(name string) bool {
		return strings.HasPrefix(name, word) || strings.HasPrefix(word, name) || oneLetterApart(name, word)
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

// oneLetterApart says whether one letter changed, added, dropped or swapped
// with its neighbour turns a into b.
func oneLetterApart(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return len(a) <= 1 && len(b) <= 1 || swapped
}
