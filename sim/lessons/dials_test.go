package lessons

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"idemtui/sim"
)

// Every dial of a scene and of a table changes what is seen, at one of its
// values at least: a dial that does nothing is a lie.
func TestEveryDialChangesItsRun(t *testing.T) {
	for _, l := range All() {
		for _, scene := range l.Scenes {
			own := eventsOf(t, scene)
			for _, p := range scene.Parameters {
				if !turnsChange(p, scene.Scenario, func(s sim.Scenario) bool {
					changed := scene
					changed.Scenario = s
					return eventsOf(t, changed) != own
				}) {
					t.Errorf("%s, %s: %s changes nothing", l.Name, scene.Title, p)
				}
			}
		}
		for _, table := range l.Tables {
			own, err := table.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range table.Parameters() {
				changes := false
				for _, by := range []int{1, -1} {
					changed := table
					for ok := true; ok && !changes; {
						if changed, ok = changed.Turn(p, by); ok {
							results, err := changed.Run(context.Background())
							if err != nil {
								t.Fatal(err)
							}
							changes = !slices.EqualFunc(results, own, func(a, b sim.Result) bool { return columnsOf(table, a) == columnsOf(table, b) })
						}
					}
				}
				if !changes {
					t.Errorf("%s, %s: %s changes nothing", l.Name, table.Title, p)
				}
			}
		}
	}
}

// One turn of the first dial ends the livelock, and the page says what comes
// instead.
func TestRenewalIsOneTurnAway(t *testing.T) {
	l := lessonNamed(t, "lease")
	scene := sceneTitled(t, l, "takeovers without end")
	changed, ok := scene.Parameters[0].Turn(scene.Scenario, 1)
	if !ok || changed.Renew == 0 {
		t.Fatalf("the first dial is %s", scene.Parameters[0])
	}
	scene.Scenario = changed
	trace := record(t, scene)
	if r := trace.Result(); r.Charges != 1 || r.Takeovers != 0 || r.DeadLetters != 0 {
		t.Errorf("%+v", r)
	}
	told := 0
	for i, p := range l.Pages {
		if l.Scenes[p.Scene].Title == scene.Title && strings.HasSuffix(l.Show(i, trace).Text, "In the end the payment is charged once, after 5 deliveries.") {
			told++
		}
	}
	if told < 2 {
		t.Errorf("%d pages say what the changed run comes to", told)
	}
}

// eventsOf is all that happens in a scene's run, and what it comes to.
func eventsOf(t *testing.T, s Scene) string {
	trace := record(t, s)
	var all strings.Builder
	for i := range trace.Len() {
		e := trace.Event(i)
		fmt.Fprintln(&all, e.At, e.Kind, e.Label, e.Worker, e.Payment, e.Ordinal)
	}
	r := trace.Result()
	r.VirtualNanos = 0
	fmt.Fprintln(&all, r)
	return all.String()
}

// columnsOf is what a table shows of a result.
func columnsOf(table Table, r sim.Result) string {
	shown := ""
	for _, c := range table.Columns {
		shown += fmt.Sprint(" ", c.Of(r))
	}
	return shown
}

// turnsChange turns the parameter up and down until something changes.
func turnsChange(p Parameter, own sim.Scenario, changes func(sim.Scenario) bool) bool {
	for _, by := range []int{1, -1} {
		for s, ok := p.Turn(own, by); ok; s, ok = p.Turn(s, by) {
			if changes(s) {
				return true
			}
		}
	}
	return false
}
