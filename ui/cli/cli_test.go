package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"idemtui/inspect"
	"idemtui/inspect/audit"
	"idemtui/inspect/dsn"
	"idemtui/inspect/servertest"
	"idemtui/ui/text"
)

// programFolder is where the tests on a terminal build the program.
var programFolder string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "idemtui-cli-")
	if err != nil {
		panic(err)
	}
	programFolder = folder
	servertest.Main(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(folder)
		os.Exit(code)
	}))
}

// newTestApp is an app without terminals in an environment of its own.
func newTestApp(t *testing.T, environment map[string]string) (a *app, stderr *bytes.Buffer) {
	t.Helper()
	stderr = &bytes.Buffer{}
	return &app{
		streams: Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: stderr},
		getenv:  func(name string) string { return environment[name] },
		now:     time.Now,
	}, stderr
}

func TestExitCodes(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		err   error
		code  int
		keeps bool
	}{
		"fine":                       {t.Context(), nil, 0, true},
		"plain error":                {t.Context(), errors.New("broken"), 1, false},
		"usage":                      {t.Context(), usageError("a", "b"), 2, false},
		"some databases failed":      {t.Context(), partialFailure(errors.New("a"), ""), 1, true},
		"condition":                  {t.Context(), conditionHolds(), 3, true},
		"refused":                    {t.Context(), refused("a", "b"), 4, true},
		"refused by the store":       {t.Context(), placeError(&inspect.Fault{Kind: inspect.FaultRefused, What: "a"}), 4, true},
		"unreachable":                {t.Context(), placeError(&inspect.Fault{Kind: inspect.FaultUnreachable, What: "a"}), 1, false},
		"ctrl-c on a screen":         {t.Context(), errInterrupted, 130, false},
		"signal":                     {cancelled, errors.New("broken"), 130, false},
		"signal during a release":    {cancelled, partialFailure(errors.New("a"), ""), 130, true},
		"signal after it was done":   {cancelled, nil, 0, true},
		"cancelled without a signal": {t.Context(), context.Canceled, 130, false},
	} {
		if code, keeps := exitCode(c.ctx, c.err); code != c.code || keeps != c.keeps {
			t.Errorf("%s: got %d, %v; want %d, %v", name, code, keeps, c.code, c.keeps)
		}
	}
}

func TestMessagesAreOneLineWithoutPasswords(t *testing.T) {
	a, _ := newTestApp(t, map[string]string{"PGPASSWORD": "correct horse"})
	found, err := dsn.Find("postgres://me@db-1/payments", a.getenv)
	if err != nil {
		t.Fatal(err)
	}
	a.secrets = append(a.secrets, found)
	for message, want := range map[string]string{
		"first\n\n  second":                          "first second",
		"said \x1b[2J":                               `said \x1b[2J`,
		`bad "postgres://me:p@ss@db-1/payments"`:     `bad "postgres://me:***@db-1/payments"`,
		"host=a password=secret user=me":             "host=a password=*** user=me",
		`host=a password = 'se cret\'s' user=me`:     "host=a password = *** user=me",
		"postgres://db-1/x?password=secret&user=me":  "postgres://db-1/x?password=***&user=me",
		"server said: correct horse is wrong":        "server said: *** is wrong",
		"no password here: postgres://me@db-1/x":     "no password here: postgres://me@db-1/x",
		"rabbitmq://me:secret@mq:15672/%2F/payments": "rabbitmq://me:***@mq:15672/%2F/payments",
	} {
		if got := a.plain(message); got != want {
			t.Errorf("plain(%q) = %q, want %q", message, got, want)
		}
	}
}

func TestPasswordSpans(t *testing.T) {
	for arg, want := range map[string]string{
		"postgres://me:hunter2@db-1/x":       "postgres://me:*******@db-1/x",
		"--dsn=postgres://me:hu@ter2@db-1/x": "--dsn=postgres://me:*******@db-1/x",
		"host=a password=hunter2 user=me":    "host=a password=******* user=me",
		"postgres://me@db-1/x":               "postgres://me@db-1/x",
		"pay_1":                              "pay_1",
	} {
		hidden := []byte(arg)
		for _, span := range passwordSpans(arg) {
			copy(hidden[span[0]:span[1]], strings.Repeat("*", span[1]-span[0]))
		}
		if string(hidden) != want {
			t.Errorf("%q becomes %q, want %q", arg, hidden, want)
		}
	}
}

func TestOneLetterApart(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"format", "formt"}: true, {"format", "fromat"}: true, {"format", "formats"}: true, {"format", "farmat"}: true,
		{"format", "fort"}: false, {"limit", "owner"}: false, {"dsn", "dns"}: true, {"state", "stale-after"}: false,
	} {
		if got := oneLetterApart(pair[0], pair[1]); got != want {
			t.Errorf("oneLetterApart(%q, %q) = %v", pair[0], pair[1], got)
		}
	}
}

func TestMoments(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                          {},
		"2h":                        now.Add(-2 * time.Hour),
		"2026-02-28":                time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC),
		"2026-02-28 23:15":          time.Date(2026, 2, 28, 23, 15, 0, 0, time.UTC),
		"2026-02-28T23:15:10":       time.Date(2026, 2, 28, 23, 15, 10, 0, time.UTC),
		"2026-02-28T23:15:10+02:00": time.Date(2026, 2, 28, 21, 15, 10, 0, time.UTC),
		"P1D":                       now.Add(-24 * time.Hour),
	} {
		if got, err := parseMoment(text, now); err != nil || !got.Equal(want) {
			t.Errorf("parseMoment(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	if _, err := parseMoment("yesterday", now); err == nil {
		t.Error("yesterday is accepted")
	}
}

func TestEnvironmentNeverConfirmsAWrite(t *testing.T) {
	a, _ := newTestApp(t, map[string]string{
		"IDEMTUI_YES": "true", "IDEMTUI_REASON": "left in a shell", "IDEMTUI_ALLOW_RELEASE": "true", "IDEMTUI_OVERRIDE_LEASE": "true",
		"IDEMTUI_MAX": "1000", "IDEMTUI_STALE_AFTER": "1h", "IDEMTUI_READ_ONLY": "true",
	})
	root := newRootCommand(a)
	release, _, err := root.Find([]string{"inspect", "release"})
	if err != nil {
		t.Fatal(err)
	}
	if err := release.ParseFlags(nil); err != nil {
		t.Fatal(err)
	}
	if err := a.applyEnvironment(release); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"yes": "false", "reason": "", "allow-release": "false", "override-lease": "false", "max": "0", "stale-after": "1h", "read-only": "true",
	} {
		if got := release.Flags().Lookup(name).Value.String(); got != want {
			t.Errorf("--%s is %q, want %q", name, got, want)
		}
	}
}

func TestPlansAreKeptForAnHour(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	a, _ := newTestApp(t, map[string]string{"XDG_STATE_HOME": folder})
	now := time.Now()
	a.now = func() time.Time { return now }
	shared := &inspectFlags{}
	plan := inspect.Plan{ID: "0123456789abcdef", Database: "d", Table: "t", Rows: []inspect.PlannedRow{{Key: inspect.TextKey("id", "a\x00b")}}}
	if err := a.keepPlan(shared, plan, true); err != nil {
		t.Fatal(err)
	}
	kept, err := a.keptPlan(shared, plan.ID)
	if err != nil || !kept.Bulk || kept.Plan.Rows[0].Key != plan.Rows[0].Key {
		t.Fatalf("got %+v, %v", kept, err)
	}
	file := planFile(filepath.Join(folder, "idemtui"), plan.ID)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the plan's file: %v, %v; want mode 0600", info, err)
	}
	now = now.Add(planLife + time.Minute)
	if _, err := a.keptPlan(shared, plan.ID); err == nil || !strings.Contains(err.Error(), "over an hour old") {
		t.Errorf("an old plan gives %v", err)
	}
	next := plan
	next.ID = "fedcba9876543210"
	if err := a.keepPlan(shared, next, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old plan is still there: %v", err)
	}
	for _, id := range []string{"../../etc/passwd", "", "x", "0123/4567"} {
		if _, err := a.keptPlan(shared, id); err == nil {
			t.Errorf("%q is accepted as a plan's id", id)
		}
	}
}

func TestConfigFile(t *testing.T) {
	if _, err := parseConfig([]byte(defaultConfig)); err != nil {
		t.Errorf("the default config file: %v", err)
	}
	for content, want := range map[string]string{
		"":             "",
		"version: 1\n": "",
		"version: 1\nconnections: {a: {dsn: x, read_only: true, stale_after: 15m, hide: [result]}}\ngroups: {all: [a]}\n": "",
		"connections: {}\n":                                            "version is 0",
		"version: 1\ntheem: dark\n":                                    "unknown key theem",
		"version: 1\nconnections: {a: {dns: x}}\n":                     "unknown key dns",
		"version: 1\nconnections: {a: {}}\n":                           "needs dsn or service",
		"version: 1\nconnections: {a: {dsn: x, service: y}}\n":         "exclude each other",
		"version: 1\nconnections: {a: {dsn: x, map: k=v, profile: p}}": "exclude each other",
		"version: 1\nconnections: {a: {dsn: x, stale_after: 1y}}\n":    "no fixed length",
		"version: 1\ngroups: {all: [b]}\n":                             "unknown connection",
		"version: [\n":                                                 "line",
	} {
		_, err := parseConfig([]byte(content))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "cli.") || strings.Contains(err.Error(), "yaml:")) {
			t.Errorf("%q: %v names our types", content, err)
		}
	}
}

func TestHelpPagesFitATerminal(t *testing.T) {
	pages, err := helpPages.ReadDir("help")
	if err != nil || len(pages) != 4 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		content, err := helpPages.ReadFile("help/" + page.Name())
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			if line = strings.TrimSuffix(line, "\n"); text.Width(line) > 80 || text.Sanitise(line) != line {
				t.Errorf("%s: %q", page.Name(), line)
			}
		}
	}
}

func TestAnOperationWithoutAKnownEndIsReported(t *testing.T) {
	a, stderr := newTestApp(t, nil)
	shared := &inspectFlags{auditDir: filepath.Join(t.TempDir(), "audit")}
	begun := time.Now().Add(-5 * time.Minute)
	folder, err := audit.Open(shared.auditDir, func() time.Time { return begun }, audit.Person{OSUser: "me"})
	if err != nil {
		t.Fatal(err)
	}
	operation := folder.Begin()
	intent := inspect.Intent{
		Action: inspect.ActionRelease, Batch: 1, Database: "payments@db-1:5432", Table: "public.inbox",
		Rows: []inspect.AuditRow{{Key: inspect.TextKey("id", "pay_1")}},
	}
	if err := operation.Intent(t.Context(), intent); err != nil {
		t.Fatal(err)
	}
	if a.reportUnfinished(shared); stderr.Len() > 0 {
		t.Errorf("reported while it is at work: %s", stderr)
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	a.reportUnfinished(shared)
	for _, want := range []string{operation.ID(), "public.inbox of payments@db-1:5432", "look at pay_1"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in %q", want, stderr)
		}
	}
	stderr.Reset()
	folder, err = audit.Open(shared.auditDir, time.Now, audit.Person{OSUser: "me"})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := folder.Resume(operation.ID()).Outcome(t.Context(), inspect.Outcome{Batch: 1, Status: inspect.OutcomeCommitted}); err != nil {
		t.Fatal(err)
	}
	if a.reportUnfinished(shared); stderr.Len() > 0 {
		t.Errorf("after its end it is still reported: %s", stderr)
	}
}

func TestAMappingMayStandInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "inbox.map")
	content := "# the inbox of billing\nkey=consumer+msg_id,\nstate=st\r\n\n  processing=IN PROGRESS|CLAIMED, done=D\nlease=lock_exp\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var read, typed place
	if err := read.readMapping(file); err != nil {
		t.Fatal(err)
	}
	err := typed.readMapping("key=consumer+msg_id,state=st,processing=IN PROGRESS|CLAIMED,done=D,lease=lock_exp")
	if err != nil || !reflect.DeepEqual(read, typed) {
		t.Errorf("the file gives %+v, typing it %+v, %v", read, typed, err)
	}
	if err := new(place).readMapping("nowhere.map"); err == nil || !strings.Contains(err.Error(), "neither a mapping") {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestASettingIsNotIgnoredInSilence(t *testing.T) {
	config, err := parseConfig([]byte("version: 1\nprofiles: [mine.yaml]\ntheme: dark\nconnections: {a: {dsn: x, replica: y, brokers: [z]}, b: {dsn: x}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if config.Theme != "dark" {
		t.Errorf("theme is %q", config.Theme)
	}
	if _, err := parseConfig([]byte("version: 1\ntheme: purple\n")); err == nil || !strings.Contains(err.Error(), "auto, dark or light") {
		t.Errorf("an unknown theme gives %v", err)
	}
	want := []string{"brokers of a"}
	if got := config.unused(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOneLongValueLeavesTheOtherLinesShort(t *testing.T) {
	long := strings.Repeat("o", 1000)
	table := newTextTable("KEY", "OWNER", "AGE").alignRight("AGE")
	table.add("pay_1", "w1", "3h")
	table.add(long, long, "3h")
	lines := strings.Split(table.String(), "\n")
	if len(lines[1]) > 2*widest+20 || lines[2] != long+"  "+long+"   3h" {
		t.Errorf("%d cells beside a long value; its own line ends %q", len(lines[1]), lines[2][1990:])
	}
}

func TestR40_TableCellsLineUp(t *testing.T) {
	table := newTextTable("KEY", "AGE", "NOTE").alignRight("AGE")
	table.add("pay_1", "3h", "fine")
	table.add("注文-42", "12m", "a\tb")
	table.add("a\x1b[2Jb", "1", "")
	want := "KEY        AGE  NOTE\n" +
		"pay_1       3h  fine\n" +
		"注文-42    12m  a\\tb\n" +
		"a\\x1b[2Jb    1\n"
	if got := table.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
