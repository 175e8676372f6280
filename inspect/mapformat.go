package inspect

import (
	"maps"
	"slices"
	"strings"

	"idemtui/retention"
)

// FormatMap writes a mapping as ParseMap reads it. It reports false for one that
// only a profile file can hold.
func FormatMap(m Mapping) (string, bool) {
	text := formatMap(m)
	again, err := ParseMap(text)
	whole := err == nil && formatMap(again) == text && again.Kind == m.Kind && byHand(m)
	return text, whole && m.OwnerElement == "" && m.Heartbeat.Join == nil && m.Heartbeat.Limit == 0 && len(m.Releases) == 0
}

// byHand reports whether rules and times are such as a mapping by hand can say.
func byHand(m Mapping) bool {
	for _, rules := range m.State.Rules {
		for _, rule := range rules {
			if len(rule) > 1 || len(rule) == 1 && !slices.Contains(mapTests, rule[0].Op) {
				return false
			}
		}
	}
	for _, t := range m.Times {
		if t.Sentinel != "" {
			return false
		}
	}
	return true
}

var mapEscape = strings.NewReplacer(`\`, `\\`, ",", `\,`, "|", `\|`, "+", `\+`)

// escaped writes a name so that trimming and splitting leave it whole.
func escaped(s string) string {
	s = mapEscape.Replace(s)
	if trimmed := trimEscaped(s); trimmed == s {
		return s
	}
	var b strings.Builder
	edge := len(strings.TrimRight(s, blanks))
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(blanks, s[i]) >= 0 && (i == 0 || i >= edge) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func formatMap(m Mapping) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	joined := func(values []string, by string) string {
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = escaped(v)
		}
		return strings.Join(out, by)
	}
	if m.Kind != kindOf(m) {
		add("kind", string(m.Kind))
	}
	add("key", joined(m.KeyNames(), "+"))
	add("state", escaped(m.State.Column))
	for _, name := range []string{"processing", "done", "failed", "free"} {
		s := stateNames[name]
		values := joined(m.State.Values[s], "|")
		for _, rule := range m.State.Rules[s] {
			if values != "" {
				values += "|"
			}
			values += everyRow
			if len(rule) > 0 {
				values = strings.TrimSuffix(values, everyRow) + escaped(rule[0].Column) + string(rule[0].Op)
			}
		}
		add(name, values)
	}
	add("claimed_at", escaped(m.ClaimedAt))
	lease := escaped(m.Lease.Column)
	switch {
	case m.Lease.PlusColumn != "":
		plus := escaped(m.Lease.PlusColumn)
		if c := plus[0]; c >= '0' && c <= '9' { // or it would be a duration
			plus = `\` + plus
		}
		lease += "+" + plus
	case m.Lease.Plus > 0:
		lease += "+" + retention.FormatDuration(m.Lease.Plus)
	}
	add("lease", lease)
	add("heartbeat", escaped(m.Heartbeat.Column))
	if m.Heartbeat.Every > 0 {
		add("heartbeat_every", retention.FormatDuration(m.Heartbeat.Every))
	}
	add("advisory", m.Advisory.String())
	for _, f := range [][2]string{{"owner", m.Owner}, {"token", m.Token}, {"attempts", m.Attempts}, {"completed_at", m.CompletedAt}, {"failed_at", m.FailedAt}, {"expires_at", m.ExpiresAt}} {
		add(f[0], escaped(f[1]))
	}
	add("runs_next", string(m.RunsNext))
	for _, column := range slices.Sorted(maps.Keys(m.Times)) {
		name := strings.ReplaceAll(escaped(column), "=", `\=`)
		add("unit."+name, string(m.Times[column].Unit))
		add("zone."+name, m.Times[column].Zone)
	}
	return strings.Join(parts, ",")
}
