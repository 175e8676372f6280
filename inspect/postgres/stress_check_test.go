package postgres

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// recording makes a history of every write of every session to the table: which
// row version it replaced, by which one, and, where it was idemtui, whether the
// old one was a running claim or finished by the clock of the transaction.
// Writes are told apart by application_name. The images are as the audit record
// has them.
func (k stressKind) recording(columns []string) string {
	image := func(row string) string {
		out := make([]string, len(columns))
		for i, c := range columns {
			out[i] = fmt.Sprintf("%s.%s::text", row, ident(c))
		}
		return "ARRAY[" + strings.Join(out, ", ") + "]"
	}
	replaced := func(condition string) string {
		if condition == "" {
			return "false"
		}
		return fmt.Sprintf("mine AND TG_OP <> 'INSERT' AND coalesce(%s, false)", condition)
	}
	ddl := fmt.Sprintf(`CREATE TABLE history (n bigserial, key text, app text, op text, was bigint, became bigint, lease bool, alive bool, finished bool, before text[], after text[]);
CREATE FUNCTION note_history() RETURNS trigger LANGUAGE plpgsql SET TimeZone = 'UTC' AS $$
DECLARE mine bool := current_setting('application_name') LIKE 'idemtui %%'; was text; became text; key text;
BEGIN
 IF TG_OP <> 'INSERT' THEN was := OLD::text; key := %[2]s; END IF;
 IF TG_OP <> 'DELETE' THEN became := NEW::text; key := %[3]s; END IF;
 INSERT INTO public.history (key, app, op, was, became, lease, alive, finished, before, after) VALUES (key, CASE WHEN mine THEN substr(current_setting('application_name'), 9) END, TG_OP,
  hashtextextended(was, 0), hashtextextended(became, 0), %[4]s, %[5]s, %[6]s, CASE WHEN mine AND TG_OP <> 'INSERT' THEN %[7]s END, CASE WHEN mine AND TG_OP <> 'DELETE' THEN %[8]s END);
 RETURN NULL; END $$;
CREATE TRIGGER note_history AFTER INSERT OR UPDATE OR DELETE ON %[1]s FOR EACH ROW EXECUTE FUNCTION note_history();
`, k.table, k.key("OLD"), k.key("NEW"), replaced(k.lease), replaced(k.alive), replaced(k.done), image("OLD"), image("NEW"))
	if k.beating == "" {
		return ddl
	}
	// A trigger's condition sees what the statement sees, its body all that was
	// committed since.
	return ddl + fmt.Sprintf(`CREATE TABLE live (key text, app text);
CREATE FUNCTION note_live() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.live VALUES (%[2]s, current_setting('application_name')); RETURN NULL; END $$;
CREATE TRIGGER note_live AFTER UPDATE OR DELETE ON %[1]s FOR EACH ROW WHEN (current_setting('application_name') LIKE 'idemtui %%' AND %[3]s) EXECUTE FUNCTION note_live();
`, k.table, k.key("OLD"), k.beating)
}

// transition is one row of the history.
type transition struct {
	key, app, op           string
	was, became            *int64
	lease, alive, finished bool
	before, after          []*string
}

func same64(a, b *int64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// check holds the whole history against the rules, the records and what was
// said.
func (s *stress) check() {
	s.t.Helper()
	found := map[string]int{}
	examples := map[string]string{}
	written, undone, all := 0, 0, 0
	bad := func(what string, row transition) {
		found[what]++
		examples[what] = fmt.Sprintf("%s by %s", row.key, row.app)
	}
	var last transition
	s.history(func(row transition) {
		all++
		before := last
		last = row
		if before.key != row.key {
			before = transition{}
		}
		if !same64(before.became, row.was) {
			bad("row versions that nobody is known to have written", row)
		}
		if row.app == "" {
			return
		}
		op := s.done[row.app]
		if op == nil {
			bad("rows written by an operation that nobody began", row)
			return
		}
		if op.rows[row.key] != [2]uint64{imageHash(row.before), imageHash(row.after)} {
			bad("rows written without their record", row)
		}
		if !op.told[row.key] && !op.broken {
			bad("rows written and not said to be", row)
		}
		delete(op.told, row.key)
		written++
		if op.undoOf != "" {
			undone++
			if before.app != op.undoOf && (row.op != "INSERT" || before.became != nil) {
				bad("rows put back that somebody had touched since", row)
			}
			return
		}
		if row.lease && !op.override {
			bad("running claims replaced", row)
		}
		if row.alive {
			bad("live claims replaced", row)
		}
		if row.finished {
			bad("finished rows replaced", row)
		}
	})
	for id, op := range s.done {
		for key := range op.told {
			bad("rows said to be written and were not", transition{key: key, app: id})
		}
	}
	if s.kind.beating != "" {
		found["claims replaced whose owner beats"] = s.db.Int("SELECT count(*) FROM live WHERE substr(app, 9) LIKE 'r%'")
	}
	if s.kind.contrary != "" {
		found["rows of two tables that contradict each other"] = s.db.Int(s.kind.contrary)
	}
	s.t.Logf("%d attempts: %d rows written, %d of them by undo, %d skipped; %d writes in all, %d by workers that finished; %d operations broken off",
		s.attempts.Load(), written, undone, s.skipped.Load(), all, s.finished.Load(), s.broken.Load())
	for what, n := range found {
		if n > 0 {
			s.t.Errorf("%d %s, such as %s", n, what, examples[what])
		}
	}
	if !s.raced() {
		why := "no operation failed"
		if text := s.why.Load(); text != nil {
			why = *text
		}
		s.t.Errorf("not everything raced, so the test says nothing; the last error: %s", why)
	}
}

// history reads every write, key by key, in order.
func (s *stress) history(each func(transition)) {
	s.t.Helper()
	if s.crashes {
		s.pool.Reset() // connections that were idle at a crash are dead, and nobody has noticed
	}
	rows, err := s.pool.Query(s.t.Context(), "SELECT key, coalesce(app, ''), op, was, became, lease, alive, finished, before, after FROM history ORDER BY key, n")
	if err != nil {
		s.t.Fatal(err)
	}
	var row transition
	_, err = pgx.ForEachRow(rows, []any{&row.key, &row.app, &row.op, &row.was, &row.became, &row.lease, &row.alive, &row.finished, &row.before, &row.after}, func() error {
		each(row)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}
