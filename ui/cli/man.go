package cli

import (
	"fmt"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"
)

// newManCommand prints the manual page of all commands in roff, for a package
// or for 'man -l -'.
func newManCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page in roff",
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page, err := mango.NewManPage(1, cmd.Root())
			if err != nil {
				return fmt.Errorf("write the manual page: %w", err)
			}
			a.printf("%s", page.Build(roff.NewDocument()))
			return nil
		},
	}
}
