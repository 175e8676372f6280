package cli

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// newInspectTablesCommand ranks the tables that may hold claims.
func newInspectTablesCommand(a *app, shared *inspectFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "Candidate tables, with profile, score and why",
		Long: `Rank the tables that look like claim tables, best first, with the reasons.

It reads the catalogue and the statistics, and no table. A known framework's table is recognised by its columns, types and keys,
never by its name; others are guessed from names. Look at one with --table; correct a guess with --map.`,
		Example: `
idemtui inspect tables --dsn postgres://inspector@db-1/payments
idemtui inspect tables --connection payments --format json | jq -r '.tables[0].name'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runTables(cmd, shared, format) },
	}
	addFormat(cmd, &format, formatTable, formatJSON, formatCSV)
	return cmd
}

func (a *app) runTables(cmd *cobra.Command, shared *inspectFlags, format string) error {
	places, err := a.places(cmd, shared)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	found, errs := atEach(places, func(p place) (tables []inspect.Table, err error) {
		store, err := a.openPlace(p, shared)
		if err != nil {
			return nil, err
		}
		defer func() { err = joinClose(err, store) }()
		return store.Tables(ctx)
	})
	failed := a.placesFailed(ctx, places, errs)
	var all []inspect.Table
	living := 0
	for i, err := range errs {
		if err == nil {
			living++
			all = append(all, found[i]...)
		}
	}
	if living == 0 {
		return failed
	}
	if err := a.printTables(all, len(places) > 1, format); err != nil {
		return err
	}
	return failed
}

func (a *app) printTables(tables []inspect.Table, several bool, format string) error {
	switch format {
	case formatJSON:
		return inspect.EncodeTables(&a.out, tables)
	case formatCSV:
		return a.csvTables(tables)
	}
	if len(tables) == 0 {
		a.printf("no table looks like a claim table; name yours with --table and --map, or see 'idemtui inspect schema'\n")
		return nil
	}
	titles := []string{"TABLE", "PROFILE", "KIND", "SCORE", "ROWS", "WHY"}
	if several {
		titles = append([]string{"DATABASE"}, titles...)
	}
	out := newTextTable(titles...).alignRight("SCORE", "ROWS")
	for _, t := range tables {
		rows := "?"
		if t.EstimatedRows.OK {
			rows = text.Count(t.EstimatedRows.V, false)
		}
		why := strings.Join(t.Reasons, "; ")
		if t.Incomplete {
			why = "needs --map: " + why
		}
		cells := []string{t.FullName(), t.Mapping.Profile, string(t.Mapping.Kind), strconv.Itoa(t.Score), rows, why}
		if several {
			cells = append([]string{t.Database}, cells...)
		}
		out.add(cells...)
	}
	a.printf("%s", out)
	return nil
}

func (a *app) csvTables(tables []inspect.Table) error {
	writer := csv.NewWriter(&a.out)
	if err := writer.Write([]string{"name", "profile", "kind", "score"}); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for _, t := range tables {
		record := []string{text.Sanitise(t.FullName()), t.Mapping.Profile, string(t.Mapping.Kind), strconv.Itoa(t.Score)}
		if err := writer.Write(record); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	writer.Flush()
	if err := writer.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
