package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idemtui/inspect"
)

// releaseFlags say what a release covers, and confirm it.
type releaseFlags struct {
	format          string
	yes             bool
	reason          string
	plan            string
	mode            string
	from            string
	owner           string
	allLikelyDead   bool
	most            int
	rate            string
	overrideLease   bool
	allowUnverified bool
	database        string
	follow          time.Duration

	perSecond int // rate, read
}

const releaseLong = `Print what a release would do, and with --yes and --reason do it.

Without --yes nothing is changed: the plan names database, table, SQL, what runs next and what could go wrong, and
ends with its id. With --yes each row is compared with what was read, in the statement that writes: a claim that is
finished, renewed, claimed again, locked or alive is skipped with the reason, and the exit code is 4.
A release by --from, --owner or --all-likely-dead needs the id of its plan, and --max of at least the count.`

func newInspectReleaseCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &releaseFlags{}
	cmd := &cobra.Command{
		Use:   "release [KEY...]",
		Short: "Plan a release; with --yes and --reason, do it",
		Long:  releaseLong,
		Example: `
# the plan, which changes nothing
idemtui inspect release pay_88412 --connection payments
idemtui inspect release pay_88412 --connection payments --yes --reason "worker-7 was killed, no charge at the provider"
# all claims of one owner: first the plan, then its id
idemtui inspect release --owner worker-7 --connection payments
idemtui inspect release --connection payments --plan PLAN --yes --max 12 --reason "worker-7 was killed"`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runRelease(cmd, shared, flags, args) },
	}
	addFormat(cmd, &flags.format, formatTable, formatJSON)
	f := cmd.Flags()
	f.BoolVar(&flags.yes, "yes", false, "release, instead of printing the plan")
	f.StringVar(&flags.reason, "reason", "", "why: it is kept in the audit record")
	f.StringVar(&flags.plan, "plan", "", "the id of a plan printed in the last hour")
	f.StringVar(&flags.mode, "mode", string(inspect.ReleaseAuto), "how: "+releaseModeNames())
	f.StringVar(&flags.from, "from", "", "a file with keys, as for lookup; - is standard input")
	f.StringVar(&flags.owner, "owner", "", "all claims of this owner")
	f.BoolVar(&flags.allLikelyDead, "all-likely-dead", false, "all claims whose verdict is LIKELY DEAD")
	f.IntVar(&flags.most, "max", 0, "the most claims that may be released")
	f.StringVar(&flags.rate, "rate", "", "the most claims released a second: N/s")
	f.BoolVar(&flags.overrideLease, "override-lease", false, "release one claim although its lease runs")
	f.BoolVar(&flags.allowUnverified, "allow-unverified", false, "release though the profile was never tested")
	addDuration(f, &flags.follow, "follow", "then follow the released keys, for so long")
	f.StringVar(&flags.database, "database", "", "which of several databases, by its id")
	return cmd
}

// releaseModes are the values of --mode.
var releaseModes = []inspect.ReleaseMode{
	inspect.ReleaseAuto, inspect.ReleaseDelete, inspect.ReleaseClear, inspect.ReleaseRequeue, inspect.ReleaseFail,
	inspect.ReleaseExpire, inspect.ReleaseMove, inspect.ReleaseCall,
}

func releaseModeNames() string {
	names := make([]string, len(releaseModes))
	for i, mode := range releaseModes {
		names[i] = string(mode)
	}
	return strings.Join(names, ", ")
}

// check finds what is wrong with the flags before anything is opened.
func (f *releaseFlags) check(cmd *cobra.Command, keys []string) error {
	selectors := given(len(keys) > 0, f.from != "", f.owner != "", f.allLikelyDead, f.plan != "")
	var err error
	if f.perSecond, err = parseRate(f.rate); err != nil {
		return err
	}
	what, todo := "", seeHelp(cmd.CommandPath())
	switch {
	case selectors == 0:
		what, todo = "nothing is named to release", "give keys, --from, --owner, --all-likely-dead or --plan"
	case selectors > 1:
		what, todo = "keys, --from, --owner, --all-likely-dead and --plan exclude each other", "give one of them"
	case !slices.Contains(releaseModes, inspect.ReleaseMode(f.mode)):
		what = fmt.Sprintf("--mode %q is no release mode; it is one of %s", f.mode, releaseModeNames())
	case f.overrideLease && len(keys) != 1 && f.plan == "":
		what, todo = "--override-lease is for one key at a time", "name one key"
	case f.yes && strings.TrimSpace(f.reason) == "":
		what, todo = "--yes needs --reason", "say why, for the audit record"
	case f.yes && (f.from != "" || f.owner != "" || f.allLikelyDead):
		what, todo = "with --yes a release in bulk needs a plan", "run it without --yes, then with --plan ID instead"
	case f.most < 0:
		what = fmt.Sprintf("--max %d is less than 0", f.most)
	default:
		return nil
	}
	return usageError(what, todo)
}

// parseRate reads N/s, or N; "" is no bound.
func parseRate(rate string) (int, error) {
	if rate == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(rate, "/s"))
	if err != nil || n < 1 {
		return 0, usageError(fmt.Sprintf("--rate %q is no number a second", rate), "write it as 20/s")
	}
	return n, nil
}

func (a *app) runRelease(cmd *cobra.Command, shared *inspectFlags, flags *releaseFlags, words []string) error {
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
			return a.releasePlan(ctx, o, shared, flags, words)
		},
		permit: flags.permit,
	})
}

// releasePlan reads the claims asked for, or finds the plan that was printed.
// bulk says whether the claims were chosen by a rule rather than by key.
func (a *app) releasePlan(ctx context.Context, o opened, shared *inspectFlags, flags *releaseFlags, words []string) (plan inspect.Plan, bulk bool, err error) {
	if flags.plan != "" {
		kept, err := a.planHere(o, shared, flags.plan)
		if err == nil && kept.Plan.Settles() {
			err = usageError(fmt.Sprintf("plan %s is one of a settle", flags.plan), "carry it out with 'idemtui inspect settle --plan'")
		}
		return kept.Plan, kept.Bulk, err
	}
	request := inspect.PlanRequest{AllLikelyDead: flags.allLikelyDead, Mode: inspect.ReleaseMode(flags.mode), OverrideLease: flags.overrideLease}
	if flags.owner != "" {
		request.Owner = inspect.Some(flags.owner)
	}
	if flags.from != "" {
		list, err := a.keyList(o.table, flags.from, nil)
		if err != nil {
			return plan, false, err
		}
		request.Keys, request.Bulk = list.Keys, true
	} else if request.Keys, err = parseKeys(words, o.table); err != nil {
		return plan, false, err
	}
	if flags.allLikelyDead {
		seen, err := a.lookTwice(ctx, o, inspect.Query{})
		if err != nil {
			return plan, false, placeError(err)
		}
		request.Before = seen.Seen
	}
	plan, err = o.store.Plan(ctx, o.table, request)
	if err == nil && !flags.yes {
		plan, err = a.planTwice(ctx, o, request, plan)
	}
	if err != nil {
		return plan, false, placeError(err)
	}
	return plan, len(words) == 0, nil
}

// parseKeys reads keys as typed, each once.
func parseKeys(words []string, table inspect.Table) ([]inspect.Key, error) {
	var keys []inspect.Key
	for _, word := range words {
		key, err := inspect.ParseKey(word, table.Mapping.Key)
		if err != nil {
			return nil, usageError(err.Error(), "see 'idemtui help formats'")
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// permit is the last gate before the write.
func (f *releaseFlags) permit(table inspect.Table, plan inspect.Plan, bulk bool) error {
	switch {
	case !table.Mapping.Verified && !f.allowUnverified:
		return refused(fmt.Sprintf("the profile %q was never tested on a table that its framework made", table.Mapping.Profile), "--allow-unverified releases all the same")
	case f.most > 0 && plan.Count() > f.most:
		return refused(fmt.Sprintf("the plan would release %d claims and --max allows %d", plan.Count(), f.most), "nothing was released; look at the plan again")
	case bulk && f.most == 0:
		return usageError("a release in bulk needs --max", fmt.Sprintf("the plan covers %d: give --max %d", plan.Count(), plan.Count()))
	default:
		return nil
	}
}
