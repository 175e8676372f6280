package lessons

import (
	"fmt"
	"strings"
	"time"

	"idemtui/retention"
	"idemtui/sim"
	"idemtui/sim/explore"
)

// The late copy of lesson 7, and two retentions: one shorter than the way that
// a copy can take, one longer.
const (
	lateBy       = 9 * day
	tooShort     = 7 * day
	longEnough   = 12 * day
	brokerKeeps  = 7 * day
	retryChain   = 1 * day
	downtime     = 3 * day
	brokerWindow = 2 * minute
	sends        = int64(6)
)

// replayed is one payment whose copy comes from a replay, nine days later.
func replayed(title string, keep int64) Scene {
	s := leased(sim.HandlerLease)
	s.Retention = keep
	return Scene{
		Title: title, Scenario: s, Sends: []sim.Send{{Charge: smallCharge}, {At: lateBy, Charge: smallCharge, Replay: true}},
		Compare:    []sim.HandlerID{sim.HandlerLease, sim.HandlerClaim, sim.HandlerCheck, sim.HandlerKey},
		Parameters: []Parameter{Retention},
	}
}

// windowed is a sender that says the same thing every minute to a broker that
// refuses what it has accepted within two.
func windowed() Scene {
	s := onePayment(sim.HandlerNone)
	s.Window = brokerWindow
	scene := Scene{
		Title: "the broker's own window", Scenario: s,
		Compare: []sim.HandlerID{sim.HandlerNone, sim.HandlerClaim}, Parameters: []Parameter{Window},
	}
	for i := range sends {
		scene.Sends = append(scene.Sends, sim.Send{At: i * minute, Charge: smallCharge})
	}
	return scene
}

// horizon is the sum for lesson 7 with ids kept for so long, worked out by the
// same code as `idemtui retention`, and in its words.
func horizon(keep int64) retention.Report {
	given := func(nanos int64) retention.Given {
		return retention.Given{Length: retention.MillisOf(time.Duration(nanos)), Known: true}
	}
	report, err := retention.Evaluate(retention.Policy{
		Paths: []retention.Path{{
			Name:     "topic",
			Life:     retention.Life{Parts: []retention.Part{{Name: "broker", Length: retention.MillisOf(time.Duration(brokerKeeps))}}},
			Retries:  []retention.Retry{retention.SingleRetry(time.Duration(retryChain))},
			Downtime: given(downtime),
			Hold:     given(0),
		}},
		Table: retention.Table{Retention: given(keep)},
	})
	if err != nil || report.RequiredSeconds == nil || report.HaveSeconds == nil {
		panic(fmt.Sprintf("lesson 7: no sum: %v", err))
	}
	return report
}

// termMeanings say what the terms are, in the lesson's case.
var termMeanings = map[string]string{
	retention.TermSourceLife: "the broker keeps a message",
	retention.TermRetryChain: "it can sit in the retry topic",
	retention.TermDowntime:   "the consumer is down before a replay",
}

// sum is the sum, term by term, and what the table keeps beside it.
func sum(keep int64) *Exhibit {
	report := horizon(keep)
	e := &Exhibit{Titles: []string{"term", "time", "so long"}}
	add := func(name string, term *retention.Millis, what string) {
		e.Rows = append(e.Rows, []string{name, length(int64(*term) * millisecond), what})
	}
	for _, term := range report.Terms {
		if meaning, ok := termMeanings[term.Name]; ok {
			add(strings.ReplaceAll(term.Name, "-", " "), term.Seconds, meaning)
		}
	}
	add("required", report.RequiredSeconds, "the sum")
	verdict := string(report.Verdict) + " by " + length(int64(*report.SafeBySeconds)*millisecond)
	if *report.ShortBySeconds > 0 {
		verdict = string(report.Verdict) + ", short by " + length(int64(*report.ShortBySeconds)*millisecond)
	}
	add("kept", report.HaveSeconds, verdict)
	return e
}

func remember() Lesson {
	const short, long, window = 0, 1, 2
	required := length(int64(*horizon(longEnough).RequiredSeconds) * millisecond)
	return Lesson{
		Name: "retention", Title: "how long to remember",
		Scenes: []Scene{
			short:  replayed("remembered for "+length(tooShort), tooShort),
			long:   replayed("remembered for "+length(longEnough), longEnough),
			window: windowed(),
		},
		Pages: []Page{
			{
				Scene: short, Moment: at(sim.LabelComplete),
				text: "Charged, and marked DONE. Rows cannot pile up without end, so this table purges: what is finished is remembered for {retention}.",
			},
			{
				Scene: short, Moment: on(sim.EventReplay),
				text: fmt.Sprintf("It is %s later. The message has sat in the retry topic, the consumer was down, and somebody replays from an old offset. The copy is on its way.", length(lateBy)),
			},
			{
				Scene: short, Moment: on(sim.EventForget),
				text: "The row is gone. To the table this payment is one that it has never seen.",
			},
			{
				Scene: short, Moment: wrong(),
				text:   "Charged {charged}. Handler, lease and token did all they should. With one row forgotten too early, {double} of {all} schedules of two deliveries charge twice.",
				proofs: []Proof{{Handler: sim.HandlerLease, Deliveries: 2, Budgets: explore.Budgets{Forget: 1}}},
			},
			{
				Scene: long, Moment: atStart,
				text:    "One sum prevents this: the broker keeps a message, it can sit in a retry topic, and the consumer can be down before somebody replays. Together " + required + ". An id has to be remembered for longer than that. Exactly as long is not enough.",
				Exhibit: sum(longEnough),
			},
			{
				Scene: long, Moment: at(sim.LabelClaimDone),
				text: "The same copy, remembered for {retention}. {worker} finds the row, acknowledges, and does nothing.",
			},
			{
				Scene: window, Moment: on(sim.EventReject),
				text: "Some brokers remember ids too. This one has a window of {window} and refuses an id that it has accepted within it. Here the same id is sent every minute.",
			},
			{
				Scene: window, Moment: atEnd,
				text: "It accepted {deliveries} of " + count(sends) + ". The window counts from the send that was accepted, and does not slide. It guards the sending, for a short time. What happens in the handling it cannot see.",
			},
		},
		Question: Question{
			Before:  2,
			Text:    fmt.Sprintf("The table remembers for %s, and the copy comes after %s. How often will the customer be charged?", length(tooShort), length(lateBy)),
			Choices: []Choice{exactly("once", 1), exactly("twice", 2)},
			measure: Charges,
			because: "The row was purged before the copy came, so the copy is processed as new.",
		},
		Workload: lateCopies(tooShort),
		Tables:   []Table{retentions()},
		Closing:  "Work out the sum from the broker's real settings, and keep the ids for longer. `idemtui retention` does the sum, reads the settings, and looks at what your table really keeps.",
	}
}

// lateCopies is a workload whose copies come after days, and a table that
// forgets.
func lateCopies(keep int64) sim.Scenario {
	s := sim.DefaultScenario()
	s.Handler, s.CopyAfter, s.Retention = sim.HandlerLease, lateBy, keep
	return s
}

// retentions is a workload whose copies come late, under several retentions.
func retentions() Table {
	t := Table{
		Title:   "2,000 payments, 1 in 20 delivered again " + length(lateBy) + " later, claim with state and lease",
		Columns: []Column{Deliveries, Charges, ChargedTwice},
		dials:   []Parameter{Duplicates, CopyAfter, Fail, Crash, Timeout, Slow},
		note:    "Remembered for 7d, {7d.chargedtwice} of the late copies charge again. Remembered for 12d, {12d.chargedtwice}.",
	}
	for _, keep := range []int64{day, tooShort, longEnough} {
		t.Rows = append(t.Rows, Row{Label: "remembered for " + length(keep), key: length(keep), Scenario: lateCopies(keep)})
	}
	return t
}
