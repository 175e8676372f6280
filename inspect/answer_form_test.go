package inspect_test

import (
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
)

func TestTheFormOfAnswersIsReadAgainOnceItIsFilledIn(t *testing.T) {
	columns := []inspect.KeyColumn{{Column: "id", Kind: inspect.PartText, Role: inspect.RoleMessage}}
	claims := []inspect.Claim{
		{
			Key: inspect.TextKey("id", "pay_1, \"quoted\""), ProviderKey: inspect.Some("idem-1"), Owner: inspect.Some("worker-7@h3"),
			ClaimedAt: inspect.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)),
		},
		{Key: inspect.TextKey("id", "a\x1bb")},
	}
	var form strings.Builder
	if err := inspect.WriteAnswerForm(&form, claims, func(s string) string { return s }); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(form.String(), "\x1b") {
		t.Errorf("the form holds an escape: %q", form.String())
	}
	if _, err := inspect.ReadAnswers(form.String(), "", columns); err == nil {
		t.Error("an empty form was taken for answers")
	}
	filled := strings.ReplaceAll(form.String(), ",,\n", ",charged,ch_1\n")
	list, err := inspect.ReadAnswers(filled, "", columns)
	if err != nil {
		t.Fatalf("%v\n%s", err, filled)
	}
	for i, a := range list.Answers {
		if a.Key != claims[i].Key || a.Outcome != inspect.AnswerCharged || a.Reference != "ch_1" {
			t.Errorf("answer %d is %+v", i, a)
		}
	}
	if len(list.Answers) != 2 || !strings.HasPrefix(form.String(), "key,provider_key,claimed_at,owner,outcome,reference\n") {
		t.Errorf("%d answers of\n%s", len(list.Answers), form.String())
	}
}
