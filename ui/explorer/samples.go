package explorer

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"

	"idemtui/sim/explore"
)

// Of so many random schedules, the most eventful few are shown.
const (
	walks       = 200
	mostSamples = 5
)

// schedulesOf lists what is worth seeing of a result: the counterexamples, and
// some sample schedules.
func schedulesOf(r explore.Result) []titled {
	var list []titled
	if r.ShortestDouble != nil {
		list = append(list, titled{"the shortest double charge", r.ShortestDouble})
	}
	if r.ShortestLost != nil {
		list = append(list, titled{"the shortest loss", r.ShortestLost})
	}
	for i, path := range samples(explore.Config{Handler: r.Handler, Deliveries: r.Deliveries, Budgets: r.Budgets}) {
		list = append(list, titled{"sample schedule " + strconv.Itoa(i+1), path})
	}
	return list
}

// samples are complete schedules at random, always the same ones: those in
// which the deliveries take turns and the faults happen.
func samples(config explore.Config) []*explore.Path {
	random := rand.New(rand.NewPCG(1, 2))
	seen := make(map[string]bool)
	type walk struct {
		path     *explore.Path
		eventful int
	}
	var all []walk
	for range walks {
		path, err := explore.Walk(config, random.IntN)
		if err != nil {
			return nil
		}
		if token := path.Token(); !seen[token] {
			seen[token] = true
			all = append(all, walk{path, eventful(path)})
		}
	}
	slices.SortStableFunc(all, func(a, b walk) int { return cmp.Compare(b.eventful, a.eventful) })
	paths := make([]*explore.Path, 0, mostSamples)
	for _, w := range all[:min(len(all), mostSamples)] {
		paths = append(paths, w.path)
	}
	return paths
}

// eventful counts the faults and the turns between deliveries. A fault weighs
// more than any number of turns that it brings with it.
func eventful(p *explore.Path) int {
	const fault = 10
	n := 0
	last := p.States()[p.Len()]
	for i := range last.Budget {
		n += fault * int(p.Start.Budget[i]-last.Budget[i])
	}
	for i := 1; i < len(p.Steps); i++ {
		if p.Steps[i].By != p.Steps[i-1].By {
			n++
		}
	}
	return n
}
