package postgres

import (
	"testing"

	"pgregory.net/rapid"

	"idemtui/inspect"
)

// Plans and audit records keep a table by its full name, and find it again by
// it.
func TestFullNamesAreReadBackAsTableNames(t *testing.T) {
	name := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'B', '.', '"', '\'', ' ', '$', '%', 'ß'}), 1, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		table := inspect.Table{Schema: name.Draw(t, "schema"), Name: name.Draw(t, "name")}
		schema, n, err := splitName(table.FullName())
		if err != nil || schema != table.Schema || n != table.Name {
			t.Fatalf("%s reads back as %q and %q (%v)", table.FullName(), schema, n, err)
		}
	})
}
