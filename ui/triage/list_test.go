package triage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

// bubble runs a test on a desk where waiting takes no time.
func bubble(t *testing.T, w, h int, claims []inspect.Claim, test func(*desk), change ...func(*triage.Config, *memoryStore)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newDesk(t, w, h, claims, change...)) })
}

func armed(c *triage.Config, _ *memoryStore) { c.Mode = inspect.ModeArmed }

// cursor is the line with the selection, and its number.
func (d *desk) cursor() (line string, number int) {
	for i, l := range strings.Split(d.view(), "\n") {
		if strings.HasPrefix(l, ">") {
			return l, i
		}
	}
	return "", -1
}

func (d *desk) expectSelected(key string) {
	d.t.Helper()
	if line, _ := d.cursor(); !strings.Contains(line, key) {
		d.t.Fatalf("selected is %q, want %s:\n%s", line, key, d.view())
	}
}

// many are n stuck claims of ages a minute apart, the oldest first.
func many(n int) []inspect.Claim {
	claims := make([]inspect.Claim, n)
	for i := range claims {
		age := time.Duration(n-i)*time.Minute + time.Minute
		claims[i] = claimed(fmt.Sprintf("pay_%05d", i), "worker-1@h1", age, age-30*time.Second, 1)
	}
	return claims
}

func TestTheSelectionFollowsItsKeyAndItsLineStaysAcrossARefresh(t *testing.T) {
	bubble(t, 80, 24, many(40), func(d *desk) {
		for range 25 {
			d.press("down")
		}
		d.expectSelected("pay_00025")
		_, before := d.cursor()
		d.store.claims = append(slices.Clone(d.store.claims[3:25]), d.store.claims[25:]...)
		d.press("R")
		d.expectSelected("pay_00025")
		if _, after := d.cursor(); after != before {
			t.Errorf("the selected row jumped from line %d to %d", before, after)
		}
	})
}

func TestASelectedClaimThatLeavesLingersWithANoteAndIsNotReleased(t *testing.T) {
	bubble(t, 80, 24, many(3), func(d *desk) {
		d.press("down")
		d.store.drop(inspect.TextKey("message_id", "pay_00001"))
		d.press("R")
		d.expectSelected("pay_00001")
		d.expect("→ left this list since the last look")
		d.press("r")
		if d.dialogs.Open() || len(d.store.planned) != 0 {
			t.Fatal("a claim that has left the list can be released")
		}
		d.send(triage.Ticked(time.Now().Add(time.Minute)))
		d.expectSelected("pay_00002")
		d.expectNot("pay_00001")
	}, armed)
}

func TestSortCyclesThroughTheColumnsAndFlips(t *testing.T) {
	bubble(t, 120, 24, many(3), func(d *desk) {
		d.expect("longest lapsed first")
		d.press("s")
		d.expect("longest lapsed last")
		d.press("s")
		d.expect("oldest claim first")
		d.press("s", "s")
		d.expect("key, A first")
		d.press("s")
		d.expect("key, Z first")
		view := d.view()
		if strings.Index(view, "pay_00002") > strings.Index(view, "pay_00000") {
			t.Errorf("not sorted from Z:\n%s", view)
		}
		d.expectSelected("pay_00000")
		for range 5 {
			d.press("S")
		}
		d.expect("longest lapsed first")
	})
}

func TestFilterNarrowsInvertsAndBackspaceOnlyEdits(t *testing.T) {
	bubble(t, 120, 24, incident(), func(d *desk) {
		d.press("/")
		d.write("refund")
		d.expect("1 of 6", "refund:2026")
		d.expectNot("pay_88419")
		d.press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace")
		d.expect("6 of 6")
		d.press("backspace", "delete")
		d.write("!pay_")
		d.expect("3 of 6")
		d.expectNot("pay_88412 ")
		d.write("q?r") // a letter is a letter here
		d.expect("!pay_q?r")
		d.press("esc")
		d.expect("longest lapsed first", "pay_88412")
	})
}

func TestMarksAreCountedAndHiddenOnesAreSaid(t *testing.T) {
	bubble(t, 120, 24, incident(), func(d *desk) {
		d.press("m")
		d.expect("* 1 marked")
		d.press("M")
		d.expect("* 6 marked")
		d.press("/")
		d.write("refund")
		d.press("enter")
		d.expect("6 marked, 5 hidden by the filter")
		d.press("esc", "M")
		d.expectNot("marked")
	})
}

func TestLongValuesScrollAndColumnsStay(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		head := func() string { return strings.Split(d.view(), "\n")[5] }
		before := head()
		for range 10 {
			d.press("right")
		}
		d.expect("89abcdef  …")
		if head() != before {
			t.Errorf("the columns moved:\n%s\n%s", before, head())
		}
		for range 10 {
			d.press("left")
		}
		d.expect("refund:2026-03-01:me…")
	})
}

func TestR42_NoByteOfTheTableReachesTheTerminal(t *testing.T) {
	hostile := []string{"ok\x1b]0;PWNED\x07.txt", "\x1b]52;c;Zm9v\x07", "\x1b[2J", "a\rb", "a\nb", "a\tb", "\x00", "\x7f", "\u009b31m", "a\u202eb", "\x1bP1\x1b\\"}
	var claims []inspect.Claim
	for i, k := range hostile {
		c := claimed(k, k, time.Duration(i+2)*time.Minute, time.Duration(i+1)*time.Minute, 1)
		c.RawState = k
		claims = append(claims, c)
	}
	bubble(t, 200, 60, claims, func(d *desk) {
		check := func(where string) {
			t.Helper()
			content := d.app.View().Content
			for _, bad := range []string{"\x1b]", "\x1b[2J", "\r", "\t", "\x00", "\x7f", "\u009b", "\u202e", "\x1bP", "\x07"} {
				if strings.Contains(content, bad) {
					t.Errorf("%s: the frame holds %q", where, bad)
				}
			}
			if lines := strings.Count(content, "\n") + 1; lines != 60 {
				t.Errorf("%s: %d lines, want 60", where, lines)
			}
		}
		for range hostile {
			check("list and detail")
			d.press("p")
			check("plain")
			d.press("esc", "r")
			check("dialog")
			d.press("esc", "down")
		}
		d.store.err = &inspect.Fault{What: "no\x1b[2J\r\n"}
		d.press("R")
		check("error")
		if title := d.app.View().WindowTitle; strings.ContainsAny(title, "\x1b\x07\n") {
			t.Errorf("window title %q", title)
		}
	}, armed)
}

func TestR44_TheWholeKeyAndTheRowCanBeCopied(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("down", "down", "down", "down")
		d.said = nil
		d.press("y")
		if got := fmt.Sprint(d.said); !strings.Contains(got, "refund:2026-03-01:merchant-00017:0123456789abcdef0123456789abcdef") {
			t.Errorf("copied %s", got)
		}
		d.expect("sent to the terminal")
		d.said = nil
		d.press("Y")
		if got := fmt.Sprint(d.said); !strings.Contains(got, `"schema": "idemtui.claim/v1"`) {
			t.Errorf("copied %s", got)
		}
		d.press("p")
		d.expect("refund:2026-03-01:merchant-00017:0123456789abcdef0123456789abcdef")
	})
}

func TestR1_AClaimWithoutLeaseSaysThatNothingFreesIt(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("down", "down", "down")
		d.expectSelected("pay_70001")
		d.expect("nothing frees this before the record expires, in 23h12m30s")
	})
}

func TestR14_AHeldClaimSaysWhenItFreesItself(t *testing.T) {
	held := claimed("k", "w", 70*time.Second, -3*time.Minute, 1)
	bubble(t, 120, 36, []inspect.Claim{held}, func(d *desk) {
		d.press("2", "enter")
		d.expect("frees itself in 3m00s")
		d.press("r")
		d.expect("Nothing can be released", "frees itself in 3m")
	}, armed)
}

func TestR3_RowsInAnUnmappedStateAreCounted(t *testing.T) {
	odd := incident()[:3]
	odd[1].LeaseUntil = inspect.NoTime("infinity")
	odd[2].LeaseUntil, odd[2].ClaimedAt = inspect.Stamp{}, inspect.Stamp{}
	bubble(t, 80, 24, odd, func(d *desk) {
		d.expect("no lease 1 · invalid time 1 · unmapped Delayed 1")
	}, func(_ *triage.Config, m *memoryStore) {
		m.unmapped = map[string]inspect.Count{"Delayed": {Rows: 1, Exact: true}}
	})
}
