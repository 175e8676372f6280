package lessons

import (
	"context"
	"fmt"
	"strings"

	"idemtui/sim"
	"idemtui/sim/explore"
)

// Proof is an exhaustive search that a page quotes: every order of the
// deliveries of one payment under a handler, with so many faults.
type Proof struct {
	Handler    sim.HandlerID
	Deliveries int
	Budgets    explore.Budgets
}

// Counts is what a search found, of complete schedules.
type Counts struct {
	All    int64 // schedules: orders in which the steps can be taken, to the end
	Double int64 // in which the customer was charged twice or more
	Lost   int64 // in which the customer was never charged
}

// Count searches. A lesson's proofs have a few hundred states, so this takes no
// longer than a frame.
func (p Proof) Count() (Counts, error) {
	r, err := explore.Run(context.Background(), explore.Config{Handler: p.Handler.Handler(), Deliveries: p.Deliveries, Budgets: p.Budgets})
	if err != nil {
		return Counts{}, fmt.Errorf("count the schedules of %s: %w", p.Handler, err)
	}
	return Counts{r.Interleavings.Int64(), r.Double.Int64(), r.Lost.Int64()}, nil
}

// Command is how a reader can have the search made.
func (p Proof) Command() string {
	words := []string{"idemtui sim explore --handler", p.Handler.String(), "--deliveries", fmt.Sprint(p.Deliveries)}
	for _, budget := range []struct {
		flag string
		n    int
	}{
		{"--fail", p.Budgets.Fail},
		{"--timeout", p.Budgets.Timeout},
		{"--crash", p.Budgets.Crash},
		{"--slow", p.Budgets.Slow},
		{"--forget", p.Budgets.Forget},
	} {
		if budget.n > 0 {
			words = append(words, budget.flag, fmt.Sprint(budget.n))
		}
	}
	return strings.Join(words, " ")
}

// proofWord looks up {all}, {double} and {lost} of the first proof, {all2} and
// so on of the second.
func proofWord(proofs []Proof, word string) (string, bool) {
	for i, p := range proofs {
		name := word
		if i > 0 {
			var ok bool
			if name, ok = strings.CutSuffix(word, fmt.Sprint(i+1)); !ok {
				continue
			}
		}
		if name != "all" && name != "double" && name != "lost" {
			continue
		}
		counts, err := p.Count()
		if err != nil {
			return "", false
		}
		switch name {
		case "all":
			return count(counts.All), true
		case "double":
			return orNo(counts.Double), true
		default:
			return orNo(counts.Lost), true
		}
	}
	return "", false
}

// orNo is a number in a sentence; none is a word.
func orNo(n int64) string {
	if n == 0 {
		return "none"
	}
	return count(n)
}
