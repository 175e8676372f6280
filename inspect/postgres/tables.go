package postgres

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

//go:embed candidates.sql
var candidatesSQL string

// Tables lists the tables that look like claim tables, best first, with the
// reasons; it reads the catalog and the statistics, and no table.
func (s *Store) Tables(ctx context.Context) ([]inspect.Table, error) {
	var tables []inspect.Table
	err := s.look(ctx, "list tables", func(ctx context.Context, t *tx) error {
		var err error
		tables, err = t.candidates(ctx, inspect.Target{})
		return err
	})
	return tables, err
}

// mostShaped is how many relations shapedSQL gives at most.
const mostShaped = 200

// shapedTables are the candidates of known shapes, best first: where there is one,
// no guess is taken, and the search for what may be guessed costs more. None also
// where there are too many to be sure of all.
func (t *tx) shapedTables(ctx context.Context, target inspect.Target) ([]inspect.Table, error) {
	oids, err := t.shaped(ctx)
	if err != nil || len(oids) == 0 || len(oids) >= mostShaped {
		return nil, err
	}
	found, err := t.relations(ctx, "c.oid = ANY ($1::text[]::oid[])", oids)
	if err != nil {
		return nil, err
	}
	var out []inspect.Table
	for _, r := range found {
		table, ok, _, err := t.known(ctx, r, target)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, table)
		}
	}
	sortCandidates(out)
	return out, nil
}

// candidates ranks tables of known shapes before guesses.
func (t *tx) candidates(ctx context.Context, target inspect.Target) ([]inspect.Table, error) {
	found, err := t.candidateRelations(ctx)
	if err != nil {
		return nil, err
	}
	var out []inspect.Table
	var unknown []relation
	for _, r := range found {
		table, ok, _, err := t.known(ctx, r, target)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, table)
		} else {
			unknown = append(unknown, r)
		}
	}
	values := map[[3]string][]string{}
	if len(unknown) > 0 { // the statistics are slow to read, and tell of states only
		if values, err = t.statedValues(ctx, unknown); err != nil {
			return nil, err
		}
	}
	for _, r := range unknown {
		table, err := t.candidate(ctx, r, target, values)
		if err != nil {
			return nil, err
		}
		out = append(out, table)
	}
	sortCandidates(out)
	return out, nil
}

func sortCandidates(tables []inspect.Table) {
	slices.SortStableFunc(tables, func(a, b inspect.Table) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.FullName(), b.FullName()))
	})
}

func (t *tx) candidateRelations(ctx context.Context) ([]relation, error) {
	names := inspect.CandidateNames()
	if err := t.ahead(ctx, question{candidatesSQL, []any{names.Keys, names.Times, names.Words}}, t.shapedQuestion()); err != nil {
		return nil, err
	}
	var oids []string
	err := t.texts(ctx, func(v []*string) error {
		oids = append(oids, *v[0])
		return nil
	}, candidatesSQL, names.Keys, names.Times, names.Words)
	if err != nil {
		return nil, err
	}
	shaped, err := t.shaped(ctx)
	if oids = append(oids, shaped...); err != nil || len(oids) == 0 {
		return nil, err
	}
	return t.relations(ctx, "c.oid = ANY ($1::text[]::oid[])", oids)
}

// statedValues are the values of state columns that the statistics know, by
// schema, table and column.
func (t *tx) statedValues(ctx context.Context, found []relation) (map[[3]string][]string, error) {
	out := map[[3]string][]string{}
	var schemas, names []string
	for _, r := range found {
		schemas, names = append(schemas, r.table.Schema), append(names, r.table.Name)
	}
	err := t.texts(ctx, func(v []*string) error {
		id := [3]string{*v[0], *v[1], *v[2]}
		if !slices.Contains(out[id], *v[3]) {
			out[id] = append(out[id], *v[3])
		}
		return nil
	}, `SELECT s.schemaname::text, s.tablename::text, s.attname::text, unnest(s.most_common_vals::text::text[]) FROM pg_stats s
 JOIN unnest($1::text[], $2::text[]) AS w(s, t) ON s.schemaname = w.s AND s.tablename = w.t
 WHERE translate(lower(s.attname), '_-', '') = ANY ($3::text[])`, schemas, names, inspect.CandidateNames().States)
	return out, err
}

// candidate maps one relation: by a known shape, else by a guess. What
// a guess lacks stands in the reasons.
func (t *tx) candidate(ctx context.Context, r relation, target inspect.Target, values map[[3]string][]string) (inspect.Table, error) {
	table, ok, unfit, err := t.known(ctx, r, target)
	if ok || err != nil {
		return table, err
	}
	g := inspect.GuessMapping(r.table, r.unique, func(column string) []string {
		return values[[3]string{r.table.Schema, r.table.Name, column}]
	})
	table = r.table
	table.Mapping = g.Mapping
	if unfit != "" {
		g.Why = append(g.Why, unfit)
	}
	if len(g.Missing) == 0 {
		bound, err := t.bind(ctx, r, g.Mapping, target)
		if err == nil {
			table = bound
		} else {
			g.Missing = append(g.Missing, err.Error())
		}
	}
	table.Score = max(0, g.Score-20*len(g.Missing))
	table.Reasons = append(g.Why, g.Missing...)
	table.Incomplete = len(g.Missing) > 0
	return table, nil
}

// guessed maps a named table that is of no known shape, reading the values of
// its state column where the table is small enough to be scanned.
func (t *tx) guessed(ctx context.Context, r relation, target inspect.Target) (inspect.Table, error) {
	values, err := t.statedValues(ctx, []relation{r})
	if err != nil {
		return inspect.Table{}, err
	}
	table, err := t.candidate(ctx, r, target, values)
	if err != nil || !table.Incomplete {
		return table, err
	}
	column := table.Mapping.State.Column
	if c, _ := table.Column(column); column == "" || !c.Readable {
		return table, nil
	}
	if pages, err := t.pages(ctx, r.table); err != nil || pages > exactPages {
		return table, err
	}
	id := [3]string{r.table.Schema, r.table.Name, column}
	err = t.texts(ctx, func(v []*string) error {
		if v[0] != nil && !slices.Contains(values[id], *v[0]) {
			values[id] = append(values[id], *v[0])
		}
		return nil
	}, fmt.Sprintf("SELECT DISTINCT %s::text FROM %s AS t LIMIT %d", col(column), tableName(r.table), maxRawStates))
	if err != nil {
		return table, err
	}
	return t.candidate(ctx, r, target, values)
}
