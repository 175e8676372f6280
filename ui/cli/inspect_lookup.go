package cli

import (
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/ui/text"
	"idemtui/ui/triage"
)

// lookupFlags say which keys are looked up.
type lookupFlags struct {
	format   string
	from     string
	database string
}

func newInspectLookupCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &lookupFlags{}
	cmd := &cobra.Command{
		Use:   "lookup [KEY...]",
		Short: "What the table says of each of many keys, with counts",
		Long: `What the table says of each key: of a list of payments from a ticket, say. Counts by class come first.

--from reads a key a line, or the first column of a CSV; - is standard input. Each distinct key is in one class;
repeats and blank lines are counted. To release what is stuck among them: idemtui inspect release --from FILE.`,
		Example: `
idemtui inspect lookup pay_1 pay_2 --connection payments
idemtui inspect lookup --from ticket.txt --connection payments --format csv`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runLookup(cmd, shared, flags, args) },
	}
	addFormat(cmd, &flags.format, formatTable, formatJSON, formatCSV)
	cmd.Flags().StringVar(&flags.from, "from", "", "a file with the keys; - is standard input")
	cmd.Flags().StringVar(&flags.database, "database", "", "which of several databases, by its id")
	return cmd
}

func (a *app) runLookup(cmd *cobra.Command, shared *inspectFlags, flags *lookupFlags, words []string) (err error) {
	switch given(len(words) > 0, flags.from != "") {
	case 0:
		return usageError("no key is named", "give keys, or a file with --from")
	case 2:
		return usageError("keys and --from exclude each other", "give one of them")
	}
	places, err := a.places(cmd, shared)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	o, err := a.single(ctx, places, shared, flags.database)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, o.store) }()
	keys, err := a.keyList(o.table, flags.from, words)
	if err != nil {
		return err
	}
	reader, can := o.store.(inspect.KeyReader)
	if !can {
		return failure(fmt.Errorf("%s cannot be asked for many keys at once", o.database.ID), "look with 'idemtui inspect list --key'")
	}
	found, err := reader.Lookup(ctx, o.table, keys, nil)
	if err != nil {
		return placeError(err)
	}
	switch flags.format {
	case formatJSON:
		return inspect.EncodeLookup(&a.out, found)
	case formatCSV:
		return a.printLookupCSV(found)
	}
	a.printLookup(found, shared.mode(places))
	return nil
}

// keyList reads keys as typed, or a file of them. A line that is no key of the
// table is an error, for an unread key is no key without a row.
func (a *app) keyList(table inspect.Table, from string, words []string) (inspect.KeyList, error) {
	content := strings.Join(words, "\n")
	if from != "" {
		read, err := a.readFile(from)
		if err != nil {
			return inspect.KeyList{}, usageError("--from: "+err.Error(), "name a file with a key a line")
		}
		content = strings.TrimPrefix(read, "\uFEFF")
	}
	keys := inspect.ReadKeys(content, table.Mapping.Key)
	var bad inspect.BadLines
	for _, b := range keys.Bad {
		bad = append(bad, inspect.BadLine{Line: b.Line, What: b.Err.Error()})
	}
	switch {
	case len(bad) > 0 && from == "":
		return keys, usageError(keys.Bad[0].Err.Error(), "see 'idemtui help formats'")
	case len(bad) > 0:
		return keys, usageError(fmt.Sprintf("%s: %s", from, bad), "see 'idemtui help formats' for how a key is written")
	case len(keys.Keys) == 0:
		return keys, usageError(fmt.Sprintf("%s holds no key", from), "write a key a line")
	}
	return keys, nil
}

func (a *app) printLookup(l inspect.Lookup, mode inspect.Mode) {
	a.printf("%s\n%s\n\n", headLine(inspect.Snapshot{Database: l.Database, Table: l.Table, At: l.At}, mode), l.Summary())
	table := newTextTable("KEY", "CLASS", "OWNER", "CLAIMED", "WHAT THE ROW SAYS")
	for _, k := range l.Keys {
		if k.Class == inspect.ClassNoRow {
			table.add(k.Key.Visible(), k.Class.Words(), "-", "-", "no row: never seen, or forgotten")
			continue
		}
		table.add(k.Key.Visible(), k.Class.Words(), k.Claim.Owner.Or("-"), ageText(k.Claim), lookedUpText(k.Claim))
	}
	a.printf("%s", table)
}

func ageText(c inspect.Claim) string {
	if !c.Age.OK {
		return "-"
	}
	return inspect.FormatSpan(c.Age.V)
}

// lookedUpText is the fact that a person needs first.
func lookedUpText(c inspect.Claim) string {
	switch {
	case c.State == inspect.StateProcessing:
		return triage.VerdictText(c) + "  " + triage.DecidingText(c)
	case c.State == inspect.StateDone && c.CompletedAt.Valid():
		return "done since " + c.CompletedAt.String()
	case c.State == inspect.StateFailed && c.FailedAt.Valid():
		return "failed since " + c.FailedAt.String()
	}
	return c.RawState
}

func (a *app) printLookupCSV(l inspect.Lookup) error {
	w := csv.NewWriter(&a.out)
	if err := w.Write([]string{"key", "class", "owner", "claimed_at", "lease_until", "completed_at", "verdict"}); err != nil {
		return err
	}
	for _, k := range l.Keys {
		c := k.Claim
		record := []string{k.Key.String(), string(k.Class), c.Owner.V, stampCell(c.ClaimedAt), stampCell(c.LeaseUntil), stampCell(c.CompletedAt), string(c.Verdict)}
		for i := range record {
			record[i] = text.Sanitise(record[i])
		}
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
