package lessons

import (
	"slices"

	"idemtui/sim"
)

func duplicates() Lesson {
	const crash, silence, slow, group, byMessage, byPayment = 0, 1, 2, 3, 4, 5
	bare := onePayment(sim.HandlerNone)
	bare.Charge, bare.Visibility = pace, smallPatience
	lost := bare
	lost.AckLost = sim.One
	messageID := withCopy(sim.HandlerClaim)
	messageID.ByMessage = true
	scenes := []Scene{
		crash:     {Title: "a crash after the work", Scenario: bare, Sends: crashAfter(1), Parameters: []Parameter{Workers}},
		silence:   {Title: "an ack that gets lost", Scenario: lost, Parameters: []Parameter{AckLost, Visibility, Charge}},
		slow:      {Title: "an answer that takes too long", Scenario: bare, Sends: stallAfter(1), Parameters: []Parameter{Visibility, Workers}},
		group:     rebalanced(bare),
		byMessage: {Title: "a producer that sends again, by message id", Scenario: messageID, Parameters: []Parameter{ByMessage, CopyAfter, Charge}},
		byPayment: {Title: "a producer that sends again, by payment id", Scenario: withCopy(sim.HandlerClaim), Parameters: []Parameter{ByMessage, CopyAfter, Charge}},
	}
	for i := range scenes {
		scenes[i].Compare = others(scenes[i].Scenario.Handler, sim.HandlerNone, sim.HandlerCheck, sim.HandlerClaim)
	}
	return Lesson{
		Name: "duplicates", Title: "why duplicates are normal",
		Scenes: scenes,
		Pages:  slices.Concat(brokerPages(crash, silence, slow), groupPages(group), producerPages(byMessage, byPayment)),
		Question: Question{
			Before:  2,
			Text:    "The worker charged and crashed before its ack. How often will the customer be charged in the end?",
			Choices: []Choice{exactly("once", 1), exactly("twice", 2)},
			measure: Charges,
			because: "The broker has seen no ack, so it delivers again, and this handler charges for each delivery.",
		},
		Workload: everyTrouble(),
		Tables:   []Table{troubles()},
		Closing:  "Whoever promises to lose nothing has to repeat things now and then. So count on the repeat, and build the receiver so that a second delivery does nothing. More than that \"exactly once\" cannot mean.",
	}
}

// rebalanced is a log of two partitions, one for each worker: p1 and p3 lie in
// the first. It goes to the other worker in the middle of p3.
func rebalanced(s sim.Scenario) Scene {
	s.Log, s.Payments = true, 3
	return Scene{Title: "a rebalance in mid-work", Scenario: s, Sends: []sim.Send{
		{Payment: 0, Charge: pace},
		{Payment: 1, Charge: pace},
		{Payment: 2, Charge: pace, Fault: sim.FaultRebalance, After: 1},
	}, Parameters: []Parameter{CommitEvery, Workers}}
}

func brokerPages(crash, silence, slow int) []Page {
	return []Page{
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
			Scene: silence, Moment: on(sim.EventAckLost),
			text: "No crash is needed. Here {worker} finishes and acknowledges, and the ack gets lost on its way. The worker knows that it is done. The broker does not.",
		},
		{
			Scene: silence, Moment: wrong(),
			text: "The broker waits for {visibility} and delivers again. Charged {charged}. The first delivery had ended long before, so this duplicate is of finished work.",
		},
		{
			Scene: slow, Moment: on(sim.EventVisible),
			text: "Nothing has to get lost, either. {worker} has charged and stands still, and the broker's patience of {visibility} ends. It has to assume the worst: from where it stands, slow and dead look the same.",
		},
		{
			Scene: slow, Moment: wrong(),
			text: "Charged {charged}, and this time while the first delivery is still at work. A longer patience would help today, but every patience has an end, and work can always take longer.",
		},
	}
}

func groupPages(group int) []Page {
	return []Page{
		{
			Scene: group, Moment: on(sim.EventRebalance),
			text: "A log hands out whole partitions, and remembers how far each was committed. w1 has finished p1 and is at work on p3. Now the consumer group is rebalanced, and the partition of both goes to {worker}.",
		},
		{
			Scene: group, Moment: wrong(),
			text: "{worker} begins at the last commit, and w1 had not committed yet. So {payment} comes again, although it was finished and acknowledged. Charged {charged}.",
		},
		{
			Scene: group, Moment: atEnd,
			text: "And p3, too: w1 finished it, but it had lost the partition by then. All that came since the last commit comes again, finished or not. A commit after each message would have spared p1. It would not have spared p3.",
		},
	}
}

func producerPages(byMessage, byPayment int) []Page {
	return []Page{
		{
			Scene: byMessage, Moment: on(sim.EventArrive).of(2),
			text: "And the duplicate may be made before any broker sees it. The producer sent this payment, missed the answer, and sends again. To the broker these are two messages, each with a message id of its own.",
		},
		{
			Scene: byMessage, Moment: wrong(),
			text: "This handler remembers message ids, and the second one is new to it. Charged {charged}. There was a table, and it was asked the wrong question.",
		},
		{
			Scene: byPayment, Moment: atEnd,
			text: "The same two messages and the same handler. But now it remembers the payment id, which is the same in both. Charged {charged}. Remember the id of the business thing, not of its envelope.",
		},
	}
}

// troubles is one workload with one kind of trouble at a time.
func troubles() Table {
	t := Table{
		Title:   "2,000 payments, no deduplication, one trouble at a time",
		Columns: []Column{Deliveries, Payments, Charges, ChargedTwice},
		dials:   []Parameter{Workers, Charge, Lease, Fail},
		note:    "Each kind of trouble adds deliveries, and charges customers again. Rebalances at 1 payment in 20 bring back {rebalance.again}, because each goes back to the last commit.",
	}
	bare := sim.DefaultScenario()
	bare.Handler, bare.Duplicates = sim.HandlerNone, 0
	add := func(label, key string, change func(*sim.Scenario)) {
		s := bare
		change(&s)
		t.Rows = append(t.Rows, Row{Label: label, key: key, Scenario: s})
	}
	add("none", "none", func(*sim.Scenario) {})
	add("1 payment in 50 meets a crash", "crash", func(s *sim.Scenario) { s.Crash = sim.One / 50 })
	add("1 payment in 50 meets a pause", "slow", func(s *sim.Scenario) { s.Slow = sim.One / 50 })
	add("1 answer in 50 is lost", "timeout", func(s *sim.Scenario) { s.Timeout = sim.One / 50 })
	add("1 ack in 50 is lost", "acklost", func(s *sim.Scenario) { s.AckLost = sim.One / 50 })
	add("1 payment in 20 meets a rebalance", "rebalance", func(s *sim.Scenario) { s.Log, s.Rebalance = true, sim.One/20 })
	add("1 message in 20 is sent again", "duplicates", func(s *sim.Scenario) { s.Duplicates = sim.One / 20 })
	return t
}

// everyTrouble is a workload with all of them at once.
func everyTrouble() sim.Scenario {
	s := sim.DefaultScenario()
	s.Handler = sim.HandlerNone
	s.Crash, s.Slow, s.Timeout, s.AckLost = sim.One/50, sim.One/50, sim.One/50, sim.One/50
	return s
}
