package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"idemtui/inspect"
)

// What a digest may hold: more claimed rows, or more cohorts of them, would not
// stay small here. Beyond that a look reads the first lookRows and says so.
const (
	digestRows    = 500_000
	digestCohorts = 20_000
)

// firstRows is how many rows a look reads before it counts on the server.
const firstRows = 1000

// digest is all claimed rows of one look, counted on the server.
type digest struct {
	cohorts []inspect.Cohort
	sides   []sides  // of each cohort
	xmax    []string // of each cohort, "" where no lock was taken on its rows
	// holders are the live holders of row locks by xmax.
	holders map[string][]inspect.LockHolder
	// first are the rows that come first in the index.
	first []read
}

// sides say on which side of each limit the times of a row lie: where a claim
// time, a lease and a heartbeat each are one of the side... constants.
type sides struct{ claimed, lease, heartbeat int }

// The sides. What is below sideValid is no instant.
const (
	sideNone = iota
	sideInvalid
	sideValid // the rest is numbered from here on
)

// digestTimeout: the count on the server took too long.
type digestTimeout struct{ err error }

func (e *digestTimeout) Error() string { return "count the claimed rows: " + e.err.Error() }
func (e *digestTimeout) Unwrap() error { return e.err }

// countsOnServer reports whether the claimed rows may be counted on the server:
// nothing but a row's own times, its owner and its lock decides about it, and no
// later look is compared with this one.
func (l *looker) countsOnServer() bool {
	m, q := l.table.Mapping, l.query
	if !q.Single || q.Before != nil || q.Known != nil || !l.table.UniqueKey || l.table.Joined != nil || m.Heartbeat.Join != nil || m.Advisory.Mapped() {
		return false
	}
	for _, k := range m.Key {
		if c, _ := l.table.Column(k.Column); c.Nullable {
			return false // NULL keys may stand on several rows
		}
	}
	state, _ := l.table.Column(m.State.Column)
	return m.State.ByRules() || len(state.Labels) > 0 || slices.Contains([]string{"text", "varchar", "bpchar", "name", "bool", "int2", "int4", "int8"}, state.Base)
}

// countClaimed counts the claimed rows on the server, if that can be and is worth
// it. Where few are claimed it gives them instead.
func (l *looker) countClaimed(ctx context.Context) (counted bool, all []read, err error) {
	if !l.countsOnServer() {
		return false, nil, nil
	}
	if l.table.Pages > l.large {
		if scans, err := l.scans(ctx); err != nil || scans {
			return false, nil, err
		}
	}
	most := firstRows
	if l.query.Limit > 0 {
		most = min(most, l.query.Limit)
	}
	first, err := l.reader.rows(ctx, l.tx, l.claimedSQL(nil, "", most+1))
	if err != nil {
		return false, nil, err
	}
	if len(first) <= most {
		return false, append([]read{}, first...), nil
	}
	d, err := l.readDigest(ctx)
	if timedOut(err) {
		l.counting = &digestTimeout{err}
	}
	if err != nil || d == nil {
		return false, nil, err
	}
	d.first, l.digest = first, d
	return true, nil, nil
}

// storedTime is a time as SQL, with the condition that nothing is stored.
type storedTime struct{ time, none string }

// timeColumns are claim time, lease and heartbeat.
func timeColumns(t inspect.Table) [3]storedTime {
	m := t.Mapping
	of := func(name string) storedTime {
		if name == "" {
			return storedTime{"NULL::timestamptz", "true"}
		}
		return storedTime{"(" + stamp(t, name) + ")", isNull(t, name)}
	}
	end := of("")
	if m.Lease.Mapped() {
		end = storedTime{"(" + lease(t) + ")", noLease(t)}
	}
	return [3]storedTime{of(m.ClaimedAt), end, of(m.Heartbeat.Column)}
}

// sideSQL is the number of the side of a time; bounds are the limits in their
// order, each with the comparison that puts a time below it.
func sideSQL(time, none string, bounds ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CASE WHEN %s THEN %d WHEN (%s >= '0002-01-01 00:00:00+00' AND %[3]s < '10000-01-01 00:00:00+00') IS NOT TRUE THEN %[4]d", none, sideNone, time, sideInvalid)
	for i, bound := range bounds {
		fmt.Fprintf(&b, " WHEN %s %s THEN %d", time, bound, sideValid+i)
	}
	fmt.Fprintf(&b, " ELSE %d END", sideValid+len(bounds))
	return b.String()
}

// sidesSQL are the sides of claim time, lease and heartbeat, at the limits that
// the rules know.
func sidesSQL(m inspect.Mapping, times [3]storedTime) [3]string {
	skew := "<= now() + " + interval(inspect.FutureSkew)
	return [3]string{
		sideSQL(times[0].time, times[0].none, "< now() - "+interval(m.Threshold()), "<= now()", skew),
		sideSQL(times[1].time, times[1].none, "< now()"),
		sideSQL(times[2].time, times[2].none, "< now() - "+interval(m.HeartbeatLimit()), skew),
	}
}

// digestSQL counts the claimed rows by owner, locker, kind and sides. Expected
// plan: the index of the claimed rows, each row read once, then a sort of what
// was read. The inner limit keeps the columns from being computed twice, and the
// count from running away.
func (l *looker) digestSQL() string {
	m := l.table.Mapping
	owner, xmax := "NULL::text", "NULL::text"
	if m.Owner != "" {
		owner = ownerText(l.table)
	}
	if l.table.RowVersions && !l.database.Standby {
		xmax = "nullif(t.xmax::text, '0')"
	}
	times := timeColumns(l.table)
	side := sidesSQL(m, [3]storedTime{{"r.c", "r.c0"}, {"r.l", "r.l0"}, {"r.h", "r.h0"}})
	kinds := l.kindColumns()
	kind := make([]string, len(kinds))
	for i := range kinds {
		kind[i] = fmt.Sprintf(", k%d", i)
	}
	kindNames := strings.Join(kind, "")
	inner := fmt.Sprintf("SELECT %s AS o, %s AS x, %s AS c, %s AS c0, %s AS l, %s AS l0, %s AS h, %s AS h0", owner, xmax, times[0].time, times[0].none, times[1].time, times[1].none, times[2].time, times[2].none)
	for i, k := range kinds {
		inner += fmt.Sprintf(", %s AS k%d", k, i)
	}
	touched := "r.c"
	if updated := updatedColumn(l.table); updated != "" {
		inner += ", (" + stamp(l.table, updated) + ") AS u"
		touched = "r.c, r.u, r.h"
	} else if m.Heartbeat.Column != "" {
		touched = "r.c, r.h"
	}
	inner += fmt.Sprintf(" FROM %s AS t WHERE %s LIMIT %d", tableName(l.table), inState(l.table, inspect.StateProcessing), digestRows+1)
	middle := fmt.Sprintf(`SELECT r.o COLLATE "C" AS o, r.x COLLATE "C" AS x, r.c, r.l, r.h, %s AS u, %s AS cs, %s AS ls, %s AS hs%s FROM (%s) AS r OFFSET 0`, latest(touched), side[0], side[1], side[2], kindNames, inner)
	return fmt.Sprintf(`SELECT q.o, q.x, q.cs, q.ls, q.hs, count(*), max(q.l) FILTER (WHERE q.ls >= %[1]d), min(q.l) FILTER (WHERE q.ls >= %[1]d), max(q.h) FILTER (WHERE q.hs >= %[1]d)%[2]s,
 array_agg(q.c) FILTER (WHERE q.cs >= %[1]d), array_agg(q.u) FILTER (WHERE q.u IS NOT NULL) FROM (%[3]s) AS q GROUP BY q.cs, q.ls, q.hs, q.o, q.x%[2]s LIMIT %[4]d`, sideValid, kindNames, middle, digestCohorts+1)
}

// latest is the latest of times that are valid and past; NULL without any.
func latest(times string) string {
	past := strings.Split(times, ", ")
	for i, t := range past {
		past[i] = fmt.Sprintf("CASE WHEN %[1]s >= '0002-01-01 00:00:00+00' AND %[1]s <= now() THEN %[1]s END", t)
	}
	return "greatest(" + strings.Join(past, ", ") + ")"
}

// kindColumns are what GroupByKind needs of a key: the parts of its scope, or as
// much of the message id as may be a kind.
func (l *looker) kindColumns() []string {
	keys := l.table.Mapping.Key
	if l.query.NoKinds {
		return nil
	}
	if len(keys) == 1 {
		if keys[0].Kind != inspect.PartText {
			return nil
		}
		return []string{fmt.Sprintf(`substring(%s::text COLLATE "C" FROM '^[^-_:./#0-9]+[-_:./#]')`, col(keys[0].Column))}
	}
	var out []string
	for _, k := range keys[:len(keys)-1] {
		out = append(out, fmt.Sprintf(`%s::text COLLATE "C"`, col(k.Column)))
	}
	return out
}

// kindOf is what GroupByKind calls the claims of a cohort.
func (l *looker) kindOf(parts [][]byte) (string, error) {
	m := l.table.Mapping
	stored := map[string]*string{}
	for i, p := range parts {
		if p != nil {
			s := string(p)
			stored[m.Key[i].Column] = &s
		}
	}
	if empty := ""; len(m.Key) > 1 || stored[m.Key[0].Column] == nil {
		stored[m.Key[len(m.Key)-1].Column] = &empty
	}
	key, err := keyFrom(m, stored)
	return inspect.KindOfKey(key), err
}

// hashed keeps a statement from sorting what it can group by hash: the planner
// takes the arrays for larger than they are.
const hashed = "SELECT set_config('enable_sort', $1::text, true)"

// readDigest runs the count; nil where more is claimed than a digest holds.
func (l *looker) readDigest(ctx context.Context) (*digest, error) {
	kinds := len(l.kindColumns())
	formats := append(make([]int16, 9+kinds, 11+kinds), pgx.BinaryFormatCode, pgx.BinaryFormatCode)
	var batch pgconn.Batch
	batch.ExecParams(hashed, [][]byte{[]byte("off")}, nil, nil, nil)
	batch.ExecParams(l.digestSQL(), nil, nil, nil, formats)
	batch.ExecParams(hashed, [][]byte{[]byte("on")}, nil, nil, nil)
	results := l.conn.PgConn().ExecBatch(ctx, &batch)
	d, rows := &digest{}, int64(0)
	var err error
	for i := 0; results.NextResult(); i++ {
		for result := results.ResultReader(); result.NextRow(); {
			if i != 1 || err != nil {
				continue
			}
			var n int64
			n, err = d.read(l, result.Values(), kinds)
			rows += n
		}
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	if err != nil || rows > digestRows || len(d.cohorts) > digestCohorts {
		return nil, err
	}
	return d, nil
}

// read reads one row of the count, and gives how many rows it stands for.
func (d *digest) read(l *looker, v [][]byte, kinds int) (int64, error) {
	c, s, err := cohortFrom(l.database.ID, v[:9])
	if err != nil {
		return 0, err
	}
	if c.Kind, err = l.kindOf(v[9 : 9+kinds]); err != nil {
		return 0, err
	}
	if c.ClaimedAt, err = microsFrom(v[9+kinds]); err != nil {
		return 0, err
	}
	if c.Touched, err = microsFrom(v[10+kinds]); err != nil {
		return 0, err
	}
	if len(c.ClaimedAt) > 0 {
		c.Claim.ClaimedAt = inspect.At(time.UnixMicro(c.ClaimedAt[0]))
	}
	// A cohort is known by a key of its own, as a row is.
	c.Claim.Key = inspect.TextKey("", strconv.Itoa(len(d.cohorts)))
	d.cohorts, d.sides, d.xmax = append(d.cohorts, c), append(d.sides, s), append(d.xmax, string(v[1]))
	return c.Rows, nil
}

// cohortFrom reads owner, xmax, the three sides, the count, and the latest lease,
// the first lease and the latest heartbeat.
func cohortFrom(database string, v [][]byte) (inspect.Cohort, sides, error) {
	c := inspect.Cohort{Claim: inspect.Claim{Database: database, State: inspect.StateProcessing}}
	if v[0] != nil {
		c.Claim.Owner = inspect.Some(string(v[0]))
	}
	var numbers [4]int64
	for i := range numbers {
		n, err := strconv.ParseInt(string(v[2+i]), 10, 64)
		if err != nil {
			return c, sides{}, fmt.Errorf("read a count: %w", err)
		}
		numbers[i] = n
	}
	s := sides{int(numbers[0]), int(numbers[1]), int(numbers[2])}
	c.Rows = numbers[3]
	c.Claim.ClaimedAt = stampOn(s.claimed, nil) // the valid ones are read beside it
	c.Claim.LeaseUntil, c.FirstLease, c.Claim.HeartbeatAt = stampOn(s.lease, v[6]), stampOn(s.lease, v[7]), stampOn(s.heartbeat, v[8])
	return c, s, nil
}

// stampOn is a stamp that lies on a side.
func stampOn(side int, text []byte) inspect.Stamp {
	switch {
	case side == sideNone:
		return inspect.Stamp{}
	case side == sideInvalid || text == nil:
		return inspect.NoTime("")
	}
	s := string(text)
	return stampFrom(&s, nil)
}

// postgresEpoch is the instant from which the server counts microseconds.
var postgresEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// microsFrom reads an array of timestamptz in its binary form: five numbers of
// four bytes, then for each element its length and its microseconds. See array_send
// and timestamptz_send of PostgreSQL.
func microsFrom(v []byte) ([]int64, error) {
	if v == nil {
		return nil, nil
	}
	const head, each = 20, 12
	if len(v) < head || (len(v)-head)%each != 0 || binary.BigEndian.Uint32(v) != 1 {
		return nil, fmt.Errorf("read claim times: %d bytes are no array of times", len(v))
	}
	out := make([]int64, 0, (len(v)-head)/each)
	for rest := v[head:]; len(rest) > 0; rest = rest[each:] {
		out = append(out, int64(binary.BigEndian.Uint64(rest[4:]))+postgresEpoch)
	}
	return out, nil
}

// judgeDigest judges the claimed rows that were counted on the server.
func (l *looker) judgeDigest(ctx context.Context) error {
	d := l.digest
	stand := make([]read, len(d.cohorts))
	for i := range d.cohorts {
		stand[i] = read{claim: d.cohorts[i].Claim, xmax: d.xmax[i]}
	}
	if err := l.witness(ctx, stand); err != nil {
		return err
	}
	d.holders = map[string][]inspect.LockHolder{}
	for i := range stand {
		if holders := l.facts.Locks[stand[i].claim.Key]; len(holders) > 0 {
			d.holders[d.xmax[i]] = holders
		}
	}
	l.facts = inspect.JudgeCohorts(d.cohorts, l.facts)
	return nil
}

// judgeRow judges a row in full words among those counted on the server.
func (l *looker) judgeRow(r read) inspect.Claim {
	f := l.facts
	f.Locks = nil
	if holders := l.digest.holders[r.xmax]; r.xmax != "" && len(holders) > 0 {
		f.Locks = map[inspect.Key][]inspect.LockHolder{r.claim.Key: holders}
	}
	if l.query.Brief {
		return inspect.Assess(r.claim, f)
	}
	return inspect.Judge(r.claim, f)
}
