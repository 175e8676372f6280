package cli

import (
	"strings"
	"testing"

	"idemtui/inspect/servertest"
	"idemtui/sim"
)

// TestPostgresAcceptsTheStatementsOfTheSimulator runs the SQL that the screen
// shows beside each step, handler by handler and under both guards.
func TestPostgresAcceptsTheStatementsOfTheSimulator(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec("CREATE TABLE processed (payment_id text PRIMARY KEY); CREATE TABLE claimed (payment_id text PRIMARY KEY); CREATE SEQUENCE tokens; " +
		"CREATE TABLE claims (payment_id text PRIMARY KEY, state text, owner text, token bigint, lease_until timestamptz); " +
		"CREATE TABLE orders (id text PRIMARY KEY, status text, shipped_count int); CREATE TABLE shipments (order_id text PRIMARY KEY, status text)")
	ran := 0
	for _, handler := range sim.Handlers() {
		for _, guard := range []sim.Guard{sim.GuardToken, sim.GuardName} {
			h := *handler
			h.Guard = guard
			for pc := range uint8(h.Steps) {
				statement, _ := h.Statement(pc)
				if strings.HasPrefix(statement.Text, "POST ") || strings.HasPrefix(statement.Text, "ack(") {
					continue
				}
				for sql := range strings.SplitSeq(statement.Text, ";\n") {
					if _, err := db.Pool().Exec(t.Context(), "PREPARE tried AS "+sql+"\n; DEALLOCATE tried"); err != nil && !transactional(sql) {
						t.Errorf("%s, step %d: %v\n%s", h.Name, pc+1, err, sql)
					}
					ran++
				}
			}
		}
	}
	if ran < 20 {
		t.Errorf("only %d statements ran", ran)
	}
}

// transactional is what cannot be prepared.
func transactional(sql string) bool { return sql == "BEGIN" || sql == "COMMIT" || sql == "ROLLBACK" }

// TestTheLeaseOfTheSimulatorHoldsOnPostgres plays one claim through: new, busy,
// lapsed and taken over, and finished under the token and under the name.
func TestTheLeaseOfTheSimulatorHoldsOnPostgres(t *testing.T) {
	for guard, stale := range map[sim.Guard]int64{sim.GuardToken: 0, sim.GuardName: 1} {
		db := servertest.Postgres(t)
		db.Exec("CREATE SEQUENCE tokens; CREATE TABLE claims (payment_id text PRIMARY KEY, state text, owner text, token bigint, lease_until timestamptz)")
		found, _ := sim.ByName("lease")
		h := *found
		h.Guard = guard
		claim, _ := h.Statement(0)
		done, _ := h.Statement(2)
		claims := func(lease string) int64 {
			args := []any{"p1", lease}
			if guard == sim.GuardName {
				args = append(args, "worker")
			}
			tag, err := db.Pool().Exec(t.Context(), claim.Text, args...)
			if err != nil {
				t.Fatal(err)
			}
			return tag.RowsAffected()
		}
		if n := claims("-1s"); n != 1 {
			t.Errorf("%v: a new claim: %d rows", guard, n)
		}
		first := db.Text("SELECT CASE $1 WHEN 'name' THEN owner ELSE token::text END FROM claims", guard.String())
		if n := claims("1h"); n != 1 {
			t.Errorf("%v: a takeover: %d rows", guard, n)
		}
		if n := claims("1h"); n != 0 {
			t.Errorf("%v: a busy claim: %d rows", guard, n)
		}
		var against any = first
		if guard == sim.GuardToken {
			against = db.Int("SELECT $1::int", first)
		}
		tag, err := db.Pool().Exec(t.Context(), done.Text, "p1", against)
		if err != nil || tag.RowsAffected() != stale {
			t.Errorf("%v: the stale worker's completion: %v, %v; want %d rows", guard, tag, err, stale)
		}
	}
}
