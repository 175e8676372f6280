package lessons

import (
	"slices"

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
	}, Parameters: []Parameter{Guard, Lease, Renew, Workers}}
}

// overtaken is work that outlasts both its lease and the broker's patience, at a
// broker that ignores acks that come too late.
func overtaken(title string, renew int64) Scene {
	s := leased(sim.HandlerFence)
	s.Lease, s.Renew, s.Visibility = 15*millisecond, renew, 20*millisecond
	s.LateAckIgnored, s.MaxReceives = true, 6
	return Scene{
		Title: title, Scenario: s, Sends: []sim.Send{{Charge: 30 * millisecond}},
		Parameters: []Parameter{Renew, Lease, Visibility, LateAck, MaxReceives, Workers},
	}
}

// setAside is the crash of the first page at a broker with a limit of deliveries
// that is used up before the lease has lapsed.
func setAside() Scene {
	s := leased(sim.HandlerLease)
	s.MaxReceives = 3
	return Scene{
		Title: "dead letters", Scenario: s, Sends: crashAfter(1),
		Parameters: []Parameter{MaxReceives, Lease, Visibility},
	}
}

// twoClocks is a copy that comes while the first worker is well within its
// lease, and the second worker's clock is ahead.
func twoClocks(title string, node bool) Scene {
	s := leased(sim.HandlerLease)
	s.NodeClock, s.Skew, s.Visibility = node, smallPatience, second
	parameters := []Parameter{NodeClock, Lease, Workers}
	if node {
		parameters = append(parameters, Skew)
	}
	return Scene{
		Title: title, Scenario: s, Sends: []sim.Send{{Charge: 12 * millisecond}, {At: smallCharge, Charge: smallCharge}},
		Parameters: parameters,
	}
}

func lease() Lesson {
	const took, late, slow, fence, stale, name, node, database, endless, renewed, aside = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	guarded := []Parameter{Lease, Renew, Visibility, Guard, Workers}
	scenes := []Scene{
		took:     {Title: "crash and takeover", Scenario: leased(sim.HandlerLease), Sends: crashAfter(1)},
		late:     {Title: "a crash after the charge", Scenario: leased(sim.HandlerLease), Sends: crashAfter(2)},
		slow:     {Title: "the slow worker", Scenario: leased(sim.HandlerLease), Sends: stallAfter(2), Parameters: guarded},
		fence:    {Title: "the slow worker, and a fence", Scenario: leased(sim.HandlerFence), Sends: stallAfter(2), Parameters: guarded},
		stale:    {Title: "what the fence does stop", Scenario: leased(sim.HandlerFence), Sends: stallAfter(1)},
		name:     oneName(),
		node:     twoClocks("leases by the workers' own clocks", true),
		database: twoClocks("leases by the database's clock", false),
		endless:  overtaken("takeovers without end", 0),
		renewed:  overtaken("the same, with renewal", smallCharge),
		aside:    setAside(),
	}
	for i := range scenes {
		scenes[i].Compare = others(scenes[i].Scenario.Handler, sim.HandlerLease, sim.HandlerFence, sim.HandlerKey)
		if scenes[i].Parameters == nil {
			scenes[i].Parameters = []Parameter{Lease, Renew, Visibility, Workers}
		}
	}
	return Lesson{
		Name: "lease", Title: "state and lease",
		Scenes:   scenes,
		Pages:    slices.Concat(leasePages(took, late, slow), fencePages(fence, stale, name), clockPages(node, database), livelockPages(endless, renewed, aside)),
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
			text: "The lease has lapsed and nobody has renewed it. {worker} takes over, under a new and higher token: {token}. It goes on to charge: the crash has cost some time and lost nothing.",
		},
		{
			Scene: late, Moment: on(sim.EventCrash),
			text: "The same crash one step later, between the charge and DONE. The row says PROCESSING, as it did before. But now its outcome is unknown: a charge was sent, and nobody has the answer. Only the provider knows.",
		},
		{
			Scene: late, Moment: wrong(),
			text:   "The claim is taken over as before, and the payment charged. Charged {charged}. No copy was needed: one message with at most one crash has {all} schedules, and {double} of them charges twice.",
			proofs: []Proof{{Handler: sim.HandlerLease, Deliveries: 1, Budgets: explore.Budgets{Crash: 1}}},
		},
		{
			Scene: slow, Moment: at(sim.LabelExpireSlow),
			text: "This time nobody is dead. {first} has charged, and then it stands still: a long garbage collection, a frozen machine. Its lease lapses all the same. From outside, slow and dead look alike.",
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

func fencePages(fence, stale, name int) []Page {
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
			text: "This is what a fence does stop. {worker} stood still before its call, and makes it after its successor's. The provider has seen a higher token and refuses. Charged {charged}. Few providers can check tokens. Services of your own can.",
		},
		{
			Scene: name, Moment: at(sim.LabelComplete),
			text: "It matters what is compared. Here a completion is guarded by the owner's name, and both workers go by the same one. So {worker}, late, marks DONE the claim that {second} is still at work on. A token would have refused it.",
		},
	}
}

func clockPages(node, database int) []Page {
	return []Page{
		{
			Scene: node, Moment: wrong(),
			text: "A lease is a time, so it matters whose clock tells it. Here each worker asks its own, and {second}'s is {skew} ahead. By it the lease of {lease} had lapsed long ago, so {second} took over from {first}, which was well within it. Charged {charged}, without a crash or a pause.",
		},
		{
			Scene: database, Moment: on(sim.EventBusy),
			text: "The same deliveries, judged by the database's clock. It writes the lease and it compares it, so there is one clock for all. {worker} finds the lease running and comes back later. A worker's clock that is behind does the other harm: a dead worker's claim is held for longer.",
		},
	}
}

func livelockPages(endless, renewed, aside int) []Page {
	return []Page{
		{
			Scene: endless, Moment: at(sim.LabelCompleteStale),
			text: "Back to the fence, and work that takes longer than its lease of {lease}. {second} has taken over from {worker}, which has worked to the end and may not write DONE: its token is old. Nor will its ack count: the broker's patience of {visibility} has ended, too, and it ignores a late ack.",
		},
		{
			Scene: endless, Moment: on(sim.EventDeadLetter),
			text: "The same happens to each in turn, a livelock: nobody finishes before the next one begins. Charged {charged}, and the fence let every call pass, as each had a newer token. Only the broker ends it: after {receives} deliveries it puts the message aside, as a dead letter.",
		},
		{
			Scene: renewed, Moment: atEnd,
			text: "The cure is to renew the lease while the work goes on, here every {renew}, or to make it longer than any work can take. Now there is no takeover, and the last delivery finds DONE. Charged {charged}. But a worker that stands still renews nothing.",
		},
		{
			Scene: aside, Moment: on(sim.EventDeadLetter),
			text: "Mind the limit, though: a delivery that finds the claim held counts, too. Here is the first crash of this lesson with a limit of {receives}, used up before the lease has lapsed. The row says PROCESSING, but nobody will come: FAILED for good in all but name, until a person looks.",
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
		dials:   []Parameter{Workers, Duplicates, Distance, Charge, Lease, Fail, Crash, Timeout, Slow, Retention},
		note:    "Without a lease, crashes lose payments: {release.nevercharged} of them. With one, {lease.nevercharged} is lost and {lease.chargedtwice} are charged twice. The fence brings that down to {fence.chargedtwice}. The last line is for lesson 5.",
	}
}
