//go:build unix

package servertest

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestPoolerSharesServerConnectionsBetweenTransactions(t *testing.T) {
	db := Postgres(t)
	pooler := db.Pooled("default_pool_size = 1")
	pids := map[int]bool{}
	for range 3 {
		conn := db.ConnAs(pooler.DSN() + "&default_query_exec_mode=exec")
		var pid int
		if err := conn.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		pids[pid] = true
	}
	if len(pids) != 1 {
		t.Errorf("three open connections used %d server connections, want 1: not transaction mode", len(pids))
	}
}

func TestPoolerTakesRolesMadeLater(t *testing.T) {
	db := Postgres(t)
	pooler := db.Pooled()
	role := db.Role("viewer")
	conn := db.ConnAs(pooler.RoleDSN(role))
	var user string
	if err := conn.QueryRow(t.Context(), "SELECT current_user").Scan(&user); err != nil || user != role.Name {
		t.Errorf("connected as %q, %v", user, err)
	}
	if _, err := pgx.Connect(t.Context(), strings.Replace(pooler.RoleDSN(role), role.Password, "wrong", 1)); err == nil {
		t.Error("a wrong password was taken")
	}
}

func TestPoolerRefusesStartupParametersUnlessTold(t *testing.T) {
	db := Postgres(t)
	const parameter = "&statement_timeout=300"
	if _, err := pgx.Connect(t.Context(), db.Pooled().DSN()+parameter); sqlState(err) != "08P01" {
		t.Errorf("statement_timeout as a startup parameter: %v", err)
	}
	conn := db.ConnAs(db.Pooled("ignore_startup_parameters = statement_timeout").DSN() + parameter)
	var timeout string
	if err := conn.QueryRow(t.Context(), "SHOW statement_timeout").Scan(&timeout); err != nil || timeout != "0" {
		t.Errorf("the value that the pooler swallowed: %q, %v", timeout, err)
	}
}

func TestPoolerWithABadSettingSaysWhatItSaid(t *testing.T) {
	db := Postgres(t)
	var ended ending
	inGoroutine(func() {
		(&DB{t: &ended, server: db.server, name: db.name}).Pooled("pool_mode = nonsense")
	})
	if ended.how != "fail" || !strings.Contains(ended.said, "nonsense") {
		t.Errorf("ended as %s: %s", ended.how, ended.said)
	}
	ended.runCleanups()
}

func TestStandbyFollowsItsPrimary(t *testing.T) {
	db := OwnPostgres(t)
	db.Exec("CREATE TABLE claims (id int)")
	standby := db.Standby("max_standby_streaming_delay = 1s")
	db.Exec("INSERT INTO claims VALUES (1), (2)")
	standby.CatchUp()
	if got := standby.Int("SELECT count(*) FROM claims"); got != 2 {
		t.Errorf("%d rows on the standby, want 2", got)
	}
	if got := standby.Text("SELECT pg_is_in_recovery()::text || ' ' || current_setting('max_standby_streaming_delay')"); got != "true 1s" {
		t.Errorf("the standby says %s", got)
	}
	if _, err := standby.Conn().Exec(t.Context(), "DELETE FROM claims"); sqlState(err) != "25006" {
		t.Errorf("a write on the standby: %v", err)
	}
}
