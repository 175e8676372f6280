package audit

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"idemtui/inspect"
)

func TestAnIntentIsWrittenAsEncodingJSONWouldAndReadBack(t *testing.T) {
	texts := []string{"", "plain", `with "quotes" and \`, "tab\tline\n", "é注文", "a<b>&c", "\x7f\x00", "not UTF-8 \xff\xfe", "\u2028"}
	intent := inspect.Intent{Action: inspect.ActionSettle, Batch: 3, Reason: "<why>", SQL: "UPDATE \"t\"", Transaction: "42"}
	for _, s := range texts {
		row := inspect.AuditRow{Key: inspect.TextKey("id", s), Before: []inspect.ColumnValue{{Column: "a", Value: &s}, {Column: "b \"c\""}}}
		if len(intent.Rows)%2 == 1 {
			row.After = []inspect.ColumnValue{}
			row.Settlement = &inspect.Settlement{Outcome: inspect.AnswerCharged, Reference: s, Result: &s}
		}
		intent.Rows = append(intent.Rows, row)
	}
	record := intentLine{line: line{Schema: Schema, Kind: kindIntent, ID: "id", Time: "2026-03-01T12:00:00.000000Z"}, Intent: intent}
	byHand, err := encodeIntent(record)
	must(t, err)
	whole, err := encodeRecord(record)
	must(t, err)
	var got, want any
	must(t, json.Unmarshal(byHand, &got))
	must(t, json.Unmarshal(whole, &want))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by hand (-encoding/json +by hand):\n%s", diff)
	}
	for _, c := range byHand[:len(byHand)-1] {
		if c == '\n' {
			t.Error("a line break within the line")
		}
	}
	var read intentLine
	must(t, json.Unmarshal(byHand, &read))
	for i, row := range read.Intent.Rows {
		if *row.Before[0].Value != texts[i] {
			t.Errorf("%q came back as %q", texts[i], *row.Before[0].Value)
		}
	}
	record.Intent.Rows = nil
	if content, err := encodeIntent(record); err != nil || !json.Valid(content) {
		t.Errorf("without rows: %s, %v", content, err)
	}
}

func TestASettlementIsKeptWithFewColumns(t *testing.T) {
	path, c := t.TempDir(), &clock{noon}
	operation := openAt(t, path, c.now).Begin("id")
	intent := intentOf(1, "a")
	intent.Rows[0].Settlement = &inspect.Settlement{Outcome: inspect.AnswerCharged, Reference: "ch_1"}
	must(t, operation.Intent(t.Context(), intent))
	if s := read(t, path).Operations[0].Batches[0].Intent.Rows[0].Settlement; s == nil || s.Reference != "ch_1" {
		t.Errorf("settlement %+v", s)
	}
}
