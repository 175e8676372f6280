package lessons

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"idemtui/sim"
	"idemtui/sim/explore"
)

// tableSeeds is how many seeds the tables are held to; package sim holds the
// figures of lessons 2 and 3 to two hundred.
const tableSeeds = 15

// lessonNamed finds a lesson or ends the test.
func lessonNamed(t *testing.T, name string) Lesson {
	t.Helper()
	l, ok := Find(name)
	if !ok {
		t.Fatalf("there is no lesson %s", name)
	}
	return l
}

// results runs a table under a seed; the results are by the rows' keys.
func results(t *testing.T, table Table, seed uint64) map[string]sim.Result {
	t.Helper()
	table = table.withSeed(seed)
	list, err := table.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]sim.Result{}
	for i, row := range table.Rows {
		by[row.key] = list[i]
	}
	return by
}

func TestFiguresOfTheTables(t *testing.T) {
	race, release := lessonNamed(t, "race"), lessonNamed(t, "release")
	lease, provider, late := lessonNamed(t, "lease"), lessonNamed(t, "provider"), lessonNamed(t, "retention")
	natural, duplicates := lessonNamed(t, "natural"), lessonNamed(t, "duplicates")
	for seed := uint64(1); seed <= tableSeeds; seed++ {
		must := func(holds bool, what string, got any) {
			t.Helper()
			if !holds {
				t.Errorf("seed %d: %s: %+v", seed, what, got)
			}
		}
		r := results(t, race.Tables[0], seed)
		must(r["none"].Charges == 2100 && r["claim"].Charges == 2000, "lesson 2", r)
		must(r["check"].Charges >= 2094 && r["check"].Charges <= 2100, "lesson 2, check", r["check"])
		r = results(t, race.Tables[1], seed)
		must(r["1"].ChargedTwice >= 94 && r["8"].ChargedTwice < r["1"].ChargedTwice && r["24"].ChargedTwice <= 6, "lesson 2, distance", r)
		r = results(t, release.Tables[0], seed)
		must(r["claim"].Deliveries == 2040 && r["claim"].Charges == 1960 && r["claim"].Stuck == 40, "lesson 3, claim", r["claim"])
		must(r["release"].Charges == 2000 && r["lease"].Charges == 2000, "lesson 3", r)
		r = results(t, lease.Tables[0], seed)
		must(r["release"].NeverCharged > 0 && r["lease"].NeverCharged == 0 && r["fence"].NeverCharged == 0, "lesson 4, lost", r)
		must(r["lease"].ChargedTwice > r["fence"].ChargedTwice && r["fence"].ChargedTwice > 0 && r["key"].ChargedTwice == 0, "lesson 4, twice", r)
		r = results(t, provider.Tables[0], seed)
		must(r["onetx"].ChargedTwice > 0 && r["fence"].ChargedTwice > 0, "lesson 5, twice", r)
		must(r["key"].Charges == 2000 && r["key"].NeverCharged == 0 && r["keyonly"].Charges == 2000 && r["keyonly"].NeverCharged == 0, "lesson 5, key", r)
		r = results(t, natural.Tables[0], seed)
		must(r["increment"].ChargedTwice >= 100 && r["natural"].Charges == 2000, "lesson 6", r)
		r = results(t, late.Tables[0], seed)
		must(r["7d"].ChargedTwice == 100 && r["12d"].ChargedTwice == 0, "lesson 7", r)
		r = results(t, duplicates.Tables[0], seed)
		must(r["none"].Charges == 2000 && r["duplicates"].Charges == 2100 && r["timeout"].Charges == 2040, "lesson 1", r)
		must(r["rebalance"].Deliveries > 2000+100, "lesson 1, rewound", r["rebalance"])
		for _, key := range []string{"crash", "slow", "acklost", "rebalance"} {
			must(r[key].Deliveries > 2000 && r[key].ChargedTwice > 0, "lesson 1, "+key, r[key])
		}
	}
}

// Every count of the explorer that a page quotes and that is a row of
// explore.tsv is that row's: an independent enumerator and a model checker agree
// on those.
func TestProofsAgreeWithTheIndependentEnumerator(t *testing.T) {
	file, err := os.Open("../explore/testdata/explore.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = '\t'
	lines, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, line := range lines[1:] {
		// handler, n, fail, timeout, crash, slow, forget; interleavings, double; lost
		rows[strings.Join(line[:7], " ")] = strings.Join([]string{line[12], line[13], line[15]}, " ")
	}
	quoted, known := 0, 0
	for _, l := range All() {
		for _, p := range l.Pages {
			for _, proof := range p.Proofs() {
				quoted++
				b := proof.Budgets
				want, ok := rows[fmt.Sprint(proof.Handler, " ", proof.Deliveries, " ", b.Fail, " ", b.Timeout, " ", b.Crash, " ", b.Slow, " ", b.Forget)]
				if !ok {
					continue
				}
				known++
				counts, err := proof.Count()
				if got := fmt.Sprint(counts.All, counts.Double, counts.Lost); err != nil || got != want {
					t.Errorf("%s: %s, want %s (%v)", proof.Command(), got, want, err)
				}
			}
		}
	}
	if known < 12 || quoted-known > 1 {
		t.Errorf("of %d quoted counts only %d are rows of explore.tsv", quoted, known)
	}
}

func TestTheNumbersThatTeach(t *testing.T) {
	slow := explore.Budgets{Slow: 1}
	for _, tt := range []struct {
		proof Proof
		want  Counts
	}{
		{Proof{Handler: sim.HandlerCheck, Deliveries: 2}, Counts{66, 60, 0}},
		{Proof{Handler: sim.HandlerLease, Deliveries: 2, Budgets: slow}, Counts{98, 80, 0}},
		{Proof{Handler: sim.HandlerFence, Deliveries: 2, Budgets: slow}, Counts{92, 60, 0}},
	} {
		if got, err := tt.proof.Count(); err != nil || got != tt.want {
			t.Errorf("%s: %+v, want %+v (%v)", tt.proof.Command(), got, tt.want, err)
		}
	}
}

// sceneTitled finds a scene of a lesson by its title.
func sceneTitled(t *testing.T, l Lesson, title string) Scene {
	t.Helper()
	for _, s := range l.Scenes {
		if s.Title == title {
			return s
		}
	}
	t.Fatalf("%s has no scene %q", l.Name, title)
	return Scene{}
}

// labels counts the transitions of a trace.
func labels(trace *sim.Trace) map[sim.Label]int {
	counts := map[sim.Label]int{}
	for i := range trace.Len() {
		counts[trace.Event(i).Label]++
	}
	return counts
}

// What the pages of lesson 4 say beyond their moment.
func TestWhatTheLeaseLessonSaysBesides(t *testing.T) {
	for seed := uint64(1); seed <= seeds; seed++ {
		l := lessonNamed(t, "lease").WithSeed(seed)

		endless := record(t, sceneTitled(t, l, "takeovers without end"))
		if r, c := endless.Result(), labels(endless); r.Charges != 6 || r.Deliveries != 6 || r.Fenced != 0 || r.Takeovers != 5 || r.DeadLetters != 1 || c[sim.LabelCompleteStale] != 5 {
			t.Errorf("seed %d, livelock: %+v, %v", seed, r, c)
		}
		renewed := record(t, sceneTitled(t, l, "the same, with renewal"))
		if r, c := renewed.Result(), labels(renewed); r.Charges != 1 || r.Takeovers != 0 || r.DeadLetters != 0 || c[sim.LabelClaimDone] != 1 {
			t.Errorf("seed %d, renewal: %+v, %v", seed, r, c)
		}
		aside := record(t, sceneTitled(t, l, "dead letters"))
		if r := aside.Result(); r.Charges != 0 || r.Deliveries != 3 || r.DeadLetters != 1 {
			t.Errorf("seed %d, dead letters: %+v", seed, r)
		}

		node := record(t, sceneTitled(t, l, "leases by the workers' own clocks"))
		if r := node.Result(); r.Charges != 2 || r.Takeovers != 1 || r.DeadLetters != 0 {
			t.Errorf("seed %d, node clock: %+v", seed, r)
		}
		database := record(t, sceneTitled(t, l, "leases by the database's clock"))
		if r := database.Result(); r.Charges != 1 || r.Takeovers != 0 {
			t.Errorf("seed %d, database clock: %+v", seed, r)
		}

		byName := sceneTitled(t, l, "a guard by name")
		if c := labels(record(t, byName)); c[sim.LabelCompleteStale] != 0 || c[sim.LabelComplete] != 2 {
			t.Errorf("seed %d: by name %v", seed, c)
		}
		byName.Scenario.Guard = sim.GuardToken
		trace := record(t, byName)
		stale, _ := at(sim.LabelCompleteStale).In(trace)
		done, _ := at(sim.LabelComplete).In(trace)
		if stale == 0 || stale > done {
			t.Errorf("seed %d: by token the late completion comes at %d, the other at %d", seed, stale, done)
		}

		took := record(t, sceneTitled(t, l, "crash and takeover"))
		busy := took.At(took.Len())
		if took.Result().Charges != 1 || took.Result().NeverCharged != 0 || len(busy.Returned) != 0 {
			t.Errorf("seed %d, takeover: %+v", seed, took.Result())
		}
	}
}

// What lesson 1 says of the commit: after each message it spares the finished
// payment, and not the one at work.
func TestACommitAfterEachMessageSparesTheFinishedOne(t *testing.T) {
	for seed := uint64(1); seed <= seeds; seed++ {
		scene := sceneTitled(t, lessonNamed(t, "duplicates").WithSeed(seed), "a rebalance in mid-work")
		for every, want := range map[int64]string{0: "[2 1 2]", 1: "[1 1 2]"} {
			scene.Scenario.CommitEvery = every
			trace := record(t, scene)
			end := trace.At(trace.Len())
			var charges []uint32
			for i := range end.Payments {
				charges = append(charges, uint32(end.Payments[i].Charges))
			}
			if got := fmt.Sprint(charges); got != want {
				t.Errorf("seed %d, a commit every %d: charges %s, want %s", seed, every, got, want)
			}
		}
	}
}

// The case from the field behind lesson 5: three tries, each charged, each
// answer lost; and one more after the provider has forgotten.
func TestR36_DownstreamKey(t *testing.T) {
	for seed := uint64(1); seed <= seeds; seed++ {
		l := lessonNamed(t, "provider").WithSeed(seed)
		for title, want := range map[string]int64{
			"three tries without a key": 3, "a new key with every try": 3, "the same key with every try": 1, "a key that was forgotten": 2,
		} {
			if r := record(t, sceneTitled(t, l, title)).Result(); r.Charges != want {
				t.Errorf("seed %d, %s: %d charges, want %d", seed, title, r.Charges, want)
			}
		}
	}
}

// The case from the field behind the last pages of lesson 7.
func TestR18_FixedNotSliding(t *testing.T) {
	trace := record(t, sceneTitled(t, lessonNamed(t, "retention"), "the broker's own window"))
	var accepted []int64
	for i := range trace.Len() {
		if e := trace.Event(i); e.Kind == sim.EventDeliver {
			accepted = append(accepted, e.At/second)
		}
	}
	if fmt.Sprint(accepted) != "[0 120 240]" {
		t.Errorf("accepted at %v", accepted)
	}
}

func TestTheSumOfTheLastLesson(t *testing.T) {
	required := int64(*horizon(longEnough).RequiredSeconds) * millisecond
	if required != 11*day || tooShort > required || lateBy > required || longEnough <= required {
		t.Errorf("the sum is %s", length(required))
	}
	for keep, want := range map[int64]string{tooShort: "[kept 7d unsafe, short by 4d]", longEnough: "[kept 12d safe by 1d]"} {
		rows := sum(keep).Rows
		if got := fmt.Sprint(rows[len(rows)-1]); got != want || len(rows) != 5 {
			t.Errorf("kept for %s: %v, want it to end with %s", length(keep), rows, want)
		}
	}
}

// The sequence of lesson 6: a late copy undoes a set and an upsert; the
// conditional update changes no rows, and says so by a count.
func TestTheRunOfTheLateCopy(t *testing.T) {
	run := lateCopyRun()
	got := run.Instants[len(run.Instants)-1].Marks
	want := []Mark{{Text: "↻m1 again"}, {Text: "✗ SHIPPED", Note: "1 row", Wrong: true}, {Text: "DELIVERED", Note: "0 rows"}, {Text: "✗ SHIPPED", Note: "1 row", Wrong: true}}
	if !slices.Equal(got, want) {
		t.Errorf("it ends with %v, want %v", got, want)
	}
	for _, instant := range run.Instants[:len(run.Instants)-1] {
		if slices.ContainsFunc(instant.Marks, func(m Mark) bool { return m.Wrong }) {
			t.Errorf("something goes wrong before the copy comes: %v", instant.Marks)
		}
	}
}

// What a sequence counts is what package sim says of such a chain, and what the
// runs of one hop come to.
func TestTheRunsThroughTwoHops(t *testing.T) {
	l := lessonNamed(t, "provider")
	runs := map[sim.KeyAt]int64{
		sim.KeyForwarded: record(t, sceneTitled(t, l, "the same key with every try")).Result().Charges,
		sim.KeyMade:      record(t, sceneTitled(t, l, "a new key with every try")).Result().Charges,
		sim.KeyDropped:   record(t, sceneTitled(t, l, "three tries without a key")).Result().Charges,
	}
	for second, want := range runs {
		charged, wrong := int64(0), int64(0)
		for _, instant := range through(second).Instants {
			ledger := instant.Marks[3]
			charged = max(charged, int64(strings.Count(ledger.Text, "$")))
			if ledger.Wrong {
				wrong++
			}
		}
		if charged != want || charged != int64(sim.ChargesThroughHops(hopTries, sim.KeyForwarded, second)) || wrong != charged-1 {
			t.Errorf("through a hop that %s: %d charges, %d of them wrong, want %d", second, charged, wrong, want)
		}
	}
}

func TestTheProvidersKeyStoreChargesOnce(t *testing.T) {
	charged := 0
	for _, instant := range storeRun().Instants {
		charged = max(charged, strings.Count(instant.Marks[3].Text, "$"))
	}
	if charged != 1 {
		t.Errorf("charged %d times", charged)
	}
}

func TestExhibitOfTheHopsAgreesWithTheRuns(t *testing.T) {
	l := lessonNamed(t, "provider")
	made := record(t, sceneTitled(t, l, "a new key with every try")).Result().Charges
	passed := record(t, sceneTitled(t, l, "the same key with every try")).Result().Charges
	for _, row := range hops().Rows {
		want := made
		if row[0] == sim.KeyForwarded.String() && row[1] == row[0] {
			want = passed
		}
		if row[3] != count(want) {
			t.Errorf("%v: the run has %d charges", row, want)
		}
	}
}

// What a table's title says of its workload is what its rows run.
func TestTitlesOfTheTablesAreTrue(t *testing.T) {
	for _, l := range All() {
		for _, table := range l.Tables {
			for _, row := range table.Rows {
				s := row.Scenario
				if strings.HasPrefix(table.Title, "2,000 ") && s.Payments != 2000 || s.Workers != 8 {
					t.Errorf("%s, %s: %d payments and %d workers", table.Title, row.Label, s.Payments, s.Workers)
				}
				if strings.Contains(table.Title, "1 in 20") != (s.Duplicates == sim.One/20) && !strings.Contains(table.Title, "one trouble at a time") && !strings.HasPrefix(table.Title, "check,") {
					t.Errorf("%s, %s: %s of the payments have a copy", table.Title, row.Label, s.Duplicates)
				}
				for _, fault := range []struct {
					word string
					got  sim.Fraction
				}{{"crash", s.Crash}, {"stands still", s.Slow}, {"slow worker", s.Slow}, {"refused", s.Fail}, {"lost", s.Timeout}} {
					if strings.Contains(table.Title, fault.word) && fault.got != sim.One/50 {
						t.Errorf("%s, %s: %s is %s", table.Title, row.Label, fault.word, fault.got)
					}
				}
			}
		}
	}
}

// What lesson 2 says of many seeds is what anybody sees who tries them:
// idemtui sim run --handler check --repeat 400.
func TestFiguresOfTheCheckOverManySeeds(t *testing.T) {
	s := sim.DefaultScenario()
	s.Handler = sim.HandlerCheck
	least, most := s.Payments*2, int64(0)
	for s.Seed = 1; s.Seed <= 400; s.Seed++ {
		r, err := sim.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		least, most = min(least, r.Charges), max(most, r.Charges)
	}
	said := fmt.Sprintf("Over the first 400 seeds the check ends with %s to %s charges", count(least), count(most))
	if note := lessonNamed(t, "race").Tables[0].note; !strings.Contains(note, said) {
		t.Errorf("the note does not say %q: %s", said, note)
	}
}
