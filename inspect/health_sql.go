package inspect

import (
	"fmt"
	"slices"
	"strings"
)

// The remedies below are statements of PostgreSQL. They are shown and never run.

// uniqueIndex makes the key unique, where the table's partitions allow that.
func (f HealthFacts) uniqueIndex(names []string) string {
	if f.Snapshot.Table.Partitioned {
		return fmt.Sprintf("CREATE UNIQUE INDEX ON %s (%s)", f.TableSQL, f.quoted(names))
	}
	return fmt.Sprintf("CREATE UNIQUE INDEX CONCURRENTLY ON %s (%s)", f.TableSQL, f.quoted(names))
}

// withoutTime makes the key unique without the time. A table that is partitioned
// by the time cannot have that; its keys need a table of their own.
func (f HealthFacts) withoutTime(names []string) string {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		c, ok := f.Snapshot.Table.Column(n)
		return ok && slices.Contains(timeBases, c.Base)
	})
	if !f.Snapshot.Table.Partitioned {
		return f.uniqueIndex(names)
	}
	columns := make([]string, len(names))
	for i, n := range names {
		c, _ := f.Snapshot.Table.Column(n)
		columns[i] = f.quoted([]string{n}) + " " + c.Type
	}
	return fmt.Sprintf("CREATE TABLE claimed_keys (%s, PRIMARY KEY (%s))", strings.Join(columns, ", "), f.quoted(names))
}

var timeBases = []string{"timestamptz", "timestamp", "date"}

func (f HealthFacts) tokenSequence() string {
	return f.quoted([]string{f.Snapshot.Table.Name + "_token"})
}

// defaultNow lets the database's clock date the claims.
func (f HealthFacts) defaultNow() string {
	m := f.Snapshot.Table.Mapping
	if c, ok := f.Snapshot.Table.Column(m.ClaimedAt); ok && c.Base == "timestamptz" {
		return fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s SET DEFAULT now()", f.TableSQL, f.quoted([]string{m.ClaimedAt}))
	}
	return ""
}

// finite forbids times that are none, in rows to come.
func (f HealthFacts) finite() string {
	m := f.Snapshot.Table.Mapping
	var tests []string
	for _, name := range []string{m.ClaimedAt, m.Lease.Column, m.Heartbeat.Column} {
		if c, ok := f.Snapshot.Table.Column(name); ok && slices.Contains(timeBases, c.Base) {
			tests = append(tests, "isfinite("+f.quoted([]string{name})+")")
		}
	}
	if len(tests) == 0 {
		return ""
	}
	return fmt.Sprintf("ALTER TABLE %s ADD CHECK (%s) NOT VALID", f.TableSQL, strings.Join(slices.Compact(tests), " AND "))
}

// leaseCheck forbids claimed rows without a lease, in rows to come.
func (f HealthFacts) leaseCheck() string {
	if f.ClaimedSQL == "" {
		return ""
	}
	return fmt.Sprintf("ALTER TABLE %s ADD CHECK (NOT (%s) OR %s IS NOT NULL) NOT VALID", f.TableSQL, f.ClaimedSQL, f.quoted([]string{f.Snapshot.Table.Mapping.Lease.Column}))
}
