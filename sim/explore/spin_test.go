package explore

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"idemtui/sim"
)

// pan is a verifier that SPIN made of testdata/handlers.pml.
type pan struct{ file string }

// spinStates and spinSeconds read what a verifier prints.
var (
	spinStates  = regexp.MustCompile(`(?m)^\s*([0-9]+) states, stored`)
	spinEdges   = regexp.MustCompile(`(?m)^\s*([0-9]+) transitions`)
	spinSeconds = regexp.MustCompile(`(?m)elapsed time ([0-9.]+) seconds`)
)

// buildPan makes the verifier, or skips with a reason.
func buildPan(t testing.TB, c Config, optimise string) pan {
	t.Helper()
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian package %s)", tool, tool)
		}
	}
	model, err := filepath.Abs("testdata/handlers.pml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := c.Budgets
	defines := []string{
		fmt.Sprintf("-DH=%d", c.Handler.ID), fmt.Sprintf("-DN=%d", c.Deliveries), fmt.Sprintf("-DFAIL=%d", b.Fail), fmt.Sprintf("-DLOST=%d", b.Timeout),
		fmt.Sprintf("-DCRASH=%d", b.Crash), fmt.Sprintf("-DSLOW=%d", b.Slow), fmt.Sprintf("-DFORGET=%d", b.Forget),
	}
	// -o2 keeps SPIN from merging states by unused variables; NOREDUCE turns
	// partial-order reduction off, so that both search the same graph.
	run(t, dir, "spin", append(append([]string{"-o2"}, defines...), "-a", model)...)
	run(t, dir, "gcc", optimise, "-w", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c")
	return pan{filepath.Join(dir, "pan")}
}

func run(t testing.TB, dir, name string, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "LC_ALL=C")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return out
}

// search runs the verifier with a hash table that suits the graph.
func (p pan) search(t testing.TB) (states, edges int64, seconds float64) {
	t.Helper()
	out := run(t, filepath.Dir(p.file), p.file, "-m100000", "-w22")
	read := func(pattern *regexp.Regexp) string {
		match := pattern.FindSubmatch(out)
		if match == nil {
			t.Fatalf("no %s in\n%s", pattern, out)
		}
		return string(match[1])
	}
	if !bytes.Contains(out, []byte("errors: 0")) {
		t.Fatalf("SPIN found an error:\n%s", out)
	}
	states, _ = strconv.ParseInt(read(spinStates), 10, 64)
	edges, _ = strconv.ParseInt(read(spinEdges), 10, 64)
	seconds, _ = strconv.ParseFloat(read(spinSeconds), 64)
	return states, edges, seconds
}

// SPIN finds the same states and transitions for every handler, from its own
// statement of the steps. It counts the start as a transition.
func TestSpinFindsTheSameStates(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a verifier for each handler: run without -short")
	}
	for _, h := range sim.Handlers() {
		t.Run(h.Name, func(t *testing.T) {
			c := config(h.ID, 2, ones())
			states, edges, _ := buildPan(t, c, "-O0").search(t)
			c.VerdictOnly = true
			r, err := Run(t.Context(), c)
			if err != nil || r.States != states || r.Edges != edges-1 {
				t.Errorf("%d states and %d edges, %v; SPIN has %d and %d", r.States, r.Edges, err, states, edges-1)
			}
		})
	}
}

// wanted is how much faster than SPIN the verdict pass is to be, on one core.
const wanted = 3

// BenchmarkBesideSpin searches the same graph by turns: fence, four
// deliveries, each fault once. The best of some runs of each is compared, in
// states per second. The second figure of ours is with two workers; where two
// cores are free it is the greater by far.
func BenchmarkBesideSpin(b *testing.B) {
	c := config(sim.HandlerFence, 4, ones())
	verifier := buildPan(b, c, "-O2")
	c.VerdictOnly = true
	theirs, ours := 0.0, [2]float64{}
	for b.Loop() {
		for range 5 {
			states, _, seconds := verifier.search(b)
			theirs = max(theirs, float64(states)/seconds)
			for i := range ours {
				c.Workers = i + 1
				began := time.Now()
				r, err := Run(b.Context(), c)
				if err != nil || r.States != states {
					b.Fatalf("%d states, %v; SPIN has %d", r.States, err, states)
				}
				ours[i] = max(ours[i], float64(r.States)/time.Since(began).Seconds())
			}
		}
	}
	b.ReportMetric(ours[0], "states/s")
	b.ReportMetric(ours[1], "states/s-2-workers")
	b.ReportMetric(theirs, "spin-states/s")
	b.ReportMetric(ours[0]/theirs, "times-spin")
	b.ReportMetric(ours[1]/theirs, "times-spin-2-workers")
	if ours[0] < wanted*theirs {
		b.Errorf("%.1f times SPIN, want at least %d", ours[0]/theirs, wanted)
	}
	if runtime.GOMAXPROCS(0) > 1 && ours[1] < ours[0] {
		b.Errorf("two workers are slower than one: %.0f and %.0f states/s", ours[1], ours[0])
	}
}
