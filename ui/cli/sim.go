package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/sim/lessons"
	"idemtui/ui"
	"idemtui/ui/lesson"
	"idemtui/ui/player"
	"idemtui/ui/text"
)

// simFlags are the flags of 'sim' itself.
type simFlags struct {
	scenarioFlags
	speed string
	open  string
}

func newSimCommand(a *app) *cobra.Command {
	f := &simFlags{}
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "The explainer: deliveries race for a payment on a timeline",
		Long: `Watch deliveries, checks, claims and charges interleave on a timeline: play it, step it, run it backwards, change it, and read
what it teaches. It begins with lesson 2, the race; --lesson opens another of the seven. With --handler or a flag of the
workload it shows that run by itself. Without a terminal it prints the same as text.`,
		Example: `
# see check, charge, then remember fail
idemtui sim
# the lesson on crashes and leases
idemtui sim --lesson 4
# the same race with an atomic claim, as text
idemtui sim --handler claim | cat`,
		Args: commandsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runSim(cmd, f) },
	}
	f.register(cmd, sim.HandlerCheck.String())
	cmd.Flags().StringVar(&f.speed, "speed", "", "virtual milliseconds shown in a second (default 0.25)")
	cmd.Flags().StringVar(&f.open, "open", "", "open a run, a lesson's page or a schedule by its token, such as s1.check.1 or l1.4.3")
	f.registerWorld(cmd)
	cmd.AddCommand(newSimRunCommand(a), newSimExploreCommand(a), newSimExportCommand(a))
	return cmd
}

// runSim opens the screen, or prints the run as text.
func (a *app) runSim(cmd *cobra.Command, f *simFlags) error {
	speed, err := f.playerSpeed()
	if err != nil {
		return err
	}
	if f.flags.Changed("open") {
		if other, both := a.besidesOpen(f.flags, "speed"); both {
			return usageError("--open and --"+other+" are both given", "a token says all of a run: leave one of them out")
		}
		return a.openToken(cmd.Context(), f.open, speed)
	}
	if !a.interactive() && !f.choseRun() {
		shown := f.lesson
		if shown.N == 0 {
			shown = lessons.All()[lessons.First-1]
		}
		return a.printLesson(cmd.Context(), shown.WithSeed(f.scenario.Seed))
	}
	if !a.interactive() {
		trace, err := a.recordOne(&f.scenarioFlags)
		if err != nil {
			return err
		}
		a.printRun(trace, "")
		return nil
	}
	scenarios, err := a.readScenarios(&f.scenarioFlags)
	if err != nil {
		return err
	}
	if !f.choseRun() {
		return screenError(ui.RunLesson(cmd.Context(), a.terminal(), lesson.Config{Lesson: f.lesson.N, Seed: f.scenario.Seed, Speed: speed}))
	}
	return a.playRun(cmd.Context(), player.Config{Scenario: scenarios[0], Many: f.changed(), Speed: speed})
}

// playRun opens the screen on a run.
func (a *app) playRun(ctx context.Context, config player.Config) error {
	if n := config.Scenario.Payments; n > sim.MaxTracePayments {
		return usageError(fmt.Sprintf("--payments is %d", n), fmt.Sprintf("a screen shows 1 to %d", sim.MaxTracePayments))
	}
	return screenError(ui.RunSim(ctx, a.terminal(), config))
}

// openToken shows the run, the lesson's page or the schedule that a token stands
// for.
func (a *app) openToken(ctx context.Context, token string, speed player.Speed) error {
	token = strings.TrimSpace(token)
	trace, err := tokenTrace(token)
	if err != nil {
		return err
	}
	// A token that has a trace can be read, so that there is no other error here.
	switch {
	case explore.IsToken(token):
		config, path, err := explore.ParseToken(token)
		if err == nil && a.interactive() {
			return screenError(ui.RunSchedule(ctx, a.terminal(), path))
		}
		a.printRun(trace, fmt.Sprintf("a schedule of %s, one step a millisecond", text.Plural(int64(config.Deliveries), "delivery", "deliveries")))
	case lessons.IsToken(token):
		opened, err := lessons.ParseToken(token)
		if err == nil && a.interactive() {
			return screenError(ui.RunLesson(ctx, a.terminal(), lesson.Config{
				Lesson: opened.Lesson, Page: opened.Page, Changed: opened.Changed, Seed: sim.DefaultScenario().Seed, Speed: speed,
			}))
		}
		a.printRun(trace, fmt.Sprintf("lesson %d, %s · token %s", opened.Lesson, opened.Scene().Title, token))
	case a.interactive():
		return a.playRun(ctx, player.Config{Scenario: trace.Scenario(), Many: true, Speed: speed})
	default:
		a.printRun(trace, "")
	}
	return nil
}

// tokenTrace is the run that a token of any kind stands for.
func tokenTrace(token string) (*sim.Trace, error) {
	broken := func(err error) error { return usageError("--open: "+err.Error(), "copy the token whole") }
	switch {
	case explore.IsToken(token):
		_, path, err := explore.ParseToken(token)
		if err != nil {
			return nil, broken(err)
		}
		trace, err := path.Trace()
		if err != nil {
			return nil, failure(fmt.Errorf("draw the schedule: %w", err), "")
		}
		return trace, nil
	case lessons.IsToken(token):
		opened, err := lessons.ParseToken(token)
		if err != nil {
			return nil, broken(err)
		}
		trace, err := opened.Scene().Record()
		if err != nil {
			return nil, rangeError(err)
		}
		return trace, nil
	}
	scenario, err := sim.ParseToken(token)
	if err != nil {
		return nil, broken(err)
	}
	trace, err := sim.Record(scenario)
	if err != nil {
		return nil, rangeError(err)
	}
	return trace, nil
}

// besidesOpen finds a flag that asks for another run than the token's. What the
// environment says yields to the token.
func (a *app) besidesOpen(flags *pflag.FlagSet, allowed ...string) (name string, found bool) {
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Name != "open" && !slices.Contains(allowed, flag.Name) && a.getenv(environmentName(flag.Name)) == "" && !found {
			name, found = flag.Name, true
		}
	})
	return name, found
}

// playerSpeed is --speed; zero leaves the player its own.
func (f *simFlags) playerSpeed() (player.Speed, error) {
	if !f.flags.Changed("speed") {
		return 0, nil
	}
	speed, err := player.ParseSpeed(f.speed)
	if err != nil {
		return 0, usageError("--speed: "+err.Error(), seeHelp("idemtui sim"))
	}
	return speed, nil
}

// runLogLimit is how many events of a run are told one by one.
const runLogLimit = 200

// printRun prints a run for those who have no screen: what it is, the counters,
// a timeline, the program, and every event with what it means. What is empty
// for a run of a scenario, which has a token.
func (a *app) printRun(trace *sim.Trace, what string) {
	s := trace.Scenario()
	brief := (what != "" || s.CopyAfter > 0) && trace.Len() <= runLogLimit
	if what == "" {
		what = runLine(s) + " · token " + s.Token()
	}
	a.printf("%s: %s\n%s\n\n", trace.Handler().Name, trace.Handler().Title, what)
	for pc := range trace.Handler().Steps {
		a.printf("  %d  %s\n", pc+1, trace.Handler().Program[pc].Code)
	}
	if brief && trace.Duration() > 0 {
		a.printf("\n%s", textTimeline(trace, timelineWidth))
	}
	a.printf("\n")
	shown := 0
	for n := 1; n <= trace.Len() && shown < runLogLimit; n++ {
		if e := trace.Event(n - 1); e.Visible() {
			a.printf("%s  %s%s\n", logTime(e.At), violationMark(trace, n), trace.Narrate(n))
			shown++
		}
	}
	if shown == runLogLimit {
		a.printf("... the log ends here after %d events; 'idemtui sim export' has them all\n", shown)
	}
	a.printf("\n%s\n", countersLine(trace))
}

// runLine says in words what a run is of.
func runLine(s sim.Scenario) string {
	if s.CopyAfter > 0 && s.Payments == 1 {
		return fmt.Sprintf("one payment and its copy · seed %d", s.Seed)
	}
	return workloadLine(s, 1)
}

// violationMark marks an event at which something went wrong, by glyph and word.
func violationMark(trace *sim.Trace, n int) string {
	if v, wrong := trace.ViolationAt(n - 1); wrong {
		return "✗ " + v.Kind.String() + ": "
	}
	return ""
}

// countersLine is what the run came to.
func countersLine(trace *sim.Trace) string {
	r := trace.Result()
	parts := []string{
		fmt.Sprintf("deliveries %d", r.Deliveries), fmt.Sprintf("payments %d", r.Payments), fmt.Sprintf("charges %d", r.Charges),
	}
	if r.ChargedTwice > 0 {
		parts = append(parts, fmt.Sprintf("✗ charged twice %d", r.ChargedTwice))
	}
	if r.NeverCharged > 0 {
		parts = append(parts, fmt.Sprintf("✗ never charged %d", r.NeverCharged))
	}
	return strings.Join(parts, "   ")
}
