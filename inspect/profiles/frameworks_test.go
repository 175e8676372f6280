package profiles_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/postgres"
	"idemtui/inspect/schema"
	"idemtui/inspect/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// framework is one framework's table with rows of every state, and what is said
// of them.
type framework struct {
	profile string
	table   string
	kind    inspect.Kind
	// says is "KEY STATE/CONDITION/VERDICT" of each claimed row.
	says []string
	// states are the rows by state.
	states string
	// release is the mode and the key that are released; refused are others that
	// are asked for and are not.
	mode    inspect.ReleaseMode
	release string
	lease   bool // override the running lease
	refused map[string]inspect.Reason
	// other is a table of which rows are released with the claim.
	other string
	// after is read after the release.
	after, want string
}

const (
	envelope = "00000000-0000-0000-0000-00000000000"
	consumer = "00000000-0000-0000-0000-0000000000cc/" + envelope
)

var frameworks = []framework{
	{
		profile: "processed-messages", table: "public.processed_messages", kind: inspect.KindStateLease,
		says: []string{"m1 stuck/cannot-tell", "m2 held/alive"}, states: "done 1, failed 1, processing 2",
		release: "m1", refused: map[string]inspect.Reason{"m2": inspect.ReasonLeaseRunning, "m3": inspect.ReasonDone, "m4": inspect.ReasonFailed},
		after: "SELECT state || ' ' || (fencing_token > 1) || ' ' || (owner IS NULL) FROM processed_messages WHERE message_id = 'm1'", want: "FAILED true true",
	},
	{
		profile: "river", table: "public.river_job", kind: inspect.KindStateAge,
		says: []string{"1 stuck/cannot-tell", "2 held/cannot-tell"}, states: "done 2, failed 1, free 4, processing 2",
		release: "1", refused: map[string]inspect.Reason{"2": inspect.ReasonLeaseRunning, "3": inspect.ReasonDone, "4": inspect.ReasonFailed, "7": inspect.ReasonChanged},
		after: "SELECT state || ' ' || (scheduled_at <= now()) || ' ' || array_length(attempted_by, 1) FROM river_job WHERE id = 1", want: "available true 2",
	},
	{
		profile: "graphile-worker", table: "graphile_worker._private_jobs", kind: inspect.KindLockedAt,
		says: []string{"1 stuck/cannot-tell", "2 stuck/cannot-tell", "3 held/cannot-tell"}, states: "free 2, processing 3",
		release: "1", refused: map[string]inspect.Reason{"3": inspect.ReasonLeaseRunning}, other: "graphile_worker._private_job_queues",
		after: "SELECT concat(j.locked_by, j.is_available, q.locked_by) FROM graphile_worker._private_jobs j JOIN graphile_worker._private_job_queues q ON q.id = j.job_queue_id", want: "t",
	},
	{
		profile: "graphile-worker", table: "graphile_worker._private_jobs", kind: inspect.KindLockedAt,
		says: []string{"1 stuck/cannot-tell", "2 stuck/cannot-tell", "3 held/cannot-tell"}, states: "free 2, processing 3",
		mode: inspect.ReleaseClear, release: "1", refused: map[string]inspect.Reason{"3": inspect.ReasonLeaseRunning}, other: "graphile_worker._private_job_queues",
		after: "SELECT concat(j.locked_by, j.is_available, q.locked_by) FROM graphile_worker._private_jobs j JOIN graphile_worker._private_job_queues q ON q.id = j.job_queue_id", want: "t",
	},
	{
		profile: "procrastinate", table: "public.procrastinate_jobs", kind: inspect.KindHeartbeat,
		says: []string{"1 stuck/likely-dead", "2 held/alive", "3 stuck/likely-dead", "7 stuck/likely-dead"}, states: "done 2, failed 1, free 1, processing 4",
		release: "1", refused: map[string]inspect.Reason{"2": inspect.ReasonAlive, "4": inspect.ReasonChanged, "5": inspect.ReasonDone, "6": inspect.ReasonFailed, "7": inspect.ReasonChanged},
		after: "SELECT concat_ws(' ', status, attempts, scheduled_at <= now(), (SELECT count(*) FROM procrastinate_events WHERE job_id = 1 AND at > now() - interval '1 minute') > 0) FROM procrastinate_jobs WHERE id = 1", want: "todo 1 t t",
	},
	{
		profile: "procrastinate", table: "public.procrastinate_jobs", kind: inspect.KindHeartbeat,
		says: []string{"1 stuck/likely-dead", "2 held/alive", "3 stuck/likely-dead", "7 stuck/likely-dead"}, states: "done 2, failed 1, free 1, processing 4",
		mode: inspect.ReleaseFail, release: "7",
		after: "SELECT concat_ws(' ', status, attempts, abort_requested) FROM procrastinate_jobs WHERE id = 7", want: "failed 0 f",
	},
	{
		profile: "wolverine", table: "wolverine.wolverine_incoming_envelopes", kind: inspect.KindHeartbeat,
		says:    []string{envelope + "1 held/alive", envelope + "2 stuck/likely-dead", envelope + "3 stuck/likely-dead"},
		states:  "done 1, free 2, processing 3, unmapped 1",
		release: envelope + "3", refused: map[string]inspect.Reason{envelope + "1": inspect.ReasonAlive, envelope + "6": inspect.ReasonDone, envelope + "7": inspect.ReasonChanged},
		after: "SELECT status || ' ' || owner_id FROM wolverine.wolverine_incoming_envelopes WHERE id = '" + envelope + "3'", want: "Incoming 0",
	},
	{
		profile: "masstransit", table: "public.InboxState", kind: inspect.KindPlaceholder,
		says:    []string{consumer + "1 stuck/cannot-tell", consumer + "2 held/cannot-tell", consumer + "5 stuck/cannot-tell"},
		states:  "done 2, processing 3",
		release: consumer + "1", refused: map[string]inspect.Reason{consumer + "2": inspect.ReasonLeaseRunning, consumer + "3": inspect.ReasonDone, consumer + "4": inspect.ReasonDone},
		after: `SELECT count(*)::text FROM "InboxState"`, want: "4",
	},
	{
		profile: "nservicebus", table: "public.Billing_OutboxData", kind: inspect.KindInsertOnly,
		says: []string{"m1 no-lease/cannot-tell"}, states: "done 1, processing 1",
		mode: inspect.ReleaseDelete, release: "m1", refused: map[string]inspect.Reason{"m2": inspect.ReasonDone},
		after: `SELECT count(*)::text FROM "Billing_OutboxData"`, want: "1",
	},
	{
		profile: "camel", table: "public.camel_messageprocessed", kind: inspect.KindInsertOnlyCommit,
		says: []string{"charges/m1 no-lease/cannot-tell", "charges/m2 held/cannot-tell"}, states: "processing 2",
		release: "charges/m1", refused: map[string]inspect.Reason{"charges/m2": inspect.ReasonLeaseRunning},
		after: `SELECT count(*)::text FROM camel_messageprocessed`, want: "1",
	},
	{
		profile: "shedlock", table: "public.shedlock", kind: inspect.KindLockRow,
		says: []string{"nightly held/alive"}, states: "free 1, processing 1",
		release: "nightly", lease: true, refused: map[string]inspect.Reason{"nightly": inspect.ReasonLeaseRunning, "hourly": inspect.ReasonChanged},
		after: "SELECT (lock_until <= now() AT TIME ZONE 'UTC') || locked_by FROM shedlock WHERE name = 'nightly'", want: "truehost-1",
	},
}

func TestFrameworks(t *testing.T) {
	for _, f := range frameworks {
		t.Run(f.profile+string(f.mode), func(t *testing.T) {
			t.Parallel()
			db, s := fixture(t, f.profile)
			table, err := s.Resolve(t.Context(), inspect.Target{})
			if err != nil {
				t.Fatal(err)
			}
			if table.FullName() != f.table || table.Mapping.Profile != f.profile || table.Mapping.Kind != f.kind || !table.UniqueKey {
				t.Fatalf("resolved %s by %s, %s, unique %v", table.FullName(), table.Mapping.Profile, table.Mapping.Kind, table.UniqueKey)
			}
			f.looked(t, s, table)
			f.released(t, db, s, table)
		})
	}
}

func fixture(t *testing.T, profile string) (*servertest.DB, *postgres.Store) {
	t.Helper()
	db := servertest.Postgres(t)
	for _, part := range ddl(t, profile) {
		db.Exec(part)
	}
	rows, err := os.ReadFile("testdata/" + profile + ".rows.sql")
	if err != nil {
		t.Fatal(err)
	}
	db.Exec(string(rows))
	return db, openAt(t, db.DSN())
}

// frameworkDDL names a folder with the DDL of frameworks as they make it
// themselves, PROFILE.sql, to be used instead of ours: that is how a profile is
// verified. "-- transaction" begins a new one.
const frameworkDDL = "IDEMTUI_FRAMEWORK_DDL"

// ddl makes a profile's table.
func ddl(t *testing.T, profile string) []string {
	t.Helper()
	if profile == "processed-messages" {
		recommended, err := schema.For(dsn.Postgres)
		if err != nil {
			t.Fatal(err)
		}
		return []string{recommended.CreateSQL()}
	}
	ours, err := os.ReadFile("testdata/" + profile + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv(frameworkDDL); folder != "" {
		if theirs, err := os.ReadFile(filepath.Join(folder, profile+".sql")); err == nil {
			t.Logf("the table of %s as it makes it itself", profile)
			return strings.Split(string(theirs), "-- transaction\n")
		}
	}
	return []string{string(ours)}
}

func (f framework) looked(t *testing.T, s *postgres.Store, table inspect.Table) {
	t.Helper()
	snap, err := s.Snapshot(t.Context(), table, inspect.Query{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var says []string
	for _, c := range snap.Claims {
		says = append(says, fmt.Sprintf("%s %s/%s", c.Key, c.Condition, c.Verdict))
	}
	slices.Sort(says)
	if !slices.Equal(says, f.says) {
		t.Errorf("claims %q, want %q", says, f.says)
	}
	var states []string
	for state, n := range snap.Summary.ByState {
		states = append(states, fmt.Sprintf("%s %d", state, n.Rows))
	}
	slices.Sort(states)
	if got := strings.Join(states, ", "); got != f.states {
		t.Errorf("states %s, want %s", got, f.states)
	}
}

// released plans, releases and undoes, and compares the whole table with what
// it was.
func (f framework) released(t *testing.T, db *servertest.DB, s *postgres.Store, table inspect.Table) {
	t.Helper()
	ctx := t.Context()
	whole := fmt.Sprintf(`SELECT string_agg(t::text, '|' ORDER BY t::text) FROM "%s"."%s" t`, table.Schema, table.Name)
	if f.other != "" {
		whole = fmt.Sprintf(`SELECT (%s) || (SELECT string_agg(o::text, '|' ORDER BY o::text) FROM %s o)`, whole, f.other)
	}
	before := db.Text(whole)
	for text, reason := range f.refused {
		p, err := s.Plan(ctx, table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, text)}, Mode: f.mode})
		if err != nil || len(p.Rows) != 0 || len(p.Refused) != 1 || p.Refused[0].Reason != reason {
			t.Errorf("%s: rows %d, refused %v (%v), want %s", text, len(p.Rows), p.Refused, err, reason)
		}
	}
	p, err := s.Plan(ctx, table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, f.release)}, Mode: f.mode, OverrideLease: f.lease})
	if err != nil || len(p.Rows) != 1 {
		t.Fatalf("plan %+v: %v", p.Refused, err)
	}
	if text := strings.Join(p.Consequence, "\n"); f.other != "" && (!strings.Contains(text, "in the same transaction: 1 row of "+f.other) || !strings.Contains(p.SQL, "FOR UPDATE OF o")) {
		t.Errorf("the plan does not say what goes with it: %s\n%s", text, p.SQL)
	}
	audit := &memory{}
	r, err := s.Release(ctx, table, p, inspect.ReleaseOptions{Auditor: audit, Reason: "test"})
	if err != nil || len(r.Released) != 1 || !r.Clean() {
		t.Fatalf("released %v, skipped %v, failed %v: %v", r.Released, r.Skipped, r.Failed, err)
	}
	if got := db.Text(f.after); got != f.want {
		t.Errorf("after the release %q, want %q", got, f.want)
	}
	u, err := s.Undo(ctx, table, inspect.UndoRequest{AuditID: audit.ID(), Rows: audit.rows, Auditor: &memory{}, Reason: "test"})
	if err != nil || len(u.Restored) != 1 || !u.Clean() {
		t.Fatalf("undo %+v: %v", u, err)
	}
	if got := db.Text(whole); got != before {
		t.Errorf("after the undo\n%s\nwant\n%s", got, before)
	}
}

func key(t *testing.T, table inspect.Table, text string) inspect.Key {
	t.Helper()
	k, err := inspect.ParseKey(text, table.Mapping.Key)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// memory keeps the audited rows.
type memory struct{ rows []inspect.AuditRow }

func (m *memory) ID() string { return "01TEST" }

func (m *memory) Intent(_ context.Context, i inspect.Intent) error {
	m.rows = append(m.rows, i.Rows...)
	return nil
}

func (m *memory) Outcome(context.Context, inspect.Outcome) error { return nil }

func TestGraphilesOwnUnlockTouchesNoOtherRow(t *testing.T) {
	db, s := fixture(t, "graphile-worker")
	db.Exec("UPDATE graphile_worker._private_jobs SET locked_by = 'worker-a' WHERE id = 3")
	table, err := s.Resolve(t.Context(), inspect.Target{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, "1"), key(t, table, "2")}})
	if err != nil || len(p.Rows) != 2 {
		t.Fatalf("plan %+v: %v", p, err)
	}
	r, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: &memory{}, Reason: "test"})
	if err != nil || len(r.Released) != 1 || r.Released[0].String() != "2" || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Text, "worker-a holds, which is 1 more") {
		t.Fatalf("released %v, skipped %v: %v", r.Released, r.Skipped, err)
	}
	if got := db.Text("SELECT string_agg(id::text, ',' ORDER BY id) FROM graphile_worker._private_jobs WHERE locked_by IS NOT NULL"); got != "1,3" {
		t.Errorf("still locked: %s", got)
	}
	db.Exec("DROP FUNCTION graphile_worker.force_unlock_workers")
	if _, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, "1")}}); err == nil || !strings.Contains(err.Error(), "no function") {
		t.Errorf("without the function: %v", err)
	}
}
