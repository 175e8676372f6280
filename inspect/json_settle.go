package inspect

import "io"

// SchemaSettle is the schema of the settle document.
const SchemaSettle = "idemtui.settle/v1"

// EncodeSettle writes idemtui.settle/v1: as a release, with what the person
// said that the provider answered.
func EncodeSettle(w io.Writer, r Result) error {
	doc := settleJSON{releaseJSON: newReleaseJSON(r), Answers: []answerJSON{}}
	doc.Schema = SchemaSettle
	for i, a := range r.Plan.Answers {
		outcome, reference := string(a.Outcome), a.Reference
		doc.Answers = append(doc.Answers, answerJSON{Key: a.Key.String(), Outcome: a.Outcome, Reference: reference})
		if i == 0 {
			doc.Outcome, doc.Reference = &outcome, &reference
		}
		if doc.Outcome != nil && *doc.Outcome != outcome {
			doc.Outcome = nil
		}
		if doc.Reference != nil && *doc.Reference != reference {
			doc.Reference = nil
		}
	}
	return WriteJSON(w, doc)
}

type settleJSON struct {
	releaseJSON
	// Outcome and Reference are null where the keys have different ones.
	Outcome   *string      `json:"outcome"`
	Reference *string      `json:"reference"`
	Answers   []answerJSON `json:"answers"`
}

type answerJSON struct {
	Key       string `json:"key"`
	Outcome   Answer `json:"outcome"`
	Reference string `json:"reference"`
}

func newReleaseJSON(r Result) releaseJSON {
	p := r.Plan
	doc := releaseJSON{
		Schema: SchemaRelease, Executed: r.Executed, Released: keys(r.Released), Skipped: skips(r.Skipped), Failed: failures(r.Failed), AuditID: r.AuditID,
		Plan: planJSON{
			ID: p.ID, Database: p.Database, Table: p.Table, Mode: p.Mode, SQL: p.SQL, Consequence: list(p.Consequence), RunsNext: optional(string(p.RunsNext)), Count: p.Count(),
			Keys: []string{}, Claims: []plannedJSON{},
		},
	}
	for _, row := range p.Rows {
		doc.Plan.Keys = append(doc.Plan.Keys, row.Key.String())
		doc.Plan.Claims = append(doc.Plan.Claims, plannedJSON{row.Key.String(), row.Owner, row.Condition, row.Verdict, optional(row.Unknown)})
	}
	if r.Follow != nil {
		doc.Follow = newFollowJSON(*r.Follow)
	}
	return doc
}

// plannedJSON is one claim of a plan; Charge is what is known about the charge.
type plannedJSON struct {
	Key       string    `json:"key"`
	Owner     *string   `json:"owner"`
	Condition Condition `json:"condition"`
	Verdict   Verdict   `json:"verdict"`
	Charge    *string   `json:"charge"`
}
