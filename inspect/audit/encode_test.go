package audit

import (
	"encoding/json"
	"slices"
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
		} else {
			other := s + "!"
			row.After = []inspect.ColumnValue{{Column: "a", Value: &other}, row.Before[1], row.Before[0]} // some as before, some not
			row.Before = append(row.Before, row.Before[0])
			row.With = []inspect.OtherRow{{Table: "public.t", Before: row.Before}}
		}
		intent.Rows = append(intent.Rows, row)
	}
	record := intentLine{line: line{Schema: Schema, Kind: kindIntent, ID: "id", Time: "2026-03-01T12:00:00.000000Z"}, Intent: intent}
	for len(intent.Rows) < 2*worthwhile { // enough to be written in two parts
		intent.Rows = append(intent.Rows, intent.Rows...)
	}
	record.Intent = intent
	var byHand []byte
	keep := func(line []byte) error {
		byHand = slices.Clone(line)
		return nil
	}
	must(t, encodeIntent(record, keep))
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
		if *row.Before[0].Value != texts[i%len(texts)] {
			t.Errorf("%q came back as %q", texts[i%len(texts)], *row.Before[0].Value)
		}
	}
	record.Intent.Rows = nil
	if err := encodeIntent(record, keep); err != nil || !json.Valid(byHand) {
		t.Errorf("without rows: %s, %v", byHand, err)
	}
}

func TestAnOutcomeIsWrittenAsEncodingJSONWouldAndReadBack(t *testing.T) {
	two := inspect.NewKey(inspect.KeyPart{Column: "scope", Kind: inspect.PartUUID, Value: "00000000-0000-0000-0000-000000000001"}, inspect.KeyPart{Column: "id", Kind: inspect.PartInteger, Value: "7"})
	null := inspect.NewKey(inspect.KeyPart{Column: "id", Kind: inspect.PartText, IsNull: true})
	bytes := inspect.NewKey(inspect.KeyPart{Column: "id", Kind: inspect.PartBytes, Value: "ab"})
	for _, keys := range [][]inspect.Key{nil, {two}, {inspect.TextKey("id", `say "a"`), null, bytes, two, inspect.TextKey("id", ""), inspect.TextKey("é", "é\xff")}} {
		want := outcomeLine{line: line{Schema: Schema, Kind: kindOutcome, ID: "id"}, Outcome: inspect.Outcome{Batch: 2, Status: inspect.OutcomeCommitted, Released: keys, Error: "x"}}
		byHand, err := encodeOutcome(want)
		must(t, err)
		whole, err := encodeRecord(want)
		must(t, err)
		var got, expected any
		must(t, json.Unmarshal(byHand, &got))
		must(t, json.Unmarshal(whole, &expected))
		if diff := cmp.Diff(expected, got); diff != "" || byHand[len(byHand)-1] != '\n' {
			t.Errorf("by hand (-encoding/json +by hand):\n%s", diff)
		}
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
