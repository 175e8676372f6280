package triage_test

import (
	"errors"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

// completable is the table with all that a completion needs.
func completable(c *triage.Config, m *memoryStore) {
	m.table.Mapping.State.Values[inspect.StateDone] = []string{"DONE"}
	c.Table, c.Mode = m.table, inspect.ModeArmed
}

func withProviderKey() []inspect.Claim {
	claims := incident()
	claims[0].ProviderKey = inspect.Some("idem-88412")
	return claims
}

func TestSettleAsksWhatTheProviderAnsweredThenForTheWrite(t *testing.T) {
	bubble(t, 120, 36, withProviderKey(), func(d *desk) {
		d.press("c")
		d.expect("What did the provider answer?", "pay_88412: provider key idem-88412", "> No", "[ It was not charged ]  [ It was charged ]", "asking again costs nothing")
		d.press("y")
		d.expect("move to what the provider answered")
		d.press("right", "right", "enter")
		d.expect("say where the provider has the answer")
		d.write("ch_3P1")
		d.press("enter", "right", "right", "enter")
		d.expect("Settle 1 claim as charged?", "you say what the provider answered", "pay_88412", "charged (ch_3P1)", "> No")
		if len(d.store.wrote) > 0 {
			t.Fatalf("wrote %v", d.store.wrote)
		}
		d.press("y")
		d.write("seen in the dashboard")
		d.press("enter", "y")
		d.expect("What the settle did", "1 of 1 settled", "pay_88412: settled", "U puts back")
		d.expectNot("Follow")
		d.press("enter", "f")
		d.expect("nothing to follow")
	}, completable)
}

func TestNotChargedIsTheFirstAnswer(t *testing.T) {
	bubble(t, 120, 36, withProviderKey(), func(d *desk) {
		d.press("c", "right")
		d.expect("> It was not charged")
		d.press("enter")
		d.write("refused: r_1")
		d.press("enter", "right", "enter")
		d.expect("Settle 1 claim as not charged?")
	}, completable)
}

func TestSettleNamesTheTablesThatCannotBeCompleted(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("c")
		d.expect("cannot be settled as charged: no value for the state done is mapped", "[ It was not charged ]")
		d.expectNot("It was charged")
	}, armed)
}

func TestSettleOfManyWarnsThatOneAnswerCountsForAll(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("m", "m", "c")
		d.expect("ask the provider about 2 claims", "one answer for all 2 claims", "e in the list exports a CSV to fill in")
	}, completable)
}

func TestExportWritesWhatIsShownAndSaysWhere(t *testing.T) {
	var kinds []triage.ExportKind
	var rows []int
	var told []string
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("e")
		d.expect("Export 6 claims?", "those of the list", "nothing is overwritten")
		d.press("enter")
		d.expectNot("Export 6")
		d.press("m", "m", "e")
		d.expect("Export 2 claims?", "the marked ones")
		d.press("right", "right", "right", "enter")
		d.expect("Exported", "/home/oncall/a very long folder/list-1.csv")
		d.press("enter", "esc", "/")
		d.write("refund")
		d.press("enter", "e")
		d.expect("Export 1 claim?", "those that the filter shows")
		d.press("y")
		d.press("enter", "e", "right", "right", "y")
		if !slices.Equal(kinds, []triage.ExportKind{triage.ExportAnswers, triage.ExportCSV, triage.ExportJSON}) || !slices.Equal(rows, []int{2, 1, 1}) {
			t.Errorf("exported %v of %v rows", kinds, rows)
		}
		d.screen.Close()
		if len(told) != 3 || told[0] != "exported: /home/oncall/a very long folder/list-1.csv" {
			t.Errorf("told %q", told)
		}
	}, func(c *triage.Config, _ *memoryStore) {
		c.Unseen = func(text string) { told = append(told, text) }
		c.Export = func(kind triage.ExportKind, list inspect.Snapshot) (string, error) {
			kinds, rows = append(kinds, kind), append(rows, len(list.Claims))
			return "/home/oncall/a very long folder/list-1.csv", nil
		}
	})
}

func TestAnExportThatFailsIsSaid(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.press("e", "y")
		d.expect("no space left on device")
	}, func(c *triage.Config, _ *memoryStore) {
		c.Export = func(triage.ExportKind, inspect.Snapshot) (string, error) {
			return "", errors.New("no space left on device")
		}
	})
}

func TestAFollowThatCannotReadTriesAgain(t *testing.T) {
	bubble(t, 120, 36, incident(), func(d *desk) {
		d.audit.rows = leftBehind("pay_88412")
		d.press("r", "y")
		d.write("why")
		d.press("enter", "y")
		d.expect("1 of 1 released", "[ Follow it ]")
		d.store.err = errors.New("connection refused")
		d.press("y")
		d.expect("✗ not read, trying again: connection refused", "1 not picked up")
		d.store.err = nil
		d.store.later = []inspect.Claim{became("pay_88412", inspect.StateDone, "worker-9@h1")}
		d.send(triage.FollowDueMsg{})
		d.expect("1 released: 1 done")
		d.expectNot("not read")
	}, armed)
}

func TestAFilledInCSVIsPastedToSettleByIt(t *testing.T) {
	bubble(t, 110, 36, withProviderKey(), func(d *desk) {
		d.press("o")
		d.send(tea.PasteMsg{Content: "key,provider_key,claimed_at,owner,outcome,reference\r\npay_88412,idem-88412,,worker-7@h3,charged,ch_1\r\npay_88419,,,,maybe,\r\n"})
		d.press("tab", "right", "enter")
		d.expect("line 3:", "neither charged nor not-charged")
		d.press("up")
		for range len("pay_88419,,,,maybe,") + 2 {
			d.press("backspace")
		}
		d.press("tab", "right", "enter")
		d.expect("Settle 1 claim as charged?", "pay_88412", "charged (ch_1)")
		if len(d.store.wrote) > 0 {
			t.Fatalf("wrote %v", d.store.wrote)
		}
		d.press("y")
		d.write("from the provider's list")
		d.press("enter", "y")
		d.expect("1 of 1 settled")
	}, completable)
}
