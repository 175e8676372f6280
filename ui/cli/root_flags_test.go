package cli

import (
	"bytes"
	"io"
	"testing"

	"github.com/spf13/cobra"
)

// A number that is none is told in words for people, not in those of the library.
func TestNumbersThatAreNoneAreToldPlainly(t *testing.T) {
	for given, want := range map[string]string{
		"99999999999999999999": `--limit "99999999999999999999" is too large or too small a number; see 'idemtui list --help'`,
		"many":                 `--limit "many" is no number; see 'idemtui list --help'`,
	} {
		root := &cobra.Command{Use: "idemtui", SilenceErrors: true, SilenceUsage: true}
		list := &cobra.Command{Use: "list", RunE: func(*cobra.Command, []string) error { return nil }}
		list.Flags().Int("limit", 0, "")
		root.AddCommand(list)
		root.SetFlagErrorFunc(flagError)
		root.SetArgs([]string{"list", "--limit", given})
		root.SetOut(io.Discard)
		root.SetErr(&bytes.Buffer{})
		if err := root.Execute(); err == nil || err.Error() != want {
			t.Errorf("--limit %s: %v, want %s", given, err, want)
		}
	}
}
