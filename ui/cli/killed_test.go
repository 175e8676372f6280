//go:build unix

package cli

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"idemtui/inspect"
	"idemtui/inspect/audit"
	"idemtui/inspect/servertest"
)

// killedTable records every row that a release really wrote, with its audit id.
const killedTable = interruptedTable + `;
INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, fencing_token)
 SELECT 'm' || n, 'PROCESSING', 'w', now() - interval '1 hour', now() - interval '50 minutes', n FROM generate_series(1, 600) n;
CREATE TABLE written (key text, application text);
CREATE FUNCTION record_written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
 INSERT INTO public.written VALUES (OLD.message_id, current_setting('application_name')); RETURN NULL; END $$;
CREATE TRIGGER record_written AFTER UPDATE ON processed_messages FOR EACH ROW
 WHEN (current_setting('application_name') LIKE 'idemtui %') EXECUTE FUNCTION record_written()`

// rounds is how many releases, settles and undos are killed, longRounds where
// make stress asks for many (IDEMTUI_STRESS).
const (
	rounds     = 6
	longRounds = 90
)

// TestKilledAtAnyMomentNoRowIsWithoutItsRecord kills releases, settles and undos
// of several batches at moments of all kinds. Afterwards the records, once their
// ends are found out, name exactly the rows that were written.
func TestKilledAtAnyMomentNoRowIsWithoutItsRecord(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(killedTable)
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	killed, many := 0, rounds
	if os.Getenv("IDEMTUI_STRESS") != "" {
		many = longRounds
	}
	for round := range many {
		words := []string{"inspect", "release", "--plan", "", "--max", "1000", "--rate", "100/s"}
		switch round % 3 {
		case 0:
			words[3] = planOf(t, db, folder)
		case 1:
			words = []string{"inspect", "settle", "--from", answersOf(t, db, folder), "--rate", "40/s"}
		default:
			words = []string{"inspect", "undo", lastID(t, filepath.Join(folder, "idemtui"))}
		}
		release := process(t, folder, append(words, "--dsn", db.DSN(), "--yes", "--reason", "x")...)
		if err := release.Start(); err != nil {
			t.Fatal(err)
		}
		// At some point after its first row, or before.
		before, wait := db.Int("SELECT count(*) FROM written"), time.Duration(random.IntN(1200))*time.Millisecond
		for deadline := time.Now().Add(wait); time.Now().Before(deadline) && db.Int("SELECT count(*) FROM written") == before; {
		}
		time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond) // the moment itself is what varies
		if err := release.Process.Kill(); err == nil {
			killed++
		}
		_ = release.Wait()
		for deadline := time.Now().Add(time.Minute); db.Int("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'idemtui%' AND datname = current_database()") > 0; {
			if time.Now().After(deadline) {
				t.Fatal("a session of a killed release stays")
			}
		}
	}
	says(t, 0, process(t, folder, "inspect", "list", "--dsn", db.DSN()))
	recorded := recordedKeys(t, filepath.Join(folder, "idemtui"))
	rows, err := db.Pool().Query(t.Context(), "SELECT key, substr(application, 9) FROM written")
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	var key, id string
	_, err = pgx.ForEachRow(rows, []any{&key, &id}, func() error {
		written++
		if !recorded[id+" "+key] {
			t.Errorf("%s was written by %s and is not in its record", key, id)
		}
		delete(recorded, id+" "+key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d killed, %d rows written", killed, many, written)
	if len(recorded) > 0 || written == 0 {
		t.Errorf("%d rows are recorded as written and were not: %.200v", len(recorded), recorded)
	}
}

// answersOf writes the provider's answers for some of what is left.
func answersOf(t *testing.T, db *servertest.DB, folder string) string {
	t.Helper()
	lines := db.Text("SELECT coalesce(string_agg(message_id || ',charged,ch_1', E'\\n'), '') FROM (SELECT message_id FROM processed_messages WHERE state = 'PROCESSING' ORDER BY random() LIMIT 120) s")
	file := filepath.Join(folder, "answers.csv")
	if err := os.WriteFile(file, []byte("key,outcome,reference\n"+lines+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// lastID is the last release or settle on record.
func lastID(t *testing.T, folder string) string {
	t.Helper()
	history, err := audit.Read(folder, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var last audit.Past
	for _, past := range history.Operations {
		if past.Action != inspect.ActionUndo && past.ID > last.ID {
			last = past
		}
	}
	return last.ID
}

// planOf plans a release of all that is left.
func planOf(t *testing.T, db *servertest.DB, folder string) string {
	t.Helper()
	stdout, _ := says(t, 0, process(t, folder, "inspect", "release", "--owner", "w", "--dsn", db.DSN(), "--format", "json"))
	_, id, _ := strings.Cut(stdout, `"id": "`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// recordedKeys are the rows that the records say were written, as ID KEY.
func recordedKeys(t *testing.T, folder string) map[string]bool {
	t.Helper()
	history, err := audit.Read(folder, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, past := range history.Operations {
		for _, batch := range past.Batches {
			if !batch.Known() {
				t.Errorf("batch %d of %s has no end", batch.Intent.Batch, past.ID)
			} else if batch.Outcome.Status == inspect.OutcomeCommitted {
				for _, k := range batch.Outcome.Released {
					out[past.ID+" "+k.String()] = true
				}
			}
		}
	}
	return out
}
