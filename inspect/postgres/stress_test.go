package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

const (
	stressKeys    = 400
	stressWorkers = 8
	stressTime    = 3 * time.Second
	// selfCheckTime is the longest that the weakened guard may go undetected.
	selfCheckTime = 20 * time.Second
	// stressVariable holds how many attempts to release the long mode makes in
	// all; without it the short one takes stressTime on each kind of table.
	stressVariable = "IDEMTUI_STRESS"
	stressLimit    = 4 * time.Hour
)

// stress is workers and releasers on one table.
type stress struct {
	t        *testing.T
	db       *servertest.DB
	pool     *pgxpool.Pool
	kind     stressKind
	weakened bool
	// killed: sessions of releases are ended on the server while they write.
	killed bool

	attempts atomic.Int64
	skipped  atomic.Int64
	finished atomic.Int64
	broken   atomic.Int64 // releases that ended with an error

	mu      sync.Mutex
	audited map[string]map[string]bool // intents: keys by audit id
	told    map[string]map[string]bool // keys that a release said were released
}

func newStress(t *testing.T, kind stressKind) *stress {
	t.Helper()
	db := servertest.Postgres(t)
	db.Exec(kind.ddl)
	db.Exec(kind.recording())
	config, err := pgxpool.ParseConfig(db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = stressWorkers + 2
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &stress{t: t, db: db, pool: pool, kind: kind, audited: map[string]map[string]bool{}, told: map[string]map[string]bool{}}
}

// work claims, holds, renews (in time and late), completes and fails.
func (s *stress) work(ctx context.Context, name string, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1))
	between := func(low, high int) time.Duration {
		return time.Duration(low+random.IntN(high-low)) * time.Millisecond
	}
	for ctx.Err() == nil {
		id := fmt.Sprintf("m%d", random.IntN(stressKeys))
		token, err := s.claim(ctx, id, name, between(5, 40))
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
			if err := s.step(ctx, s.kind.renew, id, name, *token, between(5, 40).Milliseconds()); err != nil {
				return err
			}
		}
		switch random.IntN(4) {
		case 0: // dies without a word
		case 1:
			err = s.step(ctx, s.kind.fail, id, name, *token, 0)
		default:
			err = s.step(ctx, s.kind.complete, id, name, *token, 0)
		}
		if err != nil {
			return err
		}
		if random.IntN(4) == 0 { // forgotten, so that the keys do not all end
			if _, err := s.pool.Exec(ctx, s.kind.forget, fmt.Sprintf("m%d", random.IntN(stressKeys))); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// claim returns the token of a claim, nil where somebody else has the key.
func (s *stress) claim(ctx context.Context, id, name string, lease time.Duration) (*int64, error) {
	rows, err := s.pool.Query(ctx, s.kind.claim, id, name, lease.Milliseconds())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var token *int64
	for rows.Next() {
		values, err := rows.Values() // the answer, then the token
		if err != nil {
			return nil, err
		}
		if n, held := values[1].(int64); held {
			token = &n
		}
	}
	return token, rows.Err()
}

func (s *stress) step(ctx context.Context, sql, id, name string, token, lease int64) error {
	tag, err := s.pool.Exec(ctx, sql, pgx.NamedArgs{"id": id, "owner": name, "token": token, "lease": lease})
	if err == nil && sql != s.kind.renew {
		s.finished.Add(tag.RowsAffected())
	}
	return err
}

// die claims many keys at once, with a short lease, and says no more of them.
func (s *stress) die(ctx context.Context) error {
	random := rand.New(rand.NewPCG(1, 3))
	for ctx.Err() == nil {
		var batch pgx.Batch
		for range stressKeys / 10 {
			batch.Queue(s.kind.claim, fmt.Sprintf("m%d", random.IntN(stressKeys)), fmt.Sprintf("dead%d", random.IntN(5)), 1+random.IntN(5))
		}
		if err := s.pool.SendBatch(ctx, &batch).Close(); err != nil {
			return err
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
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

// release releases, in any mode, whatever the list shows, again and again.
func (s *stress) release(ctx context.Context, store *Store, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 2))
	table, err := s.kind.resolve(ctx, store)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		p, err := s.plan(ctx, store, table, random)
		if err == nil {
			// The person reads the plan while the workers go on.
			err = pause(ctx, 5*time.Millisecond)
		}
		if err == nil {
			err = s.carryOut(ctx, store, table, p)
		}
		if err != nil && !s.killed {
			return err
		}
		if err != nil {
			s.broken.Add(1)
		}
	}
	return ctx.Err()
}

// plan is a release of what the list shows in one of the table's modes, or a
// settle.
func (s *stress) plan(ctx context.Context, store *Store, table inspect.Table, random *rand.Rand) (inspect.Plan, error) {
	snap, err := store.Snapshot(ctx, table, inspect.Query{})
	if err != nil {
		return inspect.Plan{}, err
	}
	keys := []inspect.Key{key(s.t, table, "none")} // so that an empty list is a plan too
	for _, c := range snap.Claims {
		keys = append(keys, c.Key)
	}
	if !s.weakened && random.IntN(4) == 0 {
		var request inspect.SettleRequest
		for _, key := range keys {
			answer := []inspect.Answer{inspect.AnswerCharged, inspect.AnswerNotCharged}[random.IntN(2)]
			request.Answers = append(request.Answers, inspect.KeyAnswer{Key: key, Settlement: inspect.Settlement{Outcome: answer, Reference: "stress"}})
		}
		return store.PlanSettle(ctx, table, request)
	}
	mode := s.kind.modes[random.IntN(len(s.kind.modes))]
	if s.weakened {
		mode = inspect.ReleaseAuto
	}
	return store.Plan(ctx, table, inspect.PlanRequest{Keys: keys, Mode: mode})
}

func (s *stress) carryOut(ctx context.Context, store *Store, table inspect.Table, p inspect.Plan) error {
	w := write{}
	if p.Mode != inspect.ReleaseComplete {
		w = newWrite(table, p.Mode, false, readableColumns(table))
	}
	w.keyAndState = s.weakened
	auditor := &stressAuditor{stress: s, id: fmt.Sprintf("s%d", rand.Uint64())}
	r, err := store.release(ctx, table, p, inspect.ReleaseOptions{Auditor: auditor, Reason: "stress"}, w)
	s.attempts.Add(int64(len(p.Rows)))
	s.skipped.Add(int64(len(r.Skipped) - len(p.Refused)))
	s.mu.Lock()
	s.told[auditor.id] = stressNames(r.Released)
	s.mu.Unlock()
	if err == nil && len(r.Failed) > 0 {
		err = fmt.Errorf("failed: %+v", r.Failed)
	}
	return err
}

func stressNames(keys []inspect.Key) map[string]bool {
	out := map[string]bool{}
	for _, k := range keys {
		out[k.String()] = true
	}
	return out
}

// stressAuditor keeps which keys were recorded under which audit id.
type stressAuditor struct {
	stress *stress
	id     string
}

func (a *stressAuditor) ID() string { return a.id }

func (a *stressAuditor) Intent(_ context.Context, i inspect.Intent) error {
	a.stress.mu.Lock()
	defer a.stress.mu.Unlock()
	known := a.stress.audited[a.id]
	if known == nil {
		known = map[string]bool{}
		a.stress.audited[a.id] = known
	}
	for _, row := range i.Rows {
		known[row.Key.String()] = true
	}
	return nil
}

func (a *stressAuditor) Outcome(context.Context, inspect.Outcome) error { return nil }

// kill ends sessions of releases while they write.
func (s *stress) kill(ctx context.Context) error {
	for ctx.Err() == nil {
		_, err := s.pool.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'idemtui %' ORDER BY random() LIMIT 1")
		if err != nil {
			return err
		}
		if err := pause(ctx, 60*time.Millisecond); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// run lets all go on for a while, or until stop says so.
func (s *stress) run(limit time.Duration, stop func() bool, stores ...*Store) {
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
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
	for i, store := range stores {
		begin("releaser", func(ctx context.Context) error { return s.release(ctx, store, uint64(i)) })
	}
	begin("the dying", s.die)
	if s.killed {
		begin("killer", s.kill)
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

// check holds the row versions that were really replaced against the rules.
func (s *stress) check() {
	s.t.Helper()
	replaced := s.db.Int("SELECT count(*) FROM replaced")
	s.t.Logf("%d attempts, %d row versions replaced, %d skipped, %d completed or failed by workers, %d releases broken off",
		s.attempts.Load(), replaced, s.skipped.Load(), s.finished.Load(), s.broken.Load())
	if n := s.db.Int(runningReplaced); n > 0 {
		s.t.Errorf("%d running claims were replaced", n)
	}
	if n := s.db.Int(finishedReplaced); n > 0 {
		s.t.Errorf("%d finished rows were replaced", n)
	}
	if replaced == 0 || s.skipped.Load() == 0 || s.finished.Load() == 0 || (s.killed && s.broken.Load() == 0) {
		s.t.Error("nothing raced: the test says nothing")
	}
	s.checkRecords()
}

// checkRecords: every row that was replaced stands in the record of its
// release, and every row of which a release says so was replaced.
func (s *stress) checkRecords() {
	s.t.Helper()
	rows, err := s.pool.Query(s.t.Context(), "SELECT substr(application, 9), key FROM replaced")
	if err != nil {
		s.t.Fatal(err)
	}
	unrecorded, unsaid := 0, 0
	var id, key string
	_, err = pgx.ForEachRow(rows, []any{&id, &key}, func() error {
		if !s.audited[id][key] {
			unrecorded++
		}
		if !s.told[id][key] {
			unsaid++
		}
		delete(s.told[id], key)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	invented := 0
	for _, keys := range s.told {
		invented += len(keys)
	}
	if unrecorded > 0 || invented > 0 {
		s.t.Errorf("%d rows were written without a record, %d were said to be and were not", unrecorded, invented)
	}
	// Where the session was ended in mid-commit, and the row moved on before it
	// could be read again, the release says that it does not know.
	if unsaid > 0 && !s.killed {
		s.t.Errorf("%d rows were written and not said to be", unsaid)
	}
}

func TestNoReleaseEverReplacesARunningClaimOrAFinishedRow(t *testing.T) {
	kinds := stressKinds(t)
	attempts := long(t) / int64(2*len(kinds))
	for _, kind := range kinds {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/killed %v", kind.name, killed), func(t *testing.T) {
				s := newStress(t, kind)
				s.killed = killed
				limit, stop := stressTime, func() bool { return false }
				if attempts > 0 {
					limit, stop = stressLimit, func() bool { return s.attempts.Load() >= attempts || t.Failed() }
				}
				s.run(limit, stop, open(t, s.db.DSN()), open(t, s.db.Pooled().DSN()))
				s.check()
			})
		}
	}
}

// TestTheStressTestSeesAWeakGuard is the self-check: with the guard reduced to
// key and state the same test must find violations.
func TestTheStressTestSeesAWeakGuard(t *testing.T) {
	for _, kind := range stressKinds(t) {
		t.Run(kind.name, func(t *testing.T) {
			s := newStress(t, kind)
			s.weakened = true
			s.run(selfCheckTime, func() bool { return s.db.Int(runningReplaced) > 0 }, open(t, s.db.DSN()), open(t, s.db.DSN()))
			n := s.db.Int(runningReplaced)
			t.Logf("%d running claims replaced by the weakened guard", n)
			if n == 0 {
				t.Errorf("the guard of key and state did no harm in %s: the stress test cannot see any", selfCheckTime)
			}
		})
	}
}
