package schema

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"idemtui/inspect/servertest"
)

// bench is the recommended table in a database of the test, with its
// statements as calls.
type bench struct {
	t    *testing.T
	db   *servertest.DB
	pool *pgxpool.Pool
	s    Schema
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, db: servertest.Postgres(t), s: postgres(t)}
	b.db.Exec(b.s.CreateSQL())
	b.pool = b.db.Pool()
	return b
}

// answer is what the claim statement says.
type answer struct {
	word     string
	token    *int64
	lease    *time.Time
	attempts *int
	result   *string
}

const hour = time.Hour

func (b *bench) claim(key, owner string, lease time.Duration) answer {
	b.t.Helper()
	rows, err := b.pool.Query(context.Background(), b.s.Statement("claim").SQL, key, owner, lease.Milliseconds())
	if err != nil {
		b.t.Fatal(err)
	}
	answers, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a answer, err error) {
		return a, row.Scan(&a.word, &a.token, &a.lease, &a.attempts, &a.result)
	})
	if err != nil || len(answers) != 1 {
		b.t.Errorf("claim of %s: %d rows, %v; want one", key, len(answers), err)
		return answer{}
	}
	return answers[0]
}

// run runs a guarded statement and tells whether it returned its row.
func (b *bench) run(name string, args ...any) bool {
	b.t.Helper()
	var at time.Time
	err := b.pool.QueryRow(context.Background(), b.s.Statement(name).SQL, args...).Scan(&at)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		b.t.Errorf("%s: %v", name, err)
	}
	return err == nil
}

func (b *bench) renew(key string, token int64) bool {
	return b.run("renew", key, token, hour.Milliseconds())
}

func (b *bench) complete(key string, token int64) bool {
	return b.run("complete", key, token, `{"charge": "ch_1"}`)
}

func (b *bench) fail(key string, token int64) bool { return b.run("fail", key, token) }

func (b *bench) purge(retention time.Duration, batch int) int {
	b.t.Helper()
	tag, err := b.pool.Exec(context.Background(), b.s.Statement("purge").SQL, int64(retention/time.Second), batch)
	if err != nil {
		b.t.Fatal(err)
	}
	return int(tag.RowsAffected())
}

// lapse makes the lease of a claim end in the past.
func (b *bench) lapse(key string) {
	b.t.Helper()
	b.db.Exec("UPDATE processed_messages SET lease_expires_at = now() - interval '1 second' WHERE message_id = $1 AND state = 'PROCESSING'", key)
}

func TestClaimTellsItsFiveAnswersApart(t *testing.T) {
	b := newBench(t)
	first := b.claim("m", "w1", hour)
	if first.word != AnswerNew || first.token == nil || *first.attempts != 1 || time.Until(*first.lease) < hour/2 {
		t.Errorf("first: %+v", first)
	}
	if busy := b.claim("m", "w2", hour); busy.word != AnswerBusy || busy.token != nil || !busy.lease.Equal(*first.lease) {
		t.Errorf("while it is held: %+v", busy)
	}
	b.lapse("m")
	second := b.claim("m", "w2", hour)
	if second.word != AnswerTakeover || *second.token <= *first.token || *second.attempts != 2 {
		t.Errorf("after the lease: %+v", second)
	}
	if !b.fail("m", *second.token) {
		t.Error("the holder could not fail it")
	}
	third := b.claim("m", "w3", hour)
	if third.word != AnswerRetry || *third.token <= *second.token || *third.attempts != 3 {
		t.Errorf("after the failure: %+v", third)
	}
	if !b.complete("m", *third.token) {
		t.Error("the holder could not complete it")
	}
	done := b.claim("m", "w4", hour)
	if done.word != AnswerDone || done.token != nil || done.lease != nil || done.result == nil || *done.result != `{"charge": "ch_1"}` {
		t.Errorf("after the end: %+v", done)
	}
	if got := b.db.Text("SELECT state || ' ' || owner || ' ' || (lease_expires_at IS NULL) FROM processed_messages"); got != "DONE w3 true" {
		t.Errorf("the row holds %q", got)
	}
}

func TestClaimSeesALeaseEndByTheDatabasesClock(t *testing.T) {
	b := newBench(t)
	b.claim("m", "w1", 200*time.Millisecond)
	for deadline := time.Now().Add(20 * time.Second); ; {
		var lapsed bool
		b.db.Scan([]any{&lapsed}, "SELECT lease_expires_at < now() FROM processed_messages")
		got := b.claim("m", "w2", hour).word
		if got == AnswerTakeover {
			break
		}
		if lapsed || time.Now().After(deadline) {
			t.Fatalf("lapsed %v, and the answer is %s", lapsed, got)
		}
	}
}

// TestOneOfManyWins has many workers claim the same message at once, in each
// of the three ways a claim can be free.
func TestOneOfManyWins(t *testing.T) {
	for want, prepare := range map[string]func(*bench, string){
		AnswerNew:      func(*bench, string) {},
		AnswerTakeover: func(b *bench, key string) { b.claim(key, "w0", hour); b.lapse(key) },
		AnswerRetry:    func(b *bench, key string) { b.fail(key, *b.claim(key, "w0", hour).token) },
	} {
		t.Run(want, func(t *testing.T) {
			b := newBench(t)
			for round := range 40 {
				key := fmt.Sprintf("m%d", round)
				prepare(b, key)
				answers := make([]answer, 8)
				at(len(answers), func(i int) { answers[i] = b.claim(key, fmt.Sprintf("w%d", i+1), hour) })
				counts := map[string]int{}
				for _, a := range answers {
					counts[a.word]++
				}
				if counts[want] != 1 || counts[AnswerBusy] != len(answers)-1 {
					t.Fatalf("round %d: %v, want one %s and the rest busy", round, counts, want)
				}
			}
		})
	}
}

// TestOneOfManyEnds has many goroutines use one token at once: a claim ends
// once, as done or as failed.
func TestOneOfManyEnds(t *testing.T) {
	b := newBench(t)
	for round := range 40 {
		key := fmt.Sprintf("m%d", round)
		token := *b.claim(key, "w1", hour).token
		var ended atomic.Int32
		at(8, func(i int) {
			if (i%2 == 0 && b.complete(key, token)) || (i%2 == 1 && b.fail(key, token)) {
				ended.Add(1)
			}
		})
		if ended.Load() != 1 {
			t.Fatalf("round %d: the claim ended %d times", round, ended.Load())
		}
	}
}

func TestAnOldTokenIsRefused(t *testing.T) {
	b := newBench(t)
	old := *b.claim("m", "w1", hour).token
	b.lapse("m")
	if !b.renew("m", old) {
		t.Error("a lapsed lease that nobody took over could not be renewed")
	}
	b.lapse("m")
	current := *b.claim("m", "w2", hour).token
	row := b.db.Text("SELECT processed_messages::text FROM processed_messages")
	for name, refused := range map[string]bool{"renew": !b.renew("m", old), "complete": !b.complete("m", old), "fail": !b.fail("m", old)} {
		if !refused {
			t.Errorf("%s took the old token", name)
		}
	}
	if got := b.db.Text("SELECT processed_messages::text FROM processed_messages"); got != row {
		t.Errorf("the row changed from %s to %s", row, got)
	}
	if !b.complete("m", current) {
		t.Error("the holder could not complete it")
	}
	if b.renew("m", current) || b.fail("m", current) || b.complete("m", current) {
		t.Error("a finished message was changed by its own token")
	}
}

func TestPurgeDeletesOldFinishedRowsOnly(t *testing.T) {
	b := newBench(t)
	b.db.Exec(`INSERT INTO processed_messages (message_id, state, claimed_at, lease_expires_at, completed_at, updated_at)
		SELECT s || a || '-' || i, s, t, CASE s WHEN 'PROCESSING' THEN t END, t, t
		FROM unnest(ARRAY['PROCESSING', 'DONE', 'FAILED']) s, (VALUES ('old', now() - interval '8 days'), ('new', now())) v (a, t), generate_series(1, 25) i`)
	var deleted []int
	for n := -1; n != 0; {
		n = b.purge(7*24*hour, 10)
		deleted = append(deleted, n)
	}
	if fmt.Sprint(deleted) != "[10 10 5 0]" {
		t.Errorf("deleted %v in batches of 10", deleted)
	}
	if got := b.db.Text(`SELECT string_agg(kind || ' ' || n, ', ' ORDER BY kind) FROM
		(SELECT split_part(message_id, '-', 1) AS kind, count(*) AS n FROM processed_messages GROUP BY 1) q`); got != "DONEnew 25, FAILEDnew 25, FAILEDold 25, PROCESSINGnew 25, PROCESSINGold 25" {
		t.Errorf("left are %s", got)
	}
}

func TestTheTokenGrowsAcrossAPurge(t *testing.T) {
	b := newBench(t)
	var last int64
	for round := range 5 {
		token := *b.claim("m", "w1", hour).token
		if token <= last {
			t.Fatalf("round %d: token %d after %d", round, token, last)
		}
		last = token
		b.complete("m", token)
		b.db.Exec("UPDATE processed_messages SET completed_at = now() - interval '1 minute'")
		if b.purge(time.Second, 10) != 1 {
			t.Fatal("nothing was purged")
		}
	}
}

// TestStatementsUnderLoad runs all five statements from many goroutines on few
// messages, while a trigger keeps every version of every row, and then checks
// the whole history of each message.
func TestStatementsUnderLoad(t *testing.T) {
	b := newBench(t)
	b.db.Exec(`CREATE TABLE history (n bigserial, message_id text, old_state text, old_token bigint, old_lease timestamptz, state text, token bigint, at timestamptz);
		CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO history (message_id, old_state, old_token, old_lease, state, token, at)
		VALUES (COALESCE(NEW.message_id, OLD.message_id), OLD.state, OLD.fencing_token, OLD.lease_expires_at, NEW.state, NEW.fencing_token, now());
		RETURN NULL; END $$;
		CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON processed_messages FOR EACH ROW EXECUTE FUNCTION note()`)
	until := time.Now().Add(3 * time.Second)
	var claims, refused atomic.Int64
	at(8, func(i int) {
		random := rand.New(rand.NewPCG(7, uint64(i)))
		for time.Now().Before(until) && !t.Failed() {
			// A second is far longer than a statement here takes; with no
			// retention at all a claim could overtake a purge.
			if random.IntN(8) == 0 {
				b.purge(time.Second, 3)
			}
			key := fmt.Sprintf("m%d", random.IntN(20))
			got := b.claim(key, fmt.Sprintf("w%d", i), time.Duration(random.IntN(8))*time.Millisecond)
			if got.token == nil {
				continue
			}
			claims.Add(1)
			if random.IntN(3) == 0 && !b.run("renew", key, *got.token, random.IntN(8)) {
				refused.Add(1)
			}
			switch random.IntN(8) {
			case 0:
				b.complete(key, *got.token)
			case 1, 2, 3, 4:
				b.fail(key, *got.token)
			}
		}
	})
	for what, condition := range map[string]string{
		"an unfinished row was deleted":      "state IS NULL AND old_state <> 'DONE'",
		"a running lease was taken over":     "state = 'PROCESSING' AND old_state = 'PROCESSING' AND token <> old_token AND old_lease >= at",
		"a finished row was written":         "old_state = 'DONE' AND state IS NOT NULL",
		"a token did not grow":               "token < old_token",
		"an end came from another token":     "state IN ('DONE', 'FAILED') AND (old_state <> 'PROCESSING' OR token <> old_token)",
		"a claim reused a token":             "state = 'PROCESSING' AND old_state = 'FAILED' AND token <= old_token",
		"a token went to two claims":         "state = 'PROCESSING' AND token IS DISTINCT FROM old_token AND EXISTS (SELECT FROM history o WHERE o.token = history.token AND o.message_id <> history.message_id)",
		"a row came back with a lower token": "old_state IS NULL AND EXISTS (SELECT FROM history o WHERE o.message_id = history.message_id AND o.n < history.n AND o.token >= history.token)",
	} {
		if n := b.db.Int("SELECT count(*) FROM history WHERE " + condition); n > 0 {
			t.Errorf("%d times %s", n, what)
		}
	}
	var kinds, takeovers, purged int
	b.db.Scan([]any{&kinds, &takeovers, &purged}, "SELECT count(DISTINCT (old_state, state)), count(*) FILTER (WHERE old_state = 'PROCESSING' AND state = 'PROCESSING' AND token > old_token), count(*) FILTER (WHERE state IS NULL) FROM history")
	t.Logf("%d claims, %d takeovers, %d renewals refused, %d purged", claims.Load(), takeovers, refused.Load(), purged)
	if kinds < 6 || takeovers == 0 || purged == 0 || claims.Load() < 100 {
		t.Errorf("too little happened to prove anything: %d kinds of changes", kinds)
	}
}

func TestTheIndexesAreUsed(t *testing.T) {
	b := newBench(t)
	b.db.Exec("SET enable_seqscan = off")
	for index, query := range map[string]string{
		"processed_messages_processing": "SELECT message_id FROM processed_messages WHERE state = 'PROCESSING' AND lease_expires_at < now() ORDER BY lease_expires_at, message_id LIMIT 200",
		"processed_messages_done":       "SELECT message_id FROM processed_messages WHERE state = 'DONE' AND completed_at < now() ORDER BY completed_at LIMIT 1000",
	} {
		var plan []byte
		b.db.Scan([]any{&plan}, "EXPLAIN (FORMAT JSON) "+query)
		if got := string(plan); !strings.Contains(got, index) || strings.Contains(got, `"Sort"`) {
			t.Errorf("%s is not used, or not for the order: %s", index, got)
		}
	}
}

func TestTheTableRefusesRowsThatMeanNothing(t *testing.T) {
	b := newBench(t)
	for _, values := range []string{"('a', 'processing', now(), NULL)", "('b', 'PROCESSING', NULL, NULL)", "('c', 'DONE', NULL, NULL)", "(NULL, 'FAILED', NULL, NULL)"} {
		_, err := b.pool.Exec(t.Context(), "INSERT INTO processed_messages (message_id, state, lease_expires_at, completed_at) VALUES "+values)
		if err == nil {
			t.Errorf("%s was taken", values)
		}
	}
}

func TestTheTokensSequenceBelongsToItsColumn(t *testing.T) {
	b := newBench(t)
	if got := b.db.Text("SELECT pg_get_serial_sequence('processed_messages', 'fencing_token')"); got != "public.processed_messages_token" {
		t.Errorf("it is %s", got)
	}
}

// at runs f n times at the same time.
func at(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}
