package inspect

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// A plan is compared, and an undo writes, what such a file kept.
func TestColumnsSurviveAFileWhateverTheirBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := string(rapid.SliceOf(rapid.Byte()).Draw(t, "value"))
		in := ColumnValue{Column: "c", Value: &value}
		if rapid.Bool().Draw(t, "null") {
			in.Value = nil
		}
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out ColumnValue
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		if (in.Value == nil) != (out.Value == nil) || in.Value != nil && *in.Value != *out.Value {
			t.Fatalf("%s reads back otherwise", data)
		}
	})
}
