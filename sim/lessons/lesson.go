package lessons

import (
	"strconv"
	"strings"

	"idemtui/sim"
)

// Lesson is one of the seven. Lessons are values that never change.
type Lesson struct {
	N         int          // counted from 1
	Name      string       // as --lesson spells it
	Title     string       // as a screen heads it
	Scenes    []Scene      // the small runs, in the order of the pages
	Pages     []Page       // what there is to read
	Question  Question     // asked once, before one of the pages
	Workload  sim.Scenario // the lesson at full size, for whoever runs handlers on it
	Tables    []Table      // the results at full size
	Closing   string       // the last word, after the tables
	Checklist []string     // questions to take home; most lessons have none
}

// Scene is a run that is small enough to be seen at once.
type Scene struct {
	Title      string
	Scenario   sim.Scenario
	Sends      []sim.Send      // where set: the messages, told one by one
	Compare    []sim.HandlerID // the handlers worth seeing on this scenario, its own first
	Parameters []Parameter     // what is worth changing on the spot
}

// Record makes the scene's run. The error is a *sim.RangeError.
func (s Scene) Record() (*sim.Trace, error) {
	if len(s.Sends) > 0 {
		return sim.RecordScript(sim.Script{Scenario: s.Scenario, Sends: s.Sends})
	}
	return sim.Record(s.Scenario)
}

// First is the number of the lesson that a newcomer sees: the race.
const First = 2

// All lists the lessons in order.
func All() []Lesson {
	all := make([]Lesson, len(makers))
	for i, make := range makers {
		all[i] = make()
		all[i].N = i + 1
	}
	return all
}

// makers make the lessons, in order.
var makers = []func() Lesson{duplicates, race, release, lease, provider, natural, remember}

// Find finds a lesson by its number or its name.
func Find(text string) (Lesson, bool) {
	for _, l := range All() {
		if strings.EqualFold(text, l.Name) || text == strconv.Itoa(l.N) {
			return l, true
		}
	}
	return Lesson{}, false
}

// Names lists the names that Find knows, in the order of the lessons.
func Names() []string {
	var names []string
	for _, l := range All() {
		names = append(names, l.Name)
	}
	return names
}

// WithSeed is the lesson with another seed in all of its runs. Nothing that a
// page says hangs on the seed.
func (l Lesson) WithSeed(seed uint64) Lesson {
	scenes := make([]Scene, len(l.Scenes))
	for i, s := range l.Scenes {
		s.Scenario.Seed = seed
		scenes[i] = s
	}
	l.Scenes = scenes
	l.Workload.Seed = seed
	tables := make([]Table, len(l.Tables))
	for i, t := range l.Tables {
		tables[i] = t.withSeed(seed)
	}
	l.Tables = tables
	return l
}

// Asked is the scene whose run answers the question.
func (l Lesson) Asked() Scene { return l.Scenes[l.Pages[l.Question.Before].Scene] }
