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
		if target.Profile != "" {
			if _, err := t.profile(target.Profile); err != nil {
				return err
			}
		}
		var err error
		switch {
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

// recognise takes the only table of the recommended shape, else the only one of
// a known shape, else the only one whose guessed mapping is complete. What fits
// too is named.
func (t *tx) recognise(ctx context.Context, target inspect.Target) (inspect.Table, error) {
	all, err := t.shapedTables(ctx, target)
	if err == nil && len(all) == 0 {
		all, err = t.candidates(ctx, target)
	}
	if err != nil {
		return inspect.Table{}, err
	}
	var fit []inspect.Table
	for _, wanted := range []func(inspect.Table) bool{
		func(c inspect.Table) bool { return c.Mapping.Profile == RecommendedProfile },
		func(c inspect.Table) bool { return c.Mapping.Profile != inspect.GuessedProfile },
		func(c inspect.Table) bool { return !c.Incomplete && target.Profile == "" },
	} {
		for _, c := range all {
			if wanted(c) {
				fit = append(fit, c)
			}
		}
		if len(fit) > 0 {
			break
		}
	}
	switch len(fit) {
	case 1:
		return warnOthers(warnGuessed(fit[0]), all), nil
	case 0:
		shape := "a known shape"
		if target.Profile != "" {
			shape = "the shape of profile " + target.Profile
		}
		return inspect.Table{}, &inspect.Fault{
			Kind: inspect.FaultNoTable, What: fmt.Sprintf("no table of %s in database %s", shape, t.database.Name),
			Next: "name yours with --table and --map 'key=COL,state=COL,processing=VALUE,...', or see inspect tables and inspect schema",
		}
	}
	names, shown := make([]string, len(fit)), make([]string, len(fit))
	for i, c := range fit {
		names[i] = c.FullName()
		shown[i] = c.FullName()
		if c.Mapping.Profile != RecommendedProfile {
			shown[i] += " (" + c.Mapping.Profile + ")"
		}
	}
	return inspect.Table{}, &inspect.Fault{
		Kind: inspect.FaultAmbiguous, What: "several tables fit: " + strings.Join(shown, ", "),
		Next: "choose one with --table", Candidates: names,
	}
}

// warnOthers names the other tables of known shapes, of which one was taken; beside
// a guess, those that need a word to be read: the claims may be theirs.
func warnOthers(table inspect.Table, all []inspect.Table) inspect.Table {
	var others, unread []string
	for _, c := range all {
		if c.OID != table.OID && c.Mapping.Profile != inspect.GuessedProfile {
			others = append(others, fmt.Sprintf("%s (%s)", c.FullName(), c.Mapping.Profile))
		}
		if c.Incomplete && c.Score > 0 && table.Mapping.Profile == inspect.GuessedProfile {
			unread = append(unread, c.FullName())
		}
	}
	if len(unread) > 0 {
		table.Warnings = append(table.Warnings, fmt.Sprintf("%s was taken; these may hold claims too, and need --table and --map: %s (inspect tables says what is missing)", table.FullName(), strings.Join(unread[:min(3, len(unread))], ", ")))
	}
	if len(others) > 0 {
		table.Warnings = append(table.Warnings, fmt.Sprintf("%s was taken; known shapes too: %s (--table)", table.FullName(), strings.Join(others, ", ")))
	}
	return table
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
