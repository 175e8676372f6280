package postgres

import (
	"context"
	"slices"
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// everyType has rows whose values are hard to compare or to write down: no
// time, times before Christ, fractions, blanks, quotes, equal but different.
const everyType = `CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN small AS int2;
CREATE TABLE jobs (id uuid PRIMARY KEY, n int8, st varchar(20), own text COLLATE folded, at timestamptz, lease timestamp, beat timestamptz(3),
 tok int4, tries small, done date, upd timestamptz, note bpchar(5), ratio float8, amount numeric, flag bool, body jsonb, part interval);
INSERT INTO jobs SELECT gen_random_uuid(), n, 'busy', (ARRAY['Wörker "1"', 'a\b', '', NULL, 'NULL', 'w{,}'])[1 + n % 6],
 (ARRAY['2026-01-02 03:04:05.678901+00', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05.5+00'])[1 + n % 3]::timestamptz, '2001-02-03 04:05:06.000001',
 (ARRAY['0044-03-15 12:00:00+00 BC', '-infinity', '2000-01-01 00:00:00+00', NULL])[1 + n % 4]::timestamptz,
 (ARRAY[-2147483648, 0, 2147483646])[1 + n % 3], n % 3, '2020-02-29', NULL, 'x', 0.1 + 0.2, 1.50, n % 2 = 0, '{"a": [1]}', '1 mon' FROM generate_series(-4, 7) n`

const everyTypeMap = "key=id,state=st,processing=busy,free=free,owner=own,claimed_at=at,lease=lease,token=tok,attempts=tries,completed_at=done"

// TestTheRecordHoldsWhatTheRowsHeld compares the record with the rows
// themselves, read before and after, however much of it was fetched.
func TestTheRecordHoldsWhatTheRowsHeld(t *testing.T) {
	for name, alter := range map[string]string{
		"plain":     "",
		"generated": "ALTER TABLE jobs ADD twice int8 GENERATED ALWAYS AS (tok::int8 * 2) STORED",
		"trigger":   `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.note = ''seen''; NEW.own = OLD.own; RETURN NEW; END'; CREATE TRIGGER note BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION note()`,
	} {
		for _, late := range []bool{false, true} {
			if late && name == "generated" {
				continue // the plan would lack the column
			}
			t.Run(name, func(t *testing.T) {
				db := servertest.Postgres(t)
				db.Exec(everyType)
				if !late {
					db.Exec(alter)
				}
				s := open(t, db.DSN())
				table := mapped(t, s, "jobs", everyTypeMap)
				if table.Plain != (late || alter == "") {
					t.Errorf("plain: %v", table.Plain)
				}
				p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, allOf(db, "SELECT id::text FROM jobs")...)})
				if late && alter != "" { // after the plan, which took the table for plain
					db.Exec(alter)
				}
				before := rowTexts(t, s, table, p)
				a := &memoryAuditor{}
				if r := release(t, s, table, p, a); len(r.Released) != 12 {
					t.Fatalf("released %d: %+v", len(r.Released), r.Skipped)
				}
				after := rowTexts(t, s, table, p)
				for _, row := range a.rows() {
					if !sameColumns(row.Before, before[row.Key]) {
						t.Errorf("before: recorded %s\nwas %s", shown(row.Before), shown(before[row.Key]))
					}
					if !sameColumns(row.After, after[row.Key]) {
						t.Errorf("after: recorded %s\nis %s", shown(row.After), shown(after[row.Key]))
					}
				}
				if r, _ := undo(t, s, table, a, false); name != "trigger" && len(r.Restored) != 12 {
					t.Errorf("restored %d: %+v", len(r.Restored), r.Skipped)
				}
			})
		}
	}
}

// TestAnotherCaseIsAnotherValue: where the column's collation takes two values
// for equal, they are still not the same.
func TestAnotherCaseIsAnotherValue(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(everyType)
	s := open(t, db.DSN())
	table := mapped(t, s, "jobs", everyTypeMap)
	table.RowVersions, table.RowPlaces = false, false // only the values tell
	id := db.Text("SELECT id::text FROM jobs WHERE own = 'a\\b' LIMIT 1")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, id)})
	db.Exec("UPDATE jobs SET own = upper(own) WHERE id = '" + id + "'")
	if r := release(t, s, table, p, &memoryAuditor{}); len(r.Released) != 0 {
		t.Errorf("released a row whose owner is another")
	}
}

func allOf(db *servertest.DB, sql string) []string {
	var out []string
	db.Scan([]any{&out}, "SELECT array_agg(x) FROM ("+sql+") AS q(x)")
	return out
}

func rowTexts(t *testing.T, s *Store, table inspect.Table, p inspect.Plan) map[inspect.Key][]inspect.ColumnValue {
	t.Helper()
	keys := make([]inspect.Key, len(p.Rows))
	for i, r := range p.Rows {
		keys[i] = r.Key
	}
	var out map[inspect.Key][]inspect.ColumnValue
	err := s.writing(t.Context(), "read", func(ctx context.Context, c *connection) (err error) {
		out, err = s.imagesNow(ctx, c.conn, table, s.auditColumns(table), keys)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func shown(columns []inspect.ColumnValue) string {
	var out []string
	for _, c := range columns {
		v := "NULL"
		if c.Value != nil {
			v = *c.Value
		}
		out = append(out, c.Column+"="+v)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
