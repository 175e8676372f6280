package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"idemtui/inspect"
)

// Plan reads the claims asked for and says what a release would do. It writes
// nothing.
func (s *Store) Plan(ctx context.Context, table inspect.Table, request inspect.PlanRequest) (inspect.Plan, error) {
	var plan inspect.Plan
	request, err := s.findOnReplica(ctx, table, request)
	if err != nil {
		return plan, err
	}
	err = s.look(ctx, "plan a release in "+table.FullName(), func(ctx context.Context, t *tx) error {
		mode, err := inspect.ResolveReleaseMode(table.Mapping, request.Mode)
		if err == nil {
			err = t.mayPlan(table, request)
		}
		w := newWrite(table, mode, request.OverrideLease, s.auditColumns(table))
		if err == nil {
			err = t.mayWrite(w)
		}
		if err == nil {
			err = t.mayCall(ctx, w)
		}
		if err == nil {
			err = t.removesNoMore(ctx, w)
		}
		if err != nil {
			return err
		}
		claims, missing, err := s.asked(ctx, t, table, request)
		if err != nil {
			return err
		}
		plan = inspect.Plan{
			Database: t.database.ID, Table: table.FullName(), Mode: mode, OverrideLease: request.OverrideLease, SQL: w.shown(),
			Consequence: inspect.Consequences(table, mode, request.OverrideLease), RunsNext: table.Mapping.RunsNextAfter(mode), ReadAt: t.now(),
		}
		plan.Rows, plan.Refused = t.planned(table, mode, claims, missing, request.OverrideLease, request.Bulk || len(request.Keys) == 0)
		if text := unknownOfAll(plan.Rows); text != "" {
			plan.Consequence = append(plan.Consequence, text)
		}
		if err := t.plannedWith(ctx, w, &plan); err != nil {
			return err
		}
		plan.ID = inspect.PlanID(plan)
		return nil
	})
	return plan, err
}

// planned parts judged claims into those that may be written and those that are
// refused. bulk leaves out what may only be written on its own.
func (t *tx) planned(table inspect.Table, mode inspect.ReleaseMode, claims []inspect.Claim, missing []inspect.Key, override, bulk bool) (rows []inspect.PlannedRow, refused []inspect.Skip) {
	for _, k := range missing {
		refused = append(refused, inspect.Skip{Key: k, Reason: inspect.ReasonGone, Text: "no row with this key"})
	}
	for _, c := range claims {
		if skip, no := inspect.Refuse(c, table.Mapping, override, bulk, t.now()); no {
			refused = append(refused, skip)
			continue
		}
		if skip, no := inspect.RefuseMode(c, table.Mapping, mode); no {
			refused = append(refused, skip)
			continue
		}
		row := inspect.PlannedFrom(c)
		row.Unknown = inspect.UnknownOutcome(c, table.Mapping, t.now())
		rows = append(rows, row)
	}
	return rows, refused
}

// unknownOfAll is what is known about the charges where it is the same of all
// and more than that it is not known, "" otherwise.
func unknownOfAll(rows []inspect.PlannedRow) string {
	if len(rows) == 0 || rows[0].Unknown == inspect.UnknownOutcome(inspect.Claim{}, inspect.Mapping{}, time.Time{}) {
		return ""
	}
	for _, r := range rows {
		if r.Unknown != rows[0].Unknown {
			return ""
		}
	}
	return rows[0].Unknown
}

// mayPlan refuses what can be known of a request before anything is tried.
func (t *tx) mayPlan(table inspect.Table, request inspect.PlanRequest) error {
	refuse := func(kind inspect.FaultKind, what, next string) error {
		return &inspect.Fault{Kind: kind, What: what, Next: next}
	}
	m := table.Mapping
	switch {
	case t.database.Standby:
		return refuse(inspect.FaultReadOnly, fmt.Sprintf("%s is a standby, %s behind: nothing can be released here", t.database.ID, inspect.FormatSpan(t.database.ReplayLag.V)), "connect to the primary")
	case t.database.ReadOnly:
		return refuse(inspect.FaultReadOnly, fmt.Sprintf("sessions of role %s are read-only by default on %s, so nothing is released", t.database.User, t.database.ID), "use a role that may write")
	case request.OverrideLease && len(request.Keys) != 1:
		return refuse(inspect.FaultRefused, "a running lease is overridden one key at a time", "name the key")
	case !m.State.Claims():
		return refuse(inspect.FaultMapping, "no state is mapped to processing, so nothing can be released", "say which value means claimed: --map 'processing=VALUE'")
	case len(request.Keys) == 0 && m.OnlyByKey() != "":
		return refuse(inspect.FaultRefused, fmt.Sprintf("claims of %s are released only by key: %s", table.FullName(), m.OnlyByKey()), "name each key")
	case request.Owner.OK && m.Owner == "":
		return refuse(inspect.FaultMapping, "the table has no owner to release by", "release by key")
	case !m.Lease.Mapped() && m.ClaimedAt == "" && !m.Heartbeat.Mapped() && !table.RowVersions:
		return refuse(inspect.FaultRefused, "no lease, no heartbeat, no claim time and no row version can be seen, so a release cannot be guarded", fmt.Sprintf("GRANT SELECT (xmin, xmax) ON %s TO %s", tableName(table), ident(t.database.User)))
	}
	return nil
}

// mayWrite refuses what the role may not do.
func (t *tx) mayWrite(w write) error {
	refuse := func(kind inspect.FaultKind, what, next string) error {
		return &inspect.Fault{Kind: kind, What: what, Next: next}
	}
	table := w.table
	var denied []string
	for _, column := range w.setColumns() {
		if c, _ := table.Column(column); !c.Writable {
			denied = append(denied, ident(column))
		}
	}
	switch {
	case len(denied) > 0:
		return refuse(inspect.FaultPermission, fmt.Sprintf("role %s may not write %s of %s", t.database.User, strings.Join(denied, ", "), table.FullName()),
			fmt.Sprintf("GRANT UPDATE (%s) ON %s TO %s", strings.Join(denied, ", "), tableName(table), ident(t.database.User)))
	case w.draws() && !table.CanDraw:
		return refuse(inspect.FaultPermission, fmt.Sprintf("role %s may not draw the next token from sequence %s", t.database.User, table.TokenSequence),
			fmt.Sprintf("GRANT USAGE ON SEQUENCE %s TO %s", table.TokenSequence, ident(t.database.User)))
	case w.removes() && (!table.CanDelete || !table.CanUpdate):
		return refuse(inspect.FaultPermission, fmt.Sprintf("role %s may not delete from %s", t.database.User, table.FullName()),
			fmt.Sprintf("GRANT UPDATE, DELETE ON %s TO %s (UPDATE to lock the rows first)", tableName(table), ident(t.database.User)))
	case w.removes() && slices.ContainsFunc(table.Columns, func(c inspect.Column) bool { return !c.Readable }):
		return refuse(inspect.FaultPermission, fmt.Sprintf("not every column of %s may be read by role %s, so a deleted row could not be put back", table.FullName(), t.database.User), "grant SELECT on the table (hide: in the config keeps columns back too), or choose another --mode")
	}
	return nil
}

// removesNoMore refuses to delete rows with which the server would delete or
// change rows of other tables: those are in no record, and no undo puts them back.
func (t *tx) removesNoMore(ctx context.Context, w write) error {
	if !w.removes() {
		return nil
	}
	var with []string
	err := t.texts(ctx, func(v []*string) error {
		with = append(with, *v[0])
		return nil
	}, `SELECT DISTINCT f.conrelid::regclass::text FROM pg_constraint f WHERE f.contype = 'f' AND f.confdeltype IN ('c', 'n', 'd') AND f.conparentid = 0
 AND (f.confrelid = $1::text::oid OR f.confrelid IN (SELECT relid FROM pg_partition_tree($1::text::oid::regclass)))`, strconv.FormatUint(uint64(w.table.OID), 10))
	if err != nil || len(with) == 0 {
		return err
	}
	slices.Sort(with)
	return &inspect.Fault{
		Kind: inspect.FaultRefused, What: fmt.Sprintf("with a row of %s the server deletes or changes rows of %s (ON DELETE), which could not be put back", w.table.FullName(), strings.Join(with, ", ")),
		Next: "choose another --mode",
	}
}

// asked reads and judges the claims of a request; missing are keys without a row.
func (s *Store) asked(ctx context.Context, t *tx, table inspect.Table, request inspect.PlanRequest) (claims []inspect.Claim, missing []inspect.Key, err error) {
	l := looker{tx: t, table: table, reader: newReader(table)}
	l.facts = inspect.Facts{Now: t.now(), Mapping: table.Mapping, Standby: t.database.Standby, Pooler: t.database.Pooler, Before: request.Before}
	var rows []read
	switch {
	case len(request.Keys) > 0:
		keys := uniqueKeys(request.Keys)
		rows, err = l.reader.byKeys(ctx, t, keys)
		found := map[inspect.Key]bool{}
		for _, r := range rows {
			found[sameKey(table, r.claim.Key)] = true
		}
		for _, k := range keys {
			if !found[sameKey(table, k)] {
				missing = append(missing, k)
			}
		}
	case request.Known != nil:
		l.cut = request.Known.Cut && !request.Owner.OK
		rows, err = l.known(ctx, request.Known)
		rows = slices.DeleteFunc(rows, func(r read) bool { return request.Owner.OK && r.claim.Owner != request.Owner })
	case request.Owner.OK:
		rows, err = l.claimed(ctx, []string{ownerText(table) + " = $1::text"}, request.Owner.V)
	case request.AllLikelyDead:
		rows, err = l.claimed(ctx, nil)
	default:
		return nil, nil, &inspect.Fault{Kind: inspect.FaultRefused, What: "no claim was named", Next: "name keys, --owner or --all-likely-dead"}
	}
	if err != nil {
		return nil, nil, err
	}
	if l.cut {
		return nil, nil, &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("more than %d claims fit: that is no longer a few stuck ones", lookRows), Next: "narrow it by owner or by keys"}
	}
	if !request.AllLikelyDead {
		if err := s.amongOthers(ctx, &l); err != nil {
			return nil, nil, err
		}
	}
	claims, err = l.judge(ctx, rows)
	if request.AllLikelyDead {
		claims = slices.DeleteFunc(claims, func(c inspect.Claim) bool { return c.Verdict != inspect.VerdictLikelyDead })
	}
	return claims, missing, err
}

func uniqueKeys(keys []inspect.Key) []inspect.Key {
	seen := map[inspect.Key]bool{}
	var out []inspect.Key
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// auditColumns are the columns that an audit record holds.
func (s *Store) auditColumns(table inspect.Table) []string {
	if s.options.AuditRow == AuditMapped {
		return table.Mapping.Columns()
	}
	return readableColumns(table)
}
