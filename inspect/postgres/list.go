package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"idemtui/inspect"
)

// list chooses what is shown.
func (l *looker) list(ctx context.Context) error {
	limit := l.query.Limit
	if limit <= 0 {
		limit = inspect.DefaultLimit
	}
	switch {
	case l.query.Key.OK:
		return l.oneKey(ctx)
	case l.query.State != "" && l.query.State != inspect.StateProcessing:
		return l.otherState(ctx, limit)
	case l.digest != nil:
		return l.listDigest(ctx, limit)
	}
	from := l.judged
	if filter, args := l.filter(); l.cut && len(filter) > 0 && l.query.Known == nil {
		rows, err := l.claimed(ctx, filter, args...)
		if err != nil {
			return err
		}
		if err := l.witness(ctx, rows); err != nil {
			return err
		}
		from = claimsOf(rows)
		for i := range from {
			from[i] = inspect.Assess(from[i], l.facts)
		}
	}
	return l.choose(from, limit)
}

// oneKey lists the rows of one key.
func (l *looker) oneKey(ctx context.Context) error {
	rows, err := l.reader.byKeys(ctx, l.tx, []inspect.Key{l.query.Key.V})
	if err != nil {
		return err
	}
	claims, err := l.judge(ctx, rows)
	if err != nil {
		return err
	}
	claims = slices.DeleteFunc(claims, func(c inspect.Claim) bool { return !l.wanted(&c) })
	l.matching = inspect.Count{Rows: int64(len(claims)), Exact: true}
	for i := range claims {
		if claims[i].Condition == inspect.ConditionStuck {
			l.stuckMatching++
		}
		if err := l.show(claims[i]); err != nil {
			return err
		}
	}
	return nil
}

// choose lists the longest lapsed of the claims that are wanted, in full words.
func (l *looker) choose(from []inspect.Claim, limit int) error {
	var wanted []int // the claims are large: sort their places
	for i := range from {
		if l.wanted(&from[i]) {
			wanted = append(wanted, i)
			if from[i].Condition == inspect.ConditionStuck {
				l.stuckMatching++
			}
		}
	}
	order := longestLapsedFirst(l.now(), l.table.Mapping)
	slices.SortStableFunc(wanted, func(a, b int) int { return order(&from[a], &from[b]) })
	l.incident = inspect.IncidentOf(l.now(), from, func(c inspect.Claim) bool { return l.wanted(&c) })
	l.matching = inspect.Count{Rows: int64(len(wanted)), Exact: !l.cut}
	if excess := len(wanted) - limit; l.query.LeftoversLast && excess > 0 {
		wanted = slices.DeleteFunc(wanted, func(i int) bool {
			leave := excess > 0 && l.incident.Folded(from[i])
			if leave {
				excess--
			}
			return leave
		})
	}
	for _, i := range wanted[:min(limit, len(wanted))] {
		c := from[i]
		if !l.query.Brief {
			c = inspect.Judge(c, l.facts)
		}
		if err := l.show(c); err != nil {
			return err
		}
	}
	return nil
}

// show puts a judged claim on the list, or gives it to whoever takes the list.
func (l *looker) show(c inspect.Claim) error {
	l.shown++
	l.unsettled = l.unsettled || c.Unsettled()
	if l.query.Sink != nil {
		if err := l.query.Sink.Take(c); err != nil {
			return &sinkError{err}
		}
		return nil
	}
	l.listed = append(l.listed, c)
	return nil
}

// judge judges rows in full words: among the claimed rows where those were
// read, else among themselves.
func (l *looker) judge(ctx context.Context, rows []read) ([]inspect.Claim, error) {
	if err := l.witness(ctx, rows); err != nil {
		return nil, err
	}
	claims := claimsOf(rows)
	if l.judged == nil && l.digest == nil {
		l.facts = l.facts.Among(claims)
	}
	for i := range claims {
		claims[i] = inspect.Judge(claims[i], l.facts)
	}
	return claims, nil
}

// otherState lists rows that are not PROCESSING, in key order.
func (l *looker) otherState(ctx context.Context, limit int) error {
	filter, args := l.filter()
	conditions := append([]string{inState(l.table, l.query.State)}, filter...)
	l.matching.Exact = true
	var held inspect.Claim // shown when the next row tells whether its key is repeated
	show := func(next inspect.Key) error {
		held.Repeated = held.Repeated || held.Key == next
		return l.show(inspect.Judge(held, l.facts))
	}
	err := l.inParts(ctx, limit+1, func(rows []read) error {
		for _, r := range rows {
			c := r.claim
			if l.matching.Rows++; l.matching.Rows > 1 {
				if err := show(c.Key); err != nil {
					return err
				}
				c.Repeated = held.Key == c.Key
			}
			held = c
		}
		return nil
	}, fmt.Sprintf("%s%s ORDER BY %s LIMIT %d", l.reader.from(), strings.Join(conditions, " AND "), keyColumns(l.table), limit+1), args...)
	if err != nil || l.matching.Rows == 0 {
		return err
	}
	if l.matching.Rows > int64(limit) {
		l.matching.Exact = false // the one row more stays away
		return nil
	}
	return show(inspect.Key{})
}

// partRows is how many rows of a long list are read at once.
const partRows = 1000

// inParts reads rows by a query that gives at most so many. A long list comes
// through a cursor: each part is a statement with a time limit of its own, and no
// more than a part is in memory.
func (l *looker) inParts(ctx context.Context, most int, f func([]read) error, sql string, args ...any) error {
	if most <= partRows+1 {
		rows, err := l.reader.rows(ctx, l.tx, sql, args...)
		if err != nil {
			return err
		}
		return f(rows)
	}
	// All rows are wanted, not soon the first few of them.
	if _, err := l.conn.Exec(ctx, "SELECT set_config('cursor_tuple_fraction', '1', true)"); err != nil {
		return err
	}
	if _, err := l.conn.Exec(ctx, "DECLARE idemtui_list NO SCROLL CURSOR FOR "+sql, args...); err != nil {
		return err
	}
	for {
		rows, err := l.reader.rows(ctx, l.tx, fmt.Sprintf("FETCH %d FROM idemtui_list", partRows))
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		if err := f(rows); err != nil {
			return err
		}
	}
	_, err := l.conn.Exec(ctx, "CLOSE idemtui_list")
	return err
}

// filter is the query's owner and claim time as SQL.
func (l *looker) filter() (conditions []string, args []any) {
	m := l.table.Mapping
	add := func(format, value string) {
		args = append(args, value)
		conditions = append(conditions, fmt.Sprintf(format, len(args)))
	}
	if l.query.Owner.OK && m.Owner != "" {
		add(ownerText(l.table)+" = $%d::text", l.query.Owner.V)
	}
	if m.ClaimedAt != "" {
		at := "(" + stamp(l.table, m.ClaimedAt) + ")"
		if !l.query.Since.IsZero() {
			add(at+" >= $%d::text::timestamptz", inspect.FormatTime(l.query.Since))
		}
		if !l.query.Until.IsZero() {
			add(at+" < $%d::text::timestamptz", inspect.FormatTime(l.query.Until))
		}
	}
	return conditions, args
}

// wanted applies the query's filters to a judged claim.
func (l *looker) wanted(c *inspect.Claim) bool {
	q := l.query
	switch {
	case !q.Since.IsZero() && (!c.ClaimedAt.Valid() || c.ClaimedAt.Time.Before(q.Since)):
		return false
	case !q.Until.IsZero() && !c.ClaimedAt.Before(q.Until):
		return false
	}
	return l.wantedWhenever(c)
}

// wantedWhenever is wanted without the bounds of the claim time.
func (l *looker) wantedWhenever(c *inspect.Claim) bool {
	q := l.query
	switch {
	case q.Owner.OK && c.Owner != q.Owner:
		return false
	case q.Key.OK:
		return q.State == "" || c.State == q.State
	}
	return q.All || q.State == inspect.StateProcessing || c.Condition != inspect.ConditionHeld
}

// longestLapsedFirst orders by how long a claim has been stuck: past its
// lease, past its heartbeat's limit, or past the threshold. What has no such
// span comes last, oldest first.
func longestLapsedFirst(now time.Time, m inspect.Mapping) func(a, b *inspect.Claim) int {
	overdue := func(c *inspect.Claim) (time.Duration, bool) { return inspect.Overdue(c, m, now) }
	return func(a, b *inspect.Claim) int {
		x, okX := overdue(a)
		y, okY := overdue(b)
		if okX != okY {
			if okX {
				return -1
			}
			return 1
		}
		return cmp.Compare(y, x)
	}
}
