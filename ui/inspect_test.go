package ui_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"idemtui/inspect"
	"idemtui/ui"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/triage"
)

// shelf is a database with one claim, whose key names the database.
type shelf struct {
	inspect.Store
	name   string
	tables []inspect.Table
}

func (s *shelf) Snapshot(_ context.Context, table inspect.Table, query inspect.Query) (inspect.Snapshot, error) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := inspect.Claim{Key: inspect.TextKey("id", s.name+"_of_"+table.Name), State: inspect.StateProcessing, Owner: inspect.Some("worker-7"), ClaimedAt: inspect.At(at.Add(-time.Hour)), LeaseUntil: inspect.At(at.Add(-59 * time.Minute)), Token: inspect.Some("17")}
	claims := inspect.JudgeAll([]inspect.Claim{c}, inspect.Facts{Now: at, Mapping: table.Mapping})
	return inspect.Snapshot{Database: inspect.Database{ID: s.name}, Table: table, At: at, Query: query, Claims: claims, Summary: inspect.Summarise(claims), Seen: inspect.Remember(at, claims)}, nil
}

func (s *shelf) Show(_ context.Context, table inspect.Table, key inspect.Key, _ inspect.ShowOptions) (inspect.Detail, error) {
	return inspect.Detail{}, &inspect.Fault{Kind: inspect.FaultNoRow, What: "no row has this key"}
}

func (s *shelf) Plan(context.Context, inspect.Table, inspect.PlanRequest) (inspect.Plan, error) {
	return inspect.Plan{}, errors.New("nothing is planned here")
}

func (s *shelf) Tables(context.Context) ([]inspect.Table, error) { return s.tables, nil }

func tableNamed(name string) inspect.Table {
	return inspect.Table{Schema: "public", Name: name, Score: 90, Reasons: []string{"it has a state and a lease"}, Mapping: inspect.Mapping{
		Profile: "recommended", Verified: true, Key: []inspect.KeyColumn{{Column: "id", Kind: inspect.PartText}}, Lease: inspect.LeaseBinding{Column: "lease"},
	}}
}

func placeOf(name string, begin bool) ui.Place {
	store := &shelf{name: name, tables: []inspect.Table{tableNamed("claims"), tableNamed("locks")}}
	p := ui.Place{
		Store: store, Database: inspect.Database{ID: name},
		Resolve: func(_ context.Context, t inspect.Table) (inspect.Table, error) {
			if t.Name == "locks" && name == "broken" {
				return t, errors.New("the table is gone")
			}
			return t, nil
		},
		Configure: func(t inspect.Table) (triage.Config, error) {
			return triage.Config{Store: store, Database: inspect.Database{ID: name}, Table: t, Place: "1 of 2"}, nil
		},
	}
	if begin {
		t := tableNamed("claims")
		p.Table = &t
	}
	return p
}

// bench runs an inspector whose clock's ticks are left out.
type bench struct {
	t   *testing.T
	app *ui.App
}

func newBench(t *testing.T, places ...ui.Place) *bench {
	t.Helper()
	dialogs := &frame.Dialogs{}
	screen, err := ui.NewInspector(t.Context(), places, keys.Default(), dialogs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.(frame.Closer).Close() })
	b := &bench{t, ui.NewApp(screen, dialogs, keys.Default())}
	b.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	b.run(screen.Init())
	return b
}

// run carries out a command; what waits for time to pass is left out.
func (b *bench) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	began := time.Now()
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			b.run(c)
		}
		return
	}
	if msg != nil && time.Since(began) < time.Second {
		b.send(msg)
	}
}

func (b *bench) send(msg tea.Msg) {
	_, cmd := b.app.Update(msg)
	b.run(cmd)
}

func (b *bench) press(names ...string) {
	for _, name := range names {
		switch name {
		case "enter":
			b.send(tea.KeyPressMsg{Code: tea.KeyEnter})
		case "esc":
			b.send(tea.KeyPressMsg{Code: tea.KeyEscape})
		case "down":
			b.send(tea.KeyPressMsg{Code: tea.KeyDown})
		default:
			b.send(tea.KeyPressMsg{Code: []rune(name)[0], Text: name})
		}
	}
}

func (b *bench) expect(texts ...string) {
	b.t.Helper()
	view := ansi.Strip(b.app.View().Content)
	for _, text := range texts {
		if !strings.Contains(view, text) {
			b.t.Fatalf("the screen does not show %q:\n%s", text, view)
		}
	}
}

func (b *bench) expectNot(text string) {
	b.t.Helper()
	if view := ansi.Strip(b.app.View().Content); strings.Contains(view, text) {
		b.t.Fatalf("the screen shows %q:\n%s", text, view)
	}
}

func TestSeveralDatabasesAreSwitchedWithAKeyAndNeverMixed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, placeOf("here", true), placeOf("beta", true))
		b.expect("1 of 2 here", "here_of_claims", "d next database")
		_, late := b.app.Update(tea.KeyPressMsg{Code: 'R', Text: "R"}) // asked, not answered yet
		b.press("d")
		b.expect("beta", "beta_of_claims")
		b.run(late)
		b.expect("beta_of_claims")
		b.expectNot("here_of_claims")
		b.press("d")
		b.expect("here_of_claims")
	})
}

func TestOneDatabaseSaysHowToNameMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, placeOf("here", true))
		b.press("d")
		b.expect("here_of_claims", "name more with --dsn")
	})
}

func TestTheTableIsChosenWhereSeveralFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, placeOf("here", false))
		b.expect("Which of these tables holds the claims?", "> public.claims", "it has a state and a lease")
		b.press("esc", "down")
		b.expect("> public.locks")
		b.press("enter")
		b.expect("here_of_locks")
		_, late := b.app.Update(tea.KeyPressMsg{Code: 'R', Text: "R"})
		b.press("t", "enter")
		b.expect("here_of_claims")
		b.run(late)
		b.expectNot("here_of_locks")
		b.press("t", "esc")
		b.expect("here_of_claims")
	})
}

func TestAChosenTableThatCannotBeOpenedIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, placeOf("broken", true))
		b.press("t", "down", "enter")
		b.expect("the table is gone", "> public.locks")
		b.press("esc")
		b.expect("broken_of_claims")
	})
}

func TestAClaimIsPlayedInTheLessonOnLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, placeOf("here", true))
		b.press("w")
		b.expect("lesson 4 of 7", "Why here_of_claims is stuck, played", "worker-7 claimed it 1h ago", "on your row is 17", "b back to the claim")
		b.press("b")
		b.expect("here_of_claims", "1 stuck of 1 claimed")
	})
}

func TestR39_EveryKeyKeepsTheFramesSizeWhateverIsInFront(t *testing.T) {
	keysToPress := []string{"d", "t", "w", "b", "n", "p", "4", "1", "2", "v", "i", "o", "r", "y", "L", "?", "enter", "esc", "down"}
	rapid.Check(t, func(rt *rapid.T) {
		pressed := rapid.SliceOfN(rapid.SampledFrom(keysToPress), 1, 15).Draw(rt, "keys")
		widths := rapid.SliceOfN(rapid.IntRange(1, 200), len(pressed), len(pressed)).Draw(rt, "widths")
		wrong := ""
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, placeOf("alpha", true), placeOf("beta", false))
			for i, k := range pressed {
				b.press(k)
				w, h := widths[i], 1+widths[i]/3
				b.send(tea.WindowSizeMsg{Width: w, Height: h})
				lines := strings.Split(b.app.View().Content, "\n")
				if len(lines) != h {
					wrong = fmt.Sprintf("%d lines, want %d", len(lines), h)
				}
				for _, line := range lines {
					if ansi.StringWidth(line) > w {
						wrong = fmt.Sprintf("%d cells, want at most %d: %s", ansi.StringWidth(line), w, ansi.Strip(line))
					}
				}
			}
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}
