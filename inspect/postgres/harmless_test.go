package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// R29: a pooler that refuses startup parameters, and one that swallows them. The
// connection string may even ask for some: they are not sent.
func TestR29_StartupParametersRefusedOrSwallowed(t *testing.T) {
	db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	for name, settings := range map[string][]string{
		"refused":   nil,
		"swallowed": {"ignore_startup_parameters = statement_timeout, search_path, default_transaction_read_only, options, extra_float_digits, lock_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			connection := db.Pooled(settings...).DSN()
			join := "?"
			if strings.Contains(connection, "?") {
				join = "&"
			}
			s := open(t, connection+join+"statement_timeout=0&search_path=nowhere&default_transaction_read_only=off", Options{StatementTimeout: 200 * time.Millisecond})
			table := resolve(t, s, inspect.Target{})
			equal(t, "list", keysOf(snapshot(t, s, table, inspect.Query{}).Claims), []string{"k"})
			// Our own limits hold all the same: they are set inside the transaction.
			err := s.look(t.Context(), "wait", func(ctx context.Context, t *tx) error {
				_, err := t.conn.Exec(ctx, "SELECT pg_sleep(20)")
				return err
			})
			wantFault(t, err, inspect.FaultTimeout)
			err = s.look(t.Context(), "write", func(ctx context.Context, t *tx) error {
				_, err := t.conn.Exec(ctx, "UPDATE public.processed_messages SET attempts = 9")
				return err
			})
			wantFault(t, err, inspect.FaultReadOnly)
		})
	}
}

// R29: behind a pooler a restart looks different: it keeps refusing for a while
// after the server is back. Whoever tries again gets through.
func TestR29_RestartBehindAPooler(t *testing.T) {
	db := servertest.OwnPostgres(t)
	db.Exec(recommendedDDL(t))
	s := open(t, db.Pooled("server_login_retry = 2", "query_wait_timeout = 1").DSN())
	table := resolve(t, s, inspect.Target{})
	db.Stop(false)
	look := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := s.Snapshot(ctx, table, inspect.Query{})
		return err
	}
	if err := look(); err == nil {
		t.Error("a look at a stopped server answered")
	} else if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, ";") {
		t.Errorf("error: %v", err)
	}
	db.Start()
	eventually(t, "the pooler lets us through again", func() bool { return look() == nil })
}

// A role without pg_monitor is told what it cannot see, and never that there is
// nothing.
func TestRoleWithoutPgMonitor(t *testing.T) {
	db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+"), ('l', 'PROCESSING', 'w2', "+lapsed+")")
	role := db.Role("plain", "SELECT ON processed_messages")
	peer := db.ConnAs(db.DSN())
	if _, err := peer.Exec(t.Context(), "SET application_name = 'w2'"); err != nil {
		t.Fatal(err)
	}
	s := open(t, role.DSN)
	snap := snapshot(t, s, resolve(t, s, inspect.Target{}), inspect.Query{})
	if c := claimNamed(t, snap, "l"); c.Verdict != inspect.VerdictCannotTell || !strings.Contains(fmt.Sprint(c.Evidence), "hidden") {
		t.Errorf("%s: %v", c.Verdict, c.Evidence)
	}
	if _, err := s.Health(t.Context(), snap.Table, inspect.HealthPolicy{}); err != nil {
		t.Errorf("health: %v", err)
	}
}

// A table that another session has locked whole is said to be locked, soon, by
// every question; the catalogue is still read.
func TestTableLockedByAnotherSession(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	held, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), "LOCK TABLE processed_messages IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, err = s.Snapshot(t.Context(), table, inspect.Query{})
	wantFault(t, err, inspect.FaultLocked)
	_, err = s.Show(t.Context(), table, key(t, table, "k"), inspect.ShowOptions{})
	wantFault(t, err, inspect.FaultLocked)
	_, err = s.Health(t.Context(), table, inspect.HealthPolicy{})
	wantFault(t, err, inspect.FaultLocked)
	if tables, err := s.Tables(t.Context()); err != nil || len(tables) != 1 {
		t.Errorf("%d tables (%v)", len(tables), err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("that took %s", took)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// R34: in a large table without an index one key is found by its own index, and
// nothing is scanned; what is cut says so; estimates are marked.
func TestR34_OneKeyInALargeTable(t *testing.T) {
	s, table := largeTable(t, "")
	found := snapshot(t, s, table, inspect.Query{Key: inspect.Some(key(t, table, "k19999")), State: inspect.StateDone, NeverScan: true})
	equal(t, "list", keysOf(found.Claims), []string{"k19999"})
	found = snapshot(t, s, table, inspect.Query{Key: inspect.Some(key(t, table, "k5000")), NeverScan: true, All: true})
	if len(found.Claims) != 1 || found.Summary.ByState[inspect.StateDone].Exact {
		t.Errorf("%d claims, %+v", len(found.Claims), found.Summary.ByState)
	}
	cut := snapshot(t, s, table, inspect.Query{Limit: 5})
	if len(cut.Claims) != 5 || cut.Matching.Rows != 20 || !cut.Summary.Truncated {
		t.Errorf("%d of %+v, truncated %v", len(cut.Claims), cut.Matching, cut.Summary.Truncated)
	}
}

// R34: a count that runs into the timeout does not take the list with it.
func TestR34_ACountThatTakesTooLongIsEstimated(t *testing.T) {
	db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	db.Exec("INSERT INTO processed_messages (message_id, state) SELECT 'd' || n, 'DONE' FROM generate_series(1, 400000) n; ANALYZE processed_messages")
	s := open(t, db.DSN(), Options{StatementTimeout: 15 * time.Millisecond})
	var table inspect.Table
	eventually(t, "the catalogue answers within so short a timeout", func() bool {
		var err error
		table, err = s.Resolve(t.Context(), inspect.Target{})
		return err == nil
	})
	var snap inspect.Snapshot
	eventually(t, "the list answers", func() bool {
		var err error
		snap, err = s.Snapshot(t.Context(), table, inspect.Query{})
		return err == nil
	})
	equal(t, "list", keysOf(snap.Claims), []string{"k"})
	if done := snap.Summary.ByState[inspect.StateDone]; done.Exact || done.Rows < 300000 {
		t.Errorf("done %+v, notes %v", done, snap.Notes)
	}
}
