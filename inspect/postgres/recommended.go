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
		Attempts: has("attempts"), CompletedAt: has("completed_at"), UpdatedAt: has("updated_at"), Result: has("result"), RunsNext: inspect.RunsNextBroker,
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

// unmapped takes a named table without a mapping by hand: by the recommended
// shape, else by a guess.
func (t *tx) unmapped(ctx context.Context, r relation, target inspect.Target) (inspect.Table, error) {
	name := r.table.FullName()
	if unlike(r) == "" {
		if !r.coveredBy([]string{"message_id"}) {
			return inspect.Table{}, &inspect.Fault{
				Kind: inspect.FaultNoKey, What: name + " has no unique key on message_id, so a claim in it is not atomic",
				Next: fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (message_id), or look anyway with --map 'key=message_id,...'", tableName(r.table)),
			}
		}
		return t.bind(ctx, r, recommendedMapping(r.table), target)
	}
	if target.Profile != "" {
		return inspect.Table{}, &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("%s does not fit profile %s: %s", name, target.Profile, unlike(r)), Next: "say how to read it with --map"}
	}
	if len(r.unique) == 0 {
		return inspect.Table{}, &inspect.Fault{Kind: inspect.FaultNoKey, What: name + " has no unique key, so nothing in it can be claimed atomically", Next: "add one on the message id, or look anyway with --map 'key=COL,state=COL,...'"}
	}
	table, err := t.guessed(ctx, r, target)
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
