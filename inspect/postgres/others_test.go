package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
)

// Read one by one, claims are judged among the owners of the whole table: those of
// many owners that fell silent together are likely dead in no answer, and those of
// few among many that live did not all fall silent.
func TestClaimsReadByKeyAreJudgedAmongAllOwners(t *testing.T) {
	row := func(key, owner, lease string) string {
		return fmt.Sprintf("('%s', 'PROCESSING', '%s', now() - interval '1 hour', now() + interval '%s', NULL)", key, owner, lease)
	}
	answers := func(t *testing.T, s *Store, table inspect.Table, k string, before *inspect.Look) map[string]inspect.Claim {
		t.Helper()
		shown, err := s.Show(t.Context(), table, key(t, table, k), inspect.ShowOptions{Before: before})
		if err != nil {
			t.Fatal(err)
		}
		looked, err := s.Lookup(t.Context(), table, inspect.KeyList{Keys: []inspect.Key{key(t, table, k)}}, before)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]inspect.Claim{"show": shown.Claim, "lookup": looked.Keys[0].Claim}
	}
	t.Run("most fell silent", func(t *testing.T) {
		db, s, table := recommended(t, strings.Join([]string{row("k1", "w1", "-10 minutes"), row("k2", "w2", "-10 minutes"), row("k3", "w3", "-10 minutes"), row("k4", "w4", "1 hour")}, ", "))
		session(t, db, "w4")
		first := snapshot(t, s, table, inspect.Query{All: true})
		before := inspect.Remember(first.At.Add(-6*time.Second), first.Claims)
		alone := inspect.Remember(before.At, nil)
		for k, c := range before.Claims {
			if c.GoneSince.Valid() {
				c.GoneSince = inspect.At(c.GoneSince.Time.Add(-6 * time.Second))
			}
			before.Claims[k] = c
			if k == key(t, table, "k1") {
				alone.Claims[k] = c
			}
		}
		for _, look := range []*inspect.Look{before, alone} {
			for by, c := range answers(t, s, table, "k1", look) {
				if c.Verdict != inspect.VerdictCannotTell || !strings.Contains(fmt.Sprint(c.Evidence), "3 of 4 owners fell silent") {
					t.Errorf("%s says %s: %v", by, c.Verdict, c.Evidence)
				}
			}
			p := plan(t, s, table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, "k1")}, Before: look})
			if p.Count() != 1 || p.Rows[0].Verdict != inspect.VerdictCannotTell {
				t.Errorf("the plan says otherwise: %+v", p.Rows)
			}
		}
	})
	t.Run("few fell silent", func(t *testing.T) {
		rows := []string{row("k1", "w1", "-10 minutes"), row("k2", "w2", "-10 minutes"), row("k3", "w3", "-10 minutes")}
		for i := range 7 {
			rows = append(rows, row(fmt.Sprint("live", i), fmt.Sprint("v", i), "1 hour"))
		}
		_, s, table := recommended(t, strings.Join(rows, ", "))
		looked, err := s.Lookup(t.Context(), table, inspect.KeyList{Keys: []inspect.Key{key(t, table, "k1"), key(t, table, "k2"), key(t, table, "k3")}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range looked.Keys {
			if text := fmt.Sprint(k.Claim.Evidence); strings.Contains(text, "fell silent") {
				t.Errorf("%s: %s", k.Key, text)
			}
		}
	})
}
