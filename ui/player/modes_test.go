package player

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"idemtui/sim"
)

// anyGlance presses keys that change how the run is looked at.
func anyGlance(r *rapid.T, p *Player) {
	k := p.keys.Player
	glances := []key.Binding{k.Closer, k.Farther, k.Follow, k.LaneUp, k.LaneDown, k.Statement, k.Compare, k.NextHandler, k.Earlier}
	for _, b := range rapid.SliceOfN(rapid.SampledFrom(glances), 0, 6).Draw(r, "glances") {
		p.View(100, 30)
		press(p, b)
	}
}

// TestBackNAndForwardNIsTheSamePicture looks at runs in any way: the picture
// after n steps back and n forward is the one before, whatever a step is then.
func TestBackNAndForwardNIsTheSamePicture(t *testing.T) {
	many := sim.DefaultScenario()
	many.Payments = 80
	rapid.Check(t, func(r *rapid.T) {
		p := open(t, Config{Scenario: many, Many: rapid.Bool().Draw(r, "many")})
		k := p.keys.Player
		p.goToEvent(rapid.IntRange(0, p.trace.Len()).Draw(r, "at"))
		anyGlance(r, p)
		back, forward := k.Back, k.Step
		switch rapid.IntRange(0, 3).Draw(r, "steps") {
		case 1:
			back, forward = k.PrevSeen, k.NextSeen
		case 2:
			back, forward = k.PrevEvent, k.NextEvent
		}
		press(p, forward, back, forward) // onto an event of that kind
		want, at, n := 0, p.now, p.n
		before := p.View(100, 30)
		for range rapid.IntRange(1, 40).Draw(r, "n") {
			if p.n == 0 && p.now == 0 {
				break
			}
			press(p, back)
			want++
		}
		for range want {
			press(p, forward)
		}
		if p.now != at || p.n != n {
			r.Fatalf("%d back and forward from event %d at %d ns end at event %d at %d ns", want, n, at, p.n, p.now)
		}
		p.notice = ""
		if after := p.View(100, 30); ansi.Strip(after) != ansi.Strip(before) && !strings.Contains(before, "No later event") {
			r.Fatalf("%d back and forward changes\n%s\nto\n%s", want, ansi.Strip(before), ansi.Strip(after))
		}
	})
}

func TestZoomKeepsTheCursorInItsCell(t *testing.T) {
	p := open(t, Config{Many: true})
	rapid.Check(t, func(r *rapid.T) {
		p.zoom = zoom{}
		p.seek(rapid.Int64Range(p.trace.Duration()/20, p.trace.Duration()).Draw(r, "at"))
		p.View(120, 35)
		for _, closer := range rapid.SliceOfN(rapid.Bool(), 1, 12).Draw(r, "keys") {
			before := p.cache.page
			cell := before.cursor(p.now)
			if closer {
				press(p, p.keys.Player.Closer)
			} else {
				press(p, p.keys.Player.Farther)
			}
			p.View(120, 35)
			after := p.cache.page
			if got := after.cursor(p.now); got != cell && after.start > 0 {
				r.Fatalf("the cursor went from cell %d to %d", cell, got)
			}
			if p.now < after.start || p.now > after.end() {
				r.Fatalf("%d is not on the page from %d to %d", p.now, after.start, after.end())
			}
		}
	})
}

func TestLookingBackLeavesTheCursorWhereItIs(t *testing.T) {
	p := open(t, Config{Many: true})
	k := p.keys.Player
	p.View(120, 35)
	press(p, k.NextPage, k.NextPage, k.NextPage)
	p.View(120, 35)
	at, home := p.now, p.cache.page.start
	press(p, k.Earlier, k.Earlier, k.Earlier, k.Earlier, k.Earlier)
	view := screen(p, 120, 35)
	if p.now != at || p.cache.page.start >= home || !strings.Contains(view, "looking back") || !strings.Contains(view, "→") {
		t.Errorf("at %d, page from %d:\n%s", p.now, p.cache.page.start, view)
	}
	press(p, k.Step, k.Back)
	p.View(120, 35)
	if p.cache.page.start != home {
		t.Error("a step does not come back to the cursor")
	}
}

func TestTenthsAndPages(t *testing.T) {
	p := open(t, Config{Many: true})
	p.View(120, 35)
	p.Update(named("5"))
	if d := p.trace.Duration(); p.now != d/2 && p.now != d/2-1 {
		t.Errorf("5 goes to %d of %d", p.now, d)
	}
	page := p.cache.page
	p.View(120, 35)
	k := p.keys.Player
	number := p.cache.page.number
	press(p, k.NextPage)
	p.View(120, 35)
	if p.cache.page.number != number+1 {
		t.Errorf("a page on from %d is %d", number, p.cache.page.number)
	}
	press(p, k.PrevPage)
	p.View(120, 35)
	if p.cache.page.number != number || page == p.cache.page {
		t.Errorf("and back is %d", p.cache.page.number)
	}
}

func TestFollowingAPaymentStepsThroughItsEvents(t *testing.T) {
	p := open(t, Config{Many: true})
	k := p.keys.Player
	press(p, k.NextBad, k.Follow)
	payment := p.focus()
	seen := 0
	for press(p, k.First, k.Step); p.notice == ""; press(p, k.Step) {
		if e := p.trace.Event(p.n - 1); e.Payment != payment {
			t.Fatalf("event %d is of %s", p.n-1, sim.PaymentName(e.Payment))
		}
		seen++
	}
	want := 0
	for i := range p.trace.Len() {
		if p.trace.Event(i).Payment == payment {
			want++
		}
	}
	if seen != want {
		t.Errorf("%d of its %d events", seen, want)
	}
	if view := screen(p, 120, 35); !strings.Contains(view, "following "+sim.PaymentName(payment)) {
		t.Errorf("the screen does not say whom it follows:\n%s", view)
	}
	press(p, k.Clear)
	if p.following {
		t.Error("esc does not end it")
	}
}

func TestAPaymentIsFollowedByName(t *testing.T) {
	for in, want := range map[string]int32{"p17": 16, "17": 16, " P2000 ": 1999} {
		if got, err := parsePayment(in, 2000); err != nil || got != want {
			t.Errorf("parsePayment(%q) = %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "p0", "-1", "p2001", "x", "1.5", "99999999999"} {
		if _, err := parsePayment(in, 2000); err == nil {
			t.Errorf("parsePayment(%q) is taken", in)
		}
	}
	p := open(t, Config{Many: true})
	p.Update(typed(p.keys.Player.FollowID))
	for _, r := range "p17" {
		p.dialogs.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	_, cmd := p.dialogs.Update(named("enter"))
	p.Update(cmd())
	if !p.following || p.followed != 16 {
		t.Errorf("following %v %d", p.following, p.followed)
	}
}

func TestTheFilterFindsAndMoves(t *testing.T) {
	p := open(t, Config{Many: true})
	k := p.keys.Player
	press(p, k.Filter)
	if !p.Typing() {
		t.Fatal("the filter has not the keyboard")
	}
	for _, r := range "TWICE" {
		p.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	p.Update(named("down"))
	p.Update(named("enter"))
	if v := p.trace.Violations(); p.Typing() || p.n != v[0].Seq+1 {
		t.Errorf("at event %d", p.n)
	}
	press(p, k.NextEvent)
	if v := p.trace.Violations(); p.n != v[1].Seq+1 {
		t.Errorf("the next one is at event %d", p.n)
	}
	all := p.cached(p.logList())
	press(p, k.Filter)
	p.filter = "!twice"
	if others := p.cached(p.logList()); len(all)+len(others) != len(p.cached(eventList{seen: true})) {
		t.Errorf("%d with and %d without", len(all), len(others))
	}
	press(p, k.Clear)
	if p.filter != "" || p.Typing() {
		t.Error("esc does not clear the filter")
	}
}

func TestComparedRunsShareTheClock(t *testing.T) {
	p := open(t, Config{Many: true})
	k := p.keys.Player
	press(p, k.Compare, k.Compare)
	if len(p.rows()) != 3 {
		t.Fatalf("%d runs", len(p.rows()))
	}
	press(p, k.Last)
	if !p.atEnd() {
		t.Errorf("the end is not the end of all: %d of %d", p.now, p.duration())
	}
	for _, want := range []string{"✗ twice 100", "twice 0", "the end"} {
		if view := screen(p, 120, 35); !strings.Contains(view, want) {
			t.Errorf("no %q:\n%s", want, view)
		}
	}
	press(p, k.LaneDown, k.NextHandler)
	if p.rivals[0].handler != sim.HandlerRelease || p.handler != sim.HandlerCheck {
		t.Errorf("tab on the second turns %v and %v", p.handler, p.rivals[0].handler)
	}
	press(p, k.Compare)
	if len(p.rows()) != 1 || p.now > p.trace.Duration() {
		t.Errorf("%d runs at %d", len(p.rows()), p.now)
	}
}

func TestViolationsOfAllComparedRunsAreFound(t *testing.T) {
	p := open(t, Config{Many: true})
	k := p.keys.Player
	press(p, k.Compare, k.Compare)
	times := map[int64]bool{}
	for _, r := range p.rows() {
		for _, v := range r.trace.Violations() {
			times[r.trace.Event(v.Seq).At] = true
		}
	}
	found := 0
	for press(p, k.NextBad); p.notice == ""; press(p, k.NextBad) {
		found++
	}
	if found != len(times) {
		t.Errorf("found %d of %d", found, len(times))
	}
}

func TestEveryStepOfEveryHandlerHasItsStatement(t *testing.T) {
	for _, h := range sim.Handlers() {
		s := sim.DefaultScenario()
		s.Handler = h.ID
		p := open(t, Config{Scenario: s})
		press(p, p.keys.Player.Statement)
		for p.n < p.trace.Len() {
			press(p, p.keys.Player.Step)
			view := screen(p, 120, 35)
			v := p.prepare(120)
			s, _ := h.Statement(uint8(v.stepAtCursor()))
			if first := strings.Fields(s.Text)[0]; !strings.Contains(view, first) {
				t.Fatalf("%s: step %d has no %q:\n%s", h.Name, v.stepAtCursor(), first, view)
			}
		}
	}
	for id, want := range map[sim.HandlerID][]string{
		sim.HandlerNatural:   {"status = 'PACKED'", "ON CONFLICT (order_id)", "shipped_count + 1"},
		sim.HandlerIncrement: {"shipped_count + 1", "status = 'PACKED'"},
		sim.HandlerOneTx:     {"cannot join the transaction"},
		sim.HandlerClaim:     {"INSERT waits"},
	} {
		s := sim.DefaultScenario()
		s.Handler = id
		p := open(t, Config{Scenario: s})
		press(p, p.keys.Player.Statement)
		shown := ""
		for p.n < p.trace.Len() {
			press(p, p.keys.Player.Step)
			shown += screen(p, 200, 59)
		}
		for _, w := range want {
			if !strings.Contains(shown, w) {
				t.Errorf("%v never says %q", id, w)
			}
		}
	}
}

func TestTheTokenOpensTheSameRun(t *testing.T) {
	s := sim.DefaultScenario()
	s.Seed, s.Handler = 7, sim.HandlerLease
	p := open(t, Config{Scenario: s})
	if view := screen(p, 80, 23); !strings.Contains(view, p.Token()) {
		t.Errorf("the token %s is not on the screen:\n%s", p.Token(), view)
	}
	opened, err := sim.ParseToken(p.Token())
	if err != nil {
		t.Fatal(err)
	}
	q := open(t, Config{Scenario: opened, Many: true})
	press(p, p.keys.Player.Last)
	press(q, q.keys.Player.Last)
	if a, b := screen(p, 120, 35), screen(q, 120, 35); a != b {
		t.Errorf("the opened run is\n%s\nand was\n%s", b, a)
	}
}

// TestWhatACallCharges asks the trace what each call did to the ledger.
func TestWhatACallCharges(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := sim.DefaultScenario()
		all := sim.Handlers()
		s.Handler = all[rapid.IntRange(0, len(all)-1).Draw(r, "handler")].ID
		s.Payments, s.Workers, s.Seed = 60, 4, rapid.Uint64Range(0, 50).Draw(r, "seed")
		s.Duplicates, s.Timeout, s.Fail = sim.One/2, sim.One/4, sim.One/4
		s.KeyMemory = rapid.SampledFrom([]int64{0, 1_000_000}).Draw(r, "memory")
		trace, err := sim.Record(s)
		if err != nil {
			r.Fatal(err)
		}
		p := &page{trace: trace, stretch: stretch{length: trace.Duration() + 1}, width: 100}
		for _, span := range trace.Spans(sim.LaneProvider, 0, trace.Duration()) {
			if span.Label != sim.LabelCharge && span.Label != sim.LabelChargeTimeout {
				continue
			}
			n := int(span.EffectSeq)
			want := trace.At(n + 1).Payments[span.Payment].Charges > trace.At(n).Payments[span.Payment].Charges
			if got := p.charges(span); got != want {
				r.Fatalf("%v: event %d charges %v, want %v", s.Handler, n, got, want)
			}
		}
	})
}
