package lessons

import (
	"idemtui/sim"
	"idemtui/sim/explore"
)

// The times of the small runs with a lease. A stalled worker sleeps through its
// lease and through the broker's patience.
const (
	smallLease    = 20 * millisecond
	smallPatience = 30 * millisecond
	smallStall    = 60 * millisecond
)

// pace is the charge of the scripted scenarios, whose messages have charges of
// their own: it sets how soon a message comes back, and a crashed worker.
const pace = 3 * millisecond

// leased is one payment under a handler with a lease.
func leased(h sim.HandlerID) sim.Scenario {
	s := onePayment(h)
	s.Charge, s.Lease, s.Visibility = pace, smallLease, smallPatience
	return s
}

// crashAfter is a message whose worker crashes after so many steps.
func crashAfter(steps uint8) []sim.Send {
	return []sim.Send{{Charge: smallCharge, Fault: sim.FaultCrash, After: steps}}
}

// stallAfter is a message whose worker stands still after so many steps.
func stallAfter(steps uint8) []sim.Send {
	return []sim.Send{{Charge: smallCharge, Fault: sim.FaultPause, After: steps, Pause: smallStall}}
}

// oneName is a stalled worker that wakes while its successor is at work, and
// both write under the same owner's name.
func oneName() Scene {
	s := leased(sim.HandlerLease)
	s.Lease, s.Visibility, s.Guard = 30*millisecond, second, sim.GuardName
	return Scene{Title: "a guard by name", Scenario: s, Sends: []sim.Send{
		{Charge: 2 * millisecond, Fault: sim.FaultPause, After: 1, Pause: 40 * millisecond},
		{At: 32 * millisecond, Charge: 15 * millisecond},
	}}
}

// overtaken is work that takes longer than the lease, while copies keep coming.
func overtaken(title string, renew int64) Scene {
	s := leased(sim.HandlerFence)
	s.Workers, s.Lease, s.Renew, s.Visibility, s.Charge = 3, smallCharge, renew, second, 2*smallCharge
	const work, apart = 45 * millisecond, 10 * millisecond
	return Scene{Title: title, Scenario: s, Sends: []sim.Send{
		{Charge: work}, {At: apart, Charge: work}, {At: 2 * apart, Charge: work},
	}}
}

func lease() Lesson {
	const took, late, slow, fence, stale, name, short, renewed = 0, 1, 2, 3, 4, 5, 6, 7
	scenes := []Scene{
		took:    {Title: "crash and takeover", Scenario: leased(sim.HandlerLease), Sends: crashAfter(1)},
		late:    {Title: "a crash after the charge", Scenario: leased(sim.HandlerLease), Sends: crashAfter(2)},
		slow:    {Title: "the slow worker", Scenario: leased(sim.HandlerLease), Sends: stallAfter(2)},
		fence:   {Title: "the slow worker, and a fence", Scenario: leased(sim.HandlerFence), Sends: stallAfter(2)},
		stale:   {Title: "what the fence does stop", Scenario: leased(sim.HandlerFence), Sends: stallAfter(1)},
		name:    oneName(),
		short:   overtaken("a lease shorter than the work", 0),
		renewed: overtaken("the same, with renewal", 2*millisecond),
	}
	for i := range scenes {
		scenes[i].Compare = others(scenes[i].Scenario.Handler, sim.HandlerLease, sim.HandlerFence, sim.HandlerKey)
		scenes[i].Parameters = []Parameter{Lease, Renew, Visibility, Guard, Workers}
	}
	return Lesson{
		Name: "lease", Title: "state and lease",
		Scenes:   scenes,
		Pages:    append(leasePages(took, late, slow), fencePages(fence, stale, name, short, renewed)...),
		Question: fenceQuestion(),
		Workload: stumbling(),
		Tables:   []Table{troubled()},
		Closing:  "A lease turns \"lost for ever\" into \"late\". It does so on a guess, that silence means death, and the guess is sometimes wrong. Renewal makes it wrong less often, and a token keeps the late worker from writing. What is left over, only the provider can settle.",
	}
}

// others puts the scene's own handler first.
func others(own sim.HandlerID, all ...sim.HandlerID) []sim.HandlerID {
	list := []sim.HandlerID{own}
	for _, h := range all {
		if h != own {
			list = append(list, h)
		}
	}
	return list
}

func leasePages(took, late, slow int) []Page {
	return []Page{
		{
			Scene: took, Moment: at(sim.LabelClaimWon),
			text: "A claim row that says more: a state, PROCESSING, and a lease, the time for which the claim may be held. {worker} has claimed {payment}, for {lease}.",
		},
		{
			Scene: took, Moment: on(sim.EventCrash),
			text: "{worker} dies between claim and charge. No code runs, so nothing is released. Without a lease, this payment would now be lost.",
		},
		{
			Scene: took, Moment: on(sim.EventBusy),
			text: "The message comes back and finds the lease running. Perhaps somebody is at work. So {worker} does nothing, and above all it does not acknowledge: the message has to come back later.",
		},
		{
			Scene: took, Moment: at(sim.LabelClaimTakeover),
			text: "The lease has lapsed and nobody has renewed it. {worker} takes over, under a new and higher token: {token}.",
		},
		{
			Scene: took, Moment: atEnd,
			text: "Charged {charged}, after {deliveries} deliveries. The crash cost some time and lost nothing.",
		},
		{
			Scene: late, Moment: wrong(),
			text:   "The same crash one step later, between the charge and DONE. The row looks exactly as it did before, so it is taken over as before. Charged {charged}. No copy was needed: one message with at most one crash has {all} schedules, and {double} of them charges twice.",
			proofs: []Proof{{Handler: sim.HandlerLease, Deliveries: 1, Budgets: explore.Budgets{Crash: 1}}},
		},
		{
			Scene: slow, Moment: at(sim.LabelExpireSlow),
			text: "This time nobody is dead. {first} has charged, and then it stands still: a long collection, a frozen machine. Its lease lapses all the same. From outside, slow and dead look alike.",
		},
		{
			Scene: slow, Moment: wrong(),
			text: "{worker} has taken over in good faith, and charges. Charged {charged}. Two deliveries with at most one slow worker have {all} schedules, and {double} of them charge twice. Without a slow worker, {double2} of {all2} does.",
			proofs: []Proof{
				{Handler: sim.HandlerLease, Deliveries: 2, Budgets: explore.Budgets{Slow: 1}},
				{Handler: sim.HandlerLease, Deliveries: 2},
			},
		},
		{
			Scene: slow, Moment: at(sim.LabelCompleteStale),
			text: "{worker} wakes up and wants to write DONE. Its token is old, so the row refuses: zero rows. But a token guards only what checks it, and the provider was never shown one.",
		},
	}
}

func fencePages(fence, stale, name, short, renewed int) []Page {
	return []Page{
		{
			Scene: fence, Moment: on(sim.EventPause),
			text: "So let the provider ask: each call carries its token, and one that is lower than the highest seen so far is refused. The worker, the stall and the times are the same as before.",
		},
		{
			Scene: fence, Moment: wrong(),
			text: "Charged {charged} all the same. {first} had charged before anybody showed a higher token, and nothing was stale then. Two deliveries, at most one slow worker: with the fence {double} of {all} schedules charge twice, without it {double2} of {all2}.",
			proofs: []Proof{
				{Handler: sim.HandlerFence, Deliveries: 2, Budgets: explore.Budgets{Slow: 1}},
				{Handler: sim.HandlerLease, Deliveries: 2, Budgets: explore.Budgets{Slow: 1}},
			},
		},
		{
			Scene: stale, Moment: at(sim.LabelFenced),
			text: "This is what a fence does stop. {worker} stood still before its call, and makes it after its successor's. The provider has seen a higher token and refuses. Charged {charged}.",
		},
		{
			Scene: name, Moment: at(sim.LabelComplete),
			text: "It matters what is compared. Here a completion is guarded by the owner's name, and both workers go by the same one. So {worker}, late, marks DONE the claim that {second} is still at work on. A token would have refused it.",
		},
		{
			Scene: short, Moment: at(sim.LabelCompleteStale),
			text: "A lease shorter than the work, {lease}, and copies keep coming. Each new delivery takes over from a worker that is alive and still at work. {worker} has worked to the end, and may not say so.",
		},
		{
			Scene: short, Moment: atEnd,
			text: "Charged {charged} for {deliveries} deliveries, and only the last could write DONE, because no copy came after it. While copies keep coming nobody can: all work and no end, a livelock. The fence let every call pass, as each had a newer token.",
		},
		{
			Scene: renewed, Moment: atEnd,
			text: "The cure is to renew the lease while the work goes on, or to make it longer than any work can take. Renewed in time, the claim is never taken over. Charged {charged}. But mind: a worker that stands still renews nothing.",
		},
	}
}

func fenceQuestion() Question {
	return Question{
		Before:  10,
		Text:    "Again a worker stalls after its charge, and another takes over. But now the provider refuses old tokens. How often will the customer be charged?",
		Choices: []Choice{exactly("never", 0), exactly("once", 1), exactly("twice", 2)},
		measure: Charges,
		because: "A fence refuses an old token that comes after a new one. Here the old one came first.",
	}
}

// stumbling is a workload in which workers crash or stand still.
func stumbling() sim.Scenario {
	s := sim.DefaultScenario()
	s.Handler, s.Crash, s.Slow = sim.HandlerLease, sim.One/50, sim.One/50
	return s
}

// troubled is that workload under everything that
// the lessons have shown so far and what comes next.
func troubled() Table {
	return Table{
		Title:   "2,000 payments, 1 in 20 with a copy; 1 in 50 meets a crash, 1 in 50 a pause",
		Rows:    byHandler(stumbling(), sim.HandlerClaim, sim.HandlerRelease, sim.HandlerLease, sim.HandlerFence, sim.HandlerKey),
		Columns: []Column{Deliveries, Charges, ChargedTwice, NeverCharged, Takeovers, Fenced},
		note:    "Without a lease, crashes lose payments: {release.nevercharged} of them. With one, {lease.nevercharged} is lost and {lease.chargedtwice} are charged twice. The fence brings that down to {fence.chargedtwice}. The last line is for lesson 5.",
	}
}
