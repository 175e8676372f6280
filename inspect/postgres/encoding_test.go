package postgres

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// encoded makes a database of another encoding beside the test's own.
func encoded(t *testing.T, encoding string) (admin *Store, dsn string) {
	t.Helper()
	db := servertest.Postgres(t)
	name := db.Name() + "_" + strings.ToLower(encoding)
	db.Exec("CREATE DATABASE " + name + " ENCODING '" + encoding + "' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
	t.Cleanup(func() { db.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
	dsn = strings.Replace(db.DSN(), db.Name(), name, 1)
	conn := db.ConnAs(dsn)
	if _, err := conn.Exec(t.Context(), recommendedDDL(t)); err != nil {
		t.Fatal(err)
	}
	_, err := conn.Exec(t.Context(), `INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
 VALUES (E'b\303\251', 'PROCESSING', E'\303\266', now() - interval '1 hour', now() - interval '50 minutes')`)
	if err != nil {
		t.Fatal(err)
	}
	if encoding == "SQL_ASCII" {
		if _, err := conn.Exec(t.Context(), `UPDATE processed_messages SET message_id = E'b\351', owner = E'\377\376'`); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, dsn), dsn
}

func TestDatabasesOfOtherEncodings(t *testing.T) {
	for encoding, id := range map[string]string{"LATIN1": "bÃ©", "SQL_ASCII": `text:b\xe9`} {
		t.Run(encoding, func(t *testing.T) {
			s, _ := encoded(t, encoding)
			table := resolve(t, s, inspect.Target{})
			snap := snapshot(t, s, table, inspect.Query{})
			p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, snap.Claims[0].Key.String())})
			kept, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			p = inspect.Plan{}
			if err := json.Unmarshal(kept, &p); err != nil {
				t.Fatal(err)
			}
			a := &memoryAuditor{}
			r := release(t, s, table, p, a)
			equal(t, "released", names(r.Released), []string{id})
			back, _ := undo(t, s, table, a, false)
			if equal(t, "restored", names(back.Restored), []string{id}); t.Failed() {
				t.Fatalf("skipped %+v, failed %+v", back.Skipped, back.Failed)
			}
			again := snapshot(t, s, table, inspect.Query{}).Claims[0]
			if again.Owner != snap.Claims[0].Owner {
				t.Errorf("owner %q came back as %q", snap.Claims[0].Owner.V, again.Owner.V)
			}
		})
	}
}

func TestImagesAreReadByteByByte(t *testing.T) {
	db := servertest.Postgres(t)
	conn := db.ConnAs(db.DSN())
	words := []string{"", "NULL", "null", "a,b", `"`, `\\`, "{}", " x ", "\n", "é", "{"}
	var got image
	err := conn.QueryRow(t.Context(), "SELECT $1::text[] || NULL::text", pgx.QueryExecModeExec, words).Scan(&got)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.values) != len(words)+1 || got.values[len(words)] != nil {
		t.Fatalf("%d values", len(got.values))
	}
	for i, want := range words {
		if got.values[i] == nil || *got.values[i] != want {
			t.Errorf("value %d is not %q", i, want)
		}
	}
}
