package cli

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

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

// Whatever a token can carry can be said by flag, and takes the place of the
// lesson's own.
func TestEveryParameterHasAFlag(t *testing.T) {
	f := &scenarioFlags{}
	cmd := &cobra.Command{}
	f.register(cmd)
	f.registerWorld(cmd)
	if got, want := len(scenarioParameters())+len([]string{"handler"}), reflect.TypeFor[sim.Scenario]().NumField(); got != want {
		t.Errorf("%d of %d parameters have a flag", got, want)
	}
	values := map[string]string{
		"duration": "7ms", "fraction": "1", "number": "3", "bool": "true", "guard": "name", "queue|log": "log", "honoured|ignored": "ignored",
	}
	for _, p := range scenarioParameters() {
		before, after := sim.Scenario{}, sim.Scenario{}
		flag := f.flags.Lookup(p.name)
		if err := f.flags.Set(p.name, values[flag.Value.Type()]); err != nil {
			t.Fatalf("--%s: %v", p.name, err)
		}
		if p.take(&after, &f.scenario); after == before {
			t.Errorf("--%s changes nothing", p.name)
		}
	}
}

// A lesson's workload is exported under the handler that the lesson is about,
// unless another is named.
func TestSimExportDrawsALessonUnderItsOwnHandler(t *testing.T) {
	for line, want := range map[string]string{
		"export --as svg --lesson 3":                  "claim: ",
		"export --as svg --lesson 4":                  "lease: ",
		"export --as svg --lesson 4 --handler fence":  "fence: ",
		"export --as svg --lesson race --payments 10": "check: ",
	} {
		if picture := mustSim(t, line); !strings.Contains(picture, "<title>"+want) {
			t.Errorf("sim %s: no title %q:\n%.300s", line, want, picture)
		}
	}
}

// A call that charges nothing is no charge on the provider's lane.
func TestTimelineTellsARepeatFromACharge(t *testing.T) {
	lane := regexp.MustCompile(`(?m)^provider +(.*)$`)
	for line, want := range map[string]string{
		"--handler natural": "$ =", "--handler keyonly": "$ =", "--handler increment": "$ ✗ $", "--handler none": "$ ✗ $",
	} {
		if got := strings.Join(strings.Fields(lane.FindStringSubmatch(mustSim(t, line))[1]), " "); got != want {
			t.Errorf("sim %s: the provider's lane is %q, want %q", line, got, want)
		}
	}
	if picture := mustSim(t, "export --as svg --handler none --payments 20"); !strings.Contains(picture, `class="bad">✗ p`) {
		t.Error("the picture of many payments has no double charge")
	}
}
