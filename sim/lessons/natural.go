package lessons

import (
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
		Pages: append([]Page{
			{
				Scene: add, Moment: atStart,
				text: "Some work needs no table of ids, because doing it twice does no harm. It depends on what the message says. This one says \"add to what is there\", and it will be delivered twice. The picture calls its effect a charge.",
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
		}, lateCopyPages(set)...),
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
		dials:   []Parameter{Duplicates, Fail, Crash, Timeout, Slow},
		note:    "In this table a charge is an effect. Adding was done more than once for {increment.chargedtwice} messages, setting for {natural.chargedtwice}.",
	}
}
