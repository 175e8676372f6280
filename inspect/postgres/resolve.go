package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

// Resolve finds the table and its mapping, and checks both against the catalog.
func (s *Store) Resolve(ctx context.Context, target inspect.Target) (inspect.Table, error) {
	var table inspect.Table
	err := s.look(ctx, "find the table", func(ctx context.Context, t *tx) error {
		var err error
		switch {
		case target.Profile != "" && target.Profile != RecommendedProfile:
			return &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("unknown profile %q", target.Profile), Next: "the profiles are: " + RecommendedProfile}
		case target.Table == "" && target.Map != nil:
			return &inspect.Fault{Kind: inspect.FaultMapping, What: "--map without a table", Next: "name it with --table [SCHEMA.]NAME"}
		case target.Table == "":
			table, err = t.recognise(ctx, target)
		default:
			table, err = t.named(ctx, target)
		}
		return err
	})
	return table, err
}

// recognise takes the only table of the recommended shape, else the only one
// whose guessed mapping is complete.
func (t *tx) recognise(ctx context.Context, target inspect.Target) (inspect.Table, error) {
	all, err := t.candidates(ctx, target)
	if err != nil {
		return inspect.Table{}, err
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(c inspect.Table) bool { return c.Mapping.Profile != RecommendedProfile })
	if len(fit) == 0 && target.Profile == "" {
		fit = slices.DeleteFunc(all, func(c inspect.Table) bool { return c.Incomplete })
	}
	switch len(fit) {
	case 1:
		return warnGuessed(fit[0]), nil
	case 0:
		return inspect.Table{}, &inspect.Fault{
			Kind: inspect.FaultNoTable, What: "no table of a known shape in database " + t.database.Name,
			Next: "name yours with --table and --map 'key=COL,state=COL,processing=VALUE,...', or see inspect tables and inspect schema",
		}
	}
	names := make([]string, len(fit))
	for i, c := range fit {
		names[i] = c.FullName()
	}
	return inspect.Table{}, &inspect.Fault{
		Kind: inspect.FaultAmbiguous, What: "several tables fit: " + strings.Join(names, ", "),
		Next: "choose one with --table", Candidates: names,
	}
}

// warnGuessed says that a mapping is a guess, and how it reads the table.
func warnGuessed(table inspect.Table) inspect.Table {
	if table.Mapping.Profile == inspect.GuessedProfile {
		table.Warnings = append(table.Warnings, fmt.Sprintf("the mapping of %s is guessed (%s): check it, correct it with --map", table.FullName(), strings.Join(table.Reasons, "; ")))
	}
	return table
}

// named finds the table that the person named.
func (t *tx) named(ctx context.Context, target inspect.Target) (inspect.Table, error) {
	r, err := t.find(ctx, target.Table)
	if err != nil {
		return inspect.Table{}, err
	}
	name := r.table.FullName()
	switch r.kind {
	case "v", "m":
		return inspect.Table{}, &inspect.Fault{Kind: inspect.FaultNotATable, What: name + " is a view", Next: "name the table behind it: locks and row versions are the table's"}
	case "f":
		return inspect.Table{}, &inspect.Fault{Kind: inspect.FaultNotATable, What: name + " is a foreign table", Next: "connect to the database that holds it"}
	}
	if !r.usable {
		return inspect.Table{}, &inspect.Fault{
			Kind: inspect.FaultPermission, What: fmt.Sprintf("role %s may not use schema %s", t.database.User, r.table.Schema),
			Next: fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", ident(r.table.Schema), ident(t.database.User)),
		}
	}
	if target.Map == nil {
		return t.unmapped(ctx, r, target)
	}
	return t.bind(ctx, r, *target.Map, target)
}

// find reads [SCHEMA.]NAME as typed, then folded to lower case as SQL would.
func (t *tx) find(ctx context.Context, typed string) (relation, error) {
	schema, name, err := splitName(typed)
	if err != nil {
		return relation{}, err
	}
	for _, try := range [][2]string{{schema, name}, {strings.ToLower(schema), strings.ToLower(name)}} {
		found, err := t.relations(ctx, "c.relname = $1::text AND ($2::text = '' OR n.nspname = $2::text)", try[1], try[0])
		if err != nil {
			return relation{}, err
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			names := make([]string, len(found))
			for i, r := range found {
				names[i] = r.table.FullName()
			}
			return relation{}, &inspect.Fault{
				Kind: inspect.FaultAmbiguous, What: fmt.Sprintf("%s is in several schemas: %s", name, strings.Join(names, ", ")),
				Next: "name the schema too", Candidates: names,
			}
		}
	}
	return relation{}, t.noSuchTable(ctx, typed, name)
}

func (t *tx) noSuchTable(ctx context.Context, typed, name string) error {
	schemas := map[string]string{}
	var names []string
	err := t.texts(ctx, func(v []*string) error {
		schemas[*v[1]] = *v[0]
		names = append(names, *v[1])
		return nil
	}, `SELECT n.nspname::text, c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%' LIMIT 20000`)
	if err != nil {
		return err
	}
	f := &inspect.Fault{
		Kind: inspect.FaultUnknownTable, What: fmt.Sprintf("database %s has no table %s", t.database.Name, typed),
		Next: "check the name and the schema, or list candidates with inspect tables",
	}
	for _, n := range near(name, names) {
		f.Candidates = append(f.Candidates, schemas[n]+"."+n)
	}
	if len(f.Candidates) > 0 {
		f.Next = "did you mean " + strings.Join(f.Candidates, " or ") + "?"
	}
	return f
}

// splitName cuts SCHEMA.NAME at a dot outside double quotes and removes them.
func splitName(typed string) (schema, name string, err error) {
	var parts []string
	var b strings.Builder
	quoted := false
	for i := 0; i < len(typed); i++ {
		switch c := typed[i]; {
		case c == '"' && quoted && i+1 < len(typed) && typed[i+1] == '"':
			b.WriteByte('"')
			i++
		case c == '"':
			quoted = !quoted
		case c == '.' && !quoted:
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	parts = append(parts, b.String())
	if quoted || len(parts) > 2 || slices.Contains(parts, "") {
		return "", "", &inspect.Fault{Kind: inspect.FaultUnknownTable, What: fmt.Sprintf("--table %q is no table name", typed), Next: `write [SCHEMA.]NAME, with "..." around a name that holds a dot`}
	}
	if len(parts) == 2 {
		return parts[0], parts[1], nil
	}
	return "", parts[0], nil
}
