package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/schema"
	"idemtui/inspect/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// recommendedDDL is the table that inspect schema prints, without its checks:
// tables in the field hold PROCESSING rows without a lease.
func recommendedDDL(t testing.TB) string {
	t.Helper()
	sql, err := schema.For(dsn.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	return sql.CreateSQL() + "; ALTER TABLE processed_messages DROP CONSTRAINT processed_messages_check, DROP CONSTRAINT processed_messages_check1"
}

// open makes a store on a test's database; it is closed with the test.
func open(t testing.TB, connection string, options ...Options) *Store {
	t.Helper()
	d, err := dsn.Parse(connection)
	if err != nil {
		t.Fatal(err)
	}
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	s, err := Open(d, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// recommended makes a database with the recommended table and rows.
func recommended(t testing.TB, rows string) (*servertest.DB, *Store, inspect.Table) {
	t.Helper()
	db := servertest.Postgres(t)
	db.Exec(recommendedDDL(t))
	if rows != "" {
		db.Exec("INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, completed_at) VALUES " + rows)
	}
	s := open(t, db.DSN())
	return db, s, resolve(t, s, inspect.Target{})
}

func resolve(t testing.TB, s *Store, target inspect.Target) inspect.Table {
	t.Helper()
	table, err := s.Resolve(t.Context(), target)
	if err != nil {
		t.Fatalf("resolve %+v: %v", target, err)
	}
	return table
}

func mapped(t testing.TB, s *Store, table, mapping string) inspect.Table {
	t.Helper()
	m, err := inspect.ParseMap(mapping)
	if err != nil {
		t.Fatal(err)
	}
	return resolve(t, s, inspect.Target{Table: table, Map: &m})
}

func snapshot(t testing.TB, s *Store, table inspect.Table, q inspect.Query) inspect.Snapshot {
	t.Helper()
	snap, err := s.Snapshot(t.Context(), table, q)
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	return snap
}

func keysOf(claims []inspect.Claim) []string {
	out := []string{}
	for _, c := range claims {
		out = append(out, c.Key.String())
	}
	return out
}

func names(keys []inspect.Key) []string {
	out := []string{}
	for _, k := range keys {
		out = append(out, k.String())
	}
	return out
}

func equal[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func key(t testing.TB, table inspect.Table, text string) inspect.Key {
	t.Helper()
	k, err := inspect.ParseKey(text, table.Mapping.Key)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func keyList(t testing.TB, table inspect.Table, texts ...string) []inspect.Key {
	out := make([]inspect.Key, len(texts))
	for i, s := range texts {
		out[i] = key(t, table, s)
	}
	return out
}

func plan(t testing.TB, s *Store, table inspect.Table, request inspect.PlanRequest) inspect.Plan {
	t.Helper()
	p, err := s.Plan(t.Context(), table, request)
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	return p
}

func release(t testing.TB, s *Store, table inspect.Table, p inspect.Plan, a *memoryAuditor) inspect.Result {
	t.Helper()
	r, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: a, Reason: "test"})
	if err != nil {
		t.Fatalf("release: %v", err)
	}
	return r
}

func reasons(skips []inspect.Skip) map[string]inspect.Reason {
	out := map[string]inspect.Reason{}
	for _, s := range skips {
		out[s.Key.String()] = s.Reason
	}
	return out
}

func wantFault(t testing.TB, err error, kind inspect.FaultKind) *inspect.Fault {
	t.Helper()
	var f *inspect.Fault
	if !errors.As(err, &f) || f.Kind != kind {
		t.Fatalf("error = %v, want a fault of kind %s", err, kind)
	}
	return f
}

// memoryAuditor keeps the records, and can refuse them.
type memoryAuditor struct {
	mu       sync.Mutex
	refuse   error
	onIntent func()
	intents  []inspect.Intent
	outcomes []inspect.Outcome
}

func (a *memoryAuditor) ID() string { return "01TEST" }

func (a *memoryAuditor) Intent(_ context.Context, i inspect.Intent) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.onIntent != nil {
		a.onIntent()
	}
	if a.refuse != nil {
		return a.refuse
	}
	a.intents = append(a.intents, i)
	return nil
}

func (a *memoryAuditor) Outcome(_ context.Context, o inspect.Outcome) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes = append(a.outcomes, o)
	return nil
}

func (a *memoryAuditor) rows() []inspect.AuditRow {
	var out []inspect.AuditRow
	for _, i := range a.intents {
		out = append(out, i.ToUndo()...)
	}
	return out
}

// eventually polls until a condition holds.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !f() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 15 s: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
