package postgres

import (
	"fmt"
	"testing"

	"idemtui/inspect"
)

// What a role has as defaults must change neither what is read nor what is
// written: every value is compared as text.
func TestOddDefaultsOfARoleChangeNothing(t *testing.T) {
	db, _, _ := recommended(t, `('a\b', 'PROCESSING', 'w1', `+lapsed+`)`)
	role := db.Role("odd", "SELECT, UPDATE ON processed_messages", "USAGE ON SEQUENCE processed_messages_token")
	for _, setting := range []string{
		"array_nulls = off", "standard_conforming_strings = off", "bytea_output = 'escape'", "TimeZone = 'Asia/Kolkata'", "DateStyle = 'German'",
		"IntervalStyle = 'iso_8601'", "extra_float_digits = -15", "search_path = ''", "client_encoding = 'LATIN1'", "transform_null_equals = on",
		"default_transaction_isolation = 'serializable'", "default_transaction_deferrable = on", "quote_all_identifiers = on", "row_security = off",
		"statement_timeout = '2s'", "lock_timeout = '1h'", "idle_session_timeout = '100ms'",
	} {
		db.Exec(fmt.Sprintf("ALTER ROLE %s IN DATABASE %s SET %s", role.Name, db.Name(), setting))
	}
	s := open(t, role.DSN)
	table := resolve(t, s, inspect.Target{})
	row := "SELECT t::text FROM processed_messages t"
	before := db.Text(row)
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, `a\b`)})
	a := &memoryAuditor{}
	r := release(t, s, table, p, a)
	equal(t, "released", names(r.Released), []string{`a\b`})
	back, _ := undo(t, s, table, a, false)
	equal(t, "restored", names(back.Restored), []string{`a\b`})
	if after := db.Text(row); after != before {
		t.Errorf("after the undo:\n%s\n%s", before, after)
	}
	// The server ends the idle session between two looks; that is no error.
	eventually(t, "the idle session to end", func() bool {
		return db.Int("SELECT count(*) FROM pg_stat_activity WHERE usename = $1", role.Name) == 0
	})
	snapshot(t, s, table, inspect.Query{})
}
