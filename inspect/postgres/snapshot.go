package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"idemtui/inspect"
)

// lookRows is how many claimed rows one look reads: taking all at once costs
// no more than a page when there is no index, and bounds the memory.
const lookRows = 10000

// leaselessRows is how many rows without a lease a look reads beside these, where
// there are more claimed rows than it reads.
const leaselessRows = 1000

// Snapshot looks once, in one read-only transaction: the claimed rows, the
// counts, and the row locks. A table whose exact count once ran into the
// timeout is estimated from then on.
func (s *Store) Snapshot(ctx context.Context, table inspect.Table, query inspect.Query) (inspect.Snapshot, error) {
	if s.replica != nil {
		return s.snapshotByReplica(ctx, table, query)
	}
	return s.snapshotHere(ctx, table, query)
}

// snapshotHere looks at this store's own server.
func (s *Store) snapshotHere(ctx context.Context, table inspect.Table, query inspect.Query) (inspect.Snapshot, error) {
	exact := !s.uncountable(table.OID) && query.Known == nil
	snapshot, err := s.snapshot(ctx, table, query, exact)
	var long *digestTimeout
	if errors.As(err, &long) {
		query.Single = false
		snapshot, err = s.snapshot(ctx, table, query, exact)
	}
	var slow *countTimeout
	if errors.As(err, &slow) && exact {
		s.markUncountable(table.OID)
		snapshot, err = s.snapshot(ctx, table, query, false)
		snapshot.Notes = append(snapshot.Notes, "the count ran into the statement timeout; the numbers with ~ are estimates")
	}
	return snapshot, err
}

func (s *Store) uncountable(oid uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uncounts[oid]
}

func (s *Store) markUncountable(oid uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uncounts[oid] = true
}

// countTimeout: the exact count, and not the list, took too long.
type countTimeout struct{ err error }

func (e *countTimeout) Error() string { return "count: " + e.err.Error() }
func (e *countTimeout) Unwrap() error { return e.err }

func (s *Store) snapshot(ctx context.Context, table inspect.Table, query inspect.Query, exact bool) (inspect.Snapshot, error) {
	var out inspect.Snapshot
	start := time.Now()
	var counting error
	err := s.look(ctx, "list claims of "+table.FullName(), func(ctx context.Context, t *tx) error {
		l := looker{tx: t, table: table, reader: newReader(table), query: query, exact: exact, large: s.large}
		l.reader.slim = true
		if err := l.run(ctx); err != nil {
			counting = l.counting
			return err
		}
		out = l.snapshot()
		return nil
	})
	if counting != nil {
		err = counting
	}
	out.Took = time.Since(start)
	return out, err
}

// looker is one look in the making.
type looker struct {
	*tx
	table  inspect.Table
	reader reader
	query  inspect.Query
	exact  bool
	large  int64 // pages from which on a table is not scanned without need

	counting error // the error that ended the count

	judged []inspect.Claim // all claimed rows, where those were read
	digest *digest         // all claimed rows, where they were counted on the server
	cut    bool            // more are claimed than were read
	counts counts
	facts  inspect.Facts

	listed        []inspect.Claim
	shown         int64 // listed, here or by the sink
	unsettled     bool
	matching      inspect.Count
	stuckMatching int64

	scannedAt time.Time
	scanning  inspect.Null[bool] // what the planner said, asked once
	hint      string
	pending   []inspect.OpenTransaction
	incident  inspect.Incident
	counters  inspect.Null[inspect.Counters]
	last      lastClaim
}

func (l *looker) run(ctx context.Context) error {
	m := l.table.Mapping
	if err := l.askAhead(ctx); err != nil {
		return err
	}
	pages, err := l.pages(ctx, l.table)
	if err != nil {
		return err
	}
	l.table.Pages = pages
	l.exact = l.exact && pages <= l.large
	l.facts = inspect.Facts{Now: l.now(), Mapping: m, Standby: l.database.Standby, Pooler: l.database.Pooler, Before: l.query.Before}
	if l.query.Sink != nil {
		if err := l.query.Sink.Reset(l.now()); err != nil {
			return &sinkError{err}
		}
	}
	claimed, err := l.find(ctx)
	if err != nil {
		return err
	}
	if l.pending, err = l.open(ctx, l.table); err != nil {
		return err
	}
	if err := l.countStates(ctx); err != nil {
		return err
	}
	if l.digest != nil {
		err = l.judgeDigest(ctx)
	} else {
		err = l.judgeRows(ctx, claimed)
	}
	if err != nil {
		return err
	}
	if err := l.pulse(ctx); err != nil {
		return err
	}
	return l.list(ctx)
}

// askAhead asks in one round trip what this look asks in any case, as far as the
// table's size in the catalogue tells: a look at a server far away would else
// wait for each.
func (l *looker) askAhead(ctx context.Context) error {
	m := l.table.Mapping
	questions := []question{pagesQuestion(l.table)}
	if l.table.Pages > l.large && l.query.Known == nil {
		questions = append(questions, question{sql: l.explain()})
		if !m.State.ByRules() {
			questions = append(questions, estimateQuestion(l.table))
		}
	}
	if !l.database.Standby {
		if !l.query.Single {
			questions = append(questions, writtenQuestion(l.table))
		}
		if m.Owner != "" && !l.database.Pooler {
			questions = append(questions, question{sql: sessionSQL})
		}
	}
	return l.ahead(ctx, questions...)
}

func (l *looker) explain() string { return "EXPLAIN " + l.claimedSQL(nil, "", lookRows+1) }

// find reads the claimed rows, or counts them on the server where that is
// enough.
func (l *looker) find(ctx context.Context) ([]read, error) {
	l.scannedAt = l.now()
	counted, first, err := l.countClaimed(ctx)
	if err != nil || counted {
		return nil, err
	}
	if first != nil {
		return first, nil
	}
	return l.search(ctx)
}

// judgeRows judges the claimed rows, which were read.
func (l *looker) judgeRows(ctx context.Context, claimed []read) error {
	if err := l.witness(ctx, claimed); err != nil {
		return err
	}
	l.judged = claimsOf(claimed)
	l.facts = l.facts.Among(l.judged)
	for i := range l.judged {
		l.judged[i] = inspect.Assess(l.judged[i], l.facts)
	}
	return nil
}

func (l *looker) countStates(ctx context.Context) (err error) {
	if l.query.Known != nil {
		l.facts.Finished = l.query.Known.Finished
		return nil // counted where it was searched
	}
	if !l.exact {
		l.counts, err = l.estimate(ctx, l.table)
		return err
	}
	l.counts, err = l.count(ctx, l.table)
	if err == nil {
		l.facts.Finished, err = l.finished(ctx, l.table)
	}
	if timedOut(err) {
		l.counting = &countTimeout{err}
	}
	return err
}

// claimedSQL selects claimed rows, in the order of the index that serves them.
func (l *looker) claimedSQL(filter []string, more string, limit int) string {
	conditions := append([]string{inState(l.table, inspect.StateProcessing)}, filter...)
	return fmt.Sprintf("%s%s%s ORDER BY %s LIMIT %d", l.reader.from(), strings.Join(conditions, " AND "), more, indexOrder(l.table), limit)
}

// indexOrder is the order of the index that finds the claimed rows.
func indexOrder(t inspect.Table) string {
	order := keyColumns(t)
	for _, first := range []string{t.Mapping.Lease.Column, t.Mapping.Heartbeat.Column, t.Mapping.ClaimedAt} {
		if first != "" {
			return col(first) + ", " + order
		}
	}
	return order
}

// claimed reads the claimed rows, those with the longest lapsed lease first.
// Rows without a lease sort last in the index and would be cut first, so they
// are read on their own where there are too many.
func (l *looker) claimed(ctx context.Context, filter []string, args ...any) ([]read, error) {
	rows, err := l.reader.rows(ctx, l.tx, l.claimedSQL(filter, "", lookRows+1), args...)
	if err != nil {
		return nil, err
	}
	if len(rows) > lookRows {
		l.cut = true
		rows = rows[:lookRows]
		if l.table.Mapping.Lease.Mapped() && rows[lookRows-1].claim.LeaseUntil != (inspect.Stamp{}) {
			leaseless, err := l.reader.rows(ctx, l.tx, l.claimedSQL(filter, " AND "+noLease(l.table), leaselessRows), args...)
			if err != nil {
				return nil, err
			}
			rows = append(rows, leaseless...)
		}
	}
	if !l.table.UniqueKey {
		markRepeated(rows)
	}
	return rows, nil
}

// search finds the claimed rows. Where that means scanning a large table, a
// look after another reads only the rows already known.
func (l *looker) search(ctx context.Context) ([]read, error) {
	if known := l.query.Known; known != nil {
		l.cut = known.Cut
		return l.known(ctx, known)
	}
	if l.table.Pages > l.large {
		scans, err := l.scans(ctx)
		if err != nil {
			return nil, err
		}
		if scans {
			l.hint = indexHint(l.table)
			if l.query.Key.OK { // one key is found by its index
				l.cut = true
				rows, err := l.reader.byKeys(ctx, l.tx, []inspect.Key{l.query.Key.V})
				return slices.DeleteFunc(rows, func(r read) bool { return r.claim.State != inspect.StateProcessing }), err
			}
			if l.query.NeverScan {
				return nil, &inspect.Fault{
					Kind: inspect.FaultScan, What: fmt.Sprintf("no index finds the claimed rows of %s, and to look would read all of its %d MB", l.table.FullName(), l.table.Pages/128),
					Next: "allow it with --allow-scan, or create the index: " + l.hint,
				}
			}
			if b := l.query.Before; b != nil && !l.query.Rescan {
				l.scannedAt, l.cut = b.ScannedAt, b.Cut
				return l.known(ctx, b)
			}
		}
	}
	return l.claimed(ctx, nil)
}

// known reads the claimed rows of the look before again, by their keys.
func (l *looker) known(ctx context.Context, before *inspect.Look) ([]read, error) {
	keys := slices.SortedFunc(maps.Keys(before.Claims), func(a, b inspect.Key) int { return strings.Compare(a.String(), b.String()) })
	rows, err := l.reader.byKeys(ctx, l.tx, keys)
	return slices.DeleteFunc(rows, func(r read) bool { return r.claim.State != inspect.StateProcessing }), err
}

// scans asks the planner whether the search would read the whole table.
func (l *looker) scans(ctx context.Context) (bool, error) {
	if l.scanning.OK {
		return l.scanning.V, nil
	}
	scan := false
	err := l.texts(ctx, func(v []*string) error {
		scan = scan || strings.Contains(*v[0], "Seq Scan")
		return nil
	}, l.explain())
	l.scanning = inspect.Some(scan)
	return scan, err
}

// indexHint is the index that finds the claimed rows without a scan.
func indexHint(t inspect.Table) string {
	m := t.Mapping
	columns := m.KeyNames()
	for _, first := range []string{m.Lease.Column, m.Heartbeat.Column, m.ClaimedAt} {
		if first != "" {
			columns = append([]string{first}, columns...)
			break
		}
	}
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = ident(c)
	}
	return fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s)%s", tableName(t), strings.Join(quoted, ", "), indexPredicate(t))
}

// witness looks at the row locks and sessions behind rows.
func (l *looker) witness(ctx context.Context, rows []read) (err error) {
	if l.facts.Locks, l.facts.LocksHidden, err = l.locks(ctx, l.table, rows); err != nil {
		return err
	}
	if l.facts.Advisory, l.facts.AdvisoryHidden, err = l.advisory(ctx, l.table, rows); err != nil {
		return err
	}
	l.facts.Sessions, err = l.sessions(ctx, l.table, rows, l.facts)
	return err
}

func (l *looker) snapshot() inspect.Snapshot {
	sum := l.summary()
	sum.LookCut = l.cut
	sum.Truncated = l.cut || l.matching.Rows > l.shown
	sum.ByState, sum.Unmapped = l.counts.byState, l.counts.unmapped
	if sum.ByState == nil {
		sum.ByState = map[inspect.State]inspect.Count{}
	}
	switch all := sum.ByState[inspect.StateProcessing]; {
	case !l.cut:
		// All were read: that is exact, whatever the statistics say.
		sum.ByState[inspect.StateProcessing] = sum.Claimed
	case all.Rows > sum.Claimed.Rows:
		sum.Claimed = all
	default:
		sum.Claimed.Exact = false
		sum.ByState[inspect.StateProcessing] = sum.Claimed
	}
	seen := inspect.Remember(l.now(), l.judged).WithSessions(l.facts.Sessions)
	seen.ScannedAt, seen.Cut, seen.Counters, seen.Finished, seen.Partial = l.scannedAt, l.cut, l.counters, l.facts.Finished, l.digest != nil
	out := inspect.Snapshot{
		Database: l.database, Table: l.table, At: l.now(), Query: l.query, Summary: sum, Claims: l.listed,
		Listed: l.shown, Unsettled: l.unsettled, StuckMatching: l.stuckMatching, Matching: l.matching, Notes: l.notes(), Seen: seen, ScannedAt: l.scannedAt, IndexHint: l.hint, Open: l.pending,
		Incident: l.incident, Touched: l.touched(), Groups: l.groups(), Pulse: inspect.PulseBetween(l.query.Before, l.now(), l.counters),
		LastClaimed: l.last.at, LastClaimedAbout: l.last.about,
	}
	if out.Touched.OK {
		out.Notes = append(out.Notes, out.Touched.V.Text(out.At))
	}
	if why := inspect.WhyEmpty(out); why != "" {
		out.Notes = append(out.Notes, why)
	}
	return out
}

// notes say what limits the picture, and what belongs together.
func (l *looker) notes() []string {
	notes := append(append([]string(nil), l.counts.notes...), l.silence()...)
	if l.database.Standby {
		notes = append(notes, inspect.StandbyText(l.database, l.table))
	}
	if l.table.RowSecurity {
		notes = append(notes, "row-level security is on: rows may be hidden from this role")
	}
	if l.hint != "" {
		notes = append(notes, fmt.Sprintf("no index finds the claimed rows: the table was scanned at %s; this index would help: %s", inspect.FormatTime(l.scannedAt), l.hint))
	}
	for _, o := range l.pending {
		notes = append(notes, o.Words())
	}
	m := l.table.Mapping
	if !m.State.Claims() && m.Kind != inspect.KindInsertOnly {
		notes = append(notes, "no state is mapped to processing, so nothing can be stuck or released: see the states counted and use --map 'processing=VALUE'")
	}
	return notes
}

// summary is that of all claimed rows, however they were counted.
func (l *looker) summary() inspect.Summary {
	if l.digest != nil {
		return inspect.SummariseCohorts(l.now(), l.digest.cohorts)
	}
	return inspect.Summarise(l.judged)
}

func (l *looker) groups() map[inspect.Grouping][]inspect.Group {
	out := map[inspect.Grouping][]inspect.Group{}
	for _, by := range inspect.Groupings {
		switch {
		case l.digest == nil:
			out[by] = inspect.GroupClaims(l.judged, by)
		case by != inspect.GroupByKind || !l.query.NoKinds:
			out[by] = inspect.GroupCohorts(l.now(), l.digest.cohorts, by)
		}
	}
	return out
}

func (l *looker) touched() inspect.Null[inspect.Touched] {
	if l.digest != nil {
		return inspect.TouchedTogetherInCohorts(l.digest.cohorts, l.facts)
	}
	return inspect.TouchedTogether(l.judged, l.facts)
}

func (l *looker) silence() []string {
	if l.digest != nil {
		return inspect.SilenceNotesOfCohorts(l.digest.cohorts, l.facts)
	}
	return inspect.SilenceNotes(l.judged, l.facts)
}
