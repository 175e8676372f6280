package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

// RecommendedProfile names the table that inspect schema prints.
const RecommendedProfile = "processed-messages"

var (
	textTypes = []string{"text", "varchar", "bpchar", "citext", "uuid", "int8", "bytea"}
	timeTypes = []string{"timestamptz", "timestamp"}
)

// recommendedColumns are the columns that make the shape, with the types they
// may have. The name of the table plays no part.
var recommendedColumns = map[string][]string{
	"message_id": textTypes, "state": {"text", "varchar"}, "owner": {"text", "varchar"},
	"claimed_at": timeTypes, "lease_expires_at": timeTypes, "fencing_token": {"int8", "int4", "numeric"},
}

// recommendedMapping binds the shape; columns that are not there are left out.
func recommendedMapping(t inspect.Table) inspect.Mapping {
	has := func(name string) string {
		if _, ok := t.Column(name); ok {
			return name
		}
		return ""
	}
	return inspect.Mapping{
		Profile: RecommendedProfile, Verified: true, Kind: inspect.KindStateLease,
		Key: []inspect.KeyColumn{{Column: "message_id", Role: inspect.RoleMessage}},
		State: inspect.StateBinding{Column: "state", Values: map[inspect.State][]string{
			inspect.StateProcessing: {"PROCESSING"}, inspect.StateDone: {"DONE"}, inspect.StateFailed: {"FAILED"},
		}},
		ClaimedAt: "claimed_at", Lease: inspect.LeaseBinding{Column: "lease_expires_at"}, Owner: "owner", Token: "fencing_token",
		Attempts: has("attempts"), CompletedAt: has("completed_at"), UpdatedAt: has("updated_at"), RunsNext: inspect.RunsNextBroker,
	}
}

// unlike says in which way a relation is not of the recommended shape; "" when
// it is.
func unlike(r relation) string {
	var missing []string
	for name, types := range recommendedColumns {
		c, ok := r.table.Column(name)
		if !ok || !slices.Contains(types, c.Base) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		return "it has no " + strings.Join(missing, ", ")
	}
	return ""
}

// recommended finds every table of the recommended shape with a unique key.
func (t *tx) recommended(ctx context.Context, target inspect.Target) ([]inspect.Table, error) {
	found, err := t.relations(ctx, `c.relkind IN ('r', 'p') AND NOT c.relispartition AND has_schema_privilege(n.oid, 'USAGE') AND
 (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  AND a.attname IN ('message_id', 'state', 'owner', 'claimed_at', 'lease_expires_at', 'fencing_token')) = 6`)
	if err != nil {
		return nil, err
	}
	var out []inspect.Table
	for _, r := range found {
		if unlike(r) != "" || !r.coveredBy([]string{"message_id"}) {
			continue
		}
		table, err := t.bind(ctx, r, recommendedMapping(r.table), target)
		if err != nil && len(found) > 1 {
			continue
		}
		if err != nil {
			return nil, err
		}
		table.Reasons = append(table.Reasons, "its columns, types and key are those of the table that inspect schema prints")
		out = append(out, table)
	}
	return out, nil
}

// asRecommended takes a named table without a mapping.
func (t *tx) asRecommended(ctx context.Context, r relation, target inspect.Target) (inspect.Table, error) {
	name := r.table.FullName()
	if why := unlike(r); why != "" {
		if len(r.unique) == 0 {
			return inspect.Table{}, &inspect.Fault{Kind: inspect.FaultNoKey, What: name + " has no unique key, so nothing in it can be claimed atomically", Next: "add one on the message id, or look anyway with --map 'key=COL,state=COL,...'"}
		}
		var columns []string
		for _, c := range r.table.Columns {
			columns = append(columns, c.Name)
		}
		return inspect.Table{}, &inspect.Fault{
			Kind: inspect.FaultMapping, What: fmt.Sprintf("%s is of no known shape", name),
			Next: fmt.Sprintf("say how to read it: --map 'key=COL,state=COL,processing=VALUE,lease=COL,...' with its columns %s", strings.Join(columns[:min(20, len(columns))], ", ")),
		}
	}
	if !r.coveredBy([]string{"message_id"}) {
		return inspect.Table{}, &inspect.Fault{
			Kind: inspect.FaultNoKey, What: name + " has no unique key on message_id, so a claim in it is not atomic",
			Next: fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (message_id), or look anyway with --map 'key=message_id,...'", tableName(r.table)),
		}
	}
	return t.bind(ctx, r, recommendedMapping(r.table), target)
}
