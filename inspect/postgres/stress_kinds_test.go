package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/schema"
)

// stressKind is one kind of table with the statements of its workers. claim
// takes id, owner and lease in milliseconds, and returns an answer and the
// token; the others take @id, @owner, @token and @lease.
type stressKind struct {
	name, ddl, table, key  string
	mapping                string // "" is recognised
	staleAfter             time.Duration
	claim, renew           string
	complete, fail, forget string
	// running and finished are conditions on the row version that a release
	// replaced, by the clock of its transaction.
	running, finished string
	modes             []inspect.ReleaseMode
}

// recording records, for every release, the row version it really replaced.
// Releases are told from workers by their application_name.
func (k stressKind) recording() string {
	return fmt.Sprintf(`CREATE TABLE replaced (key text, application text, running bool, finished bool);
CREATE FUNCTION record_replaced() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
 INSERT INTO public.replaced VALUES (OLD.%[2]s, current_setting('application_name'), coalesce(%[3]s, false), coalesce(%[4]s, false)); RETURN NULL; END $$;
CREATE TRIGGER record_replaced AFTER UPDATE OR DELETE ON %[1]s FOR EACH ROW
 WHEN (current_setting('application_name') LIKE 'idemtui %%') EXECUTE FUNCTION record_replaced()`, k.table, k.key, k.running, k.finished)
}

const (
	runningReplaced  = "SELECT count(*) FROM replaced WHERE running"
	finishedReplaced = "SELECT count(*) FROM replaced WHERE finished"
)

func (k stressKind) resolve(ctx context.Context, store *Store) (inspect.Table, error) {
	target := inspect.Target{StaleAfter: k.staleAfter}
	if k.mapping != "" {
		m, err := inspect.ParseMap(k.mapping)
		if err != nil {
			return inspect.Table{}, err
		}
		target.Table, target.Map = k.table, &m
	}
	return store.Resolve(ctx, target)
}

func stressKinds(t *testing.T) []stressKind {
	t.Helper()
	sql, err := schema.For(dsn.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	return []stressKind{
		{
			name: "lease", table: "processed_messages", key: "message_id", ddl: sql.CreateSQL(), claim: sql.Statement("claim").SQL,
			renew:    "UPDATE processed_messages SET lease_expires_at = now() + @lease::bigint * interval '1 millisecond', updated_at = now() WHERE message_id = @id AND state = 'PROCESSING' AND fencing_token = @token AND @owner::text IS NOT NULL",
			complete: "UPDATE processed_messages SET state = 'DONE', lease_expires_at = NULL, completed_at = now(), updated_at = now() WHERE message_id = @id AND state = 'PROCESSING' AND fencing_token = @token",
			fail:     "UPDATE processed_messages SET state = 'FAILED', owner = NULL, lease_expires_at = NULL, updated_at = now() WHERE message_id = @id AND state = 'PROCESSING' AND fencing_token = @token",
			forget:   "DELETE FROM processed_messages WHERE message_id = $1 AND state = 'DONE'",
			running:  "OLD.state = 'PROCESSING' AND OLD.lease_expires_at >= now()", finished: "OLD.state <> 'PROCESSING'",
			modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseFail, inspect.ReleaseExpire, inspect.ReleaseDelete},
		},
		{
			name: "locked at", table: "jobs", key: "id", staleAfter: 40 * time.Millisecond,
			ddl:     "CREATE TABLE jobs (id text PRIMARY KEY, locked_at timestamptz, locked_by text, processed_at timestamptz, tries int NOT NULL DEFAULT 1)",
			mapping: "key=id,processing=locked_at!null,done=processed_at!null,free=locked_at=null,claimed_at=locked_at,owner=locked_by,attempts=tries",
			claim: `INSERT INTO jobs (id, locked_at, locked_by) VALUES ($1, now(), $2) ON CONFLICT (id) DO UPDATE SET locked_at = now(), locked_by = excluded.locked_by, tries = jobs.tries + 1
 WHERE jobs.processed_at IS NULL AND (jobs.locked_at IS NULL OR jobs.locked_at < now() - interval '40 milliseconds') AND $3::bigint > 0 RETURNING 'taken', 1::bigint`,
			renew:    "UPDATE jobs SET locked_at = now() WHERE id = @id AND locked_by = @owner AND processed_at IS NULL",
			complete: "UPDATE jobs SET processed_at = now() WHERE id = @id AND locked_by = @owner AND processed_at IS NULL",
			fail:     "UPDATE jobs SET locked_at = NULL, locked_by = NULL WHERE id = @id AND locked_by = @owner AND processed_at IS NULL",
			forget:   "DELETE FROM jobs WHERE id = $1 AND processed_at IS NOT NULL",
			running:  "OLD.processed_at IS NULL AND OLD.locked_at >= now() - interval '40 milliseconds'", finished: "OLD.processed_at IS NOT NULL OR OLD.locked_at IS NULL",
			modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseClear, inspect.ReleaseDelete},
		},
		{
			name: "heartbeat", table: "jobs", key: "id", staleAfter: 45 * time.Millisecond,
			ddl:     "CREATE TABLE jobs (id text PRIMARY KEY, st text NOT NULL, own text, tok bigint, hb timestamptz, done_at timestamptz)",
			mapping: "key=id,state=st,processing=P,done=D,failed=X,free=F,owner=own,token=tok,heartbeat=hb,completed_at=done_at",
			claim: `INSERT INTO jobs VALUES ($1, 'P', $2, 1, now()) ON CONFLICT (id) DO UPDATE SET st = 'P', own = excluded.own, tok = jobs.tok + 1, hb = now()
 WHERE jobs.st IN ('F', 'X') OR (jobs.st = 'P' AND jobs.hb < now() - interval '45 milliseconds') AND $3::bigint > 0 RETURNING 'taken', tok`,
			renew:    "UPDATE jobs SET hb = now() WHERE id = @id AND st = 'P' AND tok = @token",
			complete: "UPDATE jobs SET st = 'D', done_at = now() WHERE id = @id AND st = 'P' AND tok = @token",
			fail:     "UPDATE jobs SET st = 'X' WHERE id = @id AND st = 'P' AND tok = @token",
			forget:   "DELETE FROM jobs WHERE id = $1 AND st = 'D'",
			running:  "OLD.st = 'P' AND OLD.hb >= now() - interval '45 milliseconds'", finished: "OLD.st <> 'P'",
			modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseRequeue, inspect.ReleaseFail, inspect.ReleaseDelete},
		},
	}
}
