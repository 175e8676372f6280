package player

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"idemtui/sim"
)

// TestTheRunLineShowsHowManyWentWrong checks the line for the whole run at any
// place of any run: each violation is counted in one cell, the highest bar is the
// fullest cell, and the next violation has the only ✗ among bars.
func TestTheRunLineShowsHowManyWentWrong(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := sim.DefaultScenario()
		s.Handler = rapid.SampledFrom([]sim.HandlerID{sim.HandlerNone, sim.HandlerCheck, sim.HandlerClaim}).Draw(r, "handler")
		s.Payments, s.Seed = rapid.Int64Range(1, 400).Draw(r, "payments"), rapid.Uint64Range(0, 50).Draw(r, "seed")
		s.Duplicates = sim.One / sim.Fraction(rapid.IntRange(1, 20).Draw(r, "one in"))
		s.Fail = s.Duplicates / 2
		p := open(t, Config{Scenario: s, Many: true})
		p.goToEvent(rapid.IntRange(0, p.trace.Len()).Draw(r, "n"))
		w := rapid.IntRange(60, 200).Draw(r, "w")
		v := p.prepare(w)
		c := newCanvas(v.page.width, 1)
		v.drawScrub(c.pane(rect{0, 0, c.w, 1}))
		line, all := "", p.trace.Violations()
		for _, cell := range c.cells {
			line += string(cell.r)
		}
		d := v.density(v.page.width)
		sum, past := 0, 0
		for _, n := range d.cells {
			sum += n
		}
		for _, violation := range all {
			if violation.Seq < p.n {
				past++
			}
		}
		if sum != len(all) || d.all != len(all) || d.past != past {
			r.Fatalf("%d in cells, %d of %d past; want %d of %d", sum, d.past, d.all, past, len(all))
		}
		marks, _, _ := strings.Cut(line, " ✗ ")
		to, left := p.trace.NextViolation(p.n)
		if d.most > 1 && len(all) > 0 && v.note(d, v.page.width) != "" {
			if left && strings.Count(marks, "✗") > 1 || !left && strings.Contains(marks, "✗") {
				r.Fatalf("the next is not the only ✗: %s", line)
			}
			if left && !strings.Contains(line, "┃") {
				r.Fatalf("no cursor: %s", line)
			}
		}
		if left != (d.next >= 0) || left && d.at != p.trace.Event(to-1).At {
			r.Fatalf("the next is said to be at %d in cell %d, and is %v at event %d", d.at, d.next, left, to)
		}
	})
}

// Colour is never the only sign: how many there are, and the next one, are there
// without it.
func TestADenseRunIsNotASolidLineOfMarks(t *testing.T) {
	p := open(t, Config{Many: true, Scenario: sim.DefaultScenario()})
	press(p, p.keys.Player.NextBad, p.keys.Player.NextBad, p.keys.Player.NextBad)
	for _, size := range []struct {
		w, h int
		want []string
	}{{80, 24, []string{"✗   3 of 100", "▆", "█"}}, {120, 36, []string{"✗   3 of 100, next", "▄", "█"}}} {
		view := screen(p, size.w, size.h)
		for _, want := range size.want {
			if !strings.Contains(view, want) {
				t.Errorf("no %q in\n%s", want, view)
			}
		}
		for line := range strings.SplitSeq(view, "\n") {
			if strings.HasPrefix(line, " run") && strings.Count(line, "✗") > 2 {
				t.Errorf("more marks than the next and the count: %s", line)
			}
		}
	}
}
