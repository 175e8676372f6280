package lessons

import "idemtui/sim"

func duplicates() Lesson {
	const crash, slow, retry = 0, 1, 2
	bare := onePayment(sim.HandlerNone)
	bare.Charge, bare.Visibility = pace, smallPatience
	scenes := []Scene{
		crash: {Title: "a crash after the work", Scenario: bare, Sends: crashAfter(1)},
		slow:  {Title: "an answer that takes too long", Scenario: bare, Sends: stallAfter(1)},
		retry: {Title: "a producer that sends again", Scenario: bare, Sends: []sim.Send{{Charge: smallCharge}, {At: 3 * smallCharge, Charge: smallCharge}}},
	}
	for i := range scenes {
		scenes[i].Compare = []sim.HandlerID{sim.HandlerNone, sim.HandlerCheck, sim.HandlerClaim}
		scenes[i].Parameters = []Parameter{Visibility, Workers}
	}
	return Lesson{
		Name: "duplicates", Title: "why duplicates are normal",
		Scenes: scenes,
		Pages: []Page{
			{
				Scene: crash, Moment: on(sim.EventDeliver),
				text: "A message asks for one payment. A worker takes it, does the work, and then acknowledges. Only the ack lets the broker forget the message. Until then, it would rather deliver twice than lose it.",
			},
			{
				Scene: crash, Moment: on(sim.EventCrash),
				text: "{worker} has charged the customer, and dies before the ack. The broker knows of a delivery and of no ack. It does not know of the charge.",
			},
			{
				Scene: crash, Moment: wrong(),
				text: "So the message comes again, as it must: the worker might as well have died before the charge. Charged {charged}. Nobody made a mistake.",
			},
			{
				Scene: slow, Moment: on(sim.EventVisible),
				text: "No crash is needed. {worker} has charged and stands still. The broker waits for the ack, here for {visibility}, and then it has to assume the worst. To the broker, slow and dead look the same.",
			},
			{
				Scene: slow, Moment: wrong(),
				text: "Charged {charged}. A longer patience would help this time, but every patience has an end, and any work can take longer.",
			},
			{
				Scene: retry, Moment: on(sim.EventArrive).of(2),
				text: "And the duplicate may be made before the broker ever sees it. The producer sent this payment, missed the answer to its send, and sends again. To the broker these are two messages.",
			},
			{
				Scene: retry, Moment: wrong(),
				text: "Charged {charged}. The two have different message ids and the same payment id. Whoever remembers ids has to remember the right one: the id of the business thing, the payment.",
			},
		},
		Question: Question{
			Before:  2,
			Text:    "The worker charged and crashed before its ack. How often will the customer be charged in the end?",
			Choices: []Choice{exactly("once", 1), exactly("twice", 2)},
			measure: Charges,
			because: "The broker has seen no ack, so it delivers again, and this handler charges for each delivery.",
		},
		Tables:  []Table{troubles()},
		Closing: "Duplicates are no bug. They are the price of losing nothing, and \"we never get duplicates\" is said by systems that have not had a bad day yet. \"Exactly once\" is made by the receiver, who lets the second delivery do nothing.",
	}
}

// troubles is one workload with one kind of trouble at a time.
func troubles() Table {
	t := Table{
		Title:   "2,000 payments with no deduplication, and one kind of trouble at a time",
		Columns: []Column{Deliveries, Payments, Charges, ChargedTwice},
		note:    "Without trouble there are {none.deliveries} deliveries. Each kind of trouble makes duplicates, and each duplicate of a finished charge charges again.",
	}
	bare := sim.DefaultScenario()
	bare.Handler, bare.Duplicates = sim.HandlerNone, 0
	add := func(label, key string, change func(*sim.Scenario)) {
		s := bare
		change(&s)
		t.Rows = append(t.Rows, Row{Label: label, key: key, Scenario: s})
	}
	add("none", "none", func(*sim.Scenario) {})
	add("1 worker in 50 crashes", "crash", func(s *sim.Scenario) { s.Crash = sim.One / 50 })
	add("1 worker in 50 stands still", "slow", func(s *sim.Scenario) { s.Slow = sim.One / 50 })
	add("1 answer in 50 is lost", "timeout", func(s *sim.Scenario) { s.Timeout = sim.One / 50 })
	add("1 message in 20 is sent again", "duplicates", func(s *sim.Scenario) { s.Duplicates = sim.One / 20 })
	return t
}
