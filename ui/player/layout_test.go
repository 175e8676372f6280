package player

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/ui/frame"
	"idemtui/ui/text"
)

func anyTrace(r *rapid.T) *sim.Trace {
	all := sim.Handlers()
	handler := all[rapid.IntRange(0, len(all)-1).Draw(r, "handler")].ID
	s := sim.DemoScenario(handler)
	if rapid.Bool().Draw(r, "many") {
		s = sim.DefaultScenario()
		s.Handler, s.Payments, s.Workers = handler, 60, rapid.IntRange(1, 12).Draw(r, "workers")
	}
	s.Seed = rapid.Uint64Range(0, 1000).Draw(r, "seed")
	trace, err := sim.Record(s)
	if err != nil {
		r.Fatal(err)
	}
	return trace
}

// TestNothingOnAPageOverlaps lays out every page of some run.
func TestNothingOnAPageOverlaps(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		trace := anyTrace(r)
		width := rapid.IntRange(frame.MinWidth-gutter-1, 220).Draw(r, "width")
		level := rapid.IntRange(-8, 2).Draw(r, "zoom")
		for now := int64(0); ; {
			g := gridOf(baseLength(trace.Scenario(), trace.Duration(), width, fitting(trace.Duration())), trace.Duration(), zoom{level: level})
			p := layPage(trace, width, g.at(now))
			checkPage(r, p)
			if p.number == p.count {
				break
			}
			now += g.step()
		}
	})
}

func checkPage(r *rapid.T, p *page) {
	for _, t := range p.workers {
		end := 0
		for _, b := range t.blocks {
			if b.a < end || b.b < b.a || b.b > p.width || len(b.glyphs) != b.b-b.a || b.word > len(b.glyphs) {
				r.Fatalf("worker %d: block %d..%d of %d glyphs after %d in %d cells", t.worker, b.a, b.b, len(b.glyphs), end, p.width)
			}
			if off := b.a - max(p.column(b.span.Start), 0); b.span.Kind == sim.SpanStep && (off > leastWord+2 || off < -leastWord) {
				r.Fatalf("worker %d: a step is drawn %d cells off", t.worker, off)
			}
			end = b.b
		}
	}
	for _, lane := range [][]mark{p.broker, p.table, p.provider} {
		end := 0
		for _, m := range lane {
			if m.x < end || m.x >= p.width {
				r.Fatalf("mark %q at %d overlaps the one that ends at %d", m.text, m.x, end)
			}
			end = m.x + text.Width(m.text)
		}
	}
	for _, v := range p.trace.Violations() {
		if p.dense {
			break
		}
		e := p.trace.Event(v.Seq)
		if v.Kind != sim.ChargedTwice || e.At < p.start || e.At >= p.end() || p.column(e.At) >= p.width-4 {
			continue
		}
		i := slices.IndexFunc(p.provider, func(m mark) bool { return int(m.seq) == v.Seq })
		if i >= 0 && !strings.HasPrefix(p.provider[i].text, "✗") {
			r.Fatalf("the double charge at event %d is marked %q", v.Seq, p.provider[i].text)
		}
	}
}

func TestThePageStandsStillUntilTheCursorLeavesIt(t *testing.T) {
	p := open(t, Config{Many: true})
	p.View(120, 35)
	first := p.cache.page
	for p.now < first.end() {
		p.View(120, 35)
		if p.cache.page != first {
			t.Fatalf("the page changed at %d ns, it ends at %d", p.now, first.end())
		}
		press(p, p.keys.Player.Step)
	}
	p.View(120, 35)
	if second := p.cache.page; second.number != 2 || second.column(p.now) < second.width/5 {
		t.Errorf("after the first page comes page %d from %d", second.number, second.start)
	}
}

func TestHandlersAreDrawnToOneScale(t *testing.T) {
	p := open(t, Config{})
	p.View(120, 35)
	before := p.cache.page.length
	press(p, p.keys.Player.NextHandler)
	p.View(120, 35)
	if after := p.cache.page.length; after != before {
		t.Errorf("the page of claim is %d ns long, that of check %d", after, before)
	}
}

func TestWordsOfSteps(t *testing.T) {
	trace, err := sim.Record(sim.DemoScenario(sim.HandlerCheck))
	if err != nil {
		t.Fatal(err)
	}
	p := &page{trace: trace, stretch: stretch{length: 100}, width: 100}
	for _, c := range []struct {
		pc   uint8
		w    int
		want string
	}{
		{0, 9, "├check──┤"},
		{0, 7, "├check┤"},
		{0, 6, "check┤"},
		{0, 5, "check"},
		{0, 4, "chk┤"},
		{0, 3, "chk"},
		{0, 1, "c"},
		{2, 10, "├remember┤"},
		{2, 9, "remember┤"},
		{2, 8, "remember"},
		{2, 7, "├rem──┤"},
		{2, 5, "├rem┤"},
		{3, 5, " ack "},
		{3, 3, "ack"},
		{3, 1, "a"},
	} {
		b := block{span: sim.Span{Kind: sim.SpanStep, PC: c.pc, Start: 10, End: 20, Effect: -1}, a: 10, b: 10 + c.w}
		p.letterStep(&b)
		if got := string(b.glyphs); got != c.want {
			t.Errorf("step %d in %d cells is %q, want %q", c.pc, c.w, got, c.want)
		}
	}
}

func TestTheBusiestWorkersAreShown(t *testing.T) {
	p := open(t, Config{Many: true})
	press(p, p.keys.Player.NextBad)
	p.View(60, 14)
	e := p.trace.Event(p.n - 1)
	shown := p.cache.page.busiest(1, -1)
	if len(shown) != 1 || shown[0].worker != int(e.Worker) {
		t.Errorf("one worker to show, and it is not w%d, who charges again: %+v", e.Worker+1, shown)
	}
	if line := foldLine(p.cache.page, shown); line != "… 7 more workers, at work on this page" {
		t.Errorf("the fold says %q", line)
	}
}

func TestProgramMarkers(t *testing.T) {
	p := open(t, Config{})
	p.goToEvent(10)
	view := strings.Split(screen(p, 80, 23), "\n")
	i := slices.IndexFunc(view, func(line string) bool { return strings.Contains(line, "charge(id)") })
	if i < 0 || !strings.Contains(view[i], "▶w") {
		t.Errorf("no marker at the charge:\n%s", strings.Join(view, "\n"))
	}
}

// TestAPaneNeverWritesOutsideItself writes anything anywhere.
func TestAPaneNeverWritesOutsideItself(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := newCanvas(20, 6)
		inside := rect{rapid.IntRange(0, 19).Draw(r, "x"), rapid.IntRange(0, 5).Draw(r, "y"), rapid.IntRange(0, 25).Draw(r, "w"), rapid.IntRange(0, 9).Draw(r, "h")}
		p := c.pane(inside)
		written := rapid.StringOf(rapid.SampledFrom([]rune("ab 注─✗\u0308"))).Draw(r, "text")
		x, y := rapid.IntRange(-5, 30).Draw(r, "at x"), rapid.IntRange(-3, 12).Draw(r, "at y")
		p.put(x, y, written, inkBad)
		p.wrap(y, rapid.IntRange(0, 9).Draw(r, "limit"), written, inkBad)
		p.sub(1, 1, 40, 40).cut(x, y, 12, written, inkBad)
		for i, cell := range c.cells {
			x, y := i%c.w, i/c.w
			if cell.ink == inkBad && (x < inside.x || x >= inside.x+inside.w || y < inside.y || y >= inside.y+inside.h) {
				r.Fatalf("%q written at %d,%d outside %+v", string(cell.r), x, y, inside)
			}
		}
		var plain palette
		for _, line := range strings.Split(c.draw(&plain), "\n") {
			if text.Width(line) > c.w {
				r.Fatalf("the line %q is %d cells wide", line, text.Width(line))
			}
		}
	})
}
