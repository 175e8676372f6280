package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

// listDigest lists the longest lapsed rows of those counted on the server.
func (l *looker) listDigest(ctx context.Context, limit int) error {
	d, q := l.digest, l.query
	l.incident = inspect.IncidentOfCohorts(l.now(), d.cohorts, l.wantedWhenever, q.Since, q.Until)
	matching, stuck := inspect.Matching(d.cohorts, l.wantedWhenever, q.Since, q.Until)
	l.matching, l.stuckMatching = inspect.Count{Rows: matching, Exact: true}, stuck
	if matching == 0 {
		return nil
	}
	ordered := l.indexOrdered()
	if ordered && limit <= len(d.first) {
		var listed []inspect.Claim
		for _, r := range d.first {
			if c := l.judgeRow(r); l.wanted(&c) {
				listed = append(listed, c)
			}
		}
		if len(listed) >= limit || int64(len(listed)) == matching {
			for _, c := range listed[:min(limit, len(listed))] {
				if err := l.show(c); err != nil {
					return err
				}
			}
			return nil
		}
	}
	sql, args := l.wantedSQL(ordered, limit)
	return l.inParts(ctx, limit, func(rows []read) error {
		for _, r := range rows {
			if c := l.judgeRow(r); l.wanted(&c) {
				if err := l.show(c); err != nil {
					return err
				}
			}
		}
		return nil
	}, sql, args...)
}

// indexOrdered reports whether the rows that are wanted lie in the index in the
// order of the list: each has the time that the index begins with, and that time
// is what says how long it has been stuck.
func (l *looker) indexOrdered() bool {
	m := l.table.Mapping
	for i := range l.digest.cohorts {
		c := &l.digest.cohorts[i].Claim
		if !l.wantedWhenever(c) {
			continue
		}
		ordered := false
		switch {
		case m.Lease.Mapped():
			ordered = m.Lease.PlusColumn == "" && c.LeaseUntil.Valid()
		case m.Heartbeat.Column != "":
			ordered = c.HeartbeatAt.Valid()
		default:
			ordered = c.ClaimedAt.Valid()
		}
		if !ordered {
			return false
		}
	}
	return true
}

// longest is the longest time that inspect tells apart, in microseconds, and one
// more: what lies farther off sorts as if it lay there.
const longest = "interval '9223372036.854776 seconds'"

// wantedSQL selects the rows of the cohorts that are wanted, longest lapsed first.
func (l *looker) wantedSQL(ordered bool, limit int) (string, []any) {
	times := timeColumns(l.table)
	side := sidesSQL(l.table.Mapping, times)
	conditions, args := l.filter()
	conditions = append([]string{inState(l.table, inspect.StateProcessing)}, conditions...)
	if !l.query.Since.IsZero() || !l.query.Until.IsZero() {
		conditions = append(conditions, fmt.Sprintf("%s >= %d", side[0], sideValid))
	}
	if lapsed := l.lapsedOnly(); lapsed {
		conditions = append(conditions, times[1].time+" < now()")
	} else if !l.query.All && l.query.State == "" {
		conditions = append(conditions, fmt.Sprintf("(%s, %s, %s) IN (%s)", side[0], side[1], side[2], l.wantedSides()))
	}
	order := indexOrder(l.table)
	if !ordered {
		order = overdueOrder(l.table.Mapping, times, side) + ", " + order
	}
	return fmt.Sprintf("%s%s ORDER BY %s LIMIT %d", l.reader.from(), strings.Join(conditions, " AND "), order, limit), args
}

// overdueOrder is the order of the list, see longestLapsedFirst.
func overdueOrder(m inspect.Mapping, times [3]storedTime, side [3]string) string {
	within := func(time, limit string) string { // both pass over NULL, which is none here
		return fmt.Sprintf("greatest(now() - %[1]s, least(now() + %[1]s, %[2]s + %[3]s))", longest, time, limit)
	}
	return fmt.Sprintf("CASE WHEN %[2]s >= %[1]d THEN %[3]s WHEN %[4]s >= %[1]d THEN %[5]s WHEN %[6]s >= %[1]d THEN %[7]s END NULLS LAST", sideValid,
		side[1], within(times[1].time, "interval '0'"), side[2], within(times[2].time, interval(m.HeartbeatLimit())), side[0], within(times[0].time, interval(m.Threshold())))
}

// lapsedOnly: the rows that are wanted are those whose lease has lapsed, which an
// index can find.
func (l *looker) lapsedOnly() bool {
	if l.query.All || l.query.State != "" || !l.table.Mapping.Lease.Mapped() {
		return false
	}
	for i := range l.digest.cohorts {
		c := &l.digest.cohorts[i].Claim
		if l.digest.sides[i].lease == sideInvalid || (c.Condition != inspect.ConditionHeld) != c.LeaseUntil.Before(l.now()) {
			return false
		}
	}
	return true
}

// wantedSides are the sides of the rows that are not held.
func (l *looker) wantedSides() string {
	var out []string
	for i := range l.digest.cohorts {
		if s := l.digest.sides[i]; l.digest.cohorts[i].Claim.Condition != inspect.ConditionHeld {
			out = append(out, fmt.Sprintf("(%d, %d, %d)", s.claimed, s.lease, s.heartbeat))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
