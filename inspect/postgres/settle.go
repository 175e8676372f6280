package postgres

import (
	"context"
	"slices"

	"idemtui/inspect"
)

var _ inspect.Settler = (*Store)(nil)

// PlanSettle reads the claims whose charge somebody asked the provider for, and
// says what would be written. It writes nothing.
func (s *Store) PlanSettle(ctx context.Context, table inspect.Table, request inspect.SettleRequest) (inspect.Plan, error) {
	var plan inspect.Plan
	err := s.look(ctx, "plan a settle in "+table.FullName(), func(ctx context.Context, t *tx) error {
		mode, err := checkSettle(table, request)
		if err != nil {
			return err
		}
		keys := inspect.PlanRequest{Keys: make([]inspect.Key, len(request.Answers))}
		answers := map[inspect.Key]*inspect.Settlement{}
		for i, a := range request.Answers {
			keys.Keys[i], answers[a.Key] = a.Key, &a.Settlement
		}
		if err := t.mayPlan(table, keys); err != nil {
			return err
		}
		claims, missing, err := s.asked(ctx, t, table, keys)
		if err != nil {
			return err
		}
		plan = inspect.Plan{
			Database: t.database.ID, Table: table.FullName(), Mode: mode, RunsNext: table.Mapping.RunsNext, ReadAt: t.now(), Answers: request.Answers,
		}
		plan.Rows, plan.Refused = t.planned(table, mode, claims, missing, false, false)
		for i, row := range plan.Rows {
			plan.Rows[i].Settlement, plan.Rows[i].Unknown = answers[row.Key], ""
		}
		if err := s.settleStatements(ctx, t, table, &plan); err != nil {
			return err
		}
		plan.ID = inspect.PlanID(plan)
		return nil
	})
	return plan, err
}

// checkSettle refuses answers that cannot be written, and finds how those are
// released that were not charged.
func checkSettle(table inspect.Table, request inspect.SettleRequest) (inspect.ReleaseMode, error) {
	mode, released := inspect.ReleaseComplete, false
	for _, a := range request.Answers {
		released = released || a.Outcome != inspect.AnswerCharged
		if a.Outcome == inspect.AnswerCharged {
			if err := inspect.CheckCompletion(table); err != nil {
				return "", err
			}
		}
		if a.Result != nil {
			if err := inspect.CheckResult(table, *a.Result); err != nil {
				return "", err
			}
		}
	}
	if len(request.Answers) == 0 {
		return "", &inspect.Fault{Kind: inspect.FaultRefused, What: "no claim was named", Next: "name keys, or a file with --from"}
	}
	if !released {
		return mode, nil
	}
	return inspect.ResolveReleaseMode(table.Mapping, request.Mode)
}

// settleStatements fills in what the plan would run, and refuses what the role
// may not do.
func (s *Store) settleStatements(ctx context.Context, t *tx, table inspect.Table, plan *inspect.Plan) error {
	completed, released := plan.CompletedBy()
	if len(completed) > 0 || plan.Mode == inspect.ReleaseComplete {
		w := newCompletion(table, s.auditColumns(table))
		if err := t.mayWrite(w); err != nil {
			return err
		}
	}
	if len(released) > 0 {
		w := newWrite(table, plan.Mode, false, s.auditColumns(table))
		if err := t.mayWrite(w); err != nil {
			return err
		}
		if err := t.mayCall(ctx, w); err != nil {
			return err
		}
		if err := t.removesNoMore(ctx, w); err != nil {
			return err
		}
	}
	plan.SQL = s.statements(table, *plan)
	plan.Consequence = inspect.SettleConsequences(table, plan.Mode, len(completed), len(released))
	if len(released) == 0 {
		return nil
	}
	return t.plannedWith(ctx, newWrite(table, plan.Mode, false, s.auditColumns(table)), plan)
}

// newCompletion is the statement that writes what the table's own completion
// writes. In the recommended table that is the whole row; elsewhere what the
// mapping names.
func newCompletion(table inspect.Table, audited []string) write {
	m := table.Mapping
	w := write{table: table, mode: inspect.ReleaseComplete, guarded: m.Columns(), answers: m.Result != ""}
	put := func(column, value string) {
		if column != "" && !slices.Contains(w.setColumns(), column) {
			w.set = append(w.set, assignment{column, value})
		}
	}
	if m.State.ByRules() {
		for _, rule := range m.State.Rules[inspect.StateDone] {
			if len(rule) == 1 && rule[0].Op == inspect.TestNotNull {
				put(rule[0].Column, w.nowAs(rule[0].Column))
			}
		}
	} else {
		put(m.State.Column, literal(m.State.Values[inspect.StateDone][0]))
	}
	put(m.CompletedAt, w.nowAs(m.CompletedAt))
	put(m.UpdatedAt, w.nowAs(m.UpdatedAt))
	if m.Profile == RecommendedProfile {
		put(m.Lease.Column, "NULL")
	}
	if c, ok := table.Column(m.Result); ok {
		put(c.Name, "l.r::"+c.Cast)
	}
	// The record holds what is written, so that it can be put back.
	w.audited = slices.Clone(audited)
	for _, column := range w.setColumns() {
		if !slices.Contains(w.audited, column) {
			w.audited = append(w.audited, column)
		}
	}
	return w
}

// results are the results of a batch's rows.
func results(rows []inspect.PlannedRow) []*string {
	out := make([]*string, len(rows))
	for i, r := range rows {
		if r.Settlement != nil {
			out[i] = r.Settlement.Result
		}
	}
	return out
}
