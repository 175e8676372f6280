package player

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
)

// open starts a player with its first run made.
func open(t testing.TB, config Config) *Player {
	t.Helper()
	p := New(config, keys.Default(), &frame.Dialogs{})
	settle(p, p.Init())
	if p.trace == nil {
		t.Fatalf("no run: %s", p.failure)
	}
	return p
}

// settle carries out commands that make a run, and no ticks.
func settle(p *Player, cmd tea.Cmd) {
	if cmd == nil || p.mode == playing {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range batch {
			settle(p, cmd)
		}
		return
	}
	p.Update(msg)
}

// typed is the key press of the binding's first key.
func typed(b key.Binding) tea.KeyPressMsg { return named(b.Keys()[0]) }

func named(name string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		m.Mod, name = tea.ModShift, rest
	}
	codes := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "tab": tea.KeyTab,
		"space": tea.KeySpace, "enter": tea.KeyEnter, "esc": tea.KeyEscape,
		"up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	}
	if code, ok := codes[name]; ok {
		m.Code = code
		return m
	}
	m.Code, m.Text = []rune(name)[0], name
	return m
}

func press(p *Player, bindings ...key.Binding) {
	for _, b := range bindings {
		settle(p, p.Update(typed(b)))
	}
}

func screen(p *Player, w, h int) string { return ansi.Strip(p.View(w, h)) }

func TestItStartsPausedAndSaysWhatToPress(t *testing.T) {
	p := open(t, Config{})
	view := screen(p, 80, 23)
	for _, want := range []string{"one payment and its copy", "check, charge, then remember", "paused", "space to play, → to step", "deliveries 0   payments 0   charges 0"} {
		if !strings.Contains(view, want) {
			t.Errorf("the first screen does not say %q:\n%s", want, view)
		}
	}
}

func TestTheCountersAreThoseOfTheLesson(t *testing.T) {
	for handler, want := range map[sim.HandlerID]string{
		sim.HandlerNone:  "deliveries 2100   payments 2000   charges 2100   ✗ charged twice 100",
		sim.HandlerClaim: "deliveries 2100   payments 2000   charges 2000   charged twice 0",
	} {
		s := sim.DefaultScenario()
		s.Handler = handler
		p := open(t, Config{Scenario: s})
		press(p, p.keys.Player.Workload, p.keys.Player.Last)
		if view := screen(p, 80, 23); !strings.Contains(view, want) {
			t.Errorf("%v: the screen does not say %q:\n%s", handler, want, view)
		}
	}
}

func TestTheEndIsSaidInWords(t *testing.T) {
	p := open(t, Config{})
	press(p, p.keys.Player.Last)
	if view := screen(p, 120, 35); !strings.Contains(view, "✗ 2 charges for 1 payment: the customer paid twice.") {
		t.Errorf("the end:\n%s", view)
	}
}

func TestResultsAreListedOnceTheirEndWasSeen(t *testing.T) {
	p := open(t, Config{})
	k := p.keys.Player
	if view := screen(p, 120, 40); strings.Contains(view, "results you have seen") {
		t.Errorf("a result is told before the run:\n%s", view)
	}
	press(p, k.Last, k.NextHandler, k.NextHandler)
	view := strings.Join(strings.Fields(screen(p, 120, 40)), " ")
	for _, want := range []string{"check 2 1 2 ✗ twice 1", "claim 2 1 1 each once", "release 2 1 1 each once"} {
		if !strings.Contains(view, want) {
			t.Errorf("the results lack %q:\n%s", want, screen(p, 120, 40))
		}
	}
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		result sim.Result
		want   string
	}{
		{sim.Result{Deliveries: 2, Payments: 1, Charges: 2, ChargedTwice: 1}, "2 charges for 1 payment: the customer paid twice."},
		{sim.Result{Deliveries: 3, Payments: 1, Charges: 3, ChargedTwice: 1}, "3 charges for 1 payment: the customer paid 3 times."},
		{sim.Result{Deliveries: 2, Payments: 1, Charges: 1}, "1 charge for 1 payment: the second delivery did nothing."},
		{sim.Result{Deliveries: 1, Payments: 1, Charges: 1}, "1 charge for 1 payment."},
		{sim.Result{Deliveries: 2, Payments: 1, NeverCharged: 1}, "0 charges for 1 payment: the payment was acknowledged and never taken."},
		{sim.Result{Deliveries: 2100, Payments: 2000, Charges: 2097, ChargedTwice: 97}, "2,097 charges for 2,000 payments: 97 customers paid twice or more."},
		{sim.Result{Deliveries: 2040, Payments: 2000, Charges: 1960, NeverCharged: 40}, "1,960 charges for 2,000 payments: 40 payments were never taken."},
		{sim.Result{Deliveries: 2100, Payments: 2000, Charges: 2000}, "2,000 charges for 2,000 payments: the 100 repeated deliveries did nothing."},
	} {
		if got, _ := outcome(c.result); got != c.want {
			t.Errorf("outcome(%+v) = %q, want %q", c.result, got, c.want)
		}
	}
}

func TestViolationKeysFindEachDoubleCharge(t *testing.T) {
	p := open(t, Config{Many: true})
	k := p.keys.Player
	found := 0
	for {
		before := p.n
		press(p, k.NextBad)
		if p.n == before {
			break
		}
		found++
		if view := screen(p, 120, 35); found < 5 && !strings.Contains(view, "✗ $ ") {
			t.Fatalf("violation %d has no mark:\n%s", found, view)
		}
	}
	if want := int(p.trace.Result().ChargedTwice); found != want || p.trace.At(p.n).Counters.ChargedTwice != int64(want) {
		t.Errorf("found %d of %d", found, want)
	}
	if !strings.Contains(screen(p, 120, 35), "no violation after") {
		t.Error("the last one does not say that it is the last")
	}
	press(p, k.PrevBad)
	if v := p.trace.Violations(); p.n != v[len(v)-2].Seq+1 {
		t.Errorf("back from the last is at %d", p.n)
	}
}

func TestSwitchingTheHandlerKeepsTimeAndWorkload(t *testing.T) {
	p := open(t, Config{})
	k := p.keys.Player
	p.seek(700_000)
	press(p, k.NextHandler)
	if p.trace.Handler().ID != sim.HandlerClaim || p.now != 700_000 {
		t.Fatalf("%v at %d", p.trace.Handler().ID, p.now)
	}
	if p.n != p.trace.IndexAt(p.now) {
		t.Errorf("event %d at %d ns", p.n, p.now)
	}
	press(p, k.Last, k.PrevHandler)
	if p.n != p.trace.Len() {
		t.Error("the end is not kept as the end")
	}
	press(p, k.First, k.Workload)
	if p.n != 0 || p.trace.Scenario().Payments != 2000 {
		t.Errorf("many: event %d, %d payments", p.n, p.trace.Scenario().Payments)
	}
	p.seek(5_000_000)
	press(p, k.Workload, k.Workload)
	if p.now != 5_000_000 {
		t.Errorf("the place among many payments is lost: %d", p.now)
	}
}

func TestOnlyTheNewestRunIsShown(t *testing.T) {
	p := open(t, Config{})
	first, second := p.turnHandler(1), p.turnHandler(1)
	p.Update(second())
	p.Update(first())
	if got := p.trace.Handler().ID; got != sim.HandlerRelease {
		t.Errorf("a stale run of %v replaced the newest", got)
	}
}

func TestARunThatCannotBeMadeIsSaid(t *testing.T) {
	s := sim.DefaultScenario()
	s.Workers = 0
	p := New(Config{Scenario: s, Many: true}, keys.Default(), &frame.Dialogs{})
	settle(p, p.Init())
	if view := screen(p, 80, 23); !strings.Contains(view, "✗ This run cannot be shown: workers is 0; it must be 1 to 64.") {
		t.Errorf("the screen says\n%s", view)
	}
	press(p, p.keys.Player.Play, p.keys.Player.Step, p.keys.Player.GoTo, p.keys.Player.Workload)
	if p.trace == nil {
		t.Error("another workload does not help")
	}
}

func TestTheClockRunsOnlyWhilePlayingAndLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Config{Speed: 1000})
		k := p.keys.Player
		tick := p.Update(typed(k.Play))
		start := time.Now()
		tick = p.Update(tick())
		if passed := time.Since(start); passed != 40*time.Millisecond || p.now != 40_000 {
			t.Fatalf("a frame took %v and moved the time to %d ns", passed, p.now)
		}
		stale := tick
		if cmd := p.Update(tea.BlurMsg{}); cmd != nil {
			t.Fatal("the clock goes on while nobody looks")
		}
		if cmd := p.Update(stale()); cmd != nil || p.now != 40_000 {
			t.Fatal("a tick from before counts while nobody looks")
		}
		tick = p.Update(tea.FocusMsg{})
		if tick == nil || p.mode != playing {
			t.Fatal("the clock does not go on when it is looked at again")
		}
		if cmd := p.Update(stale()); cmd != nil || p.now != 40_000 {
			t.Fatal("a tick from before counts beside the new one: the clock would run twice as fast")
		}
		tick = p.Update(tick())
		if cmd := p.Update(typed(k.Play)); cmd != nil || p.mode != paused {
			t.Fatal("space does not pause")
		}
		if cmd := p.Update(tick()); cmd != nil || p.now != 80_000 {
			t.Fatalf("a tick from before moved a paused clock to %d", p.now)
		}
		if cmd := p.Update(tea.FocusMsg{}); cmd != nil {
			t.Fatal("looking at a paused clock starts it")
		}
	})
}

func TestPlayingEndsAtTheEndAndBeginsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Config{Speed: 1000})
		tick := p.Update(typed(p.keys.Player.Play))
		frames := 0
		for tick != nil {
			tick = p.Update(tick())
			frames++
		}
		if p.n != p.trace.Len() || p.mode != paused || frames != int(p.trace.Duration()/40_000)+1 {
			t.Fatalf("event %d of %d, mode %d, after %d frames", p.n, p.trace.Len(), p.mode, frames)
		}
		p.Update(typed(p.keys.Player.Play))
		if p.n != 0 || p.mode != playing {
			t.Fatal("space at the end does not begin again")
		}
	})
}

func TestSpeeds(t *testing.T) {
	p := open(t, Config{Speed: 100})
	var seen []string
	for range 15 {
		seen = append(seen, p.speed.String())
		press(p, p.keys.Player.Faster)
	}
	if got, want := strings.Join(seen, " "), "0.1x 0.25x 0.5x 1x 2x 5x 10x 100x 1,000x 10,000x 100,000x 1,000,000x 10,000,000x 100,000,000x 100,000,000x"; got != want {
		t.Errorf("speeds %s, want %s", got, want)
	}
	press(p, p.keys.Player.Slower)
	if p.speed.String() != "10,000,000x" {
		t.Errorf("slower than 100,000,000x is %v", p.speed)
	}
	for in, want := range map[string]Speed{"1": 1000, "0.25": 250, "100x": 100_000, "3": 3000, ".5": 500} {
		if got, err := ParseSpeed(in); err != nil || got != want {
			t.Errorf("ParseSpeed(%q) = %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "x", "0", "-1", "1e3", "0.0001", "1001", "fast", "1,5"} {
		if got, err := ParseSpeed(in); err == nil {
			t.Errorf("ParseSpeed(%q) = %v", in, got)
		}
	}
}

func TestTypedTimes(t *testing.T) {
	const end = 10 * 24 * 3600 * int64(time.Second)
	ms := assumedUnit(5_000_000)
	for in, want := range map[string]int64{
		"3.2": 3_200_000, "3.2 ms": 3_200_000, " 0 ": 0, "300us": 300_000, "300 µs": 300_000, "1500US": 1_500_000, "250ns": 250, "0.005s": 5_000_000,
		"2s": 2_000_000_000, "5m": 300_000_000_000, "5 min": 300_000_000_000, "1.5h": 5_400_000_000_000, "9d": 777_600_000_000_000, "10d": end,
		"1h30m": 5_400_000_000_000, "9d 5.25 ms": 777_600_005_250_000, "1m 1.000000001s": 61_000_000_001, ".5": 500_000, "007": 7_000_000,
	} {
		if got, err := parseTime(in, end, ms, "10d"); err != nil || got != want {
			t.Errorf("parseTime(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"":                     "type a time",
		"abc":                  "abc is no time",
		"3,2":                  "3,2 is no time",
		"-1":                   "-1 is no time",
		"1h30":                 "1h30 is no time",
		"3 weeks":              "3 weeks is no time",
		"1.2.3s":               "1.2.3s is no time",
		"ms":                   "ms is no time",
		".":                    ". is no time",
		"0.5ns":                "0.5ns is no time",
		"11d":                  "the run ends at 10d",
		"9d25h":                "the run ends at 10d",
		"99999999999999999999": "the run ends at 10d",
		"999999999d":           "the run ends at 10d",
		"\x1b[2":               `\x1b[2 is no time`,
	} {
		if _, err := parseTime(in, end, ms, "10d"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseTime(%q): %v, want %q", in, err, want)
		}
	}
	for end, want := range map[time.Duration]string{
		20 * time.Microsecond: "us", 2 * time.Millisecond: "ms", 9 * time.Second: "ms", 30 * time.Second: "s", 2 * time.Hour: "m", 50 * time.Hour: "h", 300 * time.Hour: "d",
	} {
		if got := assumedUnit(int64(end)); got.name != want {
			t.Errorf("in a run of %s a number alone is %s, want %s", end, got.name, want)
		}
	}
}

// Whatever is typed is a time of the run or an error in one line, and what the
// clock says can be typed.
func TestAnythingCanBeTypedAsATime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		end := rapid.Int64Range(0, 100*sim.MaxTime).Draw(r, "end")
		s := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789. nusmhdµ-x")), 0, 20, -1).Draw(r, "s")
		at, err := parseTime(s, end, assumedUnit(end), "the end")
		if err == nil && (at < 0 || at > end) || err != nil && strings.ContainsRune(err.Error(), 10) {
			r.Fatalf("%q is %d of %d, %v", s, at, end, err)
		}
		now := rapid.Int64Range(0, end).Draw(r, "now")
		for scale := range inMinutes + 1 {
			said := scale.say(now)
			back, err := parseTime(strings.ReplaceAll(said, "+", " "), end, assumedUnit(end), "the end")
			if err != nil || back > now || now-back >= int64(time.Second) {
				r.Fatalf("the clock says %q, which is %d, at %d: %v", said, back, now, err)
			}
		}
	})
}

func TestTheDialogForATimeGoesThere(t *testing.T) {
	p := open(t, Config{})
	p.Update(typed(p.keys.Player.GoTo))
	if !p.dialogs.Open() {
		t.Fatal("no dialog")
	}
	for _, r := range "9" {
		p.dialogs.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	p.dialogs.Update(named("enter"))
	if !p.dialogs.Open() {
		t.Fatal("a time beyond the end was taken")
	}
	p.dialogs.Update(named("home"))
	for _, r := range "0." {
		p.dialogs.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	_, cmd := p.dialogs.Update(named("enter"))
	if p.dialogs.Open() || cmd == nil {
		t.Fatal("0.9 was not taken")
	}
	p.Update(cmd())
	if p.now != 900_000 || p.n != p.trace.IndexAt(900_000) {
		t.Errorf("at %d ns, event %d", p.now, p.n)
	}
}

func BenchmarkView(b *testing.B) {
	for _, c := range []struct {
		name   string
		many   bool
		speed  Speed
		rivals []sim.HandlerID
	}{
		{"one", false, 250, nil},
		{"many", true, 1000, nil},
		{"many-100x", true, 100_000, nil},
		{"compare-three", true, 1000, []sim.HandlerID{sim.HandlerClaim, sim.HandlerKey}},
		{"compare-three-100x", true, 100_000, []sim.HandlerID{sim.HandlerClaim, sim.HandlerKey}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := open(b, Config{Many: c.many})
			for _, h := range c.rivals {
				settle(p, p.addRival(h))
			}
			p.mode = playing
			step := c.speed.virtual(int64(frameTime))
			for b.Loop() {
				p.now += step
				if p.now > p.duration() {
					p.seek(0)
				}
				p.n = max(p.n, p.trace.IndexAt(p.now))
				p.View(200, 60)
			}
		})
	}
}
