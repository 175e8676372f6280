package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// runRetentionLine runs one command line and returns what it printed.
func runRetentionLine(t *testing.T, environment map[string]string, line string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), append([]string{"retention"}, strings.Fields(line)...),
		Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr},
		func(name string) string { return environment[name] }, Plugs{})
	return code, stdout.String(), stderr.String()
}

func TestRetentionByFlags(t *testing.T) {
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		// The Stripe pair, and G16.
		{"--broker-retention 3d --max-downtime 0 --dedup-retention 7d --exit-code", 0, "SAFE by 4d"},
		{"--broker-retention 3d --manual-retry 30d --max-downtime 0 --dedup-retention 7d --exit-code", 3, "UNSAFE, short by 23d"},
		{"--broker-retention P3D --max-downtime 0 --dedup-retention 72h --exit-code", 3, "must-be-strictly-longer"},
		// R20: the log of 168 h comes again, after a weekend of 62 h.
		{"--broker-retention 168h --max-downtime 62h --dedup-retention 48h --exit-code", 3, "UNSAFE, short by 7d14h"},
		{"--broker-retention 168h --max-downtime 62h --dedup-retention 169h --exit-code", 0, "TIGHT"},
		{"--broker-retention 3d --dedup-retention 7d --exit-code", 3, "UNKNOWN: max-downtime not given"},
		{"--broker-retention 3d --max-downtime 1d --exit-code", 3, "missing: dedup-retention"},
		{"--broker-retention 3d --max-downtime 0 --dedup-retention 3d", 0, "UNSAFE: ids are kept exactly"},
		{"--broker-retention 3d --max-downtime 1d --dedup-retention 4d --margin 10%", 0, "10% of 345600 = 34560"},
		{"--broker-retention 7d --replay committed --max-downtime 1d --dedup-retention 2d", 0, "min(604800, 5 + 86400) = 86405"},
		{"--broker-retention 1h --retry-delay 10m --hold 30s --max-downtime 0 --dedup-retention 2h", 0, "2 x 30 = 60"},
		{"--broker-retention 1h --retry fixed:1m,attempts=unlimited --dedup-retention 2h --exit-code", 3, "UNBOUNDED"},
	} {
		code, out, errs := runRetentionLine(t, nil, c.line)
		if code != c.code || !strings.Contains(out, c.want) || errs != "" {
			t.Errorf("%s: exit %d, want %d and %q:\n%s%s", c.line, code, c.code, c.want, out, errs)
		}
	}
}

func TestRetentionBadFlags(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "--broker-retention"},
		{"--broker-retention -3d", "negative"},
		{"--broker-retention 1M", "no fixed length"},
		{"--broker-retention 3d --retry fixed:1x,attempts=3", "unknown unit"},
		{"--broker-retention 3d --retry fixed:1s,attempts=3 --retry-delay 1s", "retry-delay"},
		{"--broker-retention 3d --replay some", "full, committed or window"},
		{"--broker-retention 3d --margin 10", "bad margin"},
		{"--broker-retention 3d --rows-per-day -1", "a whole number, 1 to"},
		{"--broker-retention 3d --row-bytes NaN", "a whole number, 1 to"},
		{"--broker-retention 3d --retry=", `bad retry policy ""`},
		{"--broker-retention 3d --format yaml", "table, json, csv, markdown"},
		{"--broker-retention 3d extra", "no argument"},
		{"--broker kafka://host:9092/topic", "--broker is not available"},
		{"--broker-retention 3d --dsn postgres://host/db", "--dsn is not available"},
		{"--broker-retention 3d --redrives 2", "--redrives is not available"},
	} {
		code, out, errs := runRetentionLine(t, nil, c.line)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q; want exit 2 and one line with %q", c.line, code, out, errs, c.want)
		}
	}
}

func TestRetentionIgnoresAnotherCommandsVariable(t *testing.T) {
	environment := map[string]string{"IDEMTUI_DSN": "postgres://host/db", "IDEMTUI_DEDUP_RETENTION": "7d"}
	code, out, errs := runRetentionLine(t, environment, "--broker-retention 3d --max-downtime 0")
	if code != 0 || !strings.Contains(out, "SAFE by 4d") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

func TestRetentionFormatsAgree(t *testing.T) {
	line := "--broker-retention 14d --retry exponential:1s,x2,attempts=5 --hold 5m --dedup-retention 14d --rows-per-day 4320000 --row-bytes 203"
	_, out, _ := runRetentionLine(t, nil, line+" --format json")
	var report struct {
		Schema   string
		Required int64 `json:"required_seconds"`
		Verdict  string
		Terms    []struct {
			Name    string
			Seconds int64
		}
		Missing []string
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if report.Schema != "idemtui.retention/v1" || report.Required != 1211115 || report.Verdict != "unsafe" || len(report.Terms) != 5 || report.Missing[0] != "max-downtime" {
		t.Errorf("JSON: %+v", report)
	}
	_, out, _ = runRetentionLine(t, nil, line+" --format csv")
	if want := "required_seconds,reachable_seconds,assumed_seconds,verdict,have_seconds,short_by_seconds,safe_by_seconds\n1211115,1211115,,unsafe,1209600,1515,0\n"; out != want {
		t.Errorf("CSV %q, want %q", out, want)
	}
	_, out, _ = runRetentionLine(t, nil, line+" --format markdown")
	if lines := strings.Count(out, "\n"); lines > maxMarkdownLines || !strings.HasPrefix(out, "**UNSAFE") {
		t.Errorf("markdown: %d lines\n%s", lines, out)
	}
	for _, want := range []string{"missing: max-downtime", "assumed: downtime: 0s", "1211115"} {
		if !strings.Contains(out, want) {
			t.Errorf("markdown does not say %q:\n%s", want, out)
		}
	}
}
