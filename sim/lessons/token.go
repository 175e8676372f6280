package lessons

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"idemtui/sim"
)

// tokenVersion begins every token of a lesson's page.
const tokenVersion = "l1"

// Opened is what a page's token stands for.
type Opened struct {
	Lesson, Page int           // counted from 1
	Changed      *sim.Scenario // the run of the page where it is not the lesson's own; else nil
}

// Token writes a page and its run as one word that opens them anywhere:
// l1.LESSON.PAGE, then, where the run is not as the lesson has it, the run's own
// token. The page counts from 0.
func (l *Lesson) Token(page int, run sim.Scenario) string {
	token := fmt.Sprintf("%s.%d.%d", tokenVersion, l.N, page+1)
	own := l.Scenes[l.Pages[page].Scene].Scenario
	own.Seed = sim.DefaultScenario().Seed // that of lessons that nobody changed
	if run != own {
		token += "." + run.Token()
	}
	return token
}

// IsToken says whether a text is meant as the token of a lesson's page, of any
// version.
func IsToken(token string) bool {
	version, _, _ := strings.Cut(token, ".")
	number, cut := strings.CutPrefix(version, "l")
	_, err := strconv.ParseUint(number, 10, 16)
	return cut && err == nil
}

// ParseToken reads what Token wrote. The error says in one line what is wrong.
func ParseToken(token string) (Opened, error) {
	parts := strings.SplitN(token, ".", 4)
	if parts[0] != tokenVersion {
		return Opened{}, fmt.Errorf("the token is of version %.8q, and this idemtui reads %s", parts[0], tokenVersion)
	}
	if len(parts) < 3 {
		return Opened{}, errors.New("the token ends too early")
	}
	l, found := Lesson{}, false
	for _, each := range All() {
		if strconv.Itoa(each.N) == parts[1] {
			l, found = each, true
		}
	}
	if !found {
		return Opened{}, fmt.Errorf("there is no lesson %.8q", parts[1])
	}
	opened := Opened{Lesson: l.N}
	for i := range l.Pages {
		if strconv.Itoa(i+1) == parts[2] {
			opened.Page = i + 1
		}
	}
	if opened.Page == 0 {
		return Opened{}, fmt.Errorf("lesson %d has no page %.8q", l.N, parts[2])
	}
	if len(parts) == 4 {
		run, err := sim.ParseToken(parts[3])
		if err != nil {
			return Opened{}, err
		}
		opened.Changed = &run
	}
	return opened, nil
}

// Scene is the page's run as the token has it.
func (o Opened) Scene() Scene {
	l := All()[o.Lesson-1]
	scene := l.Scenes[l.Pages[o.Page-1].Scene]
	if o.Changed != nil {
		scene.Scenario = *o.Changed
	}
	return scene
}
