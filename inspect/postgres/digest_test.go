package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"idemtui/inspect"
)

// oddTable has a column for every form in which a table may store a claim.
const oddTable = `CREATE TABLE odd (grp text NOT NULL, id text NOT NULL, n bigint NOT NULL UNIQUE, state text, code int, owner text, owners text[],
 claimed timestamptz, claimed_local timestamp, claimed_ms bigint, claimed_day date, lease timestamptz, lease_s bigint, never timestamptz NOT NULL DEFAULT 'epoch',
 span interval, secs int, beat timestamptz, done_at timestamptz, PRIMARY KEY (grp, id), UNIQUE (id))`

// oddMappings are ways to read it.
var oddMappings = []string{
	"key=id,state=state,processing=P|W,done=D,failed=F,owner=owner,claimed_at=claimed,lease=lease",
	"key=id,state=state,processing=P,done=D,failed=F,owner=owner,claimed_at=claimed",
	"key=id,state=state,processing=P,done=D,owner=owner,claimed_at=claimed,lease=claimed+4h",
	"key=id,state=state,processing=P,done=D,owner=owner,claimed_at=claimed,lease=claimed+span",
	"key=id,state=state,processing=P,done=D,owner=owner,claimed_at=claimed,lease=claimed+secs",
	"key=id,state=code,processing=1|2,done=3,owner=owner,claimed_at=claimed,heartbeat=beat,heartbeat_every=10s",
	"key=id,state=code,processing=1|2,done=3,owner=owner,claimed_at=claimed,heartbeat=beat,heartbeat_every=10s,lease=lease",
	"key=id,state=state,processing=P,done=D,owner=owner,claimed_at=claimed_local,zone.claimed_local=Europe/Berlin,lease=lease",
	"key=id,state=state,processing=P,done=D,owner=owner,claimed_at=claimed_ms,unit.claimed_ms=ms,lease=lease_s,unit.lease_s=s",
	"key=n,state=state,processing=P,done=D,owner=owner,claimed_at=claimed_day",
	"key=id,processing=claimed!null,done=done_at!null,free=claimed=null,owner=owner,claimed_at=claimed",
	"key=grp+id,state=state,processing=P,done=D,owner=owners,claimed_at=claimed,lease=lease",
	"key=id,state=state,processing=P,done=D,lease=lease",
	"key=id,state=state,processing=P,done=D",
	"key=id,state=state,processing=P,done=D,heartbeat=beat,claimed_at=claimed,heartbeat_every=1m",
}

// oddTimes are times as a table may hold them, seen from now; the empty one is NULL.
var oddTimes = []string{
	"NULL", "'infinity'", "'-infinity'", "'0001-01-01 00:00:00+00'", "'0001-12-31 23:59:59+00'", "'0002-01-01 00:00:00+00'", "'4713-01-01 00:00:00+00 BC'",
	"'9999-12-31 23:59:59.999999+00'", "'10000-01-01 00:00:00+00'", "'1970-01-01 00:00:00+00'", "'1650-03-01 12:00:00.5+00'",
	"now() + interval '30 seconds'", "now() + interval '60 seconds'", "now() + interval '61 seconds'", "now() + interval '5 hours'",
	"now() - interval '1 second'", "now() - interval '9 seconds'", "now() - interval '31 seconds'", "now() - interval '14 minutes'", "now() - interval '15 minutes 1 second'",
	"now() - interval '16 minutes'", "now() - interval '3 hours'", "now() - interval '40 days'", "now() - interval '40 days 1 microsecond'",
}

var oddKeys = []string{"pay_%d", "pay-%d", "ship:%d", "k%d", "_%d", "ümlaut_%d", "ab٣_%d", "a b_%d", "hex:%d", "%d", "é́_%d", "A/%d", "\u2028_%d"}

var oddOwners = []string{"NULL", "''", "'worker-1@h1'", "'worker-2@h1'", "'worker-3@h2'", "'worker-4'", "E'tab\\there'"}

// fillOdd makes the table hold rows drawn at random.
func fillOdd(rt *rapid.T) (string, int) {
	n := rapid.IntRange(0, 60).Draw(rt, "rows")
	one := func(name string, of []string) string { return rapid.SampledFrom(of).Draw(rt, name) }
	// Each column holds few different values, so that rows are counted together.
	palette := func(name string, of []string, most int) []string {
		return rapid.SliceOfN(rapid.SampledFrom(of), 1, most).Draw(rt, name)
	}
	times := map[string][]string{}
	for _, name := range []string{"claimed", "lease", "beat", "done"} {
		times[name] = palette("times of "+name, oddTimes, 4)
	}
	owners := palette("owners", oddOwners, rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(rt, "most owners"))
	at := func(name string) string { return one(name, times[name]) }
	local := func(x string) string {
		if x == "'4713-01-01 00:00:00+00 BC'" {
			return "'4713-01-01 BC'"
		}
		return fmt.Sprintf("(%s)::timestamptz::timestamp", x)
	}
	rows := make([]string, n)
	for i := range rows {
		owner := one("owner", owners)
		claimed := at("claimed")
		rows[i] = fmt.Sprintf("(%s, %s, %d, %s, %s, %s, ARRAY[%s], %s, %s, %s, (%s)::timestamptz::date, %s, %s, %s, %s, %s, %s)",
			literal(one("group", []string{"g", "h/i", "hex:1"})), literal(fmt.Sprintf(one("key", oddKeys), i)), i, one("state", append(slices.Repeat([]string{"'P'"}, 9), "'W'", "'D'", "'F'", "'X'", "NULL")),
			one("code", append(slices.Repeat([]string{"1"}, 9), "2", "3", "4", "NULL")), owner, owner, claimed, local(claimed), one("ms", []string{"NULL", "0", "-1", "9223372036854775807", "extract(epoch FROM now() - interval '1 hour')::bigint * 1000", "extract(epoch FROM now() + interval '5 hours')::bigint * 1000"}),
			claimed, at("lease"), one("s", []string{"NULL", "0", "extract(epoch FROM now())::bigint - 10", "extract(epoch FROM now())::bigint + 10", "9223372036854775807"}),
			one("span", []string{"NULL", "'1 hour'", "'-1 hour'", "'1000 years'", "'178000000 years'"}), one("secs", []string{"NULL", "0", "60", "2147483647", "-2147483648"}), at("beat"), at("done"))
	}
	if n == 0 {
		return "TRUNCATE odd", 0
	}
	return "TRUNCATE odd; INSERT INTO odd (grp, id, n, state, code, owner, owners, claimed, claimed_local, claimed_ms, claimed_day, lease, lease_s, span, secs, beat, done_at) VALUES " + strings.Join(rows, ", "), n
}

// What is counted on the server is what the rules say of every row: the same
// summary, incident, groups, notes and list as a look that reads and judges all
// claimed rows at the same instant.
func TestR34_CountedOnTheServerAsJudgedOneByOne(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(oddTable)
	tables := make([]inspect.Table, len(oddMappings))
	for i, m := range oddMappings {
		tables[i] = mapped(t, s, "odd", m)
	}
	locker := db.Conn()
	db.ConnAs(db.DSN() + "&application_name=worker-3%40h2")
	counted := 0
	rapid.Check(t, func(rt *rapid.T) {
		fill, _ := fillOdd(rt)
		db.Exec(fill)
		table := tables[slices.Index(oddMappings, rapid.SampledFrom(oddMappings).Draw(rt, "mapping"))]
		if rapid.Bool().Draw(rt, "another kind") {
			table.Mapping.Kind = rapid.SampledFrom([]inspect.Kind{inspect.KindPlaceholder, inspect.KindInsertOnlyCommit, inspect.KindLockRow}).Draw(rt, "kind")
		}
		if rapid.Bool().Draw(rt, "updated") {
			table.Mapping.UpdatedAt = "done_at"
		}
		table.RowVersions = rapid.IntRange(0, 4).Draw(rt, "versions") > 0
		locks := rapid.SampledFrom([]string{"", "SELECT FROM odd WHERE n % 3 = 1 FOR UPDATE", "SELECT FROM odd WHERE n % 2 = 1 FOR SHARE; SAVEPOINT a; SELECT FROM odd WHERE n < 9 FOR UPDATE"}).Draw(rt, "locks")
		if _, err := locker.Exec(t.Context(), "BEGIN; "+locks); err != nil {
			rt.Fatal(err)
		}
		defer func() {
			if _, err := locker.Exec(t.Context(), "ROLLBACK"); err != nil {
				rt.Fatal(err)
			}
		}()
		query := drawQuery(rt, table)
		there, here := lookBothWays(t.Context(), rt, s, table, query)
		if there.Seen.Partial {
			counted++
		}
		if diff := cmp.Diff(here, there, sameLook...); diff != "" {
			rt.Fatalf("judged one by one (-) and counted on the server (+):\n%s", diff)
		}
	})
	if counted == 0 {
		t.Error("nothing was counted on the server")
	}
}

func drawQuery(rt *rapid.T, table inspect.Table) inspect.Query {
	q := inspect.Query{Limit: rapid.IntRange(1, 12).Draw(rt, "limit"), All: rapid.Bool().Draw(rt, "all")}
	switch rapid.IntRange(0, 9).Draw(rt, "filter") {
	case 0:
		q.Owner = inspect.Some("worker-1@h1")
	case 1:
		q.Since = time.Now().Add(-4 * time.Hour)
	case 2:
		q.Until = time.Now().Add(-2 * time.Hour)
	case 3:
		q.Owner, q.Since = inspect.Some("worker-2@h1"), time.Now().Add(-1000*time.Hour)
	case 4:
		q.State = inspect.StateUnmapped
	case 5:
		if k, err := inspect.ParseKey("pay_1", table.Mapping.Key); err == nil {
			q.Key = inspect.Some(k)
		}
	case 6:
		q.Brief = true
	}
	return q
}

// lookBothWays looks twice in one transaction, so at one instant.
func lookBothWays(ctx context.Context, rt *rapid.T, s *Store, table inspect.Table, query inspect.Query) (there, here inspect.Snapshot) {
	err := s.look(ctx, "look both ways", func(ctx context.Context, t *tx) error {
		for i, out := range []*inspect.Snapshot{&there, &here} {
			query.Single = i == 0
			kept := &sink{}
			if query.Sink = nil; i == 0 && rapid.Bool().Draw(rt, "sink") {
				query.Sink = kept
			}
			l := looker{tx: t, table: table, reader: newReader(table), query: query, exact: true, large: s.large}
			l.reader.slim = true
			if err := l.run(ctx); err != nil {
				return err
			}
			*out = l.snapshot()
			out.Claims, out.Unsettled = append(out.Claims, kept.claims...), out.NeedsSecondLook()
		}
		return nil
	})
	if err != nil {
		rt.Fatal(err)
	}
	return there, here
}

// spans are what a lock's evidence measures by the clock of the moment.
var spans = regexp.MustCompile(`(idle in transaction|active|idle) [0-9.]+[smh]`)

// sameLook leaves out what differs between two looks by design: the question
// itself and the memory for the next look.
var sameLook = []cmp.Option{
	cmpopts.IgnoreFields(inspect.Snapshot{}, "Query", "Seen", "Table"), cmpopts.EquateEmpty(), cmp.AllowUnexported(inspect.Key{}),
	cmp.Transformer("spans", func(e inspect.Evidence) string {
		return fmt.Sprint(e.Rung, e.For, spans.ReplaceAllString(e.Text, "$1"), e.Query)
	}),
}

// sink keeps what it takes.
type sink struct {
	claims []inspect.Claim
	at     time.Time
}

func (s *sink) Reset(at time.Time) error {
	s.claims, s.at = nil, at
	return nil
}

func (s *sink) Take(c inspect.Claim) error {
	s.claims = append(s.claims, c)
	return nil
}

// A list that is longer than one part comes through a cursor, whole and in order;
// what is claimed beyond what one look could read is counted exactly.
func TestR34_LongListsComeInParts(t *testing.T) {
	db, s, table := recommended(t, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, completed_at)
 SELECT 'k' || lpad(n::text, 6, '0'), CASE WHEN n <= 12000 THEN 'PROCESSING' ELSE 'FAILED' END, 'w' || n % 7, now() - interval '2 hours', now() + (n - 11000) * interval '1 second' + CASE WHEN n > 11000 THEN interval '1 hour' ELSE '0' END, NULL FROM generate_series(1, 15000) n; ANALYZE processed_messages`)
	for name, c := range map[string]struct {
		query         inspect.Query
		listed, stuck int64
		first, last   string
	}{
		"stuck":         {inspect.Query{Limit: 1 << 20}, 11000, 11000, "k000001", "k011000"},
		"all":           {inspect.Query{Limit: 1 << 20, All: true}, 12000, 11000, "k000001", "k012000"},
		"cut":           {inspect.Query{Limit: 2500}, 2500, 11000, "k000001", "k002500"},
		"of an owner":   {inspect.Query{Limit: 1 << 20, Owner: inspect.Some("w1")}, 1572, 1572, "k000001", "k010998"},
		"another state": {inspect.Query{Limit: 1 << 20, State: inspect.StateFailed}, 3000, 0, "k012001", "k015000"},
		"cut of it":     {inspect.Query{Limit: 1500, State: inspect.StateFailed}, 1500, 0, "k012001", "k013500"},
	} {
		kept := &sink{}
		c.query.Single, c.query.Sink = true, kept
		snap := snapshot(t, s, table, c.query)
		if snap.Listed != c.listed || int64(len(kept.claims)) != c.listed || len(snap.Claims) != 0 || snap.StuckMatching != c.stuck {
			t.Errorf("%s: %d listed, %d taken, %d stuck, want %d, %d stuck", name, snap.Listed, len(kept.claims), snap.StuckMatching, c.listed, c.stuck)
			continue
		}
		if first, last := kept.claims[0].Key.String(), kept.claims[c.listed-1].Key.String(); first != c.first || last != c.last {
			t.Errorf("%s: from %s to %s, want %s to %s", name, first, last, c.first, c.last)
		}
		if sum := snap.Summary; sum.LookCut || sum.Claimed != (inspect.Count{Rows: 12000, Exact: true}) || sum.Stuck != 11000 || sum.Held != 1000 || kept.at != snap.At {
			t.Errorf("%s: summary %+v at %s", name, sum.Claimed, kept.at)
		}
	}
	// A sink's error ends the look, and leaves the connection in order.
	full := errors.New("the disk is full")
	if _, err := s.Snapshot(t.Context(), table, inspect.Query{Limit: 1 << 20, Single: true, Sink: failing{full}}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if snap := snapshot(t, s, table, inspect.Query{}); len(snap.Claims) != inspect.DefaultLimit {
		t.Errorf("%d claims after that", len(snap.Claims))
	}
}

type failing struct{ err error }

func (failing) Reset(time.Time) error      { return nil }
func (f failing) Take(inspect.Claim) error { return f.err }
