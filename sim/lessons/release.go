package lessons

import (
	"idemtui/sim"
	"idemtui/sim/explore"
)

// refused is one payment whose first charge the provider refuses.
func refused(h sim.HandlerID) sim.Scenario {
	s := onePayment(h)
	s.Fail = sim.One
	return s
}

// answerLost is one payment whose first charge works and whose answer is lost.
func answerLost(h sim.HandlerID) sim.Scenario {
	s := onePayment(h)
	s.Timeout = sim.One
	return s
}

func release() Lesson {
	compare := []sim.HandlerID{sim.HandlerClaim, sim.HandlerRelease, sim.HandlerLease}
	refusal, silence := []Parameter{Fail, Crash, Charge}, []Parameter{Timeout, Fail, Crash, Charge}
	dies := onePayment(sim.HandlerRelease)
	dies.Charge = pace
	const claim, repaired, crashed, lost = 0, 1, 2, 3
	return Lesson{
		Name: "release", Title: "the claim that is never released",
		Scenes: []Scene{
			claim:    {Title: "claim, then charge; the charge fails", Scenario: refused(sim.HandlerClaim), Compare: compare, Parameters: refusal},
			repaired: {Title: "release on failure", Scenario: refused(sim.HandlerRelease), Compare: compare, Parameters: refusal},
			crashed:  {Title: "release, and a crash", Scenario: dies, Sends: crashAfter(1), Compare: compare, Parameters: []Parameter{Workers, Visibility, Charge}},
			lost:     {Title: "release, and a lost answer", Scenario: answerLost(sim.HandlerRelease), Compare: compare, Parameters: silence},
		},
		Pages: append(failurePages(claim, repaired), silencePages(crashed, lost)...),
		Question: Question{
			Before:  2,
			Text:    "The charge failed and the broker delivers the message again. How often will the customer have been charged in the end?",
			Choices: []Choice{exactly("never", 0), exactly("once, by the second delivery", 1), exactly("twice", 2)},
			measure: Charges,
			because: "The claim of the failed delivery is still in the table. The second delivery takes it for work in progress and goes home.",
		},
		Workload: failing(),
		Tables: []Table{
			{
				Title:   "2,000 payments, the first charge of 1 in 50 is refused, and the message delivered again",
				Rows:    byHandler(failing(), compare...),
				Columns: []Column{Deliveries, Payments, FailedFirst, Charges, NeverCharged, Stuck},
				dials:   []Parameter{Duplicates, Crash, Timeout, Slow},
				note:    "{claim.failedfirst} charges were refused. Without a release {claim.nevercharged} of those payments are never made, and {claim.stuck} claims stay behind as the only trace of it.",
			},
		},
		Closing: "A claim needs a way out for each end that the work can take: it succeeds, it fails, or nobody ever hears of it again. Releasing covers the second. A crash runs no code at all, so the third needs a clock.",
	}
}

func failurePages(claim, repaired int) []Page {
	return []Page{
		{
			Scene: claim, Moment: at(sim.LabelClaimWon),
			text: "Claim first never charges twice. Now for its price. One payment, one message and no copy: {worker} has claimed it and is going to call the provider.",
		},
		{
			Scene: claim, Moment: at(sim.LabelChargeFail),
			text: "The provider refuses: a limit, an overload. Nothing was charged. {worker} has an error on its hands, so it gives the message back, and the broker will deliver it again. So far all is well.",
		},
		{
			Scene: claim, Moment: at(sim.LabelClaimLost),
			text: "The claim is still there. {worker} reads it as \"somebody has this one\" and acknowledges. To a handler that only asks whether there is a row, begun and finished are the same.",
		},
		{
			Scene: claim, Moment: wrong(),
			text:   "The message is gone, and the payment was {charged} charged. No queue grows, and no alarm rings. With a copy and at most one refusal there are {all} schedules, and {lost} of them lose the payment.",
			proofs: []Proof{{Handler: sim.HandlerClaim, Deliveries: 2, Budgets: explore.Budgets{Fail: 1}}},
		},
		{
			Scene: repaired, Moment: at(sim.LabelRelease),
			text: "The repair: when the work fails, take the claim back before giving up the message. {worker} deletes its row. Marking it FAILED would do as well, and says more to whoever looks.",
		},
		{
			Scene: repaired, Moment: atEnd,
			text:   "The second delivery claims it again and charges. Charged {charged}. Of the {all} schedules with a copy and at most one refusal, {lost} loses the payment and {double} charges twice.",
			proofs: []Proof{{Handler: sim.HandlerRelease, Deliveries: 2, Budgets: explore.Budgets{Fail: 1}}},
		},
	}
}

func silencePages(crashed, lost int) []Page {
	return []Page{
		{
			Scene: crashed, Moment: on(sim.EventCrash),
			text: "An error runs the code that cleans up. A crash runs nothing. {worker} dies between its claim and its charge, and the row stays as it is.",
		},
		{
			Scene: crashed, Moment: wrong(),
			text:   "The redelivery finds it and goes home, and the payment was {charged} charged. With a copy and at most one crash {lost} of {all} schedules lose the payment. What is missing is a clock, and lesson 4 brings one.",
			proofs: []Proof{{Handler: sim.HandlerRelease, Deliveries: 2, Budgets: explore.Budgets{Crash: 1}}},
		},
		{
			Scene: lost, Moment: at(sim.LabelChargeTimeout),
			text: "And an error is not always a refusal. This charge worked, and its answer got lost on the way back. All that {worker} will see is a timeout, and it cannot tell the two apart.",
		},
		{
			Scene: lost, Moment: at(sim.LabelRelease),
			text: "So it treats the timeout as a failure and takes its claim back. That is the mistake: the row now says \"free\", and the provider's ledger says \"charged\".",
		},
		{
			Scene: lost, Moment: wrong(),
			text:   "Charged {charged}. Of the {all} schedules of one message, its answer lost or not, {double} charges twice. A lost answer is no failure. It is an unknown outcome, which only the provider knows: see lesson 5.",
			proofs: []Proof{{Handler: sim.HandlerRelease, Deliveries: 1, Budgets: explore.Budgets{Timeout: 1}}},
		},
	}
}

// failing is the workload in which the first charge of 1 in 50 is refused.
func failing() sim.Scenario {
	s := sim.DefaultScenario()
	s.Handler, s.Duplicates, s.Fail = sim.HandlerClaim, 0, sim.One/50
	return s
}
