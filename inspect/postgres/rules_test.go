package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// TestRulesLaw: whatever the rules, each row is in exactly one state, and the
// condition of a search, the label of a count and the rule evaluated here agree.
func TestRulesLaw(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(`CREATE TABLE rows (id text PRIMARY KEY, a int, b text, c timestamptz);
INSERT INTO rows SELECT concat(a, '/', b, '/', c IS NULL, '/', extract(year FROM c)), a, b, c FROM unnest(ARRAY[NULL, 0, 1]) a, unnest(ARRAY[NULL, 'x', 'y z']) b, unnest(ARRAY[NULL, '1970-01-01 00:00:00+00', '2020-01-01 00:00:00+00']::timestamptz[]) c`)
	s := open(t, db.DSN())
	plain := mapped(t, s, "rows", "key=id,processing=a!null")
	for seed := range uint64(60) {
		table := plain
		m := &table.Mapping
		m.Times = map[string]inspect.TimeBinding{"c": {Sentinel: "1970-01-01 00:00:00+00"}}
		m.State.Rules = randomRules(rand.New(rand.NewPCG(seed, 1)))
		err := s.look(t.Context(), "test", func(ctx context.Context, tx *tx) error { return agree(ctx, t, tx, table) })
		if err != nil {
			t.Fatalf("seed %d, rules %v: %v", seed, m.State.Rules, err)
		}
	}
}

func randomRules(r *rand.Rand) map[inspect.State][]inspect.StateRule {
	tests := []inspect.StateTest{
		{Column: "a", Op: inspect.TestNull},
		{Column: "a", Op: inspect.TestNotNull},
		{Column: "a", Op: inspect.TestIs, Value: "0"},
		{Column: "a", Op: inspect.TestIsNot, Value: "0"},
		{Column: "b", Op: inspect.TestNull},
		{Column: "b", Op: inspect.TestIs, Value: "y z"},
		{Column: "b", Op: inspect.TestIsNot, Value: "x"},
		{Column: "c", Op: inspect.TestNull},
		{Column: "c", Op: inspect.TestNotNull},
	}
	rules := map[inspect.State][]inspect.StateRule{}
	for _, state := range inspect.StateOrder {
		for range r.IntN(3) {
			var rule inspect.StateRule
			for range r.IntN(3) {
				rule = append(rule, tests[r.IntN(len(tests))])
			}
			rules[state] = append(rules[state], rule)
		}
	}
	return rules
}

func agree(ctx context.Context, t *testing.T, tx *tx, table inspect.Table) error {
	states := append(slices.Clone(inspect.StateOrder), inspect.StateUnmapped)
	list := []string{`t."id"`, `t."a"::text`, `t."b"`, `t."c"::text`, stateLabel(table), numberedState(table)}
	for _, state := range states {
		list = append(list, fmt.Sprintf("coalesce(%s, false)::text", inState(table, state)))
	}
	return tx.texts(ctx, func(v []*string) error {
		label := inspect.State(*v[4])
		stored := map[string]*string{"id": v[0], "a": v[1], "b": v[2], "c": v[3]}
		if here, _ := stateOf(table.Mapping, stored); here != label {
			t.Errorf("%s: labelled %s, evaluated %s, by %v", *v[0], label, here, table.Mapping.State.Rules)
		}
		if numbered, _, _ := strings.Cut(*v[5], " "); numbered != string(label) {
			t.Errorf("%s: labelled %s and %s", *v[0], label, *v[5])
		}
		for i, state := range states {
			if (*v[6+i] == "true") != (state == label) {
				t.Errorf("%s: labelled %s, in %s is %s, by %v", *v[0], label, state, *v[6+i], table.Mapping.State.Rules)
			}
		}
		return nil
	}, "SELECT "+strings.Join(list, ", ")+" FROM "+tableName(table)+" AS t")
}
