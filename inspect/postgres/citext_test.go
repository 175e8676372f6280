package postgres

import (
	"regexp"
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// explained is the plan of a statement as the program sends it: with the search
// path of its transactions, and with a scan only where no index serves.
func explained(t *testing.T, db *servertest.DB, sql string, args ...any) string {
	t.Helper()
	conn := db.Conn()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SET LOCAL search_path = pg_catalog; SET LOCAL enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	rows, err := tx.Query(t.Context(), "EXPLAIN "+sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	if err := conn.Close(t.Context()); err != nil { // and its locks
		t.Fatal(err)
	}
	return plan.String()
}

func TestKeysOfEveryTypeAreFoundByTheirIndex(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(`CREATE EXTENSION citext; CREATE DOMAIN code AS citext CHECK (VALUE <> ''); CREATE DOMAIN short AS varchar(40)`)
	s := open(t, db.DSN())
	for name, value := range map[string]string{
		"citext": "Pay_7", "code": "Pay_7", "text": "Pay_7", "varchar": "Pay_7", "varchar(40)": "Pay_7", "char(12)": "Pay_7       ", "short": "Pay_7", "name": "Pay_7",
		"bigint": "7", "smallint": "7", "numeric": "7", "uuid": "00000000-0000-0000-0000-000000000007", "bytea": `\x07`, "date": "2026-01-07", "timestamptz": "2026-01-07 00:00:00+00", "inet": "10.0.0.7",
	} {
		db.Exec(`DROP TABLE IF EXISTS keyed; CREATE TABLE keyed (scope int, id ` + name + `, st text, lease timestamptz, PRIMARY KEY (id, scope))`)
		db.Exec(`INSERT INTO keyed SELECT n, '` + value + `', 'P', now() - interval '1 hour' FROM generate_series(1, 50) n`)
		table := mapped(t, s, "keyed", "key=id+scope,state=st,processing=P,failed=F,lease=lease")
		parts := snapshot(t, s, table, inspect.Query{Limit: 1}).Claims[0].Key
		keys := []inspect.Key{parts}
		r := newReader(table)
		arrays, sql := r.keysSQL(keys)
		where, args := r.exactKey(keys[0])
		w := newWrite(table, inspect.ReleaseFail, false, table.Mapping.Columns())
		p := plan(t, s, table, inspect.PlanRequest{Keys: keys})
		for what, plan := range map[string]string{
			"look up": explained(t, db, sql, arrays...),
			"show":    explained(t, db, r.from()+where, args...),
			"release": explained(t, db, w.sql(false), w.arguments(p.Rows)...),
		} {
			if !regexp.MustCompile(`Index Cond: \(+id\b`).MatchString(plan) {
				t.Errorf("%s of %s:\n%s", what, name, plan)
			}
		}
		if r := release(t, s, table, p, &memoryAuditor{}); len(r.Released) != 1 {
			t.Errorf("%s: skipped %+v", name, r.Skipped)
		}
	}
}

func TestACitextKeyIsTheSameInEitherCase(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(`CREATE EXTENSION citext; CREATE TABLE keyed (id citext PRIMARY KEY, st text, lease timestamptz); INSERT INTO keyed VALUES ('Pay_7', 'P', now() - interval '1 hour'), ('pay_8', 'P', now() - interval '1 hour')`)
	s := open(t, db.DSN())
	table := mapped(t, s, "keyed", "key=id,state=st,processing=P,failed=F,lease=lease")
	looked, err := s.Lookup(t.Context(), table, inspect.KeyList{Keys: keyList(t, table, "PAY_7", "Pay_7", "pay_9")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, k := range looked.Keys {
		got = append(got, k.Key.String()+" "+string(k.Class)+" "+k.Claim.Key.String())
	}
	equal(t, "looked up", got, []string{"PAY_7 stuck Pay_7", "Pay_7 stuck Pay_7", "pay_9 no_row "})
	d, err := s.Show(t.Context(), table, key(t, table, "PAY_7"), inspect.ShowOptions{})
	if err != nil || d.Claim.Key.String() != "Pay_7" || len(d.Columns) == 0 {
		t.Errorf("show %+v: %v", d.Columns, err)
	}
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "PAY_7", "pay_9")})
	if len(p.Rows) != 1 || len(p.Refused) != 1 || p.Refused[0].Key.String() != "pay_9" {
		t.Fatalf("plan %+v, refused %+v", p.Rows, p.Refused)
	}
	equal(t, "released", names(release(t, s, table, p, &memoryAuditor{}).Released), []string{"Pay_7"})
}

func TestAMissingRightToTheTokensSequenceIsFoundByThePlan(t *testing.T) {
	db, _, _ := recommended(t, "('a', 'PROCESSING', 'w', now() - interval '2 hours', now() - interval '1 hour', NULL)")
	role := db.Role("releaser", "SELECT ON processed_messages", "UPDATE (state, owner, lease_expires_at, updated_at, fencing_token) ON processed_messages")
	s := open(t, role.DSN)
	table := resolve(t, s, inspect.Target{})
	_, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keyList(t, table, "a")})
	f := wantFault(t, err, inspect.FaultPermission)
	if !strings.Contains(f.Error(), "may not draw the next token") || !strings.Contains(f.Next, "GRANT USAGE ON SEQUENCE ") {
		t.Error(f)
	}
	db.Exec(f.Next)
	table = resolve(t, s, inspect.Target{})
	if r := release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a")}), &memoryAuditor{}); len(r.Released) != 1 {
		t.Errorf("with the right: %+v", r)
	}
}
