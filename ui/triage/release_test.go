package triage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

func TestR48_NoKeyFromTheListWrites(t *testing.T) {
	keys := []tea.Msg{tea.PasteMsg{Content: "y\ny\nyes\n"}, tea.PasteMsg{Content: "r\ny\ny\n"}}
	for r := rune(' '); r <= '~'; r++ {
		keys = append(keys, tea.KeyPressMsg{Code: r, Text: string(r)}, tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: r, Mod: tea.ModAlt})
	}
	for _, k := range named {
		keys = append(keys, k)
	}
	for _, mode := range []inspect.Mode{inspect.ModeReadOnly, inspect.ModeArmed} {
		for _, k := range keys {
			bubble(t, 120, 36, incident(), func(d *desk) {
				d.send(k)
				d.send(k)
				d.send(tea.KeyPressMsg{Code: tea.KeyEnter})
				d.send(tea.PasteMsg{Content: "y\ny\nyes\n"})
				if len(d.store.wrote) > 0 {
					t.Errorf("%s: %v wrote %v", mode, k, d.store.wrote)
				}
			}, func(c *triage.Config, _ *memoryStore) { c.Mode = mode })
		}
	}
}

func TestAReadOnlySessionIsArmedByTypingTheTablesName(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.expect("READ-ONLY")
		d.press("r")
		d.expect("Arm it?", "type the table's name, processed_messages")
		d.write("processed_message")
		d.press("enter")
		d.expect("type processed_messages first")
		d.write("s")
		d.press("enter")
		d.expect("Release 1 claim?", "ARMED")
		d.press("enter") // on No
		d.expectNot("Release 1 claim?")
		d.expect("ARMED")
		if len(d.store.wrote) > 0 {
			t.Fatalf("wrote %v", d.store.wrote)
		}
	})
}

func TestAnArmedSessionCanBeMadeReadOnlyAgain(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.expect("ARMED")
		d.press("A")
		d.expect("READ-ONLY")
		d.press("r")
		d.expect("Arm it?")
	}, armed)
}

func TestAnUnverifiedProfileIsAcceptedByTyping(t *testing.T) {
	unverified := func(c *triage.Config, m *memoryStore) {
		c.Mode = inspect.ModeArmed
		m.table.Mapping.Verified = false
		c.Table = m.table
	}
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.expect("unverified")
		d.press("r")
		d.expect("Accept an unverified profile?")
		d.write("unverified")
		d.press("enter")
		d.expect("Release 1 claim?")
	}, unverified)
}

func TestAReadOnlyFlagForbidsWithItsReason(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("r")
		d.expect("READ-ONLY (fixed)", "forbidden here by --read-only")
		d.press("U")
		if d.dialogs.Open() {
			t.Error("a dialog opened")
		}
	}, func(c *triage.Config, _ *memoryStore) { c.Mode, c.ForbiddenBy = inspect.ModeForbidden, "--read-only" })
}

func TestReleaseAsksForAReasonThenWritesOnce(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("r")
		d.expect("payments@db-1:5432", "public.processed_messages", "pay_88412", "1 row", "the charge may have happened", "> No")
		d.press("pgdown")
		d.expect("UPDATE public.processed_messages")
		d.press("y")
		d.expect("say why first")
		d.write("y") // typed into the reason, no answer
		d.press("enter")
		d.expect("> No")
		d.press("right", "enter")
		if !slices.Equal(d.store.wrote, []string{"release: y"}) {
			t.Fatalf("wrote %v", d.store.wrote)
		}
		d.expect("1 of 1 released", "pay_88412: released", "20260301-1200-000001", "U puts back")
		d.press("enter")
		d.expect("→ released", "pay_88412") // it fades out instead of vanishing
	}, armed)
}

func TestTheDialogConfirmsTheRowsItShowsWhateverARefreshBrings(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("r")
		d.store.claims = slices.DeleteFunc(slices.Clone(d.store.claims), func(c inspect.Claim) bool { return c.Key.String() == "pay_88412" })
		var confirmed inspect.Plan
		d.store.release = func(p inspect.Plan) (inspect.Result, error) {
			confirmed = p
			return inspect.Result{Plan: p, Executed: true, Skipped: []inspect.Skip{{Key: p.Rows[0].Key, Reason: inspect.ReasonGone, Text: "the row is no longer there"}}}, nil
		}
		d.run(d.screen.Load())
		d.expect("pay_88412")
		d.press("y")
		d.write("gone worker")
		d.press("enter", "y")
		if confirmed.Count() != 1 || confirmed.Rows[0].Key.String() != "pay_88412" {
			t.Fatalf("confirmed %v", confirmed.Rows)
		}
		d.expect("0 of 1 released", "the row is no longer there (gone)")
	}, armed)
}

func TestBulkNeedsTheCountTyped(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("M", "r")
		d.expect("Release 5 claims?", "refused: 1 claim", "row locked by pid 4711")
		d.press("y")
		d.write("worker-7 is gone")
		d.press("enter")
		d.write("4")
		d.press("enter", "y")
		d.expect("type 5 first")
		if len(d.store.wrote) > 0 {
			t.Fatal("wrote with a wrong count")
		}
		d.press("backspace")
		d.write("5")
		d.press("enter", "y")
		d.expect("5 of 5 released")
	}, armed)
}

func TestARunningLeaseIsRefusedAndOverriddenOnlyByTyping(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("2", "end", "r")
		d.expect("Nothing can be released", "frees itself in", "lease-running", "o overrides")
		d.press("y", "enter")
		d.expectNot("Nothing can be released")
		d.press("r", "o")
		d.expect("whose lease still runs?", "type override")
		d.press("y")
		d.write("I know")
		d.press("enter", "enter", "y")
		d.expect("type override first")
		if len(d.store.wrote) > 0 {
			t.Fatal("wrote without the typed word")
		}
		d.write("override")
		d.press("enter", "y")
		d.expect("1 of 1 released")
	}, armed)
}

func TestUndoAsksAndPutsBack(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("U")
		d.expect("nothing to undo")
		d.press("r", "y")
		d.write("wrong worker")
		d.press("enter", "y", "enter")
		d.audit.rows = []inspect.AuditRow{{Key: inspect.TextKey("message_id", "pay_88412")}}
		d.press("U")
		d.expect("Put back 1 claim", "20260301-1200-000001", "> No")
		d.press("enter")
		if len(d.store.wrote) != 1 {
			t.Fatalf("wrote %v", d.store.wrote)
		}
		d.press("U", "y")
		d.write("it was the right one")
		d.press("enter", "y")
		d.expect("1 of 1 put back")
		d.press("enter", "U")
		d.expect("nothing to undo")
	}, armed)
}

func TestAnErrorOfAReleaseIsShownAndTheScreenStays(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.store.release = func(p inspect.Plan) (inspect.Result, error) {
			return inspect.Result{Plan: p}, &inspect.Fault{Kind: inspect.FaultAudit, What: "the audit record could not be written", Next: "make room"}
		}
		d.press("r", "y")
		d.write("why")
		d.press("enter", "y")
		d.expect("nothing was released", "the audit record could not be written; make room")
		d.press("enter")
		d.expect("pay_88412", "longest lapsed first")
	}, armed)
}

func TestWithoutRightOrAuditNothingIsOffered(t *testing.T) {
	for name, change := range map[string]func(*triage.Config, *memoryStore){
		"ask for UPDATE":      func(c *triage.Config, m *memoryStore) { c.Table.CanUpdate, c.Table.CanDelete = false, false },
		"there is no audit":   func(c *triage.Config, _ *memoryStore) { c.Audit = nil },
		"this server refuses": func(_ *triage.Config, m *memoryStore) { m.database.ReadOnly = true },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 120, 36, incident(), func(d *desk) {
				d.press("r")
				d.expect(name)
				if d.dialogs.Open() || len(d.store.planned) > 0 {
					t.Error("a release was begun")
				}
			}, change)
		})
	}
}

func TestAStandbyShowsItsLagAndTheLineForThePrimary(t *testing.T) {
	bubble(t, 100, 30, incident(), func(d *desk) {
		d.expect("STANDBY 3s behind")
		d.press("r")
		d.expect("Nothing can be released on a standby", "payments@db-1:5432 is a standby, 3s behind", "idemtui inspect --dsn postgres://oncall@PRIMARY/payments --table public.processed_messages")
		d.said = nil
		d.press("y")
		if got := fmt.Sprint(d.said); !strings.Contains(got, "idemtui inspect --dsn postgres://oncall@PRIMARY/payments") {
			t.Errorf("copied %s", got)
		}
		d.press("esc")
		for _, k := range []string{"D", "W", "c", "U"} {
			d.press(k)
			d.expect("this is a standby")
			if d.dialogs.Open() || len(d.store.planned) > 0 {
				t.Fatalf("%s began something", k)
			}
		}
	}, armed, func(_ *triage.Config, m *memoryStore) {
		m.database.Standby, m.database.Name, m.database.ReplayLag = true, "payments", inspect.Some(3*time.Second)
	})
}

func TestAFailedRefreshKeepsTheRowsAndBacksOff(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.store.err = errors.New("connection refused")
		d.press("R")
		d.expect("pay_88412", "refresh failed (1): connection refused", "failing")
		d.press("R", "R")
		d.expect("refresh failed (3)")
		d.store.err = nil
		d.press("R")
		d.expectNot("failed", "failing")
	})
}

func TestAnAnswerOfAnOlderGenerationIsDropped(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.store.deaf = true
		slow := d.screen.Load()
		d.run(d.screen.Load())
		d.store.claims = nil
		if msg := slow(); msg != nil {
			d.send(msg)
		}
		d.expect("6 stuck of 8", "pay_88412")
	})
}

func TestPauseAndInterval(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.expect("↻ 5s")
		d.press("+")
		d.expect("↻ 10s")
		d.press("-", "-", "-", "-", "-")
		d.expect("↻ 1s")
		looks := d.store.looks
		d.press("space")
		d.expect("paused")
		d.send(triage.RefreshDueMsg{})
		if d.store.looks != looks {
			t.Error("it looked while paused")
		}
		d.press("space")
		d.expect("↻ 1s")
		if d.store.looks != looks+1 {
			t.Error("it did not look when resumed")
		}
	})
}

func TestCloseCancelsWhatRuns(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.store.hangs = true
		hanging := d.screen.Load()
		ended := make(chan tea.Msg, 1)
		go func() { ended <- hanging() }()
		synctest.Wait()
		load := d.screen.Load // a question that has not begun
		began := time.Now()
		d.screen.Close()
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("closing waited %v for what it should have cancelled", waited)
		}
		<-ended
		if msg := load()(); msg != nil {
			t.Errorf("a question began after the end: %T", msg)
		}
	})
}

func TestEditingKeysEditTheFieldOfADialog(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("r")
		d.write("wrong")
		d.send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		d.write("processed_messages")
		d.press("enter")
		d.expect("Release 1 claim?")
	})
}

func TestAWriteThatEndsAfterTheScreenClosedIsReported(t *testing.T) {
	var told []string
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("r", "y")
		d.write("why")
		d.press("enter")
		_, answered := d.app.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
		_, releasing := d.app.Update(answered())
		releasing() // its message finds no program any more
		d.screen.Close()
		d.screen.Close()
		if len(told) != 1 || !strings.Contains(told[0], "1 claim released, audit id 20260301-1200-000001") {
			t.Errorf("told %q", told)
		}
	}, armed, func(c *triage.Config, _ *memoryStore) { c.Unseen = func(text string) { told = append(told, text) } })
}

func TestAListOfOneStateHasOneTab(t *testing.T) {
	bubble(t, 80, 24, nil, func(d *desk) {
		d.expect("1 FAILED")
		d.press("2", "tab")
		d.expect("1 FAILED")
		d.expectNot("Claims")
	}, func(c *triage.Config, _ *memoryStore) { c.Query.State = inspect.StateFailed })
}
