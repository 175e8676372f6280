package postgres

import (
	"context"
	"fmt"
	"slices"

	"idemtui/inspect"
)

// beats reads the heartbeats of the rows' owners in the joined table. In one
// look both tables are seen at the same instant, so an owner that has just
// joined is not missed.
func (t *tx) beats(ctx context.Context, table inspect.Table, rows []read) error {
	var owners []string
	for _, r := range rows {
		if r.claim.Owner.OK {
			owners = append(owners, r.claim.Owner.V)
		}
	}
	slices.Sort(owners)
	owners = slices.Compact(owners)
	join := table.Mapping.Heartbeat.Join
	if len(owners) == 0 && !join.UnownedGone {
		return nil
	}
	at := map[string]inspect.Stamp{}
	err := t.texts(ctx, func(v []*string) error {
		// Where several rows bear one name, the latest sign of life counts.
		if beat := stampFrom(v[1], v[2]); !at[*v[0]].Valid() || beat.After(at[*v[0]].Time) {
			at[*v[0]] = beat
		}
		return nil
	}, fmt.Sprintf("SELECT %[1]s::text, (%[2]s)::text, %[3]s::text FROM %[4]s AS t WHERE %[1]s::text = ANY ($1::text[])",
		col(join.Key), stamp(*table.Joined, join.Column), col(join.Column), tableName(*table.Joined)), owners)
	if err != nil {
		return err
	}
	for i := range rows {
		c := &rows[i].claim
		if !c.Owner.OK {
			c.OwnerAbsent = join.UnownedGone
			continue
		}
		beat, there := at[c.Owner.V]
		c.HeartbeatAt, c.OwnerAbsent = beat, !there
	}
	return nil
}

// silentOwner is the condition that the owner has no fresh heartbeat in the
// joined table.
func silentOwner(table inspect.Table) string {
	join := table.Mapping.Heartbeat.Join
	owner := ownerText(table)
	return fmt.Sprintf("(%[1]s IS NULL OR %[1]s NOT IN (SELECT %[2]s::text FROM %[3]s AS t WHERE %[2]s IS NOT NULL AND (%[4]s) >= now() - %[5]s))",
		owner, col(join.Key), tableName(*table.Joined), stamp(*table.Joined, join.Column), interval(table.Mapping.HeartbeatLimit()))
}

// joined finds the table of the heartbeats. Where it is missing or may not be
// read, the heartbeats are left out and that is said.
func (t *tx) joined(ctx context.Context, table inspect.Table, m *inspect.Mapping) (*inspect.Table, string, error) {
	join := *m.Heartbeat.Join
	schema := join.Schema
	if schema == "" {
		schema = table.Schema
	}
	without := func(format string, args ...any) (*inspect.Table, string, error) {
		m.Heartbeat.Join = nil
		return nil, "heartbeats of the owners are not seen: " + fmt.Sprintf(format, args...), nil
	}
	found, err := t.relations(ctx, "replace(lower(c.relname), '_', '') = $1::text AND n.nspname = $2::text AND c.relkind IN ('r', 'p')", inspect.FoldName(join.Table), schema)
	if err != nil {
		return nil, "", err
	}
	if len(found) == 0 {
		return without("there is no table %s in schema %s", join.Table, schema)
	}
	other := found[0].table
	for _, name := range []*string{&join.Key, &join.Column} {
		c, ok := inspect.FoldedColumn(other, *name)
		switch {
		case !ok:
			return without("%s has no column %s", other.FullName(), *name)
		case !c.Readable:
			return without("GRANT SELECT (%s, %s) ON %s TO %s", ident(join.Key), ident(join.Column), tableName(other), ident(t.database.User))
		}
		*name = c.Name
	}
	if c, _ := other.Column(join.Column); !slices.Contains(timeTypes, c.Base) {
		return without("%s of %s is no time", c.Name, other.FullName())
	}
	join.Schema, join.Table = other.Schema, other.Name
	m.Heartbeat.Join = &join
	return &other, "", nil
}
