package triage_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

// outage is twelve claims of one worker from the same minute, and two leftovers
// from weeks before.
func outage() []inspect.Claim {
	var claims []inspect.Claim
	for i := range 12 {
		age := 20*time.Minute + time.Duration(i)*2*time.Second
		claims = append(claims, claimed(fmt.Sprintf("pay_%d", i), "worker-3@h7", age, age-30*time.Second, 1))
	}
	for i := range 2 {
		age := time.Duration(20+i) * 24 * time.Hour
		claims = append(claims, claimed(fmt.Sprintf("old_%d", i), "worker-1@h1", age, age-30*time.Second, 1))
	}
	return claims
}

func TestWhenItBeganAndWhoseTheyAreIsSeenAtOnce(t *testing.T) {
	bubble(t, 80, 24, outage(), func(d *desk) {
		d.expect("it began at 11:39:38, the latest is from 11:40:00, all of worker-3@h7")
		d.press("i")
		d.expect("The incident, as of 12:00:00Z", "12 of worker-3@h7", "a bar is 1s", "2 stuck claims from long before")
	})
}

func TestTheHistogramOfClaimTimesHasALineWhereThereIsRoom(t *testing.T) {
	bubble(t, 120, 36, outage(), func(d *desk) { d.expect("claimed  11:39:38", "a bar is 1s, the highest 1") })
}

func TestClaimsFromLongBeforeFoldIntoOneLine(t *testing.T) {
	bubble(t, 80, 30, outage(), func(d *desk) {
		d.expect("z lists 2 stuck claims from long before, claimed", "folded")
		d.expectNot("old_0", "old_1", "--until")
		d.press("M")
		d.expect("* 12 marked")
		d.press("z")
		d.expect("old_0", "old_1", "all claims are listed")
		d.expectNot("z lists")
		d.press("z", "/")
		d.write("old_")
		d.expect("2 of 14", "old_0") // a filter looks into all of them
		d.press("esc", "2")
		d.expect("old_0") // the list of all claims folds nothing
	})
}

func TestThePulseIsComparedOverHalfAMinute(t *testing.T) {
	bubble(t, 80, 24, outage(), func(d *desk) {
		d.expectNot("finished in")
		d.press("R")
		d.expect("+0 claimed, +0 finished in")
		d.store.counters.V.Inserted += 7
		for range 3 {
			d.press("R")
		}
		d.expect("+7 claimed, +0 finished in 30")
		for range 4 {
			d.press("R")
		}
		d.expect("+0 claimed, +0 finished in 30")
		d.store.counters = inspect.Some(inspect.Counters{}) // the statistics were reset
		d.press("R")
		d.expectNot("finished in")
	}, func(_ *triage.Config, m *memoryStore) {
		m.counters = inspect.Some(inspect.Counters{Inserted: 100})
	})
}

func TestAKeyCyclesThroughTheGroupings(t *testing.T) {
	bubble(t, 80, 36, outage(), func(d *desk) {
		d.press("v")
		d.expect("by owner: enter lists a group", "OWNER", "STUCK", ">  worker-3@h7", "worker-1@h1")
		d.press("r")
		d.expect("no claim is selected here")
		if d.dialogs.Open() {
			t.Fatal("a dialog opened")
		}
		d.press("down")
		d.expect(">  worker-1@h1")
		d.press("R")
		d.expect(">  worker-1@h1")
		d.press("v")
		d.expect("KIND", ">  pay", "old")
		d.press("v")
		d.expect("AGE", "15m to 1h", "over 7d")
		d.press("v")
		d.expect("longest lapsed first")
		d.press("v", "enter")
		d.expect("only owner worker-3@h7: esc lists all", "pay_0")
		d.expectNot("old_0")
		d.press("esc", "v", "down", "enter")
		d.expect("old_0", "old_1") // folded claims too
		d.expectNot("pay_0")
		d.press("v", "esc")
		d.expect("longest lapsed first")
	})
}

func TestKeysAreLookedUpFromAPaste(t *testing.T) {
	bubble(t, 100, 30, incident(), func(d *desk) {
		d.press("o")
		d.expect("Look keys up", "paste keys")
		d.press("tab", "enter")
		d.expect("paste keys first")
		d.press("up")
		d.send(tea.PasteMsg{Content: "pay_88412\r\npay_90001\r\n\r\npay_88412\r\n"})
		d.write("pay_never")
		d.press("enter", "tab", "enter")
		d.expect("3 keys: 1 stuck, 1 alive, 1 no row; 1 repeated; 1 blank", "stuck    pay_88412: ✗ LIKELY DEAD, claimed 3h12m by worker-7@h3", "no row   pay_never: never seen, or forgotten", "[ Release the 1 stuck ]")
		if len(d.store.wrote)+len(d.store.planned) > 0 {
			t.Fatal("a look planned or wrote something")
		}
		d.press("y")
		d.expect("Release 1 claim?", "pay_88412")
		if !d.store.planned[0].Bulk {
			t.Error("what is released from a list of keys is not planned in bulk")
		}
	}, armed)
}

func TestAPasteAnswersNoDialog(t *testing.T) {
	bubble(t, 100, 30, incident(), func(d *desk) {
		d.press("o", "tab")
		d.send(tea.PasteMsg{Content: "y\ny\n"})
		if d.store.lookups > 0 {
			t.Fatal("a paste looked up")
		}
		d.press("y")
		if d.store.lookups > 0 {
			t.Fatal("what is typed after a paste answered")
		}
		d.press("esc")
		d.expectNot("Look keys up")
	})
}

func TestALineThatIsNoKeyIsNamed(t *testing.T) {
	bubble(t, 100, 30, incident(), func(d *desk) {
		d.press("o")
		d.send(tea.PasteMsg{Content: "1\nnot a number\n3"})
		d.press("tab", "enter")
		d.expect("line 2 is no key of this table")
		if d.store.lookups > 0 {
			t.Error("it looked all the same")
		}
	}, func(c *triage.Config, m *memoryStore) {
		m.table.Mapping.Key[0].Kind = inspect.PartInteger
		c.Table = m.table
	})
}

func TestALongPasteShowsItsEnd(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("o")
		d.send(tea.PasteMsg{Content: strings.Repeat("pay_1\n", 411) + "pay_last"})
		d.expect("lines above", "pay_last")
	})
}

// A list that its limit cut short may hold no leftover at all: the line still names
// them, and z reads them.
func TestLeftoversThatTheLimitLeftOutAreStillNamed(t *testing.T) {
	bubble(t, 80, 30, outage(), func(d *desk) {
		d.expect("pay_0", "12 of 14 listed", "z lists 2 stuck claims from long before")
		d.press("z")
		d.expect("old_0", "old_1")
		d.expectNot("z lists")
	}, func(_ *triage.Config, m *memoryStore) { m.limit = 12 })
}

// Where a look holds leftovers alone, they do not fold away: nothing would be listed.
func TestLeftoversAloneAreListed(t *testing.T) {
	bubble(t, 80, 30, outage(), func(d *desk) {
		d.expect("old_0", "old_1", "2 of 14 listed")
	}, func(_ *triage.Config, m *memoryStore) { m.limit, m.deafToLeftovers = 2, true })
}
