package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idemtui/inspect"
)

// settleFlags say what the provider answered, and confirm the write.
type settleFlags struct {
	format          string
	outcome         string
	reference       string
	result          string
	from            string
	yes             bool
	reason          string
	plan            string
	mode            string
	rate            string
	allowUnverified bool
	database        string
	follow          time.Duration

	perSecond int // rate, read
	hasResult bool
}

const settleLong = `Write what the provider answered: charged makes the claim DONE, as the table's own completion would; not-charged
releases it.

Ask the provider first. idemtui records who said so and under which reference, and never says itself whether a charge
happened. Like a release it prints a plan and its id, and writes with --yes and --reason: guarded against everything
that changed since, recorded, and taken back by undo.
--from reads CSV with the columns key, outcome, reference; one bad line, and nothing is settled.`

func newInspectSettleCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &settleFlags{}
	cmd := &cobra.Command{
		Use:   "settle KEY...",
		Short: "Write the provider's answer: charged, or not charged",
		Long:  settleLong,
		Example: `
# the plan, which changes nothing
idemtui inspect settle pay_88412 --outcome charged --reference ch_3P1 --connection payments
idemtui inspect settle pay_88412 --outcome charged --reference ch_3P1 --connection payments --yes --reason "seen in the provider's dashboard"
# many at once, from a file with key,outcome,reference
idemtui inspect settle --from answers.csv --connection payments`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runSettle(cmd, shared, flags, args) },
	}
	addFormat(cmd, &flags.format, formatTable, formatJSON)
	f := cmd.Flags()
	f.StringVar(&flags.outcome, "outcome", "", "what the provider answered: charged or not-charged")
	f.StringVar(&flags.reference, "reference", "", "where the provider has it: the id of the charge or refusal")
	f.StringVar(&flags.result, "result", "", "what later duplicates get back (charged only)")
	f.StringVar(&flags.from, "from", "", "CSV with key,outcome,reference; - is standard input")
	f.BoolVar(&flags.yes, "yes", false, "settle, instead of printing the plan")
	f.StringVar(&flags.reason, "reason", "", "why: it is kept in the audit record")
	f.StringVar(&flags.plan, "plan", "", "the id of a plan printed in the last hour")
	f.StringVar(&flags.mode, "mode", string(inspect.ReleaseAuto), "how not-charged is released; see release")
	f.StringVar(&flags.rate, "rate", "", "the most claims written a second: N/s")
	f.BoolVar(&flags.allowUnverified, "allow-unverified", false, "settle though the profile was never tested")
	addDuration(f, &flags.follow, "follow", "then follow what was not charged, for so long")
	f.StringVar(&flags.database, "database", "", "which of several databases, by its id")
	return cmd
}

// check finds what is wrong with the flags before anything is opened.
func (f *settleFlags) check(cmd *cobra.Command, keys []string) error {
	var err error
	if f.perSecond, err = parseRate(f.rate); err != nil {
		return err
	}
	f.hasResult = cmd.Flags().Changed("result")
	if f.outcome != "" {
		if _, err := inspect.ParseAnswer(f.outcome); err != nil {
			return usageError(fmt.Sprintf("--outcome %q is neither charged nor not-charged", f.outcome), seeHelp(cmd.CommandPath()))
		}
	}
	var what, todo string
	switch selectors := given(len(keys) > 0, f.from != "", f.plan != ""); {
	case selectors == 0:
		what, todo = "nothing is named to settle", "give keys, --from or --plan"
	case selectors > 1:
		what, todo = "keys, --from and --plan exclude each other", "give one of them"
	case !slices.Contains(releaseModes, inspect.ReleaseMode(f.mode)):
		what, todo = fmt.Sprintf("--mode %q is no release mode; it is one of %s", f.mode, releaseModeNames()), seeHelp(cmd.CommandPath())
	case f.yes && strings.TrimSpace(f.reason) == "":
		what, todo = "--yes needs --reason", "say why, for the audit record"
	case len(keys) > 0 && f.outcome == "":
		what, todo = "--outcome is needed", "say what the provider answered: charged or not-charged"
	case len(keys) > 0 && strings.TrimSpace(f.reference) == "":
		what, todo = "--reference is needed", "say where the provider has the answer"
	case len(keys) == 0 && f.outcome != "":
		what, todo = "--outcome goes with keys", "the file or the plan says it for each key"
	case f.plan != "" && (f.reference != "" || f.hasResult):
		what, todo = "--reference and --result are in the plan already", "leave them away"
	case f.hasResult && strings.HasPrefix(strings.ToLower(f.outcome), "not"):
		what, todo = "--result goes with --outcome charged", "leave it away"
	case f.hasResult && len(keys) == 0:
		what, todo = "--result goes with keys", "give the file a column result"
	default:
		return nil
	}
	return usageError(what, todo)
}

// given counts what was given.
func given(flags ...bool) int {
	n := 0
	for _, flag := range flags {
		if flag {
			n++
		}
	}
	return n
}

func (a *app) runSettle(cmd *cobra.Command, shared *inspectFlags, flags *settleFlags, words []string) error {
	if err := flags.check(cmd, words); err != nil {
		return err
	}
	return a.planAndCarryOut(cmd, shared, writing{
		database: flags.database, armed: flags.yes,
		how: carrying{
			format: flags.format, follow: flags.follow, every: shared.followEvery(cmd),
			options: inspect.ReleaseOptions{Reason: flags.reason, Rate: flags.perSecond, AllowUnverified: flags.allowUnverified},
		},
		plan: func(ctx context.Context, o opened) (inspect.Plan, bool, error) {
			plan, err := a.settlePlan(ctx, o, shared, flags, words)
			return plan, false, err
		},
		// Every claim of a settle was named, so nothing more is to be permitted.
		permit: func(inspect.Table, inspect.Plan, bool) error { return nil },
	})
}

// settlePlan reads the claims that answers were given for, or finds the plan
// that was printed.
func (a *app) settlePlan(ctx context.Context, o opened, shared *inspectFlags, flags *settleFlags, words []string) (inspect.Plan, error) {
	if flags.plan != "" {
		kept, err := a.planHere(o, shared, flags.plan)
		if err == nil && !kept.Plan.Settles() {
			err = usageError(fmt.Sprintf("plan %s is one of a release", flags.plan), "carry it out with 'idemtui inspect release --plan'")
		}
		return kept.Plan, err
	}
	settler, can := o.store.(inspect.Settler)
	if !can {
		return inspect.Plan{}, failure(fmt.Errorf("%s cannot be settled by this version", o.database.Engine), "complete the claim by the consumer's own code")
	}
	answers, err := a.answers(o.table, flags, words)
	if err != nil {
		return inspect.Plan{}, err
	}
	plan, err := settler.PlanSettle(ctx, o.table, inspect.SettleRequest{Answers: answers, Mode: inspect.ReleaseMode(flags.mode)})
	if err != nil {
		return plan, placeError(err)
	}
	return plan, nil
}

// answers are those typed, or those of the file.
func (a *app) answers(table inspect.Table, flags *settleFlags, words []string) ([]inspect.KeyAnswer, error) {
	if flags.from != "" {
		text, err := a.readFile(flags.from)
		if err != nil {
			return nil, usageError("--from: "+err.Error(), "name a CSV file with key,outcome,reference")
		}
		list, err := inspect.ReadAnswers(text, flags.reference, table.Mapping.Key)
		if err != nil {
			return nil, usageError(fmt.Sprintf("%s: %s", flags.from, err), "nothing is settled until every line is right")
		}
		if list.Repeats > 0 {
			a.notef("%d repeated lines in %s say the same and count once", list.Repeats, flags.from)
		}
		return list.Answers, nil
	}
	outcome, err := inspect.ParseAnswer(flags.outcome)
	if err != nil {
		return nil, usageError("--outcome: "+err.Error(), "")
	}
	keys, err := parseKeys(words, table)
	if err != nil {
		return nil, err
	}
	answers := make([]inspect.KeyAnswer, len(keys))
	for i, key := range keys {
		answers[i] = inspect.KeyAnswer{Key: key, Settlement: inspect.Settlement{Outcome: outcome, Reference: strings.TrimSpace(flags.reference)}}
		if flags.hasResult {
			answers[i].Result = &flags.result
		}
	}
	return answers, nil
}

// readFile reads a file that a flag names; - is standard input.
func (a *app) readFile(name string) (string, error) {
	if name != "-" {
		content, err := os.ReadFile(name)
		return string(content), err
	}
	if a.streams.InTerminal {
		return "", errors.New("standard input is a terminal, and - reads a list from it")
	}
	content, err := io.ReadAll(a.streams.In)
	return string(content), err
}
