package lessons

import (
	"slices"

	"idemtui/sim"
	"idemtui/sim/explore"
)

func natural() Lesson {
	const add, set = 0, 1
	scenes := []Scene{
		add: {Title: "add to a value", Scenario: withCopy(sim.HandlerIncrement)},
		set: {Title: "set a value", Scenario: withCopy(sim.HandlerNatural)},
	}
	for i := range scenes {
		scenes[i].Compare = others(scenes[i].Scenario.Handler, sim.HandlerIncrement, sim.HandlerNatural, sim.HandlerClaim)
		scenes[i].Parameters = []Parameter{Duplicates, CopyAfter, Charge, Crash, Timeout, Workers}
	}
	return Lesson{
		Name: "natural", Title: "natural idempotency, when you can get it",
		Scenes: scenes,
		Pages: []Page{
			{
				Scene: add, Moment: atStart,
				text: "Some work needs no table of ids, because doing it twice does no harm. It depends on what the message says. This one says \"add to what is there\", and it will be delivered twice.",
			},
			{
				Scene: add, Moment: wrong(),
				text: "Both deliveries have added. The effect is there {charged}. \"Add one\" means something else each time it is said.",
			},
			{
				Scene: set, Moment: atStart,
				text: "The same message, written differently: \"the value is now this\". There is no check here, no claim, no lease, no key.",
			},
			{
				Scene: set, Moment: atEnd,
				text: "The second delivery set the same value again. The effect is there {charged}. Two deliveries have {all} schedules, and in {double} of them is it there twice. Add a crash and a lost answer, and it is {double2} of {all2}.",
				proofs: []Proof{
					{Handler: sim.HandlerNatural, Deliveries: 2},
					{Handler: sim.HandlerNatural, Deliveries: 2, Budgets: explore.Budgets{Crash: 1, Timeout: 1}},
				},
			},
			{
				Scene: set, Moment: atEnd,
				text:    "Twice in a row is harmless, then. Now let the copy come late. An order is packed, m1 ships it, m2 delivers it, and then the copy of m1 comes and sets " + late(sim.FormSet).Status + ". What m2 wrote is undone.",
				Exhibit: arrivals(sim.FormSet),
			},
			{
				Scene: set, Moment: atEnd,
				text:    "So let the message say what it expects: set SHIPPED where it is PACKED. The late copy finds " + late(sim.FormConditional).Status + " and changes " + count(int64(late(sim.FormConditional).Rows)) + " rows. That is no error: it is the count by which you know a duplicate.",
				Exhibit: arrivals(sim.FormConditional),
			},
			{
				Scene: set, Moment: atEnd,
				text:    "An upsert by business id never makes a second row, where an insert with a generated id would. But it sets all the same, and the late copy leaves " + late(sim.FormUpsert).Status + ". It needs the same condition, or a number that only grows.",
				Exhibit: arrivals(sim.FormUpsert),
			},
		},
		Question: Question{
			Before:  3,
			Text:    "Both deliveries of \"the value is now this\" are processed, with no deduplication. How often is the effect there?",
			Choices: []Choice{exactly("never", 0), exactly("once", 1), exactly("twice", 2)},
			measure: Charges,
			because: "To set a value to what it already is leaves it as it is.",
		},
		Workload:  worded(),
		Tables:    []Table{shapes()},
		Closing:   "Some things cannot be worded so: money that is told to move twice moves twice. But a good deal can. Ask of every message type:",
		Checklist: checklist(),
	}
}

// late is what the late copy of an older message does.
func late(form sim.Form) sim.Written {
	written := sim.ApplyUpdates(lateCopy(form))
	return written[len(written)-1]
}

// lateCopy is the sequence with the late copy, for a form.
func lateCopy(form sim.Form) (sim.Form, string, []sim.Update) {
	status, updates := sim.LateCopy()
	return form, status, updates
}

// arrivals is that sequence, message by message.
func arrivals(form sim.Form) *Exhibit {
	e := &Exhibit{Titles: []string{form.String(), "says", "rows", "order now"}}
	for _, w := range sim.ApplyUpdates(lateCopy(form)) {
		says := w.Update.To
		if form == sim.FormConditional {
			says += " where " + w.Update.From
		}
		name := w.Update.Name
		if slices.ContainsFunc(e.Rows, func(row []string) bool { return row[0] == name }) {
			name += " again"
		}
		e.Rows = append(e.Rows, []string{name, says, count(int64(w.Rows)), w.Status})
	}
	return e
}

func checklist() []string {
	return []string{
		"Does it say what is now true, or what to do once more? Could it say the first?",
		"If it comes twice in a row, what is different afterwards?",
		"If it comes again after a newer one, does it undo the newer one? What in it says which is older?",
		"Which id stays the same when the producer sends it again?",
		"Which of its effects leave our database, and which key goes with them?",
		"How late can it still come, and will we remember it for longer than that?",
	}
}

// worded is a workload whose messages are worded in one way or the other.
func worded() sim.Scenario {
	s := sim.DefaultScenario()
	s.Handler, s.Crash, s.Timeout = sim.HandlerNatural, sim.One/50, sim.One/50
	return s
}

// shapes is that workload, worded in two ways.
func shapes() Table {
	return Table{
		Title:   "2,000 messages, 1 in 20 delivered again; 1 in 50 meets a crash, 1 in 50 loses an answer",
		Rows:    byHandler(worded(), sim.HandlerIncrement, sim.HandlerNatural),
		Columns: []Column{Deliveries, Payments, Charges, ChargedTwice, NeverCharged},
		note:    "In this table a charge is an effect. Adding was done more than once for {increment.chargedtwice} messages, setting for {natural.chargedtwice}.",
	}
}
