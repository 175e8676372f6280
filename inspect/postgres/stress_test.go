package postgres

import (
	"context"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

const (
	stressKeys     = 400
	stressLongKeys = 4000
	stressWorkers  = 8
	// stressTime is how long the short mode takes at least, stressAtMost how long
	// it waits for everything to have raced.
	stressTime   = 900 * time.Millisecond
	stressAtMost = time.Minute
	// selfCheckTime is the longest that the weakened guard may go undetected.
	selfCheckTime = 20 * time.Second
	// stressVariable holds how many attempts to release the long mode makes in
	// all; without it the short one takes stressTime on each kind of table.
	stressVariable = "IDEMTUI_STRESS"
	stressLimit    = 2 * time.Hour
)

// stress is workers and releasers on one table.
type stress struct {
	t        *testing.T
	db       *servertest.DB
	pool     *pgxpool.Pool
	began    time.Time
	kind     stressKind
	keys     int
	weakened bool
	// crashes: the server itself is killed, so that workers too may fail.
	crashes bool

	attempts atomic.Int64
	written  atomic.Int64
	undone   atomic.Int64
	skipped  atomic.Int64
	finished atomic.Int64
	broken   atomic.Int64 // operations that ended with an error
	why      atomic.Pointer[string]

	mu   sync.Mutex
	done map[string]*stressOperation // by audit id
}

func newStress(t *testing.T, kind stressKind, db *servertest.DB) *stress {
	t.Helper()
	db.Exec(kind.ddl)
	s := &stress{t: t, db: db, kind: kind, keys: stressKeys, done: map[string]*stressOperation{}, began: time.Now()}
	if long(t) > 0 {
		s.keys = stressLongKeys
	}
	table, err := kind.resolve(t.Context(), open(t, db.DSN(), kind.options(t)))
	if err != nil {
		t.Fatal(err)
	}
	db.Exec(kind.recording(readableColumns(table)))
	config, err := pgxpool.ParseConfig(db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = stressWorkers + 2
	s.pool, err = pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.pool.Close)
	return s
}

// raced: something of everything has happened.
func (s *stress) raced() bool {
	return s.written.Load() > 0 && s.undone.Load() > 0 && s.skipped.Load() > 0 && s.finished.Load() > 0 && (s.weakened || s.broken.Load() > 0)
}

// calm: the workers do little, so that what a release wrote stays for a while
// and can be undone. On a machine that is too busy for that the calm gets longer.
func (s *stress) calm() bool {
	t := time.Since(s.began)
	if s.keys > stressKeys {
		return t/(2*time.Second)%2 == 1
	}
	return bits.Len64(uint64(t/stressTime))%2 == 1
}

// run lets all go on until stop says so. Meanwhile sessions of releases are
// ended on the server.
func (s *stress) run(limit time.Duration, stop func() bool, stores ...*Store) {
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	var all sync.WaitGroup
	begin := func(what string, f func(context.Context) error) {
		all.Go(func() {
			err := f(ctx)
			for s.crashes && err != nil && ctx.Err() == nil { // begin anew when the server is back
				if pause(ctx, 20*time.Millisecond) == nil {
					err = f(ctx)
				}
			}
			if err != nil && ctx.Err() == nil {
				s.t.Errorf("%s: %v", what, err)
				cancel()
			}
		})
	}
	for i := range stressWorkers {
		begin("worker", func(ctx context.Context) error { return s.work(ctx, s.kind.owner(i+1), uint64(i)) })
	}
	for i, store := range stores {
		begin("releaser", func(ctx context.Context) error { return s.release(ctx, store, uint64(i)) })
	}
	begin("the dying", s.die)
	if !s.weakened && !s.crashes {
		begin("killer", s.kill)
	}
	for ctx.Err() == nil && !stop() {
		if pause(ctx, 20*time.Millisecond) != nil {
			break
		}
	}
	cancel()
	all.Wait()
}

// kill ends sessions of releases while they write.
func (s *stress) kill(ctx context.Context) error {
	random := newDice(1, 4)
	for ctx.Err() == nil {
		_, err := s.pool.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'idemtui %' ORDER BY random() LIMIT 1")
		if err != nil {
			return err
		}
		if err := pause(ctx, random.between(100, 700)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// long is how many attempts the long mode makes, 0 in the short one.
func long(t *testing.T) int64 {
	t.Helper()
	text := os.Getenv(stressVariable)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", stressVariable, err)
	}
	return n
}

func TestNoReleaseEverReplacesARunningClaimOrAFinishedRow(t *testing.T) {
	kinds := stressKinds(t)
	bulk := int64(0)
	for _, kind := range kinds {
		if !kind.single {
			bulk++
		}
	}
	var all int64
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			s := newStress(t, kind, servertest.Postgres(t))
			limit, stop := stressAtMost, func() bool { return s.raced() && time.Since(s.began) > stressTime }
			if n := long(t); n > 0 {
				n /= bulk
				if kind.single {
					n /= 50
				}
				limit, stop = stressLimit, func() bool { return s.attempts.Load() >= n || t.Failed() }
			}
			s.run(limit, stop, open(t, s.db.DSN(), kind.options(t)), open(t, s.db.Pooled().DSN(), kind.options(t)))
			s.check()
			all += s.attempts.Load()
		})
	}
	t.Logf("%d attempts to release in all", all)
}

// TestNoReleaseIsLostWhenTheServerCrashes kills the server itself, with all its
// sessions, while releases write.
func TestNoReleaseIsLostWhenTheServerCrashes(t *testing.T) {
	crashes := 2
	if long(t) > 0 {
		crashes = 20
	}
	db := servertest.OwnPostgres(t, "synchronous_commit = on")
	kind := stressKinds(t)[0]
	s := newStress(t, kind, db)
	s.crashes = true
	round := 0
	s.run(stressLimit, func() bool {
		if round < crashes && s.attempts.Load() >= int64((round+1)*s.keys) {
			round++
			db.Restart(true)
		}
		return round == crashes && s.raced() || t.Failed()
	}, open(t, db.DSN(), kind.options(t)), open(t, db.DSN(), kind.options(t)))
	s.check()
}

// TestTheStressTestSeesAWeakGuard is the self-check: with the guard reduced to
// key and state the same test must find violations.
func TestTheStressTestSeesAWeakGuard(t *testing.T) {
	for _, kind := range stressKinds(t)[:3] { // one of each: lease, age, heartbeat
		t.Run(kind.name, func(t *testing.T) {
			s := newStress(t, kind, servertest.Postgres(t))
			s.weakened = true
			const running = "SELECT count(*) FROM history WHERE app IS NOT NULL AND (lease OR alive)"
			s.run(selfCheckTime, func() bool { return s.db.Int(running) > 0 }, open(t, s.db.DSN()), open(t, s.db.DSN()))
			n := s.db.Int(running)
			t.Logf("%d running claims replaced by the weakened guard", n)
			if n == 0 {
				t.Errorf("the guard of key and state did no harm in %s: the stress test cannot see any", selfCheckTime)
			}
		})
	}
}

func stressID(kind string) string { return fmt.Sprintf("%s%x", kind, stressNumber.Add(1)) }

var stressNumber atomic.Uint64

func stressNames(keys []inspect.Key) map[string]bool {
	out := map[string]bool{}
	for _, k := range keys {
		out[k.String()] = true
	}
	return out
}
