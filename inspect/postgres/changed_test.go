package postgres

import (
	"fmt"
	"strings"
	"testing"

	"idemtui/inspect"
)

const everyColumn = `CREATE TABLE jobs (k text PRIMARY KEY, st text, own text, tok numeric, n int, at timestamptz, lease timestamptz, hb timestamptz,
 done_at timestamptz, failed_at timestamptz, exp timestamptz, upd timestamptz, prov text, payload jsonb);
INSERT INTO jobs SELECT 'k' || n, 'P', 'w', 9007199254740993, 1, '2026-03-01 10:00:00.123456Z', now() - interval '1 hour', now() - interval '1 hour', NULL, NULL, NULL, '2026-03-01Z', 'wd', '{}' FROM generate_series(1, 3) n`

const everyMapping = "key=k,state=st,processing=P|Q,done=D,failed=X,free=F,owner=own,token=tok,attempts=n,claimed_at=at,lease=lease,heartbeat=hb,heartbeat_every=10s,completed_at=done_at,failed_at=failed_at,expires_at=exp"

// changes are the ways in which a claim can differ between the list and the
// release, by the smallest step that its column can hold, with the reason that
// comes first.
var changes = []struct {
	name, change string
	want         inspect.Reason
}{
	{"removed", "DELETE FROM jobs WHERE k = 'k2'", inspect.ReasonGone},
	{"removed and claimed anew", "DELETE FROM jobs WHERE k = 'k2'; INSERT INTO jobs (k, st, own, tok, at, lease, hb) VALUES ('k2', 'P', 'w2', 1, now(), now() + interval '1 minute', now())", inspect.ReasonClaimedAgain},
	{"finished", "UPDATE jobs SET st = 'D', done_at = now() WHERE k = 'k2'", inspect.ReasonDone},
	{"failed", "UPDATE jobs SET st = 'X' WHERE k = 'k2'", inspect.ReasonFailed},
	{"released by another", "UPDATE jobs SET st = 'F' WHERE k = 'k2'", inspect.ReasonChanged},
	{"another claimed state", "UPDATE jobs SET st = 'Q' WHERE k = 'k2'", inspect.ReasonChanged},
	{"an unknown state", "UPDATE jobs SET st = 'weird' WHERE k = 'k2'", inspect.ReasonChanged},
	{"no state", "UPDATE jobs SET st = NULL WHERE k = 'k2'", inspect.ReasonChanged},
	{"taken over", "UPDATE jobs SET own = 'w2', tok = tok + 1, at = now(), lease = now() + interval '1 minute' WHERE k = 'k2'", inspect.ReasonClaimedAgain},
	{"taken over and lapsed again", "UPDATE jobs SET own = 'w2', tok = tok + 1, lease = now() - interval '1 second' WHERE k = 'k2'", inspect.ReasonClaimedAgain},
	{"another token, one beyond 2^53", "UPDATE jobs SET tok = tok + 1 WHERE k = 'k2'", inspect.ReasonClaimedAgain},
	{"no token", "UPDATE jobs SET tok = NULL WHERE k = 'k2'", inspect.ReasonClaimedAgain},
	{"the same token, written otherwise", "UPDATE jobs SET tok = 9007199254740993.0 WHERE k = 'k2'", inspect.ReasonClaimedAgain},
	{"another owner", "UPDATE jobs SET own = 'W' WHERE k = 'k2'", inspect.ReasonClaimedAgain},
	{"an owner with a space", "UPDATE jobs SET own = 'w ' WHERE k = 'k2'", inspect.ReasonClaimedAgain},
	{"no owner", "UPDATE jobs SET own = NULL WHERE k = 'k2'", inspect.ReasonClaimedAgain},
	{"claimed a microsecond later", "UPDATE jobs SET at = at + interval '1 microsecond' WHERE k = 'k2'", inspect.ReasonChanged},
	{"no claim time", "UPDATE jobs SET at = NULL WHERE k = 'k2'", inspect.ReasonChanged},
	{"renewed", "UPDATE jobs SET lease = now() + interval '1 minute' WHERE k = 'k2'", inspect.ReasonLeaseRunning},
	{"renewed for ever", "UPDATE jobs SET lease = 'infinity' WHERE k = 'k2'", inspect.ReasonRenewed},
	{"renewed and lapsed again", "UPDATE jobs SET lease = lease + interval '1 microsecond' WHERE k = 'k2'", inspect.ReasonRenewed},
	{"no lease", "UPDATE jobs SET lease = NULL WHERE k = 'k2'", inspect.ReasonRenewed},
	{"a beat, and silent again", "UPDATE jobs SET hb = hb + interval '1 microsecond' WHERE k = 'k2'", inspect.ReasonRenewed},
	{"beating again", "UPDATE jobs SET hb = now() WHERE k = 'k2'", inspect.ReasonRenewed},
	{"no heartbeat", "UPDATE jobs SET hb = NULL WHERE k = 'k2'", inspect.ReasonRenewed},
	{"another try", "UPDATE jobs SET n = 2 WHERE k = 'k2'", inspect.ReasonChanged},
	{"a completion time alone", "UPDATE jobs SET done_at = now() WHERE k = 'k2'", inspect.ReasonChanged},
	{"a failure time alone", "UPDATE jobs SET failed_at = now() WHERE k = 'k2'", inspect.ReasonChanged},
	{"another expiry", "UPDATE jobs SET exp = now() WHERE k = 'k2'", inspect.ReasonChanged},
}

func TestAClaimThatChangedInAnyWayIsSkippedWithItsReason(t *testing.T) {
	db, s, _ := recommended(t, "")
	table := inspect.Table{}
	for _, bulk := range []bool{false, true} {
		for _, versions := range []bool{true, false} { // without: as where xmin may not be read
			for _, c := range changes {
				db.Exec("DROP TABLE IF EXISTS jobs; " + everyColumn)
				table = mapped(t, s, "jobs", everyMapping)
				request := inspect.PlanRequest{Keys: keyList(t, table, "k2")}
				if bulk {
					request = inspect.PlanRequest{Owner: inspect.Some("w")}
				}
				p := plan(t, s, table, request)
				if !versions {
					for i := range p.Rows {
						p.Rows[i].RowVersion = nil
					}
					p.ID = inspect.PlanID(p)
				}
				db.Exec(c.change)
				const whole = "SELECT coalesce(max(j::text), 'gone') FROM jobs j WHERE k = 'k2'"
				before := db.Text(whole)
				a := &memoryAuditor{}
				r := release(t, s, table, p, a)
				name := fmt.Sprintf("%s (bulk %v, versions %v)", c.name, bulk, versions)
				want := []string{}
				if bulk {
					want = []string{"k1", "k3"}
				}
				equal(t, name+": released", names(r.Released), want)
				if len(r.Skipped) != 1 || r.Skipped[0].Reason != c.want {
					t.Errorf("%s: skipped %+v, want %s", name, r.Skipped, c.want)
				}
				if after := db.Text(whole); after != before {
					t.Errorf("%s: the row changed: %s -> %s", name, before, after)
				}
				if len(a.rows()) != len(want) {
					t.Errorf("%s: %d rows in the record, want %d", name, len(a.rows()), len(want))
				}
			}
		}
	}
}

// TestEveryMappedColumnIsInTheGuard: what a release is guarded by is every
// column that the plan read, and each is changed above.
func TestEveryMappedColumnIsInTheGuard(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(everyColumn)
	table := mapped(t, s, "jobs", everyMapping)
	sql := newWrite(table, inspect.ReleaseRequeue, false, nil).sql(false)
	for _, column := range table.Mapping.Columns() {
		asIs, asText := fmt.Sprintf("t.%q IS NOT DISTINCT FROM d.", column), fmt.Sprintf(`t.%q::text COLLATE "C" IS NOT DISTINCT FROM d.`, column)
		if !strings.Contains(sql, asIs) && !strings.Contains(sql, asText) {
			t.Errorf("%s is not compared:\n%s", column, sql)
		}
		if column != "k" && !strings.Contains(fmt.Sprint(changes), " "+column+" = ") {
			t.Errorf("no change of %s is tested", column)
		}
	}
}
