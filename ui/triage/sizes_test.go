package triage_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"idemtui/inspect"
	"idemtui/ui/frame"
	"idemtui/ui/triage"
)

// fits says what is wrong with a frame: it must have exactly the terminal's
// lines, none wider than the terminal.
func fits(content string, w, h int) error {
	if w <= 0 || h <= 0 {
		if content != "" {
			return fmt.Errorf("a frame for no terminal: %q", content)
		}
		return nil
	}
	lines := strings.Split(content, "\n")
	if len(lines) != h {
		return fmt.Errorf("%d lines, want %d", len(lines), h)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got > w {
			return fmt.Errorf("line %d has %d cells, want at most %d: %q", i, got, w, ansi.Strip(line))
		}
	}
	return nil
}

var sizes = []struct{ w, h int }{{0, 0}, {80, 24}, {60, 15}, {40, 10}, {20, 5}, {10, 3}, {3, 2}, {1, 1}, {200, 60}, {160, 20}, {120, 36}, {61, 80}}

// act is one thing that can happen to a screen.
type act struct {
	what string
	text string
	n    int
}

// happenings draws what happens to one screen: keys mostly, sizes, pastes, and
// what comes from the server.
func happenings(t *rapid.T) []act {
	pressable := []string{"r", "W", "D", "c", "f", "e", "v", "z", "i", "o", "w", "U", "O", "y", "Y", "p", "m", "M", "s", "S", "/", "1", "2", "4", "R", "+", "-", "g", "G", "j", "k", "h", "l", "n", "o", "?", "5", "x", "!"}
	pressable = slices.AppendSeq(pressable, maps.Keys(named))
	slices.Sort(pressable)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) act {
		a := act{what: rapid.SampledFrom([]string{"key", "key", "key", "key", "key", "key", "type", "paste", "size", "size", "rows", "error", "tick"}).Draw(t, "what")}
		switch a.what {
		case "key":
			a.text = rapid.SampledFrom(pressable).Draw(t, "key")
		case "type":
			a.text = rapid.SampledFrom([]string{"processed_messages", "override", "why not", "6", "!pay", "注文"}).Draw(t, "text")
		case "paste":
			a.text = rapid.SampledFrom([]string{"y\ny\nyes\n", "a\x1b[2Jb", strings.Repeat("wide 注文 ", 90)}).Draw(t, "paste")
		default:
			a.n = rapid.IntRange(0, 90).Draw(t, "n")
		}
		return a
	}), 1, 40).Draw(t, "happenings")
}

// happen brings one of them about.
func (d *desk) happen(a act) {
	switch a.what {
	case "key":
		d.press(a.text)
	case "type":
		d.write(a.text)
	case "paste":
		d.send(tea.PasteMsg{Content: a.text})
	case "size":
		size := sizes[a.n%len(sizes)]
		d.w, d.h = size.w, size.h
		d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
	case "rows":
		d.store.claims = slices.Concat(many(a.n), incident()[:a.n%8])
		d.run(d.screen.Load())
	case "error":
		d.store.err = nil
		if a.n%2 == 1 {
			d.store.err = &inspect.Fault{What: "the server is gone\n" + strings.Repeat("long ", 60)}
		}
		d.run(d.screen.Load())
	case "tick":
		d.send(triage.Ticked(time.Now()))
	}
}

func TestR39_EveryKeySequenceKeepsTheFramesSize(t *testing.T) {
	modes := []inspect.Mode{inspect.ModeReadOnly, inspect.ModeArmed, inspect.ModeForbidden}
	rapid.Check(t, func(rt *rapid.T) {
		start := rapid.SampledFrom(sizes).Draw(rt, "start")
		mode := rapid.SampledFrom(modes).Draw(rt, "mode")
		acts := happenings(rt)
		wrong := ""
		bubble(t, start.w, start.h, incident(), func(d *desk) {
			for _, a := range acts {
				d.happen(a)
				if err := fits(d.app.View().Content, d.w, d.h); err != nil {
					wrong = fmt.Sprintf("%v\n%s", err, d.view())
					return
				}
			}
		}, func(c *triage.Config, _ *memoryStore) { c.Mode = mode })
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

func TestR39_AfterATinySizeTheSameSelectionIsThere(t *testing.T) {
	bubble(t, 10, 3, many(60), func(d *desk) {
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		for range 20 {
			d.press("down")
		}
		d.expectSelected("pay_00020")
		for _, size := range sizes {
			d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
			if err := fits(d.app.View().Content, size.w, size.h); err != nil {
				t.Errorf("%dx%d: %v", size.w, size.h, err)
			}
		}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.expectSelected("pay_00020")
	})
}

func TestTenThousandRowsAreDrawnAsQuicklyAsTen(t *testing.T) {
	bubble(t, 200, 60, many(10_000), func(d *desk) {
		d.expect("pay_00000")
		d.press("end")
		d.expectSelected("pay_09999")
		d.press("/")
		d.write("77")
		d.expect("of 10,000")
	})
}

// BenchmarkFrame draws the list of 10,000 claims at 200x60: 3 ms a frame on one
// of two cores.
func BenchmarkFrame(b *testing.B) {
	d := newDesk(b, 200, 60, many(10_000))
	b.ReportAllocs()
	for b.Loop() {
		d.app.View()
	}
}

// The root model asks each of these of a screen and a dialog.
var (
	_ frame.Screen = (*triage.Screen)(nil)
	_ frame.Closer = (*triage.Screen)(nil)
)

func TestTheHelpShowsEveryKeyAt80x24(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("?")
		for _, group := range d.screen.FullHelp() {
			for _, b := range group.Keys {
				d.expect(b.Help().Key + " ")
				d.expect(b.Help().Desc)
			}
		}
	})
}
