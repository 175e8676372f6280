package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"idemtui/sim"
	"idemtui/ui/text"
)

// runSimLine runs one 'idemtui sim' command line and returns what it printed.
func runSimLine(t *testing.T, line string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), append([]string{"sim"}, strings.Fields(line)...),
		Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr},
		func(string) string { return "" }, Plugs{})
	return code, stdout.String(), stderr.String()
}

// mustSim fails the test unless the command ended well and said nothing on
// standard error.
func mustSim(t *testing.T, line string) string {
	t.Helper()
	code, out, errs := runSimLine(t, line)
	if code != exitFine || errs != "" {
		t.Fatalf("sim %s: exit %d: %s", line, code, errs)
	}
	return out
}

func TestSimRunFigures(t *testing.T) {
	var doc struct {
		Schema   string
		Workload map[string]any
		Results  []runRow
		Summary  []spread
	}
	if err := json.Unmarshal([]byte(mustSim(t, "run --format json")), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != "idemtui.run/v1" || len(doc.Results) != len(sim.Handlers()) || doc.Summary != nil {
		t.Fatalf("%+v", doc)
	}
	want := map[string]int64{"none": 2100, "claim": 2000, "release": 2000, "lease": 2000, "key": 2000, "keyonly": 2000, "natural": 2000, "increment": 2100, "onetx": 2000}
	for i, r := range doc.Results {
		if r.Handler != sim.Handlers()[i].Name || r.Payments != 2000 {
			t.Errorf("result %d: %+v", i, r)
		}
		if charges, ok := want[r.Handler]; ok && r.Charges != charges {
			t.Errorf("%s: %d charges, want %d", r.Handler, r.Charges, charges)
		}
	}
}

func TestSimRunFormatsAgree(t *testing.T) {
	line := "run --handler claim,release --duplicates 0 --fail 2% --format "
	var doc struct{ Results []runRow }
	if err := json.Unmarshal([]byte(mustSim(t, line+"json")), &doc); err != nil {
		t.Fatal(err)
	}
	csvLines := strings.Split(strings.TrimSpace(mustSim(t, line+"csv")), "\n")
	table := mustSim(t, line+"table")
	if len(csvLines) != 3 || !strings.HasPrefix(csvLines[0], "handler,seed,deliveries,payments,charges,charged_twice,never_charged,failed_first,takeovers,fenced,stuck,virtual_seconds,dead_letters") {
		t.Fatalf("%q", csvLines)
	}
	for i, r := range doc.Results {
		if r.Deliveries != 2040 || r.FailedFirst != 40 || r.Charges != []int64{1960, 2000}[i] {
			t.Errorf("%+v", r)
		}
		if want := fmt.Sprintf("%s,1,2040,2000,%d,0,%d,40,0,0,%d,%s,0", r.Handler, r.Charges, r.NeverCharged, r.Stuck, r.VirtualSeconds); csvLines[i+1] != want {
			t.Errorf("got %q, want %q", csvLines[i+1], want)
		}
		if !strings.Contains(table, fmt.Sprintf("%s        2040      2000     %d", map[int]string{0: "claim  ", 1: "release"}[i], r.Charges)) {
			t.Errorf("the table has no %s with %d:\n%s", r.Handler, r.Charges, table)
		}
	}
}

func TestSimRunRepeat(t *testing.T) {
	var doc struct {
		Results []runRow
		Summary []spread
	}
	if err := json.Unmarshal([]byte(mustSim(t, "run --handler none,check --payments 200 --repeat 4 --seed 7 --format json")), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Results) != 8 {
		t.Fatalf("%d results", len(doc.Results))
	}
	for i, r := range doc.Results {
		if r.Seed != uint64(7+i%4) {
			t.Errorf("result %d has seed %d", i, r.Seed)
		}
		var one struct{ Results []runRow }
		line := fmt.Sprintf("run --handler %s --payments 200 --seed %d --format json", r.Handler, r.Seed)
		if err := json.Unmarshal([]byte(mustSim(t, line)), &one); err != nil || one.Results[0] != r {
			t.Errorf("alone %+v, in the sweep %+v", one.Results, r)
		}
	}
	for _, s := range doc.Summary {
		if s.Handler == "none" && s.Field == "charges" && (s.Median != "210" || s.Min != "210" || s.Max != "210") {
			t.Errorf("%+v", s)
		}
	}
}

func TestSpreadIsExact(t *testing.T) {
	for want, values := range map[string][]int64{"2": {3, 1, 2}, "2.5": {4, 1, 2, 3}, "7": {7}, "0": {0, 0}} {
		if got := spreadOf("h", "f", values).Median.String(); got != want {
			t.Errorf("%v: median %s, want %s", values, got, want)
		}
	}
}

func TestSimRunTiming(t *testing.T) {
	if out := mustSim(t, "run --handler none --payments 10 --format json"); strings.Contains(out, "wall_seconds") {
		t.Error("a result without --timing depends on the clock")
	}
	if out := mustSim(t, "run --handler none --payments 10 --timing --format json"); !strings.Contains(out, "wall_seconds") {
		t.Error("--timing says nothing")
	}
}

func TestSimBadFlags(t *testing.T) {
	for line, want := range map[string]string{
		"run --workers 0":                                  `"--workers" flag: it must be a whole number, 1 to 64`,
		"run --workers 65":                                 "1 to 64",
		"run --payments 0":                                 "1 to 1000000000",
		"run --payments -5":                                "1 to 1000000000",
		"run --payments 1000000000000":                     "1 to 1000000000",
		"export --payments 1000000000":                     "--payments is 1000000000; it must be 1 to 100000 where a trace is kept",
		"run --distance 0":                                 "1 to 1000000",
		"run --duplicates 2":                               "0 to 1",
		"run --fail -0.1":                                  "--fail",
		"run --crash x":                                    "number from 0 to 1",
		"run --charge 0":                                   "--charge is 0 ns; it must be 1us to 366d",
		"run --charge -1ms":                                "negative",
		"run --lease -1s":                                  "negative",
		"run --lease 0":                                    "--lease",
		"run --charge 366d":                                "--charge",
		"run --seed 9007199254740992":                      "0 to 9007199254740991",
		"run --seed -1":                                    "0 to 9007199254740991",
		"run --seed 1.5":                                   "whole number",
		"run --seed 9007199254740991 --repeat 2":           "the last seed must be at most",
		"run --repeat 0":                                   "1 to 1000000",
		"run --guard lock":                                 "token or name",
		"run --handler lock":                               `no handler "lock"`,
		"export --handler none,check":                      "one handler",
		"run --format yaml":                                "table, json, csv",
		"run --live":                                       "--live is not available",
		"run --broker kafka":                               `"--broker" flag: it is queue or log`,
		"run --late-ack maybe":                             "it is honoured or ignored",
		"run --max-receives 1001":                          "0 to 1000",
		"run --visibility 400d":                            "--visibility is 400d; it must be 0s (as the lease) to 366d",
		"run --visibility -1s":                             "negative",
		"run --ack-lost 2":                                 "0 to 1",
		"run --rebalance 0.1":                              "--rebalance is 0.1; it must be 0 with a queue",
		"run --broker log --ack-lost 0.1":                  "--ack-lost is 0.1; it must be 0 with a log",
		"run --broker log --direct":                        "--direct is on; it must be off with a log",
		"run --broker log --late-ack ignored":              "--late-ack is ignored; it must be honoured with --broker log",
		"run --commit-every 3":                             "--commit-every is 3; it needs --broker log",
		"run --retry-topic":                                "--retry-topic is true; it needs --broker log",
		"run --skew 3s":                                    "--skew is 3s; it needs --node-clock",
		"run --copy-after 1ms --distance 2":                "--distance is 2; it must be left out beside --copy-after",
		"run --copy-after 1ms --duplicates 0":              "--copy-after is 1ms; it needs --duplicates above 0",
		"run --by-message --duplicates 0":                  "--by-message is true; it needs --duplicates above 0",
		"run --direct --visibility 1s":                     "--visibility is 1s; it must be 0 with --direct",
		"run --new-keys --key-memory 1s":                   "--key-memory is 1s; it must be 0 with --new-keys",
		"run --payments 1 --charge 30d --late-ack ignored": "--charge is 30d; it must be at most 18d7h with 1 payment that may be charged up to 20 times each",
		"run --plot time":                                  "distance or charge",
		"export --plot distance":                           "--plot",
		"run --lesson 9":                                   "there is no lesson",
		"--open=":                                          "bad token",
		"--open s1.check.1 --seed 3":                       "--open and --seed are both given",
		"--open s1.check.1 --lesson 2":                     "--open and --lesson are both given",
		"--speed=":                                         "is no speed",
		"export --as gif":                                  "no form",
		"--speed fast":                                     "no speed",
		"--speed 0":                                        "no speed",
		"--open s2.check.1":                                "version is",
		"--open s1.check.1.n0":                             "payments is 0",
		"--open nonsense":                                  "copy the token whole",
		"--open x9.check.2.0-0-0-0-0.01":                   "version is x9",
		"--open s1.xyz":                                    "copy the token whole",
		"rn":                                               "unknown command",
	} {
		code, out, errs := runSimLine(t, line)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("sim %s: exit %d, %q, %q; want exit 2 and one line with %q", line, code, out, errs, want)
		}
	}
}

func TestSimWithoutATerminalTellsTheRace(t *testing.T) {
	out := mustSim(t, "")
	if out != mustSim(t, "--lesson 2") {
		t.Error("sim alone tells something else than the lesson that its screen opens with")
	}
	unfolded := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"check, charge, then remember", "if seen(id) { ack; return }", "├", "✗ $",
		`w2 checked before w1 remembered: both saw "not processed". The window is as long as the charge.`,
		"✗ charged twice: ", "deliveries 2 payments 1 charges 2 ✗ charged twice 1",
	} {
		if !strings.Contains(unfolded, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("escape codes without a terminal")
	}
	if out := mustSim(t, "--handler claim"); strings.Contains(out, "✗") || !strings.Contains(out, "charges 1") {
		t.Errorf("claim:\n%s", out)
	}
}

func TestSimTextIsTheSameEveryTime(t *testing.T) {
	for _, h := range sim.Handlers() {
		line := "--seed 42 --handler " + h.Name
		if first := mustSim(t, line); first != mustSim(t, line) {
			t.Errorf("%s: two runs differ", h.Name)
		}
	}
}

func TestSimOfALargeRunIsCutShort(t *testing.T) {
	out := mustSim(t, "--payments 2000")
	if lines := strings.Count(out, "\n"); lines > runLogLimit+20 || !strings.Contains(out, "'idemtui sim export' has them all") {
		t.Errorf("%d lines", lines)
	}
}

func TestSimExport(t *testing.T) {
	printed := mustSim(t, "export --handler check")
	var doc struct {
		Schema string
		Events []any
	}
	if err := json.Unmarshal([]byte(printed), &doc); err != nil || doc.Schema != sim.TraceSchema || len(doc.Events) == 0 {
		t.Fatalf("%v, %+v", err, doc)
	}
	file := filepath.Join(t.TempDir(), "race.json")
	if out := mustSim(t, "export --handler check --out "+file); out != "" {
		t.Errorf("also printed %q", out)
	}
	written, err := os.ReadFile(file)
	if err != nil || string(written) != printed {
		t.Errorf("the file differs from what is printed: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "no", "such", "folder.json")
	code, out, errs := runSimLine(t, "export --out "+missing)
	if code != exitFailed || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, missing) {
		t.Errorf("exit %d: %q %q", code, out, errs)
	}
}

// TestSimOfALessonObeysTheOtherFlags: with a flag of the workload the screen
// shows that run, and so does the text.
func TestSimOfALessonObeysTheOtherFlags(t *testing.T) {
	out := mustSim(t, "--lesson 3 --handler release --payments 5")
	if !strings.HasPrefix(out, "release:") || !strings.Contains(out, "5 payments") {
		t.Errorf("%.300s", out)
	}
}

// TestSimOfAHugeTokenIsQuick: the token of a large run with a copy at a given
// time took minutes to draw.
func TestSimOfAHugeTokenIsQuick(t *testing.T) {
	out := mustSim(t, "--open s1.check.1.n1qw2-dgjdgxs-a6fhc")
	if strings.Contains(out, "worker 1") || !strings.Contains(out, "payments 81506") {
		t.Errorf("%.300s", out)
	}
}

func TestATokenGoesBeforeTheEnvironment(t *testing.T) {
	var out, errs bytes.Buffer
	code := Run(t.Context(), []string{"sim", "--open", "s1.check.1.n5"}, Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
		func(name string) string { return map[string]string{"IDEMTUI_SEED": "5"}[name] }, Plugs{})
	if code != 0 || !strings.Contains(out.String(), "seed 1 ") {
		t.Errorf("exit %d: %.200s%s", code, out.String(), errs.String())
	}
}

func TestTheLogCutsNoTime(t *testing.T) {
	for at, want := range map[int64]string{
		1_390_000: "   1.39 ms", 65_390_000_000: "65390.00 ms", 3_599_990_000_000: "3599990.00 ms",
		9*24*3_600_000_000_000 + 2_650_000: "9d + 2.65 ms",
	} {
		if got := logTime(at); got != want {
			t.Errorf("%d ns: %q, want %q", at, got, want)
		}
	}
}

func TestTimelineKeepsWordsApart(t *testing.T) {
	row := []rune(strings.Repeat(" ", 40))
	writeApart(row, 0, "mark-failed")
	writeApart(row, 11, "claim-retry")
	writeApart(row, 22, "ack")
	if got := strings.TrimRight(string(row), " "); got != "mark-failed claim-retry ack" {
		t.Errorf("%q", got)
	}
	if out := mustSim(t, "--lesson 7"); strings.Contains(out, "0000.") || !strings.Contains(out, "─4d12h ─") {
		t.Errorf("the axis counts days in milliseconds:\n%s", out)
	}
}

func TestSimOpensWhatATokenStandsFor(t *testing.T) {
	shown := mustSim(t, "--handler claim --seed 9")
	_, token, _ := strings.Cut(strings.SplitN(shown, "\n", 3)[1], "token ")
	if opened := mustSim(t, "--open "+token); opened != shown {
		t.Errorf("%s opens another run:\n%s", token, opened)
	}
	var doc struct{ Token string }
	if err := json.Unmarshal([]byte(mustSim(t, "explore --handler check --format json")), &doc); err != nil {
		t.Fatal(err)
	}
	if opened := mustSim(t, "--open "+doc.Token); !strings.Contains(opened, "✗ charged twice 1") {
		t.Errorf("%s opens\n%s", doc.Token, opened)
	}
}

func TestSimExportSVG(t *testing.T) {
	for _, line := range []string{"export --as svg --handler check", "export --as svg --handler lease --payments 50 --crash 0.1 --slow 0.1", "export --as svg --lesson 4 --handler lease --timeout 0.1"} {
		picture := mustSim(t, line)
		decoder := xml.NewDecoder(strings.NewReader(picture))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("sim %s: %v", line, err)
			}
		}
		if !strings.Contains(picture, "prefers-color-scheme:dark") || !strings.Contains(picture, "worker 2") {
			t.Errorf("sim %s: no picture:\n%.300s", line, picture)
		}
		if strings.Contains(picture, "var(") {
			t.Errorf("sim %s: a custom property, which librsvg and office programs draw black", line)
		}
		for _, label := range regexp.MustCompile(`<text x="(\d+)" y="\d+" class="(?:soft|bad)?">([^<]*)`).FindAllStringSubmatch(picture, -1) {
			if x, err := strconv.Atoi(label[1]); err != nil || x+svgLetter*text.Width(label[2]) > svgWidth {
				t.Errorf("sim %s: %q stands at %s, beyond the edge", line, label[2], label[1])
			}
		}
	}
	if picture := mustSim(t, "export --as svg --handler check"); !strings.Contains(picture, "✗ charged twice") {
		t.Error("the picture does not say what went wrong")
	}
}

func TestSimExportPerfetto(t *testing.T) {
	if out := mustSim(t, "export --as perfetto --handler check"); !json.Valid([]byte(out)) || !strings.Contains(out, `"violation":"charged twice"`) {
		t.Errorf("%.300s", out)
	}
}

func TestSimRunPlot(t *testing.T) {
	chart := mustSim(t, "run --handler check,claim --plot distance --repeat 3")
	for _, want := range []string{"check: payments charged twice, by the distance of the copy", "claim: payments charged twice", "█"} {
		if !strings.Contains(chart, want) {
			t.Errorf("no %q in\n%s", want, chart)
		}
	}
	var doc struct {
		Schema string
		Plot   struct {
			By     string
			Points []plotPoint
		}
	}
	if err := json.Unmarshal([]byte(mustSim(t, "run --handler check,claim --plot distance --repeat 3 --format json")), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != "idemtui.run/v1" || doc.Plot.By != "distance" || len(doc.Plot.Points) != 2*len(plotDistances) {
		t.Fatalf("%+v", doc)
	}
	for _, p := range doc.Plot.Points {
		if p.Handler == "claim" && p.Median != "0" || p.Handler == "check" && p.X == "1" && p.Median < "9" {
			t.Errorf("%+v", p)
		}
	}
	lines := strings.Split(strings.TrimSpace(mustSim(t, "run --handler check --plot charge --format csv")), "\n")
	if len(lines) != 1+len(plotCharges) || lines[0] != "handler,charge_seconds,median,min,max" {
		t.Errorf("%q", lines)
	}
}

func TestSimExportCast(t *testing.T) {
	for _, line := range []string{"export --as cast --handler check", "export --as cast --handler lease --payments 20 --slow 0.1", "export --as cast --handler lease --payments 300 --slow 0.1"} {
		lines := strings.Split(strings.TrimSpace(mustSim(t, line)), "\n")
		var header struct{ Version, Width, Height int }
		if err := json.Unmarshal([]byte(lines[0]), &header); err != nil || header.Version != 2 || header.Width == 0 || header.Height == 0 {
			t.Fatalf("sim %s: header %s: %v", line, lines[0], err)
		}
		before := 0.0
		for _, l := range lines[1:] {
			var frame []any
			if err := json.Unmarshal([]byte(l), &frame); err != nil || len(frame) != 3 || frame[1] != "o" {
				t.Fatalf("sim %s: %.80s: %v", line, l, err)
			}
			if at := frame[0].(float64); at < before || at > 120 {
				t.Fatalf("sim %s: a frame at %v s after %v", line, at, before)
			} else {
				before = at
			}
			if rows := strings.Split(frame[2].(string), "\r\n"); len(rows) > header.Height {
				t.Fatalf("sim %s: %d rows on a screen of %d", line, len(rows), header.Height)
			}
		}
		if before < 5 {
			t.Errorf("sim %s is over after %v s", line, before)
		}
		if last := lines[len(lines)-1]; strings.Contains(line, "--payments 300") && !strings.Contains(last, "ends here, after 1000 of") {
			t.Errorf("sim %s does not say that it is cut: %.200s", line, last)
		}
		if last := lines[len(lines)-1]; strings.Contains(line, "check") && !strings.Contains(last, "✗ charged twice 1") {
			t.Errorf("sim %s ends with %.200s", line, last)
		}
	}
}

// TestSimRunOfEveryWorld: the flags of the world reach the run, its heading and
// its JSON.
func TestSimRunOfEveryWorld(t *testing.T) {
	for line, want := range map[string][]string{
		"--broker log --rebalance 0.05 --commit-every 5": {"a log", "a commit every 5", "rebalances 0.05"},
		"--visibility 2s --no-nack --fail 0.1":           {"visibility 2s", "nothing given back"},
		"--retention 1ms --copy-after 20ms":              {"retention 1ms", "copies after 20ms"},
		"--node-clock --skew 40s":                        {"leases by the workers' clocks", "skew 40s"},
		"--late-ack ignored --lease 1s":                  {"late acks ignored", "lease 1s"},
		"--new-keys --by-message":                        {"a new key per try", "ids by message"},
		"--key-memory 1s --window 5ms --exact":           {"provider's memory 1s", "the broker's window 5ms", "exact times"},
		"--direct":                                       {"callers instead of a broker"},
		"--broker log --retry-topic":                     {"with a retry topic"},
		"--ack-lost 0.05":                                {"acks lost 0.05"},
	} {
		out := mustSim(t, "run --handler lease,key --payments 100 "+line)
		for _, w := range want {
			if heading, _, _ := strings.Cut(out, "\n"); !strings.Contains(heading, w) {
				t.Errorf("%s: no %q in %q", line, w, heading)
			}
		}
	}
	var doc struct{ Workload map[string]any }
	if err := json.Unmarshal([]byte(mustSim(t, "run --handler key --payments 10 --late-ack ignored --broker queue --max-receives 7 --format json")), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Workload["late_ack"] != "ignored" || doc.Workload["max_receives"] != 7.0 {
		t.Errorf("%v", doc.Workload)
	}
	if out := mustSim(t, "run --handler key --payments 10 --format json"); strings.Contains(out, "late_ack") {
		t.Error("a parameter that is as usual is in the workload")
	}
}

// TestSimRunOfALivelock: each worker is replaced before it has finished, until
// the message is put aside; renewal ends it. The short patience is warned of.
func TestSimRunOfALivelock(t *testing.T) {
	line := "run --handler fence --payments 1 --workers 4 --duplicates 0 --lease 300us --visibility 400us --late-ack ignored --max-receives 8 --exact --format csv"
	code, out, errs := runSimLine(t, line)
	if code != exitFine || !strings.Contains(out, "fence,1,8,1,8,1,0,0,7,0,") || !strings.HasSuffix(out, ",1\n") {
		t.Errorf("exit %d: %s", code, out)
	}
	if !strings.Contains(errs, "--visibility 400us is shorter than a charge (1ms)") || strings.Count(errs, "\n") != 1 {
		t.Errorf("warned: %q", errs)
	}
	if _, out, _ := runSimLine(t, line+" --renew 100us"); !strings.Contains(out, "fence,1,4,1,1,0,0,0,0,0,") {
		t.Errorf("with renewal: %s", out)
	}
}

// TestTheBrokersVariableIsNotTheSimulators: IDEMTUI_BROKER names a real broker.
func TestTheBrokersVariableIsNotTheSimulators(t *testing.T) {
	var out, errs bytes.Buffer
	code := Run(t.Context(), []string{"sim", "run", "--payments", "5"}, Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
		func(name string) string { return map[string]string{"IDEMTUI_BROKER": "kafka://k:9092/t"}[name] }, Plugs{})
	if code != 0 {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}
