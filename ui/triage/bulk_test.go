package triage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

// leftBehind are the audit rows of released keys: FAILED, without an owner.
func leftBehind(names ...string) []inspect.AuditRow {
	var rows []inspect.AuditRow
	failed := "FAILED"
	for _, name := range names {
		rows = append(rows, inspect.AuditRow{Key: inspect.TextKey("message_id", name), After: []inspect.ColumnValue{{Column: "state", Value: &failed}, {Column: "owner"}}})
	}
	return rows
}

// became is a row as it is found after its release.
func became(name string, state inspect.State, owner string) inspect.Claim {
	c := claimed(name, owner, 0, -60, 2)
	c.State, c.RawState = state, strings.ToUpper(string(state))
	raw := c.RawState
	c.AsRead = []inspect.ColumnValue{{Column: "state", Value: &raw}, {Column: "owner"}}
	if owner != "" {
		c.AsRead[1].Value = &owner
	}
	return c
}

func TestAboveTenTheFirstChoiceIsOneAndFollowIt(t *testing.T) {
	bubble(t, 120, 36, many(12), func(d *desk) {
		d.audit.rows = leftBehind("pay_00000")
		d.store.later = []inspect.Claim{became("pay_00000", inspect.StateFailed, "")}
		d.press("M", "r")
		d.expect("Release 12 claims?", "pay_00000: released alone by the first choice", "> No", "[ Release one and follow it ]  [ Release all 12 ]")
		d.press("y")
		d.write("try one")
		d.press("enter", "enter", "y")
		if !slices.Equal(d.store.wrote, []string{"release: try one"}) || len(d.store.claims) != 11 {
			t.Fatalf("wrote %v, %d claims are left", d.store.wrote, len(d.store.claims))
		}
		d.expect("What became of the release", "1 released: 1 not picked up", "as the release left it", "runs next: a redelivery by the broker")
		d.store.later = []inspect.Claim{became("pay_00000", inspect.StateProcessing, "worker-9@h1")}
		d.send(triage.FollowDueMsg{})
		d.expect("1 released: 1 at work", "claimed by worker-9@h1")
		d.store.later = []inspect.Claim{became("pay_00000", inspect.StateDone, "worker-9@h1")}
		d.send(triage.FollowDueMsg{})
		d.expect("1 released: 1 done", "nothing more to wait for")
		d.said = nil
		d.press("y")
		if got := fmt.Sprint(d.said); !strings.Contains(got, "1 released: 1 done") {
			t.Errorf("copied %s", got)
		}
		d.press("enter")
		d.expect("* 11 marked", "followed: 1 released: 1 done")
		d.press("f")
		d.expect("What became of the release")
	}, armed)
}

func TestReleasingAllOfManyNeedsTheCount(t *testing.T) {
	bubble(t, 120, 36, many(12), func(d *desk) {
		d.press("M", "r", "right", "right", "enter")
		d.write("the host is gone")
		d.press("enter")
		d.write("11")
		d.press("enter", "right", "right", "enter")
		d.expect("type 12 first")
		if len(d.store.wrote) > 0 {
			t.Fatalf("wrote %v", d.store.wrote)
		}
		d.press("backspace")
		d.write("2")
		d.press("enter", "right", "right", "y")
		d.expect("12 of 12 released")
	}, armed)
}

func TestAllOfAnOwnerAreReleasedByTypingTheOwner(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("W")
		d.expect("Release 2 claims of worker-7@h3?", "exactly these: 2 claims", "- pay_88412  owner worker-7@h3  ✗ LIKELY DEAD", "type the owner, worker-7@h3")
		if len(d.store.planned) != 1 || d.store.planned[0].Owner != inspect.Some("worker-7@h3") {
			t.Fatalf("planned %+v", d.store.planned)
		}
		d.press("y")
		d.write("shut down")
		d.press("enter")
		d.write("2")
		d.press("enter", "y")
		d.expect("type worker-7@h3 first")
		d.press("backspace")
		d.write("worker-7@h3")
		d.press("enter", "y")
		d.expect("2 of 2 released")
	}, armed)
}

func TestAllLikelyDeadAreReleasedByTypingTheCount(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("D")
		d.expect("Release all that are likely dead: 3 claims?", "type the count, 3")
		d.expectNot("CANNOT TELL\n")
		d.press("y")
		d.write("the host is gone")
		d.press("enter")
		d.write("3")
		d.press("enter", "y")
		d.expect("3 of 3 released")
		if !d.store.planned[0].AllLikelyDead {
			t.Errorf("planned %+v", d.store.planned)
		}
	}, armed)
}

func TestAReadOnlySessionIsArmedBeforeABulkReleaseIsPlanned(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("D")
		d.expect("Arm it?")
		d.write("processed_messages")
		d.press("enter")
		d.expect("Release all that are likely dead: 3 claims?")
	})
}

func TestAClaimWithoutOwnerIsNotReleasedByOwner(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("down", "down", "down")
		d.expectSelected("pay_70001")
		d.press("W")
		d.expect("no owner to release by")
	}, armed)
}

func TestAnUnknownNextRunnerIsSaidAsUnknown(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("r")
		d.expect("? runs next:")
	}, armed, func(c *triage.Config, m *memoryStore) {
		m.table.Mapping.RunsNext = inspect.RunsNextUnknown
		c.Table = m.table
	})
}

func TestALongReleaseShowsItsProgressAndStops(t *testing.T) {
	bubble(t, 120, 36, many(5), func(d *desk) {
		var stopped error
		d.press("M", "r", "y")
		d.write("why")
		d.press("enter")
		d.write("5")
		d.press("enter")
		d.store.slow = func(ctx context.Context, told func(int, int)) error {
			told(3, 5)
			d.expect("Releasing 5 claims", "3 of 5 done with", "> Go on")
			d.app.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
			d.app.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
			d.app.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
			d.expect("3 of 5 done with")
			if ctx.Err() != nil {
				t.Error("y, esc or enter stopped it")
			}
			d.app.Update(named["right"])
			d.app.Update(named["enter"])
			d.expect("stopping")
			stopped = ctx.Err()
			return stopped
		}
		_, confirm := d.app.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
		_, begun := d.app.Update(confirm())
		both := begun().(tea.BatchMsg)
		d.run(both[1]) // the grace period ends
		d.run(both[0])
		if stopped == nil {
			t.Fatal("it was not stopped")
		}
		d.expect("interrupted")
		d.expectNot("Releasing 5 claims")
	}, armed)
}
