package inspect

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// checked is a look at claims that lapsed so long ago.
func checked(lapsed ...time.Duration) Snapshot {
	m := Mapping{Profile: "p", Lease: LeaseBinding{Column: "lease"}, State: StateBinding{Column: "st", Values: map[State][]string{StateProcessing: {"P"}}}}
	s := Snapshot{Database: Database{ID: `pay"ments@db-1:5432`}, Table: Table{Schema: "public", Name: "inbox", Mapping: m}, At: noon}
	for _, d := range lapsed {
		c := Claim{Key: TextKey("k", "secret-key"), Owner: Some("secret-owner"), State: StateProcessing, ClaimedAt: ago(d + time.Minute), LeaseUntil: ago(d)}
		s.Claims = append(s.Claims, Judge(c, Facts{Now: noon, Mapping: m}))
	}
	s.Summary = Summarise(s.Claims)
	return s
}

func rules(t *testing.T, warn, crit string) CheckRules {
	t.Helper()
	w, err := ParseThresholds(warn)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseThresholds(crit)
	if err != nil {
		t.Fatal(err)
	}
	return CheckRules{Warn: w, Crit: c, MinLapsed: time.Minute}
}

func TestCheckComparesWithTheThresholds(t *testing.T) {
	for name, c := range map[string]struct {
		lapsed     []time.Duration
		warn, crit string
		status     Status
		text       string
	}{
		"nothing":              {nil, "stuck>0", "", StatusOK, "0 stuck of 0 claimed"},
		"held":                 {[]time.Duration{-time.Hour}, "stuck>0", "", StatusOK, "0 stuck of 1 claimed"},
		"just lapsed":          {[]time.Duration{30 * time.Second}, "stuck>0", "", StatusOK, "0 stuck of 1 claimed"},
		"at the limit":         {[]time.Duration{time.Hour}, "stuck>1", "", StatusOK, "1 stuck of 1 claimed"},
		"above it":             {[]time.Duration{time.Hour, time.Hour}, "stuck>1", "stuck>5", StatusWarning, ", oldest 1h01m: stuck>1"},
		"old":                  {[]time.Duration{3 * time.Hour}, "stuck>5,oldest>20m", "stuck>100,oldest>2h", StatusCritical, ": oldest>2h"},
		"critical comes first": {[]time.Duration{3 * time.Hour}, "stuck>0", "stuck>0", StatusCritical, ""},
	} {
		got := CheckSnapshot(checked(c.lapsed...), rules(t, c.warn, c.crit))
		if got.Status != c.status || !strings.Contains(got.Text, c.text) {
			t.Errorf("%s: %s, %q", name, got.Status, got.Text)
		}
	}
	s := checked()
	s.Table.RowSecurity = true
	if got := CheckSnapshot(s, rules(t, "stuck>0", "")); got.Status != StatusUnknown || !strings.Contains(got.Text, "row-level security") {
		t.Errorf("hidden rows: %+v", got)
	}
	s = checked()
	s.Table.Mapping.State = StateBinding{Column: "st"}
	if got := CheckSnapshot(s, rules(t, "stuck>0", "")); got.Status != StatusUnknown {
		t.Errorf("nothing mapped to processing: %+v", got)
	}
	for _, bad := range []string{"stuck", "stuck>x", "stuck>-1", "oldest>20", "odd>1"} {
		if _, err := ParseThresholds(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestCheckPrintsWhatMonitoringReads(t *testing.T) {
	r := rules(t, "stuck>0", "stuck>5,oldest>2h")
	one := []Check{CheckSnapshot(checked(time.Hour), r)}
	two := append(one, CheckFailed("db-2", "cannot reach db-2 | really"))
	var nagios, prometheus, document bytes.Buffer
	if err := WriteNagios(&nagios, one, r); err != nil {
		t.Fatal(err)
	}
	want := `IDEMTUI WARNING - 1 stuck of 1 claimed in pay"ments@db-1:5432 public.inbox, oldest 1h01m: stuck>0 | 'stuck'=1;0;5;0 'oldest'=3660s;;7200;0 'claimed'=1;;;0 'no-lease'=0;;;0` + "\n"
	if nagios.String() != want {
		t.Errorf("nagios:\n%s\nwant\n%s", &nagios, want)
	}
	nagios.Reset()
	if err := WriteNagios(&nagios, two, r); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(nagios.String(), "\n"); !strings.HasPrefix(lines[0], "IDEMTUI UNKNOWN - 2 databases checked | '") || lines[1] != "UNKNOWN - cannot reach db-2 / really" {
		t.Errorf("nagios of two:\n%s", &nagios)
	}
	if err := WritePrometheus(&prometheus, two, r); err != nil {
		t.Fatal(err)
	}
	labels := `database="pay\"ments@db-1:5432",table="public.inbox",profile="p"`
	for _, want := range []string{
		"# TYPE idemtui_up gauge\nidemtui_up{" + labels + "} 1\nidemtui_up{database=\"db-2\"",
		"idemtui_claims{" + labels + `,condition="stuck"} 1`, "idemtui_claims{" + labels + `,condition="invalid-time"} 0`,
		"idemtui_oldest_stuck_seconds{" + labels + "} 3660", "idemtui_last_look_timestamp_seconds{" + labels + "} 1772366400",
	} {
		if !strings.Contains(prometheus.String(), want) {
			t.Errorf("no %q in\n%s", want, &prometheus)
		}
	}
	if err := EncodeCheck(&document, two); err != nil || !strings.Contains(document.String(), `"exit_code": 3`) {
		t.Errorf("document (%v): %s", err, &document)
	}
	if all := nagios.String() + prometheus.String() + document.String(); strings.Contains(all, "secret") {
		t.Errorf("a key or an owner shows:\n%s", all)
	}
}

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		all  []Status
		want Status
		code int
	}{
		{nil, StatusOK, 0},
		{[]Status{StatusOK, StatusWarning}, StatusWarning, 1},
		{[]Status{StatusUnknown, StatusWarning}, StatusUnknown, 3},
		{[]Status{StatusCritical, StatusUnknown}, StatusCritical, 2},
	} {
		if got := Worst(c.all...); got != c.want || got.ExitCode() != c.code {
			t.Errorf("%v: %s, %d", c.all, got, got.ExitCode())
		}
	}
}
