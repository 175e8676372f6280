package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"runtime"
	"strings"
	"testing"
)

// runExploreLine runs one command line and returns what it printed.
func runExploreLine(t *testing.T, line string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), append([]string{"sim", "explore"}, strings.Fields(line)...),
		Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, func(string) string { return "" }, Plugs{})
	return code, stdout.String(), stderr.String()
}

func TestExplore(t *testing.T) {
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"", 0, "CHARGES TWICE: 60 of 66 schedules"},
		{"--exit-code", 3, "   4  D2   charge\n"},
		{"--handler claim --exit-code", 0, "SAFE: none of the 12 schedules"},
		{"--handler claim --crash 1 --exit-code", 3, "LOSES THE PAYMENT: 20 of 136"},
		{"--handler fence --slow 1 --exit-code", 3, "   3  env  expire-slow\n"},
		{"--handler fence --slow 1", 0, "80 of 98"},
		{"--handler fence --slow 1", 0, "token x1.fence.2.0-0-0-1-0.00g33\n"},
		{"--handler key --deliveries 3 --fail 1 --timeout 1 --crash 1 --slow 1 --forget 1 --exit-code", 0, "SAFE: none of the"},
		{"--handler fence --deliveries 4 --fail 1 --timeout 1 --crash 1 --slow 1 --forget 1 --symmetry", 0, "502141 (30515 up to the order"},
		{"--handler increment --exit-code", 3, "6 of 6 schedules charge twice"},
	} {
		code, out, errs := runExploreLine(t, c.line)
		if code != c.code || !strings.Contains(out, c.want) || errs != "" {
			t.Errorf("%s: exit %d, want %d and %q:\n%s%s", c.line, code, c.code, c.want, out, errs)
		}
	}
}

func TestExploreBadFlags(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"--handler nobody", "it is one of none, check"},
		{"--deliveries 5", "1 to 4"},
		{"--deliveries 0", "1 to 4"},
		{"--crash -1", `"-1" for "--crash" flag: it must be a whole number, 0 to 268435456`},
		{"--slow 99999999999999999999", `for "--slow" flag: it must be a whole number, 0 to 268435456`},
		{"--crash 0.5", "invalid argument"},
		{"--handler fence --deliveries 4 --crash 100000 --slow 100000", "budgets are too large"},
		{"--handler claim --deliveries 1 --crash 268435456", "a state takes 64 bits for what is shared and 3 for the deliveries, and 63 and 64 are the most"},
		{"--max-memory lots", "512MiB or 2GiB"},
		{"--max-memory 1.5GiB", "512MiB or 2GiB"},
		{"--max-memory 5", "at least 1MiB"},
		{"--max-memory 99999999999TiB", "less than 8EiB"},
		{"--format markdown", "table, json, csv"},
		{"more", "takes no argument"},
	} {
		code, out, errs := runExploreLine(t, c.line)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q; want exit 2 and one line with %q", c.line, code, out, errs, c.want)
		}
	}
}

func TestExploreStopsAtItsMemory(t *testing.T) {
	all := "--handler natural --deliveries 4 --fail 20 --timeout 20 --crash 20 --max-memory 1MiB --exit-code"
	code, out, errs := runExploreLine(t, all)
	if code != exitFailed || !strings.Contains(out, "UNDECIDED") || !strings.Contains(errs, "--max-memory") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

func TestExploreFormatsAgree(t *testing.T) {
	line := "--handler lease --deliveries 3 --fail 1 --timeout 1 --crash 1 --slow 1 --forget 1"
	_, out, _ := runExploreLine(t, line+" --format json")
	var report struct {
		Schema        string
		States, Edges int64
		Interleavings string
		Double        int `json:"shortest_double"`
		Token         string
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	_, csvText, _ := runExploreLine(t, line+" --format csv")
	_, table, _ := runExploreLine(t, line)
	if report.Schema != "idemtui.explore/v1" || !strings.Contains(csvText, report.Interleavings) || !strings.Contains(table, report.Interleavings) ||
		!strings.HasSuffix(strings.TrimSpace(csvText), report.Token) || !strings.Contains(table, "token "+report.Token) {
		t.Errorf("the formats disagree:\n%s\n%s\n%s", out, csvText, table)
	}
}

func TestDefaultSearchMemory(t *testing.T) {
	const gibibyte = int64(1) << 30
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is known":   {nil, 2 * gibibyte},
		"plenty":             {map[string]string{"/proc/meminfo": "MemTotal: 99999999 kB\nMemAvailable: 88888888 kB\n"}, 2 * gibibyte},
		"a small machine":    {map[string]string{"/proc/meminfo": "MemAvailable: 1048576 kB\n"}, gibibyte / 4 * 3},
		"a container":        {map[string]string{"/sys/fs/cgroup/memory.max": "1073741824\n", "/sys/fs/cgroup/memory.current": "536870912\n"}, gibibyte / 8 * 3},
		"unlimited":          {map[string]string{"/sys/fs/cgroup/memory.max": "max\n", "/sys/fs/cgroup/memory.current": "5\n"}, 2 * gibibyte},
		"nearly nothing":     {map[string]string{"/proc/meminfo": "MemAvailable: 10 kB\n"}, leastDefaultMemory},
		"not as it is known": {map[string]string{"/proc/meminfo": "MemAvailable: lots\n"}, 2 * gibibyte},
	} {
		got := defaultSearchMemory(func(file string) ([]byte, error) {
			if text, ok := c.files[file]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		})
		if got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

// However many cores there are, the workers stay within what a search has beside
// its limit.
func TestWorkersStaySmallBesideTheirSearch(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	for limit, want := range map[int64]int{1 << 20: 2, 1 << 30: 6, 2 << 30: 10, 1 << 40: 64, math.MaxInt64: 64} {
		if got := exploreWorkers(limit); got != want {
			t.Errorf("%d workers within %d bytes, want %d", got, limit, want)
		}
	}
}
