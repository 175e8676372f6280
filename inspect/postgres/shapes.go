package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

//go:embed shaped.sql
var shapedSQL string

// RecommendedProfile names the table that inspect schema prints.
const RecommendedProfile = "processed-messages"

var timeTypes = []string{"timestamptz", "timestamp"}

// shapedQuestion asks for the relations that have all columns of a known shape.
func (t *tx) shapedQuestion() question {
	var shapes, columns, first, telling []string
	for _, p := range t.profiles {
		for _, c := range p.Match.Require {
			shapes, columns = append(shapes, p.Name), append(columns, c)
		}
		first, telling = append(first, p.Name), append(telling, p.Match.Require[0])
	}
	return question{shapedSQL, []any{shapes, columns, first, telling}}
}

// shaped finds the relations that have all columns of a known shape.
func (t *tx) shaped(ctx context.Context) ([]string, error) {
	var oids []string
	q := t.shapedQuestion()
	err := t.texts(ctx, func(v []*string) error {
		oids = append(oids, *v[0])
		return nil
	}, q.sql, q.args...)
	return oids, err
}

// profile finds a profile by its name.
func (t *tx) profile(name string) (inspect.Profile, error) {
	names := make([]string, len(t.profiles))
	for i, p := range t.profiles {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return inspect.Profile{}, &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("unknown profile %q", name), Next: "the profiles are: " + strings.Join(names, ", "), Candidates: near(name, names)}
}

// fitting finds the profile whose shape a relation has, the strictest first.
// What keeps a relation of a known shape from being used is an error.
func (t *tx) fitting(ctx context.Context, r relation, target inspect.Target) (inspect.Table, bool, error) {
	var best inspect.Profile
	var keyless error
	for _, p := range t.profiles {
		if (target.Profile != "" && p.Name != target.Profile) || !slices.Contains(p.Engines, "postgres") || p.Misfit(r.table) != "" {
			continue
		}
		if key := p.Keyless(r.table, r.unique); key != "" {
			keyless = noUniqueKey(r, key)
			continue
		}
		if best.Name == "" || p.Score() > best.Score() {
			best = p
		}
	}
	if best.Name == "" {
		return inspect.Table{}, false, keyless
	}
	table, err := t.shape(ctx, r, best, target)
	return table, err == nil, err
}

func noUniqueKey(r relation, key string) error {
	quoted := strings.Split(key, ", ")
	for i := range quoted {
		if strings.ToLower(quoted[i]) != quoted[i] {
			quoted[i] = ident(quoted[i])
		}
	}
	return &inspect.Fault{
		Kind: inspect.FaultNoKey, What: fmt.Sprintf("%s has no unique key on %s, so a claim in it is not atomic", r.table.FullName(), key),
		Next: fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (%[2]s), or look anyway with --map 'key=%[3]s,...'", tableName(r.table), strings.Join(quoted, ", "), strings.ReplaceAll(key, ", ", "+")),
	}
}

// shape binds a relation by a profile that fits it.
func (t *tx) shape(ctx context.Context, r relation, p inspect.Profile, target inspect.Target) (inspect.Table, error) {
	table, err := t.bind(ctx, r, p.Fit(r.table, r.unique), target)
	if err != nil {
		return table, err
	}
	table.Score = p.Score()
	table.Reasons = append(table.Reasons, p.Why(r.table))
	if !p.Verified {
		table.Warnings = append(table.Warnings, fmt.Sprintf("profile %s is unverified: written from %s, not tested on tables that the framework itself made; look only, until --allow-unverified", p.Name, p.Source))
	}
	return table, nil
}

// unmapped takes a named table without a mapping by hand: by a profile, else by
// a guess.
func (t *tx) unmapped(ctx context.Context, r relation, target inspect.Target) (inspect.Table, error) {
	table, ok, err := t.fitting(ctx, r, target)
	if ok || err != nil {
		return table, err
	}
	name := r.table.FullName()
	if target.Profile != "" {
		p, err := t.profile(target.Profile)
		if err != nil {
			return inspect.Table{}, err
		}
		why := p.Misfit(r.table)
		if why == "" {
			why = "it is for " + strings.Join(p.Engines, ", ")
		}
		return inspect.Table{}, &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("%s does not fit profile %s: %s", name, target.Profile, why), Next: "say how to read it with --map"}
	}
	if len(r.unique) == 0 {
		return inspect.Table{}, &inspect.Fault{Kind: inspect.FaultNoKey, What: name + " has no unique key, so nothing in it can be claimed atomically", Next: "add one on the message id, or look anyway with --map 'key=COL,state=COL,...'"}
	}
	table, err = t.guessed(ctx, r, target)
	if err != nil || !table.Incomplete {
		return warnGuessed(table), err
	}
	var columns []string
	for _, c := range r.table.Columns {
		columns = append(columns, c.Name)
	}
	return inspect.Table{}, &inspect.Fault{
		Kind: inspect.FaultMapping, What: fmt.Sprintf("%s is of no known shape (%s)", name, strings.Join(table.Reasons, "; ")),
		Next: fmt.Sprintf("say how to read it: --map 'key=COL,state=COL,processing=VALUE,lease=COL,...' with its columns %s", strings.Join(columns[:min(20, len(columns))], ", ")),
	}
}

// known is a candidate of a known shape; not one that cannot be used, whose
// reason is kept for the guess.
func (t *tx) known(ctx context.Context, r relation, target inspect.Target) (inspect.Table, bool, string, error) {
	table, ok, err := t.fitting(ctx, r, target)
	var fault *inspect.Fault
	if errors.As(err, &fault) {
		return table, false, fault.What, nil
	}
	return table, ok, "", err
}
