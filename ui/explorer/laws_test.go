package explorer

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
)

func open(t testing.TB, config Config) *Explorer {
	e := New(t.Context(), config, keys.Default(), &frame.Dialogs{})
	t.Cleanup(e.Close)
	return e
}

// look runs the look ahead that a choice asks for.
func look(e *Explorer) {
	if cmd := e.lookAhead(); cmd != nil {
		e.Update(cmd())
	}
}

func anyBudgets(r *rapid.T) explore.Budgets {
	one := func(name string) int { return rapid.IntRange(0, 1).Draw(r, name) }
	return explore.Budgets{Fail: one("fail"), Timeout: one("timeout"), Crash: one("crash"), Slow: one("slow"), Forget: one("forget")}
}

// Whatever the viewer chooses, lease with the provider's key, the key alone and
// an idempotent effect cannot be broken, and the screen says so at every step.
func TestTheKeyCannotBeBrokenByHand(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := rapid.SampledFrom([]sim.HandlerID{sim.HandlerKey, sim.HandlerKeyOnly, sim.HandlerNatural}).Draw(r, "handler")
		e := open(t, Config{Handler: h, Deliveries: rapid.IntRange(1, 3).Draw(r, "deliveries"), Budgets: anyBudgets(r), Scheduler: true})
		look(e)
		for len(e.play.moves) > 0 {
			if said, _ := e.outlookText(); !strings.HasPrefix(said, "● It cannot be broken: whatever you choose") {
				r.Fatalf("after %s: %s", e.play.path, said)
			}
			e.play.take(rapid.IntRange(0, len(e.play.moves)-1).Draw(r, "choice"))
			look(e)
		}
		if said, _ := e.outlookText(); !strings.Contains(said, "charged once") {
			r.Fatalf("%s ends: %s", e.play.path, said)
		}
	})
}

// Wherever the viewer is, the nearest way is as long as the screen says, and
// ends as it says.
func TestTheNearestWayBreaksItInAsManyStepsAsIsSaid(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := rapid.SampledFrom(sim.Handlers()).Draw(r, "handler").ID
		e := open(t, Config{Handler: h, Deliveries: rapid.IntRange(1, 2).Draw(r, "deliveries"), Budgets: anyBudgets(r), Scheduler: true})
		s := &e.play
		for range rapid.IntRange(0, 12).Draw(r, "steps") {
			if len(s.moves) > 0 {
				s.take(rapid.IntRange(0, len(s.moves)-1).Draw(r, "choice"))
			}
		}
		look(e)
		o := s.ahead[s.here()]
		at, before := s.at, s.here()
		said := s.nearest()
		if o.Double == nil && o.Lost == nil {
			if !strings.Contains(said, "no way") || s.at != at {
				r.Fatalf("nothing can be reached, and it says %q", said)
			}
			return
		}
		if s.here() != before {
			r.Fatal("the past has changed")
		}
		if before.Cell.Charges >= 2 || len(s.moves) == 0 {
			if s.path.Len() != at {
				r.Fatalf("it is over, and %q", said)
			}
			return
		}
		s.goTo(s.path.Len())
		end := s.here().Cell.Charges
		wanted := -1
		if o.Double != nil && end >= 2 {
			wanted = o.Double.Len()
		}
		if o.Lost != nil && end == 0 && len(s.moves) == 0 {
			wanted = o.Lost.Len()
		}
		if s.at-at != wanted {
			r.Fatalf("%d steps on the ledger says %d; %d steps were promised", s.at-at, end, wanted)
		}
	})
}

// Going back and forth loses nothing: the known future stays until another step
// is taken.
func TestBackIsFree(t *testing.T) {
	e := open(t, Config{Handler: sim.HandlerCheck, Scheduler: true})
	s := &e.play
	for range 4 {
		s.take(0)
	}
	before := s.path.String()
	s.goTo(s.at - 3)
	s.take(s.choice)
	s.take(s.choice)
	s.take(s.choice)
	if s.path.String() != before || s.at != 4 {
		t.Errorf("after three steps back and forth the schedule is %s, it was %s", s.path, before)
	}
	s.goTo(1)
	s.take(1)
	if s.path.Len() != 2 {
		t.Errorf("another step after the first leaves %s", s.path)
	}
	s.goTo(-5)
	if s.at != 0 {
		t.Errorf("back from the beginning is %d", s.at)
	}
}

// A search of minutes ends in a moment when it is cancelled, keeps what it had
// found, and is not taken up again by itself; no key waits for it.
func TestALongSearchIsCancelledAtOnce(t *testing.T) {
	all := explore.Budgets{Fail: 3, Timeout: 3, Crash: 3, Slow: 3, Forget: 3}
	e := open(t, Config{Handler: sim.HandlerFence, Deliveries: 4, Budgets: all})
	run := e.search(e.matrix.selected())().(tea.BatchMsg)[0]
	done := make(chan tea.Msg, 1)
	go func() { done <- run() }()
	running := e.searches.running
	deadline := time.Now().Add(20 * time.Second)
	for running.progress.Load() == nil || time.Since(running.began) < longAfter {
		if time.Now().After(deadline) {
			t.Fatal("the search shows no progress")
		}
		time.Sleep(time.Millisecond)
	}
	e.Update(progressedMsg{})
	if said := e.progressText(); !strings.Contains(said, "a second") || !strings.Contains(said, "deep. esc cancels") {
		t.Errorf("a long search says %q", said)
	}
	pressed := time.Now()
	e.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	if e.View(120, 35); e.searches.long() || time.Since(pressed) > time.Second {
		t.Errorf("after esc the search still runs on the screen, %v later", time.Since(pressed))
	}
	select {
	case msg := <-done:
		if found := msg.(searchedMsg); !errors.Is(found.err, context.Canceled) {
			t.Errorf("the search ended with %v", found.err)
		}
		e.Update(msg)
	case <-time.After(10 * time.Second):
		t.Fatal("the search went on after it was cancelled")
	}
	f := e.searches.found[e.matrix.selected()]
	if !f.cancelled || f.result.States == 0 || f.result.ShortestDouble == nil {
		t.Errorf("what is left of the search is %+v", f)
	}
	if said := strings.Join(e.facts(100, 30), "\n"); !strings.Contains(said, "cancelled after") || !strings.Contains(said, "CHARGES TWICE") {
		t.Errorf("the facts are\n%s", said)
	}
	if next, ok := e.matrix.next(e.searches.found); ok && next == e.matrix.selected() {
		t.Error("the cancelled search is taken up again")
	}
}

// A large search waits for those that take a moment, and other large ones for
// the viewer.
func TestLargeSearchesWaitAndAreOnlyMadeOnDemand(t *testing.T) {
	e := open(t, Config{Handler: sim.HandlerFence})
	m := &e.matrix
	e.chooseBudgets(budgetsChosenMsg{deliveries: 2, budgets: explore.Budgets{Crash: 2, Slow: 2}, states: quickStates + 1})
	found := make(map[job]finding)
	order := []job{}
	for {
		j, ok := m.next(found)
		if !ok {
			break
		}
		found[j] = finding{}
		order = append(order, j)
	}
	if want := len(m.handlers)*len(faults) + 1; len(order) != want || order[want-1] != m.selected() {
		t.Fatalf("%d searches, the last is %+v", len(order), order[len(order)-1])
	}
	m.row++
	if _, ok := m.next(found); ok {
		t.Error("another large search begins by itself")
	}
	m.wanted[m.selected()] = true
	if j, ok := m.next(found); !ok || j != m.selected() {
		t.Error("a large search that is wanted does not begin")
	}
	e.chooseBudgets(budgetsChosenMsg{deliveries: 2, budgets: explore.Budgets{Crash: 1}, states: 100})
	if m.column != 3 || len(m.columns) != len(faults)+1 {
		t.Errorf("one crash is column %d of %d", m.column, len(m.columns))
	}
}

// A search that reached its memory keeps its verdict, and the screen says that
// it did not end.
func TestASearchThatStoppedAtItsMemorySaysSo(t *testing.T) {
	e := open(t, Config{Handler: sim.HandlerFence, Deliveries: 4, Budgets: explore.Budgets{Crash: 2, Slow: 2}})
	config := e.matrix.selected().config()
	config.MaxMemory = 1 << 20
	result, err := explore.Run(t.Context(), config)
	e.searches.found[e.matrix.selected()] = finding{result: result, err: err}
	said := strings.Join(e.facts(100, 30), " ")
	for _, want := range []string{"stopped at its 1 MiB of memory", "states", "deep", "the search did not end"} {
		if !strings.Contains(said, want) {
			t.Errorf("the facts do not say %q: %s", want, said)
		}
	}
}

func TestStaleMessagesChangeNothing(t *testing.T) {
	e := open(t, Config{Handler: sim.HandlerCheck})
	e.searchNext()
	stale := searchedMsg{generation: e.searches.generation}
	e.dropSearch()
	e.searches.running = nil
	e.searchNext()
	if e.Update(stale); e.searches.running == nil || len(e.searches.found) != 0 {
		t.Error("a stale search took the place of the present one")
	}
	e.openSchedule(nil)
	e.stopLooking()
	if e.Update(lookedMsg{generation: e.play.generation - 1, state: e.play.here()}); len(e.play.ahead) != 0 {
		t.Error("a stale look ahead was kept")
	}
}

func TestSafeCellsHaveSampleSchedules(t *testing.T) {
	r, err := explore.Run(t.Context(), explore.Config{Handler: sim.HandlerKey.Handler(), Deliveries: 2, Budgets: explore.Budgets{Crash: 1}})
	if err != nil {
		t.Fatal(err)
	}
	list := schedulesOf(r)
	if len(list) != mostSamples {
		t.Fatalf("%d schedules", len(list))
	}
	for _, schedule := range list {
		states := schedule.path.States()
		if end := states[len(states)-1]; len(end.Moves(schedule.path.Handler)) != 0 || end.Budget[2] != 0 {
			t.Errorf("%s, %s: it is not complete, or nothing goes wrong in it", schedule.title, schedule.path)
		}
	}
}

func TestGroupDigits(t *testing.T) {
	for in, want := range map[string]string{
		"60 of 66":                    "60 of 66",
		"2520 schedules":              "2,520 schedules",
		"a 1234567 b 123 c 4567":      "a 1,234,567 b 123 c 4,567",
		"6033937699055356080 of 1000": "6,033,937,699,055,356,080 of 1,000",
	} {
		if got := groupDigits(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestAShareIsNeverRoundedToNothingOrAll(t *testing.T) {
	for _, c := range []struct{ part, all, want int64 }{{0, 10, 0}, {1, 1000000, 1}, {999999, 1000000, 59}, {10, 10, 60}, {5, 10, 30}} {
		if got := share(big.NewInt(c.part), big.NewInt(c.all), 60, 60); int64(got) != c.want {
			t.Errorf("%d of %d is %d cells, want %d", c.part, c.all, got, c.want)
		}
	}
}

func TestEveryLabelHasItsWords(t *testing.T) {
	for l := sim.NoLabel + 1; l.String() != ""; l++ {
		if stepWords[l] == "" {
			t.Errorf("%s has no words", l)
		}
	}
}
