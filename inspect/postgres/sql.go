package postgres

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"idemtui/inspect"
)

// ident quotes an identifier, always: names come from the catalog as they are.
func ident(parts ...string) string { return pgx.Identifier(parts).Sanitize() }

// literal quotes a value (standard_conforming_strings is on in every
// transaction). States and limits are literals, never parameters: a generic
// plan for a parameter does not use a partial index.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func tableName(t inspect.Table) string { return ident(t.Schema, t.Name) }

// col is a column of the target table under its alias t.
func col(name string) string { return "t." + ident(name) }

func interval(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("interval '%d seconds'", d/time.Second)
	}
	return fmt.Sprintf("interval '%d microseconds'", d.Microseconds())
}

// stamp is a column as timestamptz; NULL where it is stored but has no such
// form, so that one lying row cannot end the whole look. A date is read as late
// as it can mean: what ends, at the end of that day; what happened, then or now.
// A number that means a year before 2000 has another unit than was said, or
// stands for nothing: it is no time.
func stamp(t inspect.Table, name string) string {
	c, _ := t.Column(name)
	x := col(name)
	binding := t.Mapping.Times[name]
	if binding.Sentinel != "" {
		x = fmt.Sprintf("nullif(%s, %s)", x, literal(binding.Sentinel))
	}
	zone := binding.Zone
	if zone == "" {
		zone = "UTC"
	}
	switch c.Base {
	case "timestamptz":
		return x
	case "timestamp":
		return fmt.Sprintf("CASE WHEN NOT isfinite(%[1]s) OR %[1]s BETWEEN '0001-01-02' AND '9999-12-30' THEN %[1]s AT TIME ZONE %[2]s END", x, literal(zone))
	case "date":
		end := fmt.Sprintf("(%s + interval '1 day') AT TIME ZONE %s", x, literal(zone))
		if !t.Mapping.Ends(name) {
			end = fmt.Sprintf("CASE WHEN %[1]s::timestamp AT TIME ZONE %[2]s > now() THEN %[1]s::timestamp AT TIME ZONE %[2]s ELSE least(%[3]s, now()) END", x, literal(zone), end)
		}
		return fmt.Sprintf("CASE WHEN NOT isfinite(%[1]s) OR %[1]s BETWEEN '0001-01-02' AND '9999-12-30' THEN %[2]s END", x, end)
	default: // a number since 1970
		per := map[inspect.EpochUnit]string{inspect.UnitSeconds: "1", inspect.UnitMillis: "1000", inspect.UnitMicros: "1000000", inspect.UnitNanos: "1000000000"}[binding.Unit]
		return fmt.Sprintf("CASE WHEN %[1]s::numeric / %[2]s BETWEEN 946684800 AND 253000000000 THEN to_timestamp((%[1]s::numeric / %[2]s)::float8) END", x, per)
	}
}

// lease is the end of the lease as timestamptz.
func lease(t inspect.Table) string {
	b := t.Mapping.Lease
	start := stamp(t, b.Column)
	if b.Plain() {
		return start
	}
	safe := fmt.Sprintf("(%[1]s) BETWEEN '0001-01-02' AND '9000-01-01'", start)
	if b.PlusColumn == "" {
		return fmt.Sprintf("CASE WHEN %s THEN (%s) + %s END", safe, start, interval(b.Plus))
	}
	plus, _ := t.Column(b.PlusColumn)
	x := col(b.PlusColumn)
	if plus.Base == "interval" {
		return fmt.Sprintf("CASE WHEN %[1]s AND %[2]s BETWEEN '-900 years' AND '900 years' THEN (%[3]s) + %[2]s END", safe, x, start)
	}
	return fmt.Sprintf("CASE WHEN %[1]s AND %[2]s BETWEEN -30000000000 AND 30000000000 THEN (%[3]s) + make_interval(secs => %[2]s::float8) END", safe, x, start)
}

// noLease: the row has no lease.
func noLease(t inspect.Table) string {
	b := t.Mapping.Lease
	if !b.Mapped() {
		return "true"
	}
	none := isNull(t, b.Column)
	if b.PlusColumn != "" {
		return fmt.Sprintf("(%s OR %s IS NULL)", none, col(b.PlusColumn))
	}
	return none
}

// inState is the condition that a row is in a state, in literals.
func inState(t inspect.Table, state inspect.State) string {
	m := t.Mapping
	if m.State.ByRules() {
		return inStateByRules(t, state)
	}
	values := m.State.Values[state]
	if state == inspect.StateUnmapped {
		var all []string
		for _, s := range inspect.StateOrder {
			all = append(all, m.State.Values[s]...)
		}
		if len(all) == 0 {
			return "true"
		}
		return fmt.Sprintf("(%s IS NULL OR %s::text NOT IN (%s))", col(m.State.Column), col(m.State.Column), literals(all))
	}
	switch len(values) {
	case 0:
		return "false"
	case 1:
		return fmt.Sprintf("%s = %s", col(m.State.Column), literal(values[0]))
	default:
		return fmt.Sprintf("%s IN (%s)", col(m.State.Column), literals(values))
	}
}

func literals(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = literal(v)
	}
	return strings.Join(out, ", ")
}
