//go:build unix

package lesson_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"idemtui/ui/keys"
	"idemtui/ui/ptytest"
)

var binaries string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lesson-journey")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// learn starts `idemtui sim` in a terminal.
func learn(t *testing.T, w, h int, args ...string) *ptytest.Terminal {
	t.Helper()
	return ptytest.Start(t, exec.Command(ptytest.Program(t, binaries), append([]string{"sim"}, args...)...), w, h)
}

// Through lesson 2 with a wrong prediction, then the results, then lesson 3.
func TestJourneyThroughTheRace(t *testing.T) {
	k := keys.Default()
	term := learn(t, 80, 24)
	term.Expect("lesson 2 of 7", "three handlers, one race", "page 1 of 8", "next page", "paused", "0.00 ms")
	term.Press(k.Lesson.Next)
	term.Expect("page 2 of 8", "✗ charged twice 1", "With no deduplication each delivery does the work.")
	term.Press(k.Lesson.Next, k.Lesson.Next)
	term.Expect("a question first", "How often will the")
	term.Type("1")
	term.Expect("Not quite. It is: twice.")
	for page := 4; page <= 8; page++ {
		term.Press(k.Lesson.Next)
		term.Expect(fmt.Sprintf("page %d of 8", page))
	}
	term.Expect("Charged once.", "the end")
	term.Press(k.Lesson.Next)
	term.Expect("results 1 of 2", "Over the first 400", "2,100     2,000    2,100")
	term.Press(k.Lesson.Next)
	term.Expect("results 2 of 2", "24 behind")
	term.Press(k.Lesson.Next)
	term.Expect("the last word", "lesson 3, the claim that is never released")
	term.Press(k.Lesson.Next)
	term.Expect("lesson 3 of 7", "page 1 of 11", "w1 has claimed it")
	term.Press(k.Global.Quit)
	term.ExpectExit(0)
	term.ExpectRestored()
}

// A newcomer has found the arrow keys, and nothing else.
func TestJourneyOfANewcomerWithArrowKeysOnly(t *testing.T) {
	term := learn(t, 120, 36)
	arrow := func(names ...string) {
		for _, name := range names {
			term.PressKey(name)
		}
	}
	term.Expect("page 1 of 8", "next page")
	arrow("right", "right")
	term.Expect("●p1")
	arrow("left", "left", "down")
	term.Expect("page 2 of 8", "✗ charged twice 1")
	arrow("down", "down")
	term.Expect("a question first")
	arrow("right", "right", "right", "down")
	term.Expect("Right: twice.")
	arrow("down")
	term.Expect("page 4 of 8")
	arrow("up")
	term.Expect("page 3 of 8")
	arrow("down")
	term.Expect("page 4 of 8")
	for range 5 {
		arrow("down")
	}
	term.Expect("results 1 of 2", "claim first, atomically")
	arrow("down", "down", "down")
	term.Expect("lesson 3 of 7")
	term.PressKey("ctrl+c")
	term.ExpectExit(130)
	term.ExpectRestored()
}

// A run is changed on the spot, another lesson is picked, and the terminal
// changes its size meanwhile.
func TestJourneyOfSomebodyCurious(t *testing.T) {
	k := keys.Default()
	term := learn(t, 120, 36, "--lesson", "lease", "--seed", "7")
	term.Expect("lesson 4 of 7", "page 1 of 19", "seed 7")
	term.Press(k.Lesson.Change)
	term.Expect("change it", "a claim is held without being renewed")
	term.Press(k.Lesson.More)
	term.Expect("changed: lease 30ms", "(lesson: 20ms)")
	term.Resize(60, 15)
	term.Expect("change it")
	term.Resize(120, 36)
	term.Press(k.Lesson.Reset)
	term.ExpectGone("changed:")
	term.Press(k.Lesson.Back)
	term.ExpectGone("change it") // an escape and a letter at once would be another key
	term.Press(k.Lesson.Menu)
	term.Expect("how long to remember")
	term.Type("7")
	term.Expect("lesson 7 of 7", "page 1 of 8")
	term.Press(k.Lesson.All)
	term.Expect("claim with state and lease", "2,000 payments, 8 workers")
	term.Press(k.Lesson.Return)
	term.Expect("lesson 7 of 7", "page 1 of 8")
	term.Press(k.Global.Quit)
	term.ExpectExit(0)
	term.ExpectRestored()
}
