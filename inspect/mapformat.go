package inspect

import (
	"fmt"
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
	whole := err == nil && formatMap(again) == text
	return text, whole && m.OwnerElement == "" && m.Heartbeat.Join == nil && m.Heartbeat.Limit == 0 && len(m.Releases) == 0
}

func formatMap(m Mapping) string {
	escape := strings.NewReplacer(`\`, `\\`, ",", `\,`, "|", `\|`, "+", `\+`)
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	joined := func(values []string, by string) string {
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = escape.Replace(v)
		}
		return strings.Join(out, by)
	}
	add("key", joined(m.KeyNames(), "+"))
	add("state", escape.Replace(m.State.Column))
	for _, name := range []string{"processing", "done", "failed", "free"} {
		s := stateNames[name]
		values := joined(m.State.Values[s], "|")
		for _, rule := range m.State.Rules[s] {
			if values != "" {
				values += "|"
			}
			values += escape.Replace(rule.String())
		}
		add(name, values)
	}
	add("claimed_at", escape.Replace(m.ClaimedAt))
	lease := escape.Replace(m.Lease.Column)
	switch {
	case m.Lease.PlusColumn != "":
		lease += "+" + escape.Replace(m.Lease.PlusColumn)
	case m.Lease.Plus > 0:
		lease += "+" + retention.FormatDuration(m.Lease.Plus)
	}
	add("lease", lease)
	add("heartbeat", escape.Replace(m.Heartbeat.Column))
	if m.Heartbeat.Every > 0 {
		add("heartbeat_every", retention.FormatDuration(m.Heartbeat.Every))
	}
	for _, f := range [][2]string{{"owner", m.Owner}, {"token", m.Token}, {"attempts", m.Attempts}, {"completed_at", m.CompletedAt}, {"failed_at", m.FailedAt}, {"expires_at", m.ExpiresAt}} {
		add(f[0], escape.Replace(f[1]))
	}
	add("runs_next", string(m.RunsNext))
	for _, column := range slices.Sorted(maps.Keys(m.Times)) {
		add(fmt.Sprintf("unit.%s", column), string(m.Times[column].Unit))
		add(fmt.Sprintf("zone.%s", column), m.Times[column].Zone)
	}
	return strings.Join(parts, ",")
}
