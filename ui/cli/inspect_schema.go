package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"idemtui/inspect/dsn"
	"idemtui/inspect/schema"
)

// schemaEngines are the values of --engine.
var schemaEngines = []string{string(dsn.Postgres), string(dsn.MySQL), string(dsn.SQLite)}

// newInspectSchemaCommand prints the table we recommend. It needs no database.
func newInspectSchemaCommand(a *app) *cobra.Command {
	var engine, format string
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "The table we recommend: DDL, indexes and its statements",
		Long: `Print the table we recommend as an SQL script: the DDL, and the statements to claim, renew, complete, fail and purge.

The statements have placeholders: they are to be read and copied from. A table of this shape is recognised without flags.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(schemaEngines, engine) {
				return usageError(fmt.Sprintf("--engine %q is no engine", engine), "it is one of postgres, mysql, sqlite")
			}
			recommended, err := schema.For(dsn.Engine(engine))
			if err != nil {
				return failure(err, "")
			}
			if format == formatJSON {
				return a.printJSON(recommended)
			}
			a.printf("%s", recommended.Text())
			return nil
		},
	}
	addFormat(cmd, &format, formatTable, formatJSON)
	cmd.Flags().StringVar(&engine, "engine", string(dsn.Postgres), "postgres, mysql or sqlite")
	// The only error is that the flag does not exist, and it was made above.
	_ = cmd.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions(schemaEngines, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
