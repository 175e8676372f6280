package postgres

import (
	"os"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/audit"
	"idemtui/inspect/servertest"
)

// bulkRows is the size of the bulk release that is measured.
const bulkRows = 10_000

// BenchmarkBulkRelease releases 10,000 claims among 300,000 rows as a person
// would, with their records on disk, and updates the same rows by one plain
// statement, in turn, on a server that keeps what it commits; each connects
// first. Reported are the best of both, so that what else the machine does
// counts little: take a few rounds, -benchtime 10x. The figure to watch is
// "times-as-long".
func BenchmarkBulkRelease(b *testing.B) {
	db := servertest.OwnPostgres(b, "fsync = on", "synchronous_commit = on", "full_page_writes = on", "shared_buffers = 256MB", "max_wal_size = 4GB")
	db.Exec(recommendedDDL(b))
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, completed_at, result)
 SELECT 'pay_' || md5(n::text), 'DONE', 'w', now() - interval '1 hour', NULL, now(), '{"charge": "ch_1"}' FROM generate_series(1, 300000) n;
CREATE TABLE stuck AS SELECT message_id FROM processed_messages ORDER BY message_id LIMIT 10000; `)
	db.Exec("VACUUM ANALYZE")
	s := open(b, db.DSN())
	table := resolve(b, s, inspect.Target{})
	stick := func() {
		db.Exec(`UPDATE processed_messages SET state = 'PROCESSING', owner = 'w', lease_expires_at = now() - interval '50 minutes', completed_at = NULL
 WHERE message_id IN (SELECT message_id FROM stuck)`)
		db.Exec("VACUUM ANALYZE processed_messages")
		db.Exec("CHECKPOINT")
	}
	const plain = `UPDATE processed_messages SET state = 'FAILED', owner = NULL, lease_expires_at = NULL, updated_at = now(), fencing_token = nextval('processed_messages_token')
 WHERE state = 'PROCESSING' AND owner = 'w'`
	folder, err := audit.Open(b.TempDir(), time.Now, audit.Me(os.Getenv))
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close()
	plainTime, releaseTime := time.Hour, time.Hour
	for b.Loop() {
		stick()
		began := time.Now()
		db.Exec(plain)
		plainTime = min(plainTime, time.Since(began))
		stick()
		p := plan(b, s, table, inspect.PlanRequest{Owner: inspect.Some("w")})
		began = time.Now()
		r, err := s.Release(b.Context(), table, p, inspect.ReleaseOptions{Auditor: folder.Begin(), Reason: "benchmark"})
		releaseTime = min(releaseTime, time.Since(began))
		if err != nil || len(r.Released) != bulkRows {
			b.Fatalf("released %d, %v", len(r.Released), err)
		}
	}
	b.ReportMetric(float64(plainTime.Microseconds())/1000, "plain-ms")
	b.ReportMetric(float64(releaseTime.Microseconds())/1000, "release-ms")
	b.ReportMetric(float64(releaseTime)/float64(plainTime), "times-as-long")
}
