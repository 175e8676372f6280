package inspect

import (
	"encoding/csv"
	"fmt"
	"io"
)

// formColumns are the fields of the form: those that tell the claims apart at
// the provider, and those that a person fills in. ReadAnswers reads it again.
var formColumns = []string{"key", "provider_key", "claimed_at", "owner", "outcome", "reference"}

// WriteAnswerForm writes CSV with a line for each claim, in which outcome and
// reference are left to be filled in from what the provider answers. printable
// makes a value of the table safe to look at; keys are printable by themselves.
func WriteAnswerForm(w io.Writer, claims []Claim, printable func(string) string) error {
	out := csv.NewWriter(w)
	if err := out.Write(formColumns); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for _, c := range claims {
		record := []string{c.Key.Visible(), printable(c.ProviderKey.V), "", printable(c.Owner.V), "", ""}
		if c.ClaimedAt.Valid() {
			record[2] = FormatTime(c.ClaimedAt.Time)
		}
		if err := out.Write(record); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}
