package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The values of --format. A command offers those it has a printer for.
const (
	formatTable    = "table"
	formatJSON     = "json"
	formatCSV      = "csv"
	formatMarkdown = "markdown"
)

// formatFlag is --format, checked while the command line is read.
type formatFlag struct {
	value   *string
	allowed []string
}

func (f formatFlag) Set(text string) error {
	if !slices.Contains(f.allowed, text) {
		return fmt.Errorf("it is one of %s", strings.Join(f.allowed, ", "))
	}
	*f.value = text
	return nil
}

func (f formatFlag) String() string {
	if f.value == nil {
		return ""
	}
	return *f.value
}

// Type is the word that help shows for the value.
func (f formatFlag) Type() string { return "format" }

// addFormat adds --format with the formats that this command prints; the first
// one is the default.
func addFormat(cmd *cobra.Command, value *string, allowed ...string) {
	*value = allowed[0]
	cmd.Flags().VarP(formatFlag{value, allowed}, "format", "f", "how to print: "+strings.Join(allowed, ", "))
	// The only error is that the flag does not exist, and it was made above.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
}
