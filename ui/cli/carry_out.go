package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

// carrying is how a plan of a release or a settle is carried out.
type carrying struct {
	options inspect.ReleaseOptions
	format  string
	follow  time.Duration // 0: not followed
	every   time.Duration
}

// writing is one command that writes: how its plan is made, and what must hold
// before it is carried out.
type writing struct {
	database string
	armed    bool // --yes was given
	how      carrying
	plan     func(context.Context, opened) (plan inspect.Plan, bulk bool, err error)
	permit   func(table inspect.Table, plan inspect.Plan, bulk bool) error
}

// planAndCarryOut opens the one place that is meant and makes the plan there;
// it prints the plan or, where the command is armed, carries it out.
func (a *app) planAndCarryOut(cmd *cobra.Command, shared *inspectFlags, w writing) (err error) {
	places, err := a.places(cmd, shared)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	o, err := a.single(ctx, places, shared, w.database)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, o.store) }()
	if w.armed && o.place.readOnly {
		return refused("writing is forbidden here by --read-only or by read_only in the config file", "ask whoever set it")
	}
	plan, bulk, err := w.plan(ctx, o)
	if err != nil {
		return err
	}
	if !w.armed {
		if err := a.keepPlan(shared, plan, bulk); err != nil {
			return err
		}
		return a.printRelease(plan.Preview(), w.how.format)
	}
	if err := w.permit(o.table, plan, bulk); err != nil {
		return err
	}
	return a.carryOut(ctx, o, shared, plan, w.how)
}

// verb is what a plan does to its claims.
func verb(p inspect.Plan) string {
	if p.Settles() {
		return "settled"
	}
	return "released"
}

// carryOut writes, with the audit record on disk before each batch commits.
func (a *app) carryOut(ctx context.Context, o opened, shared *inspectFlags, plan inspect.Plan, how carrying) error {
	if plan.Count() == 0 {
		if err := a.printRelease(inspect.Result{Plan: plan, Executed: true, Skipped: plan.Refused}, how.format); err != nil {
			return err
		}
		return refused("nothing was "+verb(plan), "")
	}
	log, err := a.openAudit(shared, o.table)
	if err != nil {
		return placeError(err)
	}
	defer log.folder.Close()
	auditor, err := log.Begin()
	if err != nil {
		return placeError(err)
	}
	how.options.Auditor = auditor
	result, err := o.store.Release(ctx, o.table, plan, how.options)
	if err != nil && len(result.Released) == 0 {
		return placeError(err)
	}
	a.noteWritten(len(result.Released), verb(plan), result.AuditID)
	var followed error
	if err == nil {
		followed = a.followResult(ctx, o, shared, &result, how)
	}
	if err := a.printRelease(result, how.format); err != nil {
		return err
	}
	switch {
	case err != nil:
		return partialFailure(placeError(err), fmt.Sprintf("%d were %s before; audit id %s", len(result.Released), verb(plan), result.AuditID))
	case followed != nil:
		return followed
	case !result.Clean():
		return refused(fmt.Sprintf("%d of %d %s", len(result.Released), len(result.Released)+len(result.Skipped)+len(result.Failed), verb(plan)), "")
	case result.Follow != nil && result.Follow.Count(inspect.FollowNotPickedUp) > 0:
		return refused(fmt.Sprintf("%d not picked up within %s", result.Follow.Count(inspect.FollowNotPickedUp), inspect.FormatSpan(how.follow)), "see what runs next in the plan; to look on: idemtui inspect follow "+result.AuditID)
	default:
		return nil
	}
}

// noteWritten keeps what was changed, for the case that nothing can be printed.
func (a *app) noteWritten(rows int, verb, auditID string) {
	if rows > 0 {
		a.written = fmt.Sprintf("%d %s all the same; see 'idemtui inspect audit %s'", rows, verb, auditID)
	}
}

// followResult follows what was just released, where that was asked for. A
// claim that was completed is not waited for.
func (a *app) followResult(ctx context.Context, o opened, shared *inspectFlags, result *inspect.Result, how carrying) error {
	if how.follow <= 0 || len(result.Released) == 0 {
		return nil
	}
	path, err := a.stateFolder(shared)
	if err != nil {
		return placeError(err)
	}
	past, err := findAudit(path, result.AuditID)
	if err != nil {
		return placeError(err)
	}
	rows, err := followable(past)
	if err != nil {
		return nil // all were completed: nothing runs next
	}
	if a.streams.ErrTerminal {
		a.notef("%d %s, audit id %s; following for %s", len(result.Released), verb(result.Plan), result.AuditID, inspect.FormatSpan(how.follow))
	}
	follow, err := a.follow(ctx, o, inspect.NewFollow(result.AuditID, rows), how.every, how.follow)
	result.Follow = &follow
	return err
}

// printRelease prints a plan, or what became of it, from the same value in
// every format.
func (a *app) printRelease(r inspect.Result, format string) error {
	if format == formatJSON {
		if r.Plan.Settles() {
			return inspect.EncodeSettle(&a.out, r)
		}
		return inspect.EncodeRelease(&a.out, r)
	}
	p := r.Plan
	if !r.Executed {
		a.printf("PLAN %s   nothing is changed yet\n\n", p.ID)
	}
	t := newTextTable("", "")
	t.add("database", p.Database)
	t.add("table", p.Table)
	t.add("mode", string(p.Mode))
	if r.Executed && r.AuditID != "" {
		t.add("audit id", r.AuditID)
	}
	if !r.Executed {
		t.add("claims", fmt.Sprintf("%d", p.Count()))
	}
	a.printf("%s", strings.TrimLeft(t.String(), "\n"))
	if r.Executed {
		a.printSection(verb(p), settledLines(p, r.Released))
		a.printSection("skipped", skipLines(r.Skipped))
		a.printSection("failed", failureLines(r.Failed))
	} else {
		a.printSection("would be "+verb(p), planLines(p))
		a.printSection("would be refused", skipLines(r.Skipped))
	}
	if !r.Executed && p.Count() > 0 {
		a.printSection("what it means", p.Consequence)
		a.printQueries("sql", []string{p.SQL})
	}
	a.printOutcome(r)
	if r.Follow != nil {
		a.printf("\n")
		a.printFollow(*r.Follow)
	}
	return nil
}

// printOutcome is the last line: what to do next, or what was done.
func (a *app) printOutcome(r inspect.Result) {
	command := "release"
	if r.Plan.Settles() {
		command = "settle"
	}
	switch {
	case r.Executed && len(r.Released) > 0:
		a.printf("\n%d %s, %d skipped, %d failed; to take it back: idemtui inspect undo %s --yes --reason TEXT\n", len(r.Released), verb(r.Plan), len(r.Skipped), len(r.Failed), r.AuditID)
	case r.Executed:
		a.printf("\n%d %s, %d skipped, %d failed\n", len(r.Released), verb(r.Plan), len(r.Skipped), len(r.Failed))
	case r.Plan.Count() > 0:
		a.printf("\nto %s: add --plan %s --yes --reason TEXT in place of the keys (within the hour)\n", command, r.Plan.ID)
	default:
		a.printf("\nthis plan would %s nothing\n", command)
	}
}

func keyLines(keys []inspect.Key) []string {
	lines := make([]string, len(keys))
	for i, key := range keys {
		lines[i] = key.Visible()
	}
	return lines
}

// settledLines are the written keys, each with the answer it was settled by.
func settledLines(p inspect.Plan, keys []inspect.Key) []string {
	answers := map[inspect.Key]inspect.Settlement{}
	for _, a := range p.Answers {
		answers[a.Key] = a.Settlement
	}
	lines := keyLines(keys)
	for i, key := range keys {
		if s, ok := answers[key]; ok {
			lines[i] += fmt.Sprintf("  %s (%s)", s.Outcome, s.Reference)
		}
	}
	return lines
}

func planLines(p inspect.Plan) []string {
	lines := make([]string, len(p.Rows))
	for i, row := range p.Rows {
		owner := "-"
		if row.Owner != nil {
			owner = inspect.Brief(*row.Owner)
		}
		lines[i] = fmt.Sprintf("%s  owner %s  %s  %s", row.Key.Visible(), owner, row.Condition, triage.VerdictText(inspect.Claim{Verdict: row.Verdict}))
		switch {
		case row.Settlement != nil:
			lines[i] += fmt.Sprintf("  %s (%s)", row.Settlement.Outcome, row.Settlement.Reference)
		case row.Unknown != "":
			lines[i] += "  " + row.Unknown
		}
	}
	return lines
}

func skipLines(skipped []inspect.Skip) []string {
	lines := make([]string, len(skipped))
	for i, skip := range skipped {
		lines[i] = fmt.Sprintf("%s  %s: %s", skip.Key.Visible(), skip.Reason, skip.Text)
	}
	return lines
}

func failureLines(failed []inspect.Failure) []string {
	lines := make([]string, len(failed))
	for i, failure := range failed {
		lines[i] = fmt.Sprintf("%s  %s", failure.Key.Visible(), failure.Error)
	}
	return lines
}
