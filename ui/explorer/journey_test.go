//go:build unix

package explorer_test

import (
	"os"
	"os/exec"
	"testing"

	"idemtui/sim/explore"
	"idemtui/ui/keys"
	"idemtui/ui/ptytest"
)

var binaries string

func cleanUp(code int) {
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

// program starts idemtui with these arguments in a terminal.
func program(t *testing.T, w, h int, args ...string) *ptytest.Terminal {
	t.Helper()
	if binaries == "" {
		folder, err := os.MkdirTemp("", "idemtui-explorer-")
		if err != nil {
			t.Fatal(err)
		}
		binaries = folder
	}
	home := t.TempDir()
	return ptytest.Start(t, exec.Command(ptytest.Program(t, binaries), args...), w, h, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
}

// A student opens the simulator, sees that check-then-act breaks in 60 of 66
// schedules, watches the shortest, breaks it by hand, and fails to break a lease
// with the provider's key.
func TestAStudentBreaksCheckByHandAndCannotBreakTheKey(t *testing.T) {
	k := keys.Default()
	term := program(t, 120, 36, "sim", "--handler", "check")
	term.Expect("check, charge, then remember", "explore")
	term.Press(k.Explorer.Open)
	term.Expect("60 of 66 schedules charge twice", "what the numbers teach")

	term.Press(k.Explorer.Choose)
	term.Expect("the shortest double charge", "A double charge is 4 steps away", "D1   check-new")
	term.Press(k.Schedule.End)
	term.Expect("The customer has been charged twice", "✗ $ p1", "after step 4 of 4")

	term.Press(k.Explorer.Back)
	term.Expect("66 schedules: 60 charge twice")
	term.Press(k.Explorer.Scheduler)
	term.Expect("you are the scheduler", "A double charge is 4 steps away")
	for _, step := range []struct{ key, then string }{
		{"1", "A double charge is 3 steps away"},
		{"2", "A double charge is 2 steps away"},
		{"1", "A double charge is 1 step away"},
		{"backspace", "A double charge is 2 steps away"},
		{"2", "A double charge is 1 step away"},
		{"1", "The customer has been charged twice"},
	} {
		term.PressKey(step.key)
		term.Expect(step.then)
	}
	term.Press(k.Explorer.Back)
	term.Expect("one fault at most")

	for range 5 { // from check to key
		term.Press(k.Explorer.Down)
	}
	for range 4 { // from none to slow
		term.Press(k.Explorer.Right)
	}
	term.Expect("lease with the provider's idempotency key, slow 1", "none of 98 schedules charges twice or loses")
	term.Press(k.Explorer.Scheduler)
	for _, key := range []string{"1", "1", "2", "2", "2"} {
		term.Expect("It cannot be broken: whatever you choose")
		term.PressKey(key)
	}
	term.Expect("It cannot be broken", "calls again, no new charge")
	term.PressKey("ctrl+c")
	term.ExpectExit(130)
	term.ExpectRestored()
}

func TestATokenOpensItsScheduleOnTheTimeline(t *testing.T) {
	term := program(t, 100, 30, "sim", "--open", "x1.lease.2.0-0-0-1-0.00g33")
	term.Expect("the schedule that you opened", "before step 1 of 5", "slow 1")
	term.PressKey("end")
	term.Expect("The customer has been charged twice", "lease lapses, worker slow")
	term.PressKey("esc")
	term.Expect("80 of 98 schedules")
	term.PressKey("esc")
	term.Expect("claim with state and lease", "One payment, and the broker will deliver it twice")
	term.PressKey("q")
	term.ExpectExit(0)
	term.ExpectRestored()
	if !explore.IsToken("x1.lease.2.0-0-0-1-0.00g33") {
		t.Error("the token is none")
	}
}

// A search of many seconds is under way; every key is answered meanwhile, and
// esc ends it at once.
func TestALongSearchNeverBlocksAKeyAndIsCancelledAtOnce(t *testing.T) {
	term := program(t, 120, 36, "sim", "--handler", "fence")
	term.PressKey("e")
	term.Expect("what the numbers teach")
	term.PressKey("b")
	term.Expect("faults of your own")
	term.PressKey("4")
	for range 5 {
		term.PressKey("down")
		term.PressKey("3")
	}
	term.Expect("fence has", "The search stops at 1 GiB")
	term.PressKey("enter")
	term.Expect("searching fence, fail 3, timeout 3, crash 3, slow 3, forget 3", "a second", "steps deep", "cancel the search")
	term.PressKey("up")
	term.Expect("lease: claim with state and lease, fail 3")
	term.PressKey("down")
	term.PressKey("esc")
	term.ExpectGone("searching fence")
	term.Expect("✗ The search was cancelled after")
	term.PressKey("q")
	term.ExpectExit(0)
	term.ExpectRestored()
}
