package triage_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

// picture compares the frame with its golden file, escape sequences left out.
func picture(t *testing.T, w, h int, claims []inspect.Claim, act func(*desk), change ...func(*triage.Config, *memoryStore)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, w, h, claims, change...)
		if act != nil {
			act(d)
		}
		golden.RequireEqual(t, d.view())
	})
}

func TestPicturesOfTheList(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 36}, {200, 60}, {60, 15}, {40, 10}, {10, 3}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) { picture(t, size.w, size.h, incident(), nil) })
	}
}

func TestPicturesOfActing(t *testing.T) {
	exports := func(c *triage.Config, _ *memoryStore) {
		c.Export = func(triage.ExportKind, inspect.Snapshot) (string, error) { return "/home/oncall/list.csv", nil }
	}
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 36}, {200, 60}, {60, 15}} {
		name := fmt.Sprintf("%dx%d", size.w, size.h)
		t.Run("one first "+name, func(t *testing.T) {
			picture(t, size.w, size.h, many(12), func(d *desk) { d.press("M", "r") }, armed)
		})
		t.Run("owner "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) { d.press("W") }, armed)
		})
		t.Run("follow "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) {
				d.audit.rows = leftBehind("pay_88412", "pay_2", "pay_3")
				d.store.later = []inspect.Claim{became("pay_88412", inspect.StateFailed, ""), became("pay_2", inspect.StateProcessing, "worker-9@h1"), became("pay_3", inspect.StateDone, "worker-9@h1")}
				d.press("r", "y")
				d.write("why")
				d.press("enter", "y", "y")
			}, armed)
		})
		t.Run("settle "+name, func(t *testing.T) {
			picture(t, size.w, size.h, withProviderKey(), func(d *desk) { d.press("m", "m", "c") }, completable)
		})
		t.Run("export "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) { d.press("e") }, exports)
		})
	}
}

func TestPicturesOfTheIncident(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 36}, {200, 60}, {60, 15}} {
		name := fmt.Sprintf("%dx%d", size.w, size.h)
		beating := func(_ *triage.Config, m *memoryStore) { m.counters = inspect.Some(inspect.Counters{Inserted: 100}) }
		t.Run("list "+name, func(t *testing.T) {
			picture(t, size.w, size.h, outage(), func(d *desk) { d.press("R") }, beating)
		})
		t.Run("incident "+name, func(t *testing.T) {
			picture(t, size.w, size.h, outage(), func(d *desk) { d.press("R", "i") }, beating)
		})
		t.Run("health "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) { d.press("4", "down") }, unwell)
		})
		t.Run("retention "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) { d.press("3") }, unwell, remembering)
		})
		t.Run("groups "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) { d.press("v", "down") })
		})
		t.Run("lookup "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) {
				d.press("o")
				d.send(tea.PasteMsg{Content: "pay_88412\r\npay_90001\r\n\r\npay_88412\r\npay_88419\r\nnever\r\n"})
				d.press("tab", "enter")
			})
		})
		t.Run("paste "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) {
				d.press("o")
				d.send(tea.PasteMsg{Content: strings.Repeat("pay_88412\r\n", 20) + "pay_last"})
			})
		})
	}
}

func TestPicturesOfStates(t *testing.T) {
	t.Run("detail", func(t *testing.T) { picture(t, 80, 24, incident(), func(d *desk) { d.press("enter") }) })
	t.Run("plain", func(t *testing.T) {
		picture(t, 80, 24, incident(), func(d *desk) { d.press("down", "down", "down", "down", "p") })
	})
	t.Run("claims", func(t *testing.T) { picture(t, 120, 24, incident(), func(d *desk) { d.press("2") }) })
	t.Run("filtering", func(t *testing.T) {
		picture(t, 80, 24, incident(), func(d *desk) { d.press("m", "m", "/"); d.write("!worker-7") })
	})
	t.Run("filtered away", func(t *testing.T) {
		picture(t, 80, 24, incident(), func(d *desk) { d.press("/"); d.write("nothing like it"); d.press("enter") })
	})
	t.Run("scrolled", func(t *testing.T) { picture(t, 80, 24, incident(), func(d *desk) { d.press("right", "right") }) })
	t.Run("nothing stuck", func(t *testing.T) { picture(t, 80, 24, incident()[5:7], nil) })
	t.Run("nothing claimed", func(t *testing.T) {
		picture(t, 80, 24, nil, nil, func(_ *triage.Config, m *memoryStore) {
			m.notes = []string{"the last claim was made 2h ago"}
		})
	})
	t.Run("row-level security", func(t *testing.T) {
		picture(t, 80, 24, nil, nil, func(c *triage.Config, _ *memoryStore) { c.Table.RowSecurity = true })
	})
	t.Run("unreachable", func(t *testing.T) {
		picture(t, 80, 24, nil, nil, func(_ *triage.Config, m *memoryStore) {
			m.err = &inspect.Fault{Kind: inspect.FaultUnreachable, What: "db-1:5432 does not answer", Next: "check host and port"}
		})
	})
	t.Run("refresh fails", func(t *testing.T) {
		picture(t, 80, 24, incident(), func(d *desk) {
			d.store.err = errors.New("the connection was closed by the server\x1b[2J")
			d.press("R")
			d.send(triage.Ticked(time.Now().Add(47 * time.Second)))
		})
	})
	t.Run("standby", func(t *testing.T) {
		picture(t, 80, 24, incident(), func(d *desk) { d.press("r") }, func(_ *triage.Config, m *memoryStore) {
			m.database.Standby, m.database.ReplayLag = true, inspect.Some(95*time.Second)
		})
	})
}

func TestPicturesOfDialogs(t *testing.T) {
	armed := func(c *triage.Config, _ *memoryStore) { c.Mode = inspect.ModeArmed }
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 36}, {200, 60}, {60, 15}} {
		name := fmt.Sprintf("%dx%d", size.w, size.h)
		t.Run("arm "+name, func(t *testing.T) { picture(t, size.w, size.h, incident(), func(d *desk) { d.press("r") }) })
		t.Run("release "+name, func(t *testing.T) { picture(t, size.w, size.h, incident(), func(d *desk) { d.press("r") }, armed) })
		t.Run("bulk "+name, func(t *testing.T) {
			picture(t, size.w, size.h, incident(), func(d *desk) { d.press("M", "r", "y") }, armed)
		})
	}
	t.Run("refused", func(t *testing.T) {
		picture(t, 80, 24, incident(), func(d *desk) { d.press("2", "end", "r") }, armed)
	})
	t.Run("override", func(t *testing.T) {
		picture(t, 80, 24, incident(), func(d *desk) { d.press("2", "end", "r", "o") }, armed)
	})
	t.Run("outcome", func(t *testing.T) {
		picture(t, 80, 24, incident(), func(d *desk) {
			d.store.release = func(p inspect.Plan) (inspect.Result, error) {
				return inspect.Result{
					Plan: p, Executed: true, AuditID: "20260301-1200-abc234", Released: []inspect.Key{p.Rows[1].Key},
					Skipped: []inspect.Skip{{Key: p.Rows[0].Key, Reason: inspect.ReasonDone, Text: "done since 2026-03-01T12:00:05Z"}},
					Failed:  []inspect.Failure{{Key: p.Rows[2].Key, Error: "duplicate key value violates unique constraint \"one\"\x1b[2J"}},
				}, nil
			}
			d.press("m", "m", "m", "r", "y")
			d.write("worker-7 is gone")
			d.press("enter")
			d.write("3")
			d.press("enter", "y")
		}, armed)
	})
}
