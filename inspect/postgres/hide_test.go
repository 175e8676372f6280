package postgres

import (
	"encoding/json"
	"strings"
	"testing"

	"idemtui/inspect"
)

func TestHiddenColumnsAreNeverRead(t *testing.T) {
	db, s, _ := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+")")
	db.Exec("UPDATE processed_messages SET result = '{\"card\": \"4111 1111\"}'")
	table := resolve(t, s, inspect.Target{Hide: []string{"Result", "owner"}})
	d, err := s.Show(t.Context(), table, key(t, table, "a"), inspect.ShowOptions{AllColumns: true})
	if err != nil {
		t.Fatal(err)
	}
	a := &memoryAuditor{}
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a")})
	release(t, s, table, p, a)
	for name, doc := range map[string]any{"show": d.Columns, "plan": p, "audit": a.intents} {
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "4111") {
			t.Errorf("%s holds the hidden column: %s", name, text)
		}
	}
	back, _ := undo(t, s, table, a, false)
	equal(t, "restored", names(back.Restored), []string{"a"})
	if got := db.Text("SELECT result->>'card' FROM processed_messages"); got != "4111 1111" {
		t.Errorf("the hidden column came back as %q", got)
	}
	_, err = s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keyList(t, table, "a"), Mode: inspect.ReleaseDelete})
	wantFault(t, err, inspect.FaultPermission)
}
