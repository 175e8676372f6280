package cli

import (
	"embed"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed help/*.txt
var helpPages embed.FS

// newHelpCommand is the help command: the help of any command, and four pages.
func newHelpCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command, and the pages triage, glossary, formats, security",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownTopic(cmd, args)
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
	cmd.AddCommand(
		newHelpPage(a, "triage", "What to do at 3 a.m. with stuck claims"),
		newHelpPage(a, "glossary", "The words used on screens and in documents"),
		newHelpPage(a, "formats", "Keys, durations, exit codes, and each field of the JSON"),
		newHelpPage(a, "security", "What is read, written, granted, stored and sent"),
	)
	return cmd
}

// newHelpPage is one page of text, printed as it is: it is laid out for 80
// columns and needs no styles.
func newHelpPage(a *app, name, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			page, err := helpPages.Open("help/" + name + ".txt")
			if err != nil {
				return err
			}
			defer page.Close()
			_, err = io.Copy(&a.out, page)
			return err
		},
	}
}

func unknownTopic(cmd *cobra.Command, args []string) error {
	word := strings.Join(args, " ")
	cmd.SuggestionsMinimumDistance, cmd.Root().SuggestionsMinimumDistance = 2, 2
	near := append(cmd.SuggestionsFor(args[0]), cmd.Root().SuggestionsFor(args[0])...)
	if len(near) > 0 {
		return usageError("there is no help for \""+word+"\"", "did you mean 'idemtui help "+near[0]+"'?")
	}
	return usageError("there is no help for \""+word+"\"", "see 'idemtui help'")
}
