package explorer_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/ui/keys"
)

var sizes = []struct{ w, h int }{{80, 24}, {120, 36}, {200, 60}, {60, 15}}

func TestPictures(t *testing.T) {
	for _, scene := range []struct {
		name    string
		handler sim.HandlerID
		keys    []string
	}{
		{"matrix", sim.HandlerCheck, nil},
		{"fence-slow", sim.HandlerFence, []string{"right", "right", "right", "right"}},
		{"claim-fail", sim.HandlerClaim, []string{"right"}},
		{"dialog", sim.HandlerFence, []string{"b", "down", "2", "down", "1"}},
		{"counterexample", sim.HandlerCheck, []string{"enter", "right", "right", "right"}},
		{"charged-twice", sim.HandlerCheck, []string{"enter", "end"}},
		{"lost", sim.HandlerClaim, []string{"right", "enter", "end"}},
		{"scheduler", sim.HandlerKey, []string{"right", "right", "right", "s", "1", "1"}},
		{"long", sim.HandlerCheck, []string{"4", "right", "right", "right", "s", "1", "1", "2", "3", "3", "4", "4", "1", "1", "2", "2"}},
		{"four", sim.HandlerLease, []string{"4", "s", "1", "1", "1"}},
	} {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s/%dx%d", scene.name, size.w, size.h), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := explored(t, scene.handler, size.w, size.h)
					s.typed(scene.keys...)
					fits(t, s.styled(), size.w, size.h)
					golden.RequireEqual(t, s.plain())
				})
			})
		}
	}
}

func TestTheHelpNamesEveryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := explored(t, sim.HandlerCheck, 120, 36)
		s.press(s.keys.Global.Help)
		fits(t, s.styled(), 120, 36)
		golden.RequireEqual(t, s.plain())
	})
}

// What NO_COLOR leaves still has each state as a word and a glyph, and the mark.
func TestNoColourTellsTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := explored(t, sim.HandlerClaim, 80, 24)
		s.typed("right")
		var b strings.Builder
		w := colorprofile.Writer{Forward: &b, Profile: colorprofile.Ascii}
		if _, err := w.WriteString(s.styled()); err != nil {
			t.Fatal(err)
		}
		plain := ansi.Strip(b.String())
		for _, want := range []string{"▶✗ loses", "✗ twice", "● safe", "20 lose"} {
			if !strings.Contains(plain, want) {
				t.Errorf("without colour %q is lost:\n%s", want, plain)
			}
		}
	})
}

// The keys that the sim screen and the explorer know, each with all that
// trigger it.
func anyKeys(m keys.Map) []string {
	k, s, p := m.Explorer, m.Schedule, m.Player
	var names []string
	for _, b := range []key.Binding{
		k.Open, k.Scheduler, k.Back, k.Up, k.Down, k.Left, k.Right, k.First, k.Last, k.Choose, k.Budgets, k.Again,
		s.Undo, s.Take, s.Begin, s.End, s.Play, s.Own, s.Other, s.OtherUp, s.Nearest, s.Copy, p.NextHandler, p.Workload, p.Play, m.Global.Help,
	} {
		names = append(names, b.Keys()...)
	}
	return append(names, "1", "2", "3", "4", "5", "9", "0")
}

// action is a key, a size or some commands that run.
type action struct {
	key      string
	w, h     int
	commands int
}

func anyAction(names []string) *rapid.Generator[action] {
	return rapid.Custom(func(r *rapid.T) action {
		switch rapid.IntRange(0, 9).Draw(r, "what") {
		case 0:
			return action{w: rapid.IntRange(1, 220).Draw(r, "w"), h: rapid.IntRange(1, 70).Draw(r, "h")}
		case 1, 2:
			return action{commands: rapid.IntRange(1, 10).Draw(r, "commands")}
		}
		return action{key: rapid.SampledFrom(names).Draw(r, "key")}
	})
}

// failures notes the first failure: rapid's own must not be reported from
// inside a bubble.
type failures struct{ first string }

func (f *failures) Fatalf(format string, args ...any) {
	if f.first == "" {
		f.first = fmt.Sprintf(format, args...)
	}
}

// TestAnyKeysKeepTheFrame presses anything at any size, with some of the
// commands run and others not yet.
func TestAnyKeysKeepTheFrame(t *testing.T) {
	names := anyKeys(keys.Default())
	rapid.Check(t, func(r *rapid.T) {
		handler := rapid.SampledFrom(sim.Handlers()).Draw(r, "handler").ID
		w, h := rapid.IntRange(60, 220).Draw(r, "w"), rapid.IntRange(15, 70).Draw(r, "h")
		actions := rapid.SliceOfN(anyAction(names), 1, 60).Draw(r, "actions")
		var failed failures
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t.Context(), handler, nil)
			s.send(tea.WindowSizeMsg{Width: w, Height: h})
			s.press(s.keys.Explorer.Open)
			for _, a := range actions {
				switch {
				case a.w > 0:
					w, h = a.w, a.h
					s.send(tea.WindowSizeMsg{Width: w, Height: h})
				case a.key != "":
					s.send(keyPress(a.key))
				}
				for range a.commands {
					s.run()
				}
				fits(&failed, s.styled(), w, h)
			}
		})
		if failed.first != "" {
			r.Fatal(failed.first)
		}
	})
}
