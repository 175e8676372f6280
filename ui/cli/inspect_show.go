package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/ui/text"
	"idemtui/ui/triage"
)

// showFlags say how much of one claim is shown.
type showFlags struct {
	format     string
	allColumns bool
	database   string
}

func newInspectShowCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show KEY",
		Short: "One claim with its evidence, and the queries behind it",
		Args:  oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runShow(cmd, shared, flags, args[0])
		},
	}
	addFormat(cmd, &flags.format, formatTable, formatJSON)
	cmd.Flags().BoolVar(&flags.allColumns, "all-columns", false, "every column that may be read, payloads too")
	cmd.Flags().StringVar(&flags.database, "database", "", "which of several databases, by its id")
	return cmd
}

// oneKey wants exactly one key.
func oneKey(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usageError("no key is given", fmt.Sprintf("write '%s KEY'", cmd.CommandPath()))
	case 1:
		return nil
	default:
		return usageError(fmt.Sprintf("%d keys are given, and '%s' is for one", len(args), cmd.CommandPath()), "quote a key with spaces; a key that starts with - comes after --")
	}
}

func (a *app) runShow(cmd *cobra.Command, shared *inspectFlags, flags *showFlags, word string) (err error) {
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
	key, err := inspect.ParseKey(word, o.table.Mapping.Key)
	if err != nil {
		return usageError(err.Error(), "see 'idemtui help formats'")
	}
	detail, err := a.showTwice(ctx, o, key, inspect.ShowOptions{AllColumns: flags.allColumns})
	if err != nil {
		return placeError(err)
	}
	detail.Columns = slices.DeleteFunc(detail.Columns, func(c inspect.ColumnValue) bool {
		return slices.ContainsFunc(o.place.hide, func(n string) bool { return strings.EqualFold(n, c.Column) })
	})
	if flags.format == formatJSON {
		return inspect.EncodeClaim(&a.out, detail)
	}
	a.printDetail(detail, shared.mode(places))
	return nil
}

// printDetail is everything about one claim, as text.
func (a *app) printDetail(d inspect.Detail, mode inspect.Mode) {
	line := func(name, value string) { a.printf("%-13s %s\n", name, text.Sanitise(value)) }
	a.printf("%s\n\n", headLine(inspect.Snapshot{Database: d.Database, Table: d.Table, At: d.At}, mode))
	c := d.Claim
	line("key", c.Key.Visible())
	line("state", strings.ToUpper(string(c.State))+storedAs(c))
	if c.Condition != inspect.ConditionNone {
		line("condition", strings.ToUpper(string(c.Condition)))
	}
	if c.Verdict != inspect.VerdictNone {
		line("verdict", triage.VerdictText(c)+"  "+triage.DecidingText(c))
	}
	line("owner", c.Owner.Or("-"))
	line("token", c.Token.Or("-"))
	if c.Attempts.OK {
		line("attempts", strconv.FormatInt(c.Attempts.V, 10))
	}
	for _, named := range c.Stamps() {
		if !named.Stamp.None() {
			line(named.Name, named.Stamp.String()+relative(named.Stamp, d))
		}
	}
	if c.FreesItselfAt.Valid() {
		line("frees itself", c.FreesItselfAt.String()+relative(c.FreesItselfAt, d))
	}
	a.printSection("evidence", evidenceLines(c.Evidence))
	a.printSection("notes", c.Notes)
	a.printSection("columns", columnLines(d.Columns))
	a.printQueries("check it by hand", d.SQL)
	a.printSection("if it is released", d.IfReleased)
}

// storedAs adds the table's own word for the state where it is another.
func storedAs(c inspect.Claim) string {
	if strings.EqualFold(c.RawState, string(c.State)) || c.RawState == "" {
		return ""
	}
	return " (stored as " + c.RawState + ")"
}

// relative says how far an instant is from the database's clock.
func relative(s inspect.Stamp, d inspect.Detail) string {
	switch {
	case !s.Valid():
		return ""
	case s.Time.After(d.At):
		return "  in " + text.Duration(s.Time.Sub(d.At))
	default:
		return "  " + text.Duration(d.At.Sub(s.Time)) + " ago"
	}
}

func evidenceLines(evidence []inspect.Evidence) []string {
	lines := make([]string, len(evidence))
	for i, e := range evidence {
		points := map[inspect.For]string{inspect.ForAlive: "for alive", inspect.ForDead: "for dead", inspect.ForNeither: "for neither"}[e.For]
		lines[i] = fmt.Sprintf("%-13s %-11s %s", e.Rung, points, e.Text)
	}
	return lines
}

func columnLines(columns []inspect.ColumnValue) []string {
	lines := make([]string, len(columns))
	for i, c := range columns {
		value := "NULL"
		if c.Value != nil {
			value = *c.Value
		}
		lines[i] = c.Column + " = " + value
	}
	return lines
}

// printSection prints a titled list, or nothing where there is nothing.
func (a *app) printSection(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	a.printf("\n%s\n", title)
	for _, line := range lines {
		a.printf("  %s\n", text.Sanitise(line))
	}
}

// printQueries is printSection for SQL, which keeps its lines.
func (a *app) printQueries(title string, queries []string) {
	var lines []string
	for _, query := range queries {
		lines = append(lines, strings.Split(query, "\n")...)
	}
	a.printSection(title, lines)
}
