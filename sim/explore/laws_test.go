package explore

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"idemtui/sim"
)

// drawConfig draws a small search.
func drawConfig(t *rapid.T) Config {
	all := sim.Handlers()
	n := rapid.IntRange(1, 3).Draw(t, "deliveries")
	most := 2
	if n == 3 {
		most = 1
	}
	fault := func(name string) int { return rapid.IntRange(0, most).Draw(t, name) }
	return Config{
		Handler: all[rapid.IntRange(0, len(all)-1).Draw(t, "handler")], Deliveries: n,
		Budgets: Budgets{Fail: fault("fail"), Timeout: fault("timeout"), Crash: fault("crash"), Slow: fault("slow"), Forget: fault("forget")},
	}
}

// naive explores by maps and recursion over whole states: no packing, no memo.
type naive struct {
	handler *sim.Handler
	order   []State // in the order of a breadth-first search
	depth   map[State]int
	edges   int64
}

func explorePlainly(c Config) *naive {
	n := &naive{handler: c.Handler, depth: map[State]int{c.Start(): 0}, order: []State{c.Start()}}
	for i := 0; i < len(n.order); i++ {
		s := n.order[i]
		for _, m := range s.Moves(c.Handler) {
			n.edges++
			next := s.After(m)
			if _, ok := n.depth[next]; !ok {
				n.depth[next] = n.depth[s] + 1
				n.order = append(n.order, next)
			}
		}
	}
	return n
}

// tally is the number of ways from a state to the ends of each kind.
type tally struct{ total, double, triple, lost *big.Int }

func (n *naive) tally(s State, known map[State]tally) tally {
	if t, ok := known[s]; ok {
		return t
	}
	t := tally{new(big.Int), new(big.Int), new(big.Int), new(big.Int)}
	list := s.Moves(n.handler)
	for _, m := range list {
		next := n.tally(s.After(m), known)
		t.total.Add(t.total, next.total)
		t.double.Add(t.double, next.double)
		t.triple.Add(t.triple, next.triple)
		t.lost.Add(t.lost, next.lost)
	}
	if len(list) == 0 {
		one := big.NewInt(1)
		t.total = one
		if s.Cell.Charges >= 2 {
			t.double = one
		}
		if s.Cell.Charges >= 3 {
			t.triple = one
		}
		if s.Cell.Charges == 0 {
			t.lost = one
		}
	}
	known[s] = t
	return t
}

// The packed search, in either width of key, agrees with a plain one.
func TestPackedSearchAgreesWithAPlainOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		plain := explorePlainly(c)
		want := plain.tally(c.Start(), map[State]tally{})
		for _, wide := range []bool{false, true} {
			c.Workers = rapid.IntRange(0, 3).Draw(t, "workers")
			s, err := newSearch(c)
			if err != nil {
				t.Fatal(err)
			}
			s.grain = drawGrain(t)
			if wide {
				s.store = newTable(packing128(), c.maxMemory(), s.workers)
			}
			if err := s.finish(context.Background()); err != nil {
				t.Fatal(err)
			}
			r := s.result
			if int(r.States) != len(plain.order) || r.Edges != plain.edges {
				t.Fatalf("%d states and %d edges, want %d and %d", r.States, r.Edges, len(plain.order), plain.edges)
			}
			for i, state := range plain.order {
				word, slots := s.codec.pack(&state)
				if s.store.at(uint32(i)) != (edge{word, slots}) {
					t.Fatalf("state %d differs from the plain search", i)
				}
			}
			for name, pair := range map[string][2]*big.Int{
				"interleavings": {r.Interleavings, want.total}, "double": {r.Double, want.double},
				"triple": {r.Triple, want.triple}, "lost": {r.Lost, want.lost},
			} {
				if pair[0].Cmp(pair[1]) != 0 {
					t.Fatalf("%s is %s, want %s", name, pair[0], pair[1])
				}
			}
			checkEnds(t, r)
		}
	})
}

// checkEnds says that each counterexample is one, and that every complete run
// ends with all deliveries acknowledged.
func checkEnds(t *rapid.T, r Result) {
	if p := r.ShortestDouble; p != nil {
		states := p.States()
		if len(states) != p.Len()+1 || states[p.Len()].Cell.Charges != 2 {
			t.Fatalf("%s is no double charge", p)
		}
	}
	if p := r.ShortestLost; p != nil {
		end := p.States()[p.Len()]
		acked := true
		for _, d := range end.Deliveries[:end.Count] {
			acked = acked && d.PC == sim.End
		}
		if end.Cell.Charges != 0 || len(end.Moves(r.Handler)) > 0 || !acked {
			t.Fatalf("%s is no loss", p)
		}
	}
	if (r.ShortestDouble != nil) != (r.Double.Sign() > 0) || (r.ShortestLost != nil) != (r.Lost.Sign() > 0) {
		t.Fatal("a counterexample and its count disagree")
	}
}

func TestSymmetryChangesNoNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		full, err := Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		c.Symmetry = true
		reduced, err := Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if reduced.States != full.States || reduced.Edges != full.Edges || reduced.Canonical != full.Canonical || reduced.Terminal != full.Terminal {
			t.Fatalf("with symmetry %d states, %d edges, %d canonical, %d terminal; want %d, %d, %d, %d",
				reduced.States, reduced.Edges, reduced.Canonical, reduced.Terminal, full.States, full.Edges, full.Canonical, full.Terminal)
		}
		if text(reduced.ShortestDouble) != text(full.ShortestDouble) || text(reduced.ShortestLost) != text(full.ShortestLost) {
			t.Fatalf("with symmetry %q and %q, want %q and %q", text(reduced.ShortestDouble), text(reduced.ShortestLost), text(full.ShortestDouble), text(full.ShortestLost))
		}
	})
}

// From any state of a schedule, the outlook has the distances of a plain
// search.
func TestAheadFindsTheDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		path, err := Walk(c, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		if err != nil {
			t.Fatal(err)
		}
		states := path.States()
		from := states[rapid.IntRange(0, path.Len()).Draw(t, "at")]
		outlook, err := Ahead(context.Background(), c, from)
		if err != nil {
			t.Fatal(err)
		}
		double, lost := -1, -1
		seen := map[State]int{from: 0}
		for queue := []State{from}; len(queue) > 0; queue = queue[1:] {
			s := queue[0]
			list := s.Moves(c.Handler)
			if double < 0 && s.Cell.Charges >= 2 {
				double = seen[s]
			}
			if lost < 0 && len(list) == 0 && s.Cell.Charges == 0 {
				lost = seen[s]
			}
			for _, m := range list {
				next := s.After(m)
				if _, ok := seen[next]; !ok {
					seen[next] = seen[s] + 1
					queue = append(queue, next)
				}
			}
		}
		length := func(p *Path) int {
			if p == nil {
				return -1
			}
			return len(p.States()) - 1
		}
		if length(outlook.Double) != double || length(outlook.Lost) != lost {
			t.Fatalf("double in %d, lost in %d; want %d and %d", length(outlook.Double), length(outlook.Lost), double, lost)
		}
	})
}

func TestTokenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		path, err := Walk(c, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		if err != nil {
			t.Fatal(err)
		}
		path.Steps = path.Steps[:rapid.IntRange(0, path.Len()).Draw(t, "length")]
		again, opened, err := ParseToken(path.Token())
		if err != nil || again.Handler != c.Handler || again.Deliveries != c.Deliveries || again.Budgets != c.Budgets || !slices.Equal(opened.Steps, path.Steps) || opened.Token() != path.Token() {
			t.Fatalf("%s: %v", path.Token(), err)
		}
	})
}

func TestTokens(t *testing.T) {
	result, err := Run(t.Context(), config(sim.HandlerLease, 2, slowOnce))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.ShortestDouble.Token(), "x1.lease.2.0-0-0-1-0.00g33"; got != want {
		t.Errorf("token %q, want %q", got, want)
	}
	for text, want := range map[string]string{
		"":                               "does not begin with the version x1",
		"s1.abc":                         "does not begin with the version x1",
		"x2.lease.2.0-0-0-1-0.00":        "its version is x2",
		"x1.lease.2.0-0-0-1-0":           "it is not x1.HANDLER",
		"x1.nobody.2.0-0-0-1-0.0":        `no handler "nobody"`,
		"x1.lease.5.0-0-0-1-0.0":         "5 deliveries",
		"x1.lease.0.0-0-0-1-0.0":         "0 deliveries",
		"x1.lease.02.0-0-0-1-0.0":        "is not a number",
		"x1.lease.2.0-0-0-1.0":           "4 budgets",
		"x1.lease.2.0-0-0--1-0.0":        "6 budgets",
		"x1.lease.2.0-0-0-1-0.0z":        "not a choice",
		"x1.lease.2.0-0-0-1-0.00!":       "not a choice",
		"x1.lease.2.0-0-0-1-0.0g3":       "",
		"x1.lease.2.0-0-0-1-0.1":         "step 1 of the schedule is not possible",
		"x1.lease.2.0-0-0-1-0.00gg":      "step 4 of the schedule is not possible",
		"x1.lease.2.0-0-0-9999999999-0.": "is not a number",
		"x1.lease.2.0-0-0-1-0." + strings.Repeat("0", 5000): "too long",
	} {
		_, _, err := ParseToken(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("ParseToken(%q): %v, want %q", text, err, want)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add("x1.lease.2.0-0-0-1-0.00g33")
	f.Add("x2.lease.2.0-0-0-1-0.")
	f.Fuzz(func(t *testing.T, text string) {
		_, path, err := ParseToken(text)
		if err == nil && path.Token() != text {
			t.Fatalf("%q opens as %q", text, path.Token())
		}
	})
}

func TestBadConfigs(t *testing.T) {
	for want, c := range map[string]Config{
		"no handler":             {Deliveries: 1},
		"5 deliveries are too":   config(sim.HandlerNone, 5, Budgets{}),
		"0 deliveries":           config(sim.HandlerNone, 0, Budgets{}),
		"fail is -1":             config(sim.HandlerNone, 1, Budgets{Fail: -1}),
		"forget is -3":           config(sim.HandlerNone, 1, Budgets{Forget: -3}),
		"slow is 300000000":      config(sim.HandlerLease, 1, Budgets{Slow: 300_000_000}),
		"budgets are too large":  config(sim.HandlerLease, 4, Budgets{Crash: 1 << 20, Slow: 1 << 20}),
		"memory limit is negati": {Handler: sim.HandlerNone.Handler(), Deliveries: 1, MaxMemory: -1},
	} {
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

func TestStopsAtTheMemoryLimit(t *testing.T) {
	for _, symmetry := range []bool{false, true} {
		c := config(sim.HandlerFence, 4, ones())
		c.MaxMemory, c.Symmetry = 400<<10, symmetry
		r, err := Run(t.Context(), c)
		var stopped *StoppedError
		if !errors.As(err, &stopped) || r.Complete || stopped.States == 0 || stopped.States != r.States {
			t.Fatalf("symmetry %v: %v, complete %v", symmetry, err, r.Complete)
		}
		if r.States == 0 || r.Interleavings != nil || r.MaxDepth != nil {
			t.Errorf("symmetry %v: a stopped search says %+v", symmetry, r)
		}
		if got, want := text(r.ShortestDouble), "D1 claim-won, D1 charge, D1 crash"; !strings.HasPrefix(got, "D1 claim-won, D1 charge") {
			t.Errorf("symmetry %v: the double charge found until then is %q, want one as %q", symmetry, got, want)
		}
	}
}

func TestCountsAreLeftOutBeyondTheMemoryLimit(t *testing.T) {
	c := config(sim.HandlerFence, 4, ones())
	c.MaxMemory = 24 << 20
	r, err := Run(t.Context(), c)
	if err != nil || !r.Complete || r.States != 502_141 {
		t.Fatalf("%v, %d states", err, r.States)
	}
	if r.Interleavings != nil || r.Double != nil || r.Triple != nil || r.Lost != nil || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "that needs") {
		t.Errorf("counts %v, notes %v", r.Interleavings, r.Notes)
	}
}

func TestCancelledSearchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := config(sim.HandlerFence, 4, ones())
	calls := 0
	c.Progress = func(p Progress) {
		if calls++; calls == 3 {
			cancel()
		}
	}
	r, err := Run(ctx, c)
	if !errors.Is(err, context.Canceled) || r.Complete || calls > 4 {
		t.Errorf("%v, complete %v, %d calls", err, r.Complete, calls)
	}
}

// Each phase of the counting pass looks at the context.
func TestCountingIsCancelledAtOnce(t *testing.T) {
	s, err := newSearch(config(sim.HandlerFence, 3, ones()))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, err := s.newGraph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.newGraph(over)
	_, longest := g.longest(over)
	_, sum := s.sumWays(over, g, 2)
	for name, err := range map[string]error{"graph": err, "sort": g.sort(over, make([]uint32, len(g.order))), "longest": longest, "sum": sum, "number": s.store.number(over, 1)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want it cancelled", name, err)
		}
	}
}

// Numbers beyond 64 and 128 bits are counted by the same sums.
func TestLimbs(t *testing.T) {
	s, err := newSearch(config(sim.HandlerFence, 3, ones()))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, err := s.newGraph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var wide *big.Int
	for limbs := 4; limbs >= 1; limbs-- {
		fits, err := s.sumWays(t.Context(), g, limbs)
		if err != nil {
			t.Fatal(err)
		}
		if !fits {
			if wide.BitLen() <= 64*limbs {
				t.Errorf("%s does not fit %d limbs", wide, limbs)
			}
			continue
		}
		if wide != nil && wide.Cmp(s.result.Interleavings) != 0 {
			t.Errorf("%d limbs count %s, want %s", limbs, s.result.Interleavings, wide)
		}
		wide = s.result.Interleavings
	}
	if addLimbs([]uint64{1<<64 - 1, 1<<64 - 1}, []uint64{1, 0}) {
		t.Error("an overflow is not seen")
	}
}
