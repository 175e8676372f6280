package postgres

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
)

func TestLookupOfManyKeys(t *testing.T) {
	db, s, table := recommended(t, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, completed_at)
 SELECT 'k' || n, CASE n % 4 WHEN 0 THEN 'DONE' WHEN 1 THEN 'FAILED' ELSE 'PROCESSING' END, 'w', now() - interval '1 hour',
  CASE n % 4 WHEN 2 THEN now() - interval '1 minute' WHEN 3 THEN now() + interval '1 hour' END, CASE n % 4 WHEN 0 THEN now() END FROM generate_series(1, 2000) n`)
	var text strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&text, "k%d\r\n", i+1)
	}
	text.WriteString("\nk1\n")
	start := time.Now()
	l, err := s.Lookup(t.Context(), table, inspect.ReadKeys(text.String(), table.Mapping.Key), nil)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	counts := l.Counts()
	want := map[inspect.Class]int{inspect.ClassDone: 500, inspect.ClassFailed: 500, inspect.ClassStuck: 500, inspect.ClassAlive: 500, inspect.ClassNoRow: 500}
	total := 0
	for class, n := range counts {
		total += n
		if want[class] != n {
			t.Errorf("%d %s, want %d", n, class, want[class])
		}
	}
	if total != 2500 || l.Repeats != 1 || l.Blank != 1 {
		t.Errorf("%d keys, %d repeats, %d blank", total, l.Repeats, l.Blank)
	}
	var out bytes.Buffer
	if err := inspect.EncodeLookup(&out, l); err != nil || !strings.Contains(out.String(), `"no_row": 500`) {
		t.Errorf("document (%v)", err)
	}
}
