package lessons

import (
	"fmt"
	"strings"

	"idemtui/sim"
)

// The times of the runs through hops: a try takes so long to be charged, and
// the next one follows when its answer has not come.
const (
	hopCharge = 3 * millisecond
	hopApart  = 40 * millisecond
	hopTries  = 3
)

// keyStore is the provider's table of keys, and its ledger of one payment.
type keyStore struct {
	known   map[string]bool
	charges int64
}

// charge is what a call under a key comes to; no key is never known.
func (s *keyStore) charge(key string) (fresh bool) {
	if key != "" && s.known[key] {
		return false
	}
	s.known[key] = true
	s.charges++
	return true
}

// through is one request that is tried again and again through a second hop, to
// a provider that honours keys. Every answer gets lost.
func through(second sim.KeyAt) *Sequence {
	run := &Sequence{
		Title: "through a hop that " + second.String(),
		Lanes: []string{"our call", "second hop", "key store", "ledger"},
		Instants: []Instant{{
			Marks: []Mark{{}, {}, {Text: "no key"}, {Text: "no charge"}},
			Told:  "We call a service, and it calls the provider. We send the key A with every try.",
		}},
	}
	provider := keyStore{known: map[string]bool{}}
	for try := range int64(hopTries) {
		key := sentOn(second, try)
		fresh := provider.charge(key)
		instant := Instant{
			At:    try*hopApart + hopCharge,
			Marks: []Mark{{Text: "key A", Note: "no answer"}, {Text: "no key"}, {}, {Text: "= $", Note: "no change"}},
			Lines: []Line{{"our call", "POST /orders  Idempotency-Key: A", "timeout"}, {"second hop", "POST /charges", ""}},
		}
		instant.Told = "Try " + count(try+1) + " is charged: the provider has not seen this key. The answer is lost."
		if key != "" {
			instant.Marks[1].Text = "key " + key
			instant.Lines[1].Code += "  Idempotency-Key: " + key
		}
		switch {
		case fresh && key == "":
			instant.Told = "Try " + count(try+1) + " is charged: it brings no key, so the provider has nothing to look up. The answer is lost."
		case fresh:
			instant.Marks[2] = Mark{Text: key + " DONE"}
		default:
			instant.Marks[2] = Mark{Text: "knows " + key}
			instant.Told = "Try " + count(try+1) + " brings a key that the provider knows: it charges nothing and returns the first result. The answer is lost again."
		}
		instant.Lines[1].Result = "the first result"
		if fresh {
			instant.Lines[1].Result = "charged"
			instant.Marks[3] = Mark{Text: strings.Repeat("$ ", int(provider.charges-1)) + "$", Note: times(provider.charges)}
			if provider.charges > 1 {
				instant.Marks[3].Text, instant.Marks[3].Wrong = "✗ "+instant.Marks[3].Text, true
			}
		}
		run.Instants = append(run.Instants, instant)
	}
	return run
}

// sentOn is the key that the second hop sends with a try of ours, "" for none.
func sentOn(second sim.KeyAt, try int64) string {
	switch second {
	case sim.KeyForwarded:
		return "A"
	case sim.KeyMade:
		return string(rune('B' + try))
	}
	return ""
}

// The steps of storeRun to which pages belong.
const (
	storeBusy  = 2
	storeKnown = 4
)

// storeRun shows the provider's key store at work: a claim table. A request
// under a key that is in process is refused with 409, as the HTTP API working
// group's draft on the Idempotency-Key header has it
// (draft-ietf-httpapi-idempotency-key-header, section 2.6).
func storeRun() *Sequence {
	const post = "POST /charges  Idempotency-Key: A"
	return &Sequence{
		Title: "inside the provider",
		Lanes: []string{"try 1", "try 2", "key store", "ledger"},
		Instants: []Instant{
			{
				Marks: []Mark{{Text: "key A"}, {}, {Text: "PROCESSING"}, {Text: "no charge"}},
				Told:  "Try 1 comes, and the provider claims its key: it inserts a row that only one call can win.",
				Lines: []Line{{"try 1", post, ""}, {"key store", "INSERT INTO keys (key, state) VALUES ('A', 'PROCESSING')", "1 row"}},
			},
			{
				At: millisecond, Marks: []Mark{{}, {Text: "key A", Note: "busy: 409"}, {}, {}},
				Told:  "Try 2 comes while try 1 is at work. The claim is held, so it is sent away, to come back later.",
				Lines: []Line{{"try 2", post, "409 Conflict"}, {"key store", "INSERT INTO keys (key, state) VALUES ('A', 'PROCESSING')", "unique violation"}},
			},
			{
				At: hopCharge, Marks: []Mark{{Note: "no answer"}, {}, {Text: "DONE"}, {Text: "$", Note: "once"}},
				Told:  "The provider charges, and keeps the result under the key. The answer to try 1 is lost.",
				Lines: []Line{{"key store", "UPDATE keys SET state = 'DONE', result = '...' WHERE key = 'A'", "1 row"}, {"try 1", post, "timeout"}},
			},
			{
				At: hopApart, Marks: []Mark{{}, {Text: "key A", Note: "result"}, {}, {Text: "= $", Note: "no change"}},
				Told:  "Try 2 comes back and finds its key DONE. Nothing is charged, and it gets the stored result.",
				Lines: []Line{{"try 2", post, "200, the first result"}, {"key store", "SELECT state, result FROM keys WHERE key = 'A'", "DONE"}},
			},
		},
	}
}

// hops is what becomes of three tries through one hop or two.
func hops() *Exhibit {
	e := &Exhibit{Titles: []string{"the first hop", "the second hop", "tries", "charges"}}
	for _, chain := range [][2]sim.KeyAt{
		{sim.KeyForwarded, sim.KeyForwarded},
		{sim.KeyForwarded, sim.KeyMade},
		{sim.KeyMade, sim.KeyForwarded},
		{sim.KeyForwarded, sim.KeyDropped},
	} {
		charges := sim.ChargesThroughHops(hopTries, chain[0], chain[1])
		e.Rows = append(e.Rows, []string{chain[0].String(), chain[1].String(), count(hopTries), count(int64(charges))})
	}
	return e
}

// storePages are about the provider's key store.
func storePages(scene int) []Page {
	run := storeRun()
	page := func(step int, text string) Page {
		return Page{Scene: scene, Moment: atEnd, Sequence: run, Step: step, text: text}
	}
	return []Page{
		page(storeBusy, "How does the provider do it? With a claim table of its own: this very protocol, on the other side. Try 1 has claimed the key and is at work. Try 2 finds the claim held and has to come back later."),
		page(storeKnown, "Charged, and the key is DONE, with the result beside it. The answer was lost, and it does not matter: whoever brings the key again gets the same answer, and nobody is charged."),
	}
}

// hopPages are about a service between us and the provider.
func hopPages(scene int) []Page {
	on, own := through(sim.KeyForwarded), through(sim.KeyMade)
	charged := times(int64(sim.ChargesThroughHops(hopTries, sim.KeyForwarded, sim.KeyMade)))
	end := len(own.Instants)
	return []Page{
		{
			Scene: scene, Moment: atEnd, Sequence: on, Step: end,
			text: fmt.Sprintf("Between us and the provider there is often another service. This one passes our key on. We try %s, all answers get lost, and the provider sees one key: charged %s.", times(hopTries), times(int64(sim.ChargesThroughHops(hopTries, sim.KeyForwarded, sim.KeyForwarded)))),
		},
		{
			Scene: scene, Moment: atEnd, Sequence: own, Step: end - 1,
			text: "This one makes a key of its own for each request that it sends. Our key is the same with every try, but what the provider sees is a new one. So it charges again.",
		},
		{
			Scene: scene, Moment: atEnd, Sequence: own, Step: end, Exhibit: hops(),
			text: "Charged " + charged + ". The chain is as good as its weakest hop: every one that causes something outside has to take the key it got, and honour it or pass it on.",
		},
	}
}
