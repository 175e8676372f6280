package inspect

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// SchemaCheck is the schema of the check document.
const SchemaCheck = "idemtui.check/v1"

type checkDocJSON struct {
	Schema   string      `json:"schema"`
	Status   Status      `json:"status"`
	ExitCode int         `json:"exit_code"`
	Checks   []checkJSON `json:"checks"`
}

type checkJSON struct {
	Database    string              `json:"database"`
	Table       *string             `json:"table"`
	Profile     string              `json:"profile"`
	Status      Status              `json:"status"`
	Text        string              `json:"text"`
	Up          bool                `json:"up"`
	LookAt      *string             `json:"look_at"`
	Claimed     *int64              `json:"claimed"`
	Conditions  map[Condition]int64 `json:"conditions"`
	OldestStuck *float64            `json:"oldest_stuck_seconds"`
	AtLeast     bool                `json:"at_least"`
}

// EncodeCheck writes idemtui.check/v1.
func EncodeCheck(w io.Writer, checks []Check) error {
	status := worstOf(checks)
	doc := checkDocJSON{Schema: SchemaCheck, Status: status, ExitCode: status.ExitCode(), Checks: []checkJSON{}}
	for _, c := range checks {
		out := checkJSON{Database: c.Database, Table: optional(c.Table), Profile: c.Profile, Status: c.Status, Text: c.Text, Up: c.Up, Conditions: map[Condition]int64{}, AtLeast: c.AtLeast}
		if c.Up {
			oldest := c.Oldest.Seconds()
			out.LookAt, out.Claimed, out.Conditions, out.OldestStuck = optional(FormatTime(c.LookAt)), &c.Claimed.Rows, c.Conditions, &oldest
		}
		doc.Checks = append(doc.Checks, out)
	}
	return WriteJSON(w, doc)
}

func worstOf(checks []Check) Status {
	all := make([]Status, len(checks))
	for i, c := range checks {
		all[i] = c.Status
	}
	return Worst(all...)
}

// WritePrometheus writes checks in the text format that Prometheus reads. Labels
// are database, table and profile, and never keys or owners.
func WritePrometheus(w io.Writer, checks []Check, rules CheckRules) error {
	var b strings.Builder
	metric := func(name, help string, samples func(c Check)) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
		for _, c := range checks {
			samples(c)
		}
	}
	sample := func(name string, c Check, value float64, more ...string) {
		fmt.Fprintf(&b, "%s{%s} %s\n", name, strings.Join(append(c.labels(), more...), ","), strconv.FormatFloat(value, 'f', -1, 64))
	}
	metric("idemtui_up", "Whether the table could be looked at.", func(c Check) {
		up := 0.0
		if c.Up {
			up = 1
		}
		sample("idemtui_up", c, up)
	})
	metric("idemtui_claims", "Claimed rows by condition; stuck ones for at least "+FormatSpan(rules.MinLapsed)+", others count as held.", func(c Check) {
		for _, condition := range []Condition{ConditionHeld, ConditionStuck, ConditionNoLease, ConditionInvalidTime, ConditionFuture} {
			if c.Up {
				sample("idemtui_claims", c, float64(c.Conditions[condition]), label("condition", string(condition)))
			}
		}
	})
	metric("idemtui_oldest_stuck_seconds", "Age of the oldest stuck claim, 0 without one.", func(c Check) {
		if c.Up {
			sample("idemtui_oldest_stuck_seconds", c, c.Oldest.Seconds())
		}
	})
	metric("idemtui_last_look_timestamp_seconds", "The database's clock at the look.", func(c Check) {
		if c.Up {
			sample("idemtui_last_look_timestamp_seconds", c, float64(c.LookAt.UnixMilli())/1000)
		}
	})
	_, err := io.WriteString(w, b.String())
	return err
}

// labels are the labels of a check's samples.
func (c Check) labels() []string {
	profile := c.Profile
	if profile == "" {
		profile = "by-hand"
	}
	return []string{label("database", c.Database), label("table", c.Table), label("profile", profile)}
}

// label escapes a label's value as the format demands.
func label(name, value string) string {
	value = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "?"))
	return name + `="` + value + `"`
}

// WriteNagios writes one status line a check, the worst first, with the figures
// behind the bar as plugins give them.
func WriteNagios(w io.Writer, checks []Check, rules CheckRules) error {
	clean := strings.NewReplacer("|", "/", "\n", " ", "\r", " ")
	worst := worstOf(checks)
	var lines, figures []string
	for _, status := range []Status{StatusCritical, StatusUnknown, StatusWarning, StatusOK} {
		for _, c := range checks {
			if c.Status == status {
				lines = append(lines, clean.Replace(strings.ToUpper(string(c.Status))+" - "+c.Text))
			}
		}
	}
	for _, c := range checks {
		if !c.Up {
			continue
		}
		prefix := ""
		if len(checks) > 1 {
			prefix = clean.Replace(c.Database+" "+c.Table) + " "
		}
		for _, m := range Measures {
			unit := ""
			if m == MeasureOldest {
				unit = "s"
			}
			figures = append(figures, fmt.Sprintf("'%s'=%s%s;%s;%s;0", strings.ReplaceAll(prefix+m, "'", "''"), strconv.FormatFloat(c.Value(m), 'f', 0, 64), unit, limitOf(rules.Warn, m), limitOf(rules.Crit, m)))
		}
	}
	if len(checks) > 1 {
		lines = append([]string{fmt.Sprintf("%s - %d databases checked", strings.ToUpper(string(worst)), len(checks))}, lines...)
	}
	lines[0] = "IDEMTUI " + lines[0]
	if len(figures) > 0 {
		lines[0] += " | " + strings.Join(figures, " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// limitOf is the first limit of a measure; "" where there is none.
func limitOf(thresholds []Threshold, measure string) string {
	for _, t := range thresholds {
		if t.Measure == measure {
			return strconv.FormatFloat(t.Limit, 'f', -1, 64)
		}
	}
	return ""
}
