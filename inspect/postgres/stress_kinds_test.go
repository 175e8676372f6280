package postgres

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/profiles"
	"idemtui/inspect/schema"
)

// stressKind is one kind of table with the statements of its workers. claim
// takes ids, owner and lease in milliseconds, and returns an answer and the
// token of each key that it got; the others take @id, @owner, @token and @lease.
type stressKind struct {
	name, ddl, table string
	mapping          string // "" is recognised
	profile          string // a profile file of its own
	staleAfter       time.Duration
	heartbeatLimit   time.Duration // 0: the profile's
	claim            string
	official         string // what a worker claims one key by, where that is another statement
	hold             string // locks the row for the work, $1 is the id
	renew            string
	complete, fail   string
	forget           string
	key              func(row string) string // as idemtui writes the key
	id               func(n int) string
	owner            func(n int) string // of the workers from 1 on, of the dying from 100
	// lease, alive and done are conditions on the row version OLD that a release
	// replaced, by the clock of its transaction: a running lease, another sign of
	// life, finished or not claimed at all. beating is one on another table.
	lease, alive, done, beating string
	beats                       bool // renew writes the owner's heartbeat
	leases                      bool // there is a lease to override
	settles                     bool
	single                      bool // released by an override alone
	// contrary counts what contradicts itself between tables that are written
	// together.
	contrary string
	modes    []inspect.ReleaseMode
}

// options are those of a store that knows the kind. It waits a little longer for
// a table's lock than a person would: the machine is busy.
func (k stressKind) options(t *testing.T) Options {
	t.Helper()
	o := Options{LockTimeout: 5 * time.Second}
	if k.profile != "" {
		p, err := profiles.Load([]byte(k.profile))
		if err != nil {
			t.Fatal(err)
		}
		o.Profiles = []inspect.Profile{p}
	}
	return o
}

func (k stressKind) resolve(ctx context.Context, store *Store) (inspect.Table, error) {
	target := inspect.Target{StaleAfter: k.staleAfter}
	if k.mapping != "" {
		m, err := inspect.ParseMap(k.mapping)
		if err != nil {
			return inspect.Table{}, err
		}
		target.Table, target.Map = k.table, &m
	}
	table, err := store.Resolve(ctx, target)
	if k.heartbeatLimit > 0 {
		table.Mapping.Heartbeat.Limit = k.heartbeatLimit
	}
	return table, err
}

func column(name string) func(string) string {
	return func(row string) string { return row + "." + name + "::text" }
}

func numbered(prefix string) func(int) string {
	return func(n int) string { return fmt.Sprintf("%s%d", prefix, n) }
}

func uuidOf(n int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012d", n) }

// ddlOf is the table of a built-in profile, as the profile's own tests make it.
func ddlOf(t *testing.T, profile string) string {
	t.Helper()
	ddl, err := os.ReadFile("../profiles/testdata/" + profile + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	return string(ddl)
}

func stressKinds(t *testing.T) []stressKind {
	t.Helper()
	kinds := append(stressMapped(t), stressFrameworks(t)...)
	for i := range kinds {
		k := &kinds[i]
		if k.id == nil {
			k.id = numbered("m")
		}
		if k.owner == nil {
			k.owner = numbered("w")
		}
	}
	return kinds
}

// stressMapped are tables mapped by hand, and the recommended one.
func stressMapped(t *testing.T) []stressKind {
	t.Helper()
	sql, err := schema.For(dsn.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	return []stressKind{
		{
			name: "state and lease", table: "processed_messages", key: column("message_id"), ddl: sql.CreateSQL(), official: sql.Statement("claim").SQL, leases: true, settles: true,
			claim: `INSERT INTO processed_messages AS p (message_id, state, owner, claimed_at, lease_expires_at, updated_at, attempts, fencing_token)
 SELECT id, 'PROCESSING', $2, now(), now() + $3::bigint * interval '1 millisecond', now(), 1, nextval('processed_messages_token') FROM unnest($1::text[]) id
 ON CONFLICT (message_id) DO UPDATE SET state = 'PROCESSING', owner = excluded.owner, claimed_at = now(), lease_expires_at = excluded.lease_expires_at, updated_at = now(), attempts = p.attempts + 1, fencing_token = excluded.fencing_token
 WHERE p.state = 'FAILED' OR (p.state = 'PROCESSING' AND p.lease_expires_at < now()) RETURNING 'taken', fencing_token`,
			renew:    "UPDATE processed_messages SET lease_expires_at = now() + @lease::bigint * interval '1 millisecond', updated_at = now() WHERE message_id = @id AND state = 'PROCESSING' AND fencing_token = @token AND @owner::text IS NOT NULL",
			complete: "UPDATE processed_messages SET state = 'DONE', lease_expires_at = NULL, completed_at = now(), updated_at = now() WHERE message_id = @id AND state = 'PROCESSING' AND fencing_token = @token",
			fail:     "UPDATE processed_messages SET state = 'FAILED', owner = NULL, lease_expires_at = NULL, updated_at = now() WHERE message_id = @id AND state = 'PROCESSING' AND fencing_token = @token",
			forget:   "DELETE FROM processed_messages WHERE message_id = $1 AND state = 'DONE'",
			lease:    "OLD.state = 'PROCESSING' AND OLD.lease_expires_at >= now()", done: "OLD.state <> 'PROCESSING'",
			modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseFail, inspect.ReleaseExpire, inspect.ReleaseDelete},
		},
		{
			name: "locked at", table: "jobs", key: column("id"), staleAfter: 40 * time.Millisecond, settles: true,
			ddl:     "CREATE TABLE jobs (id text PRIMARY KEY, locked_at timestamptz, locked_by text, processed_at timestamptz, tries int NOT NULL DEFAULT 1)",
			mapping: "key=id,processing=locked_at!null,done=processed_at!null,free=locked_at=null,claimed_at=locked_at,owner=locked_by,attempts=tries",
			claim: `INSERT INTO jobs (id, locked_at, locked_by) SELECT id, now(), $2 FROM unnest($1::text[]) id ON CONFLICT (id) DO UPDATE SET locked_at = now(), locked_by = excluded.locked_by, tries = jobs.tries + 1
 WHERE jobs.processed_at IS NULL AND (jobs.locked_at IS NULL OR jobs.locked_at < now() - interval '40 milliseconds') AND $3::bigint > 0 RETURNING 'taken', 1::bigint`,
			renew:    "UPDATE jobs SET locked_at = now() WHERE id = @id AND locked_by = @owner AND processed_at IS NULL",
			complete: "UPDATE jobs SET processed_at = now() WHERE id = @id AND locked_by = @owner AND processed_at IS NULL",
			fail:     "UPDATE jobs SET locked_at = NULL, locked_by = NULL WHERE id = @id AND locked_by = @owner AND processed_at IS NULL",
			forget:   "DELETE FROM jobs WHERE id = $1 AND processed_at IS NOT NULL",
			alive:    "OLD.processed_at IS NULL AND OLD.locked_at >= now() - interval '40 milliseconds'", done: "OLD.processed_at IS NOT NULL OR OLD.locked_at IS NULL",
			modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseClear, inspect.ReleaseDelete},
		},
		{
			name: "heartbeat", table: "jobs", key: column("id"), staleAfter: 45 * time.Millisecond, settles: true,
			ddl:     "CREATE TABLE jobs (id text PRIMARY KEY, st text NOT NULL, own text, tok bigint, hb timestamptz, done_at timestamptz)",
			mapping: "key=id,state=st,processing=P,done=D,failed=X,free=F,owner=own,token=tok,heartbeat=hb,completed_at=done_at",
			claim: `INSERT INTO jobs SELECT id, 'P', $2, 1, now() FROM unnest($1::text[]) id ON CONFLICT (id) DO UPDATE SET st = 'P', own = excluded.own, tok = jobs.tok + 1, hb = now()
 WHERE jobs.st IN ('F', 'X') OR (jobs.st = 'P' AND jobs.hb < now() - interval '45 milliseconds') AND $3::bigint > 0 RETURNING 'taken', tok`,
			renew:    "UPDATE jobs SET hb = now() WHERE id = @id AND st = 'P' AND tok = @token",
			complete: "UPDATE jobs SET st = 'D', done_at = now() WHERE id = @id AND st = 'P' AND tok = @token",
			fail:     "UPDATE jobs SET st = 'X' WHERE id = @id AND st = 'P' AND tok = @token",
			forget:   "DELETE FROM jobs WHERE id = $1 AND st = 'D'",
			alive:    "OLD.st = 'P' AND OLD.hb >= now() - interval '45 milliseconds'", done: "OLD.st <> 'P'",
			modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseRequeue, inspect.ReleaseFail, inspect.ReleaseDelete},
		},
	}
}
