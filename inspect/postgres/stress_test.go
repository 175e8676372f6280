package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/schema"
	"idemtui/inspect/servertest"
)

const (
	stressKeys    = 400
	stressWorkers = 8
	stressTime    = 4 * time.Second
	// selfCheckTime is the longest that the weakened guard may go undetected.
	selfCheckTime = 20 * time.Second
)

// replacedDDL records, for every release, the row version it really replaced,
// and whether that was a running lease by the clock of the releasing
// transaction. Releases are told from workers by their application_name.
const replacedDDL = `CREATE TABLE replaced (message_id text, state text, lease_expires_at timestamptz, released_at timestamptz);
CREATE FUNCTION record_replaced() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
 INSERT INTO public.replaced VALUES (OLD.message_id, OLD.state, OLD.lease_expires_at, now()); RETURN NULL; END $$;
CREATE TRIGGER record_replaced AFTER UPDATE ON processed_messages FOR EACH ROW
 WHEN (current_setting('application_name') LIKE 'idemtui %') EXECUTE FUNCTION record_replaced()`

// stress is workers and releasers on one table.
type stress struct {
	t        *testing.T
	db       *servertest.DB
	pool     *pgxpool.Pool
	sql      schema.Schema
	weakened bool
	released atomic.Int64
	skipped  atomic.Int64
	finished atomic.Int64
}

func newStress(t *testing.T, weakened bool) *stress {
	t.Helper()
	sql, err := schema.For(dsn.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	db := servertest.Postgres(t)
	db.Exec(sql.CreateSQL())
	db.Exec(replacedDDL)
	config, err := pgxpool.ParseConfig(db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = stressWorkers
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &stress{t: t, db: db, pool: pool, sql: sql, weakened: weakened}
}

// work claims, holds, renews (in time and late), completes and fails.
func (s *stress) work(ctx context.Context, name string, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1))
	between := func(low, high int) time.Duration {
		return time.Duration(low+random.IntN(high-low)) * time.Millisecond
	}
	for ctx.Err() == nil {
		id := fmt.Sprintf("m%d", random.IntN(stressKeys))
		var answer string
		var token *int64
		err := s.pool.QueryRow(ctx, s.sql.Statement("claim").SQL, id, name, between(5, 40).Milliseconds()).Scan(&answer, &token, nil, nil, nil)
		if err != nil {
			return err
		}
		if token == nil {
			continue
		}
		for random.IntN(3) > 0 {
			// Sometimes beyond the lease, so that renewals come late.
			if err := pause(ctx, between(1, 50)); err != nil {
				return err
			}
			if err := s.step(ctx, "renew", id, *token, between(5, 40).Milliseconds()); err != nil {
				return err
			}
		}
		switch random.IntN(4) {
		case 0: // dies without a word
		case 1:
			err = s.step(ctx, "fail", id, *token)
		default:
			err = s.step(ctx, "complete", id, *token, `{"ok": true}`)
		}
		if err != nil {
			return err
		}
		if random.IntN(4) == 0 { // forgotten, so that the keys do not all end
			if _, err := s.pool.Exec(ctx, "DELETE FROM processed_messages WHERE message_id = $1 AND state = 'DONE'", fmt.Sprintf("m%d", random.IntN(stressKeys))); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (s *stress) step(ctx context.Context, statement string, args ...any) error {
	var at time.Time
	err := s.pool.QueryRow(ctx, s.sql.Statement(statement).SQL, args...).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) { // lost the claim
		return nil
	}
	if err == nil && statement != "renew" {
		s.finished.Add(1)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// release releases whatever the list shows, again and again.
func (s *stress) release(ctx context.Context, store *Store) error {
	table, err := store.Resolve(ctx, inspect.Target{})
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		snap, err := store.Snapshot(ctx, table, inspect.Query{})
		if err != nil {
			return err
		}
		var keys []inspect.Key
		for _, c := range snap.Claims {
			keys = append(keys, c.Key)
		}
		if len(keys) == 0 {
			continue
		}
		p, err := store.Plan(ctx, table, inspect.PlanRequest{Keys: keys})
		if err != nil {
			return err
		}
		// The person reads the plan while the workers go on.
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
		w := newWrite(table, p.Mode, false, readableColumns(table))
		w.keyAndState = s.weakened
		r, err := store.release(ctx, table, p, inspect.ReleaseOptions{Auditor: &memoryAuditor{}, Reason: "stress"}, w)
		if err != nil {
			return err
		}
		if len(r.Failed) > 0 {
			return fmt.Errorf("failed: %+v", r.Failed)
		}
		s.released.Add(int64(len(r.Released)))
		s.skipped.Add(int64(len(r.Skipped) - len(p.Refused)))
	}
	return ctx.Err()
}

// run lets all go on for a while, or until stop says so.
func (s *stress) run(limit time.Duration, stop func() bool) {
	// Not a deadline, which a dialler meets a moment before the context does.
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	defer time.AfterFunc(limit, cancel).Stop()
	var all sync.WaitGroup
	begin := func(what string, f func(context.Context) error) {
		all.Go(func() {
			err := f(ctx)
			if err != nil && ctx.Err() == nil {
				s.t.Errorf("%s: %v", what, err)
				cancel()
			}
		})
	}
	for i := range stressWorkers {
		name := fmt.Sprintf("w%d", i)
		begin(name, func(ctx context.Context) error { return s.work(ctx, name, uint64(i)) })
	}
	for range 2 {
		store := open(s.t, s.db.DSN())
		begin("releaser", func(ctx context.Context) error { return s.release(ctx, store) })
	}
	if stop != nil {
		for ctx.Err() == nil && !stop() {
			if pause(ctx, 50*time.Millisecond) != nil {
				break
			}
		}
		cancel()
	}
	all.Wait()
}

const (
	runningReplaced  = "SELECT count(*) FROM replaced WHERE state = 'PROCESSING' AND lease_expires_at >= released_at"
	finishedReplaced = "SELECT count(*) FROM replaced WHERE state <> 'PROCESSING'"
)

func TestNoReleaseEverReplacesARunningLeaseOrAFinishedRow(t *testing.T) {
	s := newStress(t, false)
	s.run(stressTime, nil)
	replaced := s.db.Int("SELECT count(*) FROM replaced")
	t.Logf("%d released (%d row versions replaced), %d skipped, %d completed or failed by workers", s.released.Load(), replaced, s.skipped.Load(), s.finished.Load())
	if n := s.db.Int(runningReplaced); n > 0 {
		t.Errorf("%d running leases were replaced", n)
	}
	if n := s.db.Int(finishedReplaced); n > 0 {
		t.Errorf("%d finished rows were replaced", n)
	}
	if replaced == 0 || s.skipped.Load() == 0 || s.finished.Load() == 0 {
		t.Error("nothing raced: the test says nothing")
	}
}

// TestTheStressTestSeesAWeakGuard is the self-check: with the guard reduced to
// key and state the same test must find violations.
func TestTheStressTestSeesAWeakGuard(t *testing.T) {
	s := newStress(t, true)
	s.run(selfCheckTime, func() bool { return s.db.Int(runningReplaced) > 0 })
	n := s.db.Int(runningReplaced)
	t.Logf("%d running leases replaced by the weakened guard, %d released", n, s.released.Load())
	if n == 0 {
		t.Errorf("the guard of key and state did no harm in %s: the stress test cannot see any", selfCheckTime)
	}
}
