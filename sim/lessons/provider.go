package lessons

import (
	"slices"

	"idemtui/sim"
	"idemtui/sim/explore"
)

// unanswered is one message whose charge works and whose answer is lost.
var unanswered = []sim.Send{{Charge: smallCharge, Outcome: sim.Timeout}}

// tries is a caller that tries three times: each try charges, and each answer
// is lost. No broker brings anything back.
func tries(title string, h sim.HandlerID, newKeys bool, parameters ...Parameter) Scene {
	s := onePayment(h)
	s.Direct, s.NewKeys = true, newKeys
	const apart = 40 * millisecond
	return Scene{Title: title, Scenario: s, Sends: []sim.Send{
		{Charge: smallCharge, Outcome: sim.Timeout},
		{At: apart, Charge: smallCharge, Outcome: sim.Timeout},
		{At: 2 * apart, Charge: smallCharge, Outcome: sim.Timeout},
	}, Parameters: parameters}
}

// The provider of the small runs remembers a key for so long, and the last try
// comes after that.
const (
	keyMemory = 24 * hour
	lastTry   = 25 * hour
)

// forgotten is a try that comes after the provider has forgotten the key.
func forgotten() Scene {
	s := onePayment(sim.HandlerKeyOnly)
	s.Direct, s.KeyMemory = true, keyMemory
	return Scene{Title: "a key that was forgotten", Scenario: s, Sends: []sim.Send{
		{Charge: smallCharge, Outcome: sim.Timeout}, {At: lastTry, Charge: smallCharge},
	}, Parameters: []Parameter{KeyMemory, NewKeys}}
}

func provider() Lesson {
	const inside, bare, fresh, stable, late, both = 0, 1, 2, 3, 4, 5
	scenes := []Scene{
		inside: {Title: "one transaction", Scenario: leased(sim.HandlerOneTx), Sends: unanswered, Parameters: []Parameter{Visibility, Charge}},
		bare:   tries("three tries without a key", sim.HandlerNone, false, Charge),
		fresh:  tries("a new key with every try", sim.HandlerKeyOnly, true, NewKeys, Charge),
		stable: tries("the same key with every try", sim.HandlerKeyOnly, false, NewKeys, KeyMemory),
		late:   forgotten(),
		both:   {Title: "claim, lease and key", Scenario: leased(sim.HandlerKey), Sends: unanswered, Parameters: []Parameter{Lease, NewKeys}},
	}
	for i := range scenes {
		scenes[i].Compare = others(scenes[i].Scenario.Handler, sim.HandlerNone, sim.HandlerLease, sim.HandlerOneTx, sim.HandlerKeyOnly, sim.HandlerKey)
	}
	return Lesson{
		Name: "provider", Title: "the side effect that cannot join your transaction",
		Scenes: scenes,
		Pages:  slices.Concat(outsidePages(inside), keyPages(bare, fresh, stable), storePages(stable), forgottenPages(late), togetherPages(both), hopPages(both)),
		Question: Question{
			Before:  5,
			Text:    "Now the caller sends an idempotency key, made at random for each try. It tries three times, and every answer gets lost. How often will the customer be charged?",
			Choices: []Choice{exactly("once", 1), exactly("twice", 2), exactly("three times", 3)},
			measure: Charges,
			because: "To the provider a new key is a new payment. A key helps only if the second try sends the first one's key.",
		},
		Workload: unsure(),
		Tables:   []Table{unknowns()},
		Closing:  "Make the key once, when the payment is made, and store it before the first call. Send the same one with every try. Change it only after a definite refusal, and never after silence. Know for how long the provider remembers it.",
	}
}

func outsidePages(inside int) []Page {
	return []Page{
		{
			Scene: inside, Moment: at(sim.LabelClaimWon),
			text: "Claim row and database work can share one transaction, and then they happen together or not at all. {worker} has opened one, inserted the row, and now calls the provider.",
		},
		{
			Scene: inside, Moment: at(sim.LabelChargeTimeout),
			text: "The provider stands outside. It has charged, and its answer is lost on the way back. {worker} waits, and gives up.",
		},
		{
			Scene: inside, Moment: at(sim.LabelRollback),
			text: "An error, so the transaction is rolled back, and the row never was. The charge was. No database can roll back somebody else's ledger.",
		},
		{
			Scene: inside, Moment: wrong(),
			text:   "The next delivery finds nothing and charges. Charged {charged}. With a copy and at most one lost answer, {double} of {all} schedules charge twice. No transaction of ours can repair this.",
			proofs: []Proof{{Handler: sim.HandlerOneTx, Deliveries: 2, Budgets: explore.Budgets{Timeout: 1}}},
		},
	}
}

func keyPages(bare, fresh, stable int) []Page {
	return []Page{
		{
			Scene: bare, Moment: atEnd,
			text: "The same from a caller's side. Three tries: each is charged, and each answer is lost. Charged {charged}. Only the provider can know that the three are one payment, so it has to be told.",
		},
		{
			Scene: fresh, Moment: atEnd,
			text: "Charged {charged}. Each try brought a key of its own, so to the provider each was a payment of its own. A key that is made inside the loop of tries is no key.",
		},
		{
			Scene: stable, Moment: at(sim.LabelChargeTimeout).of(2),
			text: "The same key with every try. The provider finds it in its own table of keys, charges nothing, and returns the first result.",
		},
		{
			Scene: stable, Moment: atEnd,
			text: "Three tries, charged {charged}. It no longer matters which answers get lost, as long as one arrives in the end.",
		},
	}
}

func forgottenPages(late int) []Page {
	return []Page{
		{
			Scene: late, Moment: on(sim.EventForgetKey),
			text: "But the provider's table has a retention as well, here of {keymemory}. This try comes " + length(lastTry) + " after the first, and the key is forgotten.",
		},
		{
			Scene: late, Moment: wrong(),
			text: "So it charges. Charged {charged}. Beyond the provider's memory a retry is no longer safe, and the payment has to be looked up at the provider before anybody tries again.",
		},
	}
}

func togetherPages(both int) []Page {
	return []Page{
		{
			Scene: both, Moment: at(sim.LabelMarkFailed),
			text: "Now put it together: claim, lease, and the payment's key. The answer is lost, and {worker} marks the claim FAILED for a retry. Without a key that is the mistake of lesson 3: the outcome is unknown, and a person has to ask the provider and settle it.",
		},
		{
			Scene: both, Moment: atEnd,
			text: "The retry sends the same key and gets the first result. Charged {charged}. With a copy and at most one lost answer, {double} of {all} schedules charges twice. With a slow worker instead, {double2} of {all2}.",
			proofs: []Proof{
				{Handler: sim.HandlerKey, Deliveries: 2, Budgets: explore.Budgets{Timeout: 1}},
				{Handler: sim.HandlerKey, Deliveries: 2, Budgets: explore.Budgets{Slow: 1}},
			},
		},
	}
}

// unsure is a workload in which answers get lost, too.
func unsure() sim.Scenario {
	s := stumbling()
	s.Handler, s.Timeout = sim.HandlerKey, sim.One/50
	return s
}

// unknowns is that workload, with the key and without.
func unknowns() Table {
	return Table{
		Title:   "2,000 payments, 1 in 20 with a copy; 1 in 50 each: answer lost, crash, slow worker",
		Rows:    byHandler(unsure(), sim.HandlerRelease, sim.HandlerLease, sim.HandlerFence, sim.HandlerOneTx, sim.HandlerKey, sim.HandlerKeyOnly),
		Columns: []Column{Deliveries, Charges, ChargedTwice, NeverCharged, Takeovers},
		dials:   []Parameter{Workers, Duplicates, Distance, Charge, Lease, Fail, Crash, Timeout, Slow, Retention},
		note:    "One transaction charges {onetx.chargedtwice} customers twice, a lease with a fence {fence.chargedtwice}. With the payment's key, {key.chargedtwice}. Even without a table of our own, {keyonly.chargedtwice}, as long as the provider remembers.",
	}
}
