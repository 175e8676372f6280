package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"idemtui/sim"
	"idemtui/sim/lessons"
)

func TestEveryLessonPrintsWithoutATerminal(t *testing.T) {
	for _, l := range lessons.All() {
		out := mustSim(t, fmt.Sprintf("--lesson %d", l.N))
		if byName := mustSim(t, "--lesson "+l.Name); byName != out {
			t.Errorf("lesson %d and %s are not the same", l.N, l.Name)
		}
		for _, want := range []string{fmt.Sprintf("lesson %d of 7: %s", l.N, l.Title), "\n? ", "DELIVERIES"} {
			if !strings.Contains(out, want) {
				t.Errorf("lesson %d does not say %q", l.N, want)
			}
		}
		for _, scene := range l.Scenes {
			if !strings.Contains(out, "== "+scene.Title) {
				t.Errorf("lesson %d does not show %q", l.N, scene.Title)
			}
		}
		for i, page := range l.Pages {
			if q := page.Sequence; q != nil && (!strings.Contains(out, "== "+q.Title) || !strings.Contains(out, q.Instants[page.Step-1].Told[:30])) {
				t.Errorf("lesson %d, page %d: %q is not told", l.N, i+1, q.Title)
			}
		}
		for _, question := range l.Checklist {
			if !strings.Contains(out, "- "+question[:20]) {
				t.Errorf("lesson %d does not ask %q", l.N, question)
			}
		}
		if strings.ContainsAny(out, "\x1b") {
			t.Errorf("lesson %d has escape codes", l.N)
		}
	}
}

func TestAnswerComesAfterItsQuestionAndBeforeItsPage(t *testing.T) {
	out := mustSim(t, "--lesson 3")
	question, answer, page := strings.Index(out, "\n? "), strings.Index(out, "It is: never."), strings.Index(out, "The claim is still there.")
	if question < 0 || answer < question || page < answer {
		t.Errorf("question at %d, answer at %d, page at %d", question, answer, page)
	}
}

func TestLessonTakesAnotherSeed(t *testing.T) {
	one, two := mustSim(t, "--lesson 2"), mustSim(t, "--lesson 2 --seed 2")
	if one == two {
		t.Error("another seed prints the same")
	}
}

func TestSimRunTakesTheWorkloadOfALesson(t *testing.T) {
	out := mustSim(t, "run --lesson 3 --handler claim,release --format csv")
	for _, want := range []string{"claim,1,2040,2000,1960,", "release,1,2040,2000,2000,"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := mustSim(t, "run --lesson 3 --handler claim --fail 0 --format csv"); !strings.Contains(out, "claim,1,2000,2000,2000,") {
		t.Errorf("a flag does not take the place of the lesson's own:\n%s", out)
	}
}

// A flag of the scenario that takeOver forgot would be ignored beside --lesson.
func TestEveryScenarioFlagTakesThePlaceOfTheLessons(t *testing.T) {
	cmd := &cobra.Command{}
	(&scenarioFlags{}).register(cmd)
	taken := takeOver(&sim.Scenario{}, &sim.Scenario{})
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden || flag.Name == "handler" || flag.Name == "lesson" {
			return
		}
		if taken[flag.Name] == nil {
			t.Errorf("takeOver lacks --%s", flag.Name)
		}
	})
}
