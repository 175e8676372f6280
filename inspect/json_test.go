package inspect

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestR5_Summary(t *testing.T) {
	var claims []Claim
	for i, age := range []time.Duration{2 * time.Minute, 10 * time.Minute, 59 * time.Minute, 61 * time.Minute, 3 * time.Hour, 5*time.Hour + 59*time.Minute, 6*time.Hour + time.Minute, 24 * time.Hour, 48 * time.Hour, 91 * 24 * time.Hour} {
		claims = append(claims, Judge(claimed(string(rune('a'+i)), func(c *Claim) {
			c.ClaimedAt, c.Owner = ago(age), Some(string(rune('x'+i%3)))
		}), Facts{Now: noon}))
	}
	claims = append(claims, claimed("done", func(c *Claim) { c.State = StateDone }))
	check := func(s Summary) {
		t.Helper()
		if s.Claimed != (Count{10, true}) || s.Oldest.V != 91*24*time.Hour || s.Median.V != 4*time.Hour+29*time.Minute+30*time.Second || s.Over1h != 7 || s.Over6h != 4 || len(s.ByOwner) != 3 {
			t.Errorf("summary %+v", s)
		}
		if s.Stuck != 8 || s.Held != 2 {
			t.Errorf("stuck %d, held %d", s.Stuck, s.Held)
		}
	}
	check(Summarise(claims))
	check(MergeSummaries(Summarise(claims[:4]), Summarise(claims[4:])))
}

func TestClaimsDocument(t *testing.T) {
	c := Judge(claimed("k", func(c *Claim) {
		c.Token, c.RawState = Some("9007199254740993"), "P"
		c.ClaimedAt, c.LeaseUntil = ago(1500*time.Millisecond), NoTime("infinity")
	}), Facts{Now: noon, Mapping: leased()})
	snap := Snapshot{
		Database: Database{ID: "d@h:1", Engine: "postgres", ServerTime: noon, ReplayLag: Some(95 * time.Second), Standby: true},
		Table:    Table{Database: "d@h:1", Schema: "s", Name: "t", Mapping: leased()}, At: noon, Claims: []Claim{c}, Summary: Summarise([]Claim{c}),
	}
	broken := Snapshot{Database: Database{ID: "other", Error: "cannot reach it"}}
	var out bytes.Buffer
	if err := EncodeClaims(&out, ModeArmed, []Snapshot{snap, broken}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "{\n  \"schema\": \"idemtui.claims/v1\"") {
		t.Error("schema is not first")
	}
	var doc map[string]any
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	claim := doc["claims"].([]any)[0].(map[string]any)
	for field, want := range map[string]any{
		"token": "9007199254740993", "claimed_at": "2026-03-01T11:59:58.500000Z", "lease_until": nil, "age_seconds": 1.5, "lapsed_seconds": nil,
		"condition": "invalid-time", "verdict": "cannot-tell", "heartbeat_at": nil, "frees_itself_at": nil, "key": "k", "state": "processing",
	} {
		if got, ok := claim[field]; !ok || got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	if raw := claim["raw"].(map[string]any); raw["lease_until"] != "infinity" {
		t.Errorf("raw = %v", raw)
	}
	databases := doc["databases"].([]any)
	if len(databases) != 2 || databases[0].(map[string]any)["replay_lag_seconds"] != 95.0 || databases[1].(map[string]any)["error"] != "cannot reach it" || databases[1].(map[string]any)["server_time"] != nil {
		t.Errorf("databases = %v", databases)
	}
	if doc["mode"] != "armed" || len(doc["tables"].([]any)) != 1 {
		t.Errorf("mode %v, tables %v", doc["mode"], doc["tables"])
	}
	done := Judge(claimed("k", func(c *Claim) { c.State = StateDone }), Facts{Now: noon})
	if j := newClaimJSON(done); j.Verdict != nil || j.Condition != nil {
		t.Error("a finished claim has a verdict")
	}
}

func TestReleaseAndUndoDocuments(t *testing.T) {
	row, _ := planned()
	p := Plan{ID: "1", Mode: ReleaseFail, Rows: []PlannedRow{row}, Refused: []Skip{{Key: TextKey("k", "d"), Reason: ReasonDone, Text: "done"}}}
	var out bytes.Buffer
	if err := EncodeRelease(&out, p.Preview()); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Schema   string
		Executed bool
		Plan     map[string]any
		Released []string
		Skipped  []map[string]string
		Failed   []any
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != SchemaRelease || doc.Executed || doc.Released == nil || doc.Failed == nil || doc.Skipped[0]["reason"] != "done" || doc.Plan["count"] != 1.0 || doc.Plan["runs_next"] != nil {
		t.Errorf("document %+v", doc)
	}
	out.Reset()
	if err := EncodeUndo(&out, UndoResult{Restored: []Key{row.Key}}); err != nil || !strings.Contains(out.String(), `"restored": [`) {
		t.Errorf("undo (%v): %s", err, out.String())
	}
}

func TestJSONHoldsNoControlCharacters(t *testing.T) {
	hostile := "\x1b\x07\x7f\u009b\u202e\u2028\U000e0001 é 注 👩‍🚒"
	var out bytes.Buffer
	if err := WriteJSON(&out, map[string]string{"v": hostile}); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.String() {
		if r != '\n' && needsTextForm(string(r)) {
			t.Errorf("%U in the document", r)
		}
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["v"] != hostile {
		t.Errorf("read back %q (%v)", back["v"], err)
	}
}

func TestOpenTransactionsStandInTheClaimsDocument(t *testing.T) {
	snap := Snapshot{
		Database: Database{ID: "db"}, Table: Table{Schema: "public", Name: "Outbox", Mapping: Mapping{Kind: KindInsertOnly}},
		Open: []OpenTransaction{{PID: 7, State: "idle in transaction", Age: Some(90 * time.Second), WaitsFor: []int64{8}, EndSQL: "SELECT pg_terminate_backend(7)"}},
	}
	var b strings.Builder
	if err := EncodeClaims(&b, ModeReadOnly, []Snapshot{snap}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"pid": 7`, `"age_seconds": 90`, `"waits_for": [`, `"in_state_seconds": null`, `"end_sql": "SELECT pg_terminate_backend(7)"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
