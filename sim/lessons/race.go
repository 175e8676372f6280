package lessons

import "idemtui/sim"

// smallCharge is the charge of the small runs. It is longer than a copy may
// take to be picked up and checked, so that the copy meets its original at work
// whatever the seed.
const smallCharge = 5 * millisecond

// onePayment is one payment without a copy or a fault, and two workers.
func onePayment(h sim.HandlerID) sim.Scenario {
	s := sim.DefaultScenario()
	s.Handler, s.Payments, s.Workers, s.Duplicates, s.Charge = h, 1, 2, 0, smallCharge
	return s
}

// withCopy is one payment, and a copy that comes while it is being charged.
func withCopy(h sim.HandlerID) sim.Scenario {
	s := onePayment(h)
	s.Duplicates, s.CopyAfter = sim.One, 300*microsecond
	return s
}

func race() Lesson {
	compare := []sim.HandlerID{sim.HandlerNone, sim.HandlerCheck, sim.HandlerClaim}
	twist := []Parameter{Workers, Duplicates, CopyAfter, Charge}
	scene := func(title string, h sim.HandlerID) Scene {
		return Scene{Title: title, Scenario: withCopy(h), Compare: compare, Parameters: twist}
	}
	const none, check, claim = 0, 1, 2
	return Lesson{
		Name: "race", Title: "three handlers, one race",
		Scenes: []Scene{
			none:  scene("no deduplication", sim.HandlerNone),
			check: scene("check, charge, then remember", sim.HandlerCheck),
			claim: scene("claim first", sim.HandlerClaim),
		},
		Pages: []Page{
			{
				Scene: none, Moment: atStart,
				text: "One customer owes one payment. The broker is about to deliver its message twice, and the copy comes while the first delivery is still at work, as it does after a rebalance.",
			},
			{
				Scene: none, Moment: wrong(),
				text: "With no deduplication each delivery does the work. The provider gets two calls and has no reason to doubt either. The customer has been charged {charged}.",
			},
			{
				Scene: check, Moment: on(sim.EventStart),
				text: "So look first. This handler asks the table whether the payment was processed, charges only if it was not, and then writes down that it was. It reads well, and it passes every test in which the copy comes late.",
			},
			{
				Scene: check, Moment: at(sim.LabelCheckNew).of(2),
				text: "{second} asks while {first} still waits for the provider. \"Not processed\" is the honest answer: nothing has been written yet. Now both are going to charge.",
			},
			{
				Scene: check, Moment: wrong(),
				text:   "Charged {charged}. The check told the truth about one moment, and the charge takes many: whatever comes in the meantime gets the same answer. The steps of two deliveries can follow each other in {all} ways. We call each a schedule, and {double} of the {all} charge twice.",
				proofs: []Proof{{Handler: sim.HandlerCheck, Deliveries: 2}},
			},
			{
				Scene: claim, Moment: at(sim.LabelClaimWon),
				text: "Now the writing comes before the work. Every delivery begins by inserting a row under the same unique key, and the database lets in only one. This time it is {worker}, and {worker} alone may charge.",
			},
			{
				Scene: claim, Moment: at(sim.LabelClaimLost),
				text: "{worker} tries the same insert, and the unique constraint refuses it. Asking and writing are one step now, so there is nothing in between for a copy to slip through.",
			},
			{
				Scene: claim, Moment: atEnd,
				text:   "Charged {charged}. The copy was acknowledged and did nothing, and that is what idempotent means. Of the {all} schedules of two deliveries, {double} charges twice.",
				proofs: []Proof{{Handler: sim.HandlerClaim, Deliveries: 2}},
			},
		},
		Question: Question{
			Before:  3,
			Text:    "The copy comes while the first delivery is charging. How often will the customer be charged?",
			Choices: []Choice{exactly("never", 0), exactly("once", 1), exactly("twice", 2)},
			measure: Charges,
			because: "Both deliveries ask before either has written, so both are told to go ahead.",
		},
		Workload: sim.DefaultScenario(),
		Tables: []Table{
			{
				Title:   "2,000 payments, 8 workers, 1 in 20 delivered again while the first is in process",
				Rows:    byHandler(sim.DefaultScenario(), compare...),
				Columns: []Column{Deliveries, Payments, Charges, ChargedTwice},
				dials:   []Parameter{Workers, Duplicates, Distance, Charge, Fail, Crash, Timeout, Slow, Retention},
				note:    "The check let {check.chargedtwice} of {none.chargedtwice} copies through, the claim {claim.chargedtwice}. Over the first 400 seeds the check ends with 2,094 to 2,100 charges: it stops a few copies at best.",
			},
			distances(),
		},
		Closing: "To look and then to act is a race, however quick the look is. Let one atomic step decide who does the work: an INSERT under a unique constraint. Whoever loses it goes home.",
	}
}

// distances is the check on copies that stand farther and farther behind.
func distances() Table {
	t := Table{
		Title:   "check, charge, then remember: the copy stands farther behind its original",
		Columns: []Column{Deliveries, Charges, ChargedTwice},
		dials:   []Parameter{Workers, Duplicates, Charge, Fail, Crash, Timeout, Slow, Retention},
		note:    "One place behind, {1.chargedtwice} copies are charged again; 24 places behind, {24.chargedtwice}. The race is still there. A test whose copies come late only looks where it is not.",
	}
	for _, places := range []int64{1, 4, 8, 12, 16, 24} {
		s := sim.DefaultScenario()
		s.Handler, s.Distance = sim.HandlerCheck, places
		t.Rows = append(t.Rows, Row{Label: count(places) + " behind", key: count(places), Scenario: s})
	}
	return t
}
