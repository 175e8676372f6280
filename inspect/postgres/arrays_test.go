package postgres

import (
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"idemtui/inspect/servertest"
)

// arrayTexts are texts that the server writes for each type, or might.
var arrayTexts = map[string][]string{
	"text":        {"", "a", "NULL", `"\{},`, "é\n"},
	"int2":        {"0", "-32768", "32767"},
	"int4":        {"0", "-2147483648", "2147483647"},
	"int8":        {"-9223372036854775808", "9223372036854775807"},
	"xid":         {"0", "4294967295"},
	"uuid":        {"00000000-0000-0000-0000-000000000000", "cd0b18e4-f4c9-43d9-beeb-f1a2f756ba40"},
	"timestamptz": {"2026-11-29 22:33:00.123456+00", "2026-11-29 22:33:00+00", "1969-12-31 23:59:59.9+00", "0044-03-15 12:00:00+00 BC", "infinity", "-infinity", "10000-01-01 00:00:00+00", "0001-01-01 00:00:00+00", "2024-02-29 00:00:00.000001+00"},
	"timestamp":   {"2026-11-29 22:33:00.123456", "1900-02-28 00:00:00", "0044-03-15 12:00:00 BC", "infinity", "294276-12-31 23:59:59.999999"},
}

// TestAnArrayIsReadAsItsTexts: however an array is sent, the server holds the
// values whose texts were given.
func TestAnArrayIsReadAsItsTexts(t *testing.T) {
	conn := servertest.Postgres(t).Conn()
	if _, err := conn.Exec(t.Context(), "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'"); err != nil {
		t.Fatal(err)
	}
	if len(arrayTexts) != len(arrayTypes) {
		t.Error("a type is not tried")
	}
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom(slices.Sorted(maps.Keys(arrayTexts))).Draw(t, "type")
		texts := rapid.SliceOfN(rapid.OneOf(rapid.Just(""), rapid.SampledFrom(arrayTexts[base])), 1, 5).Draw(t, "texts")
		values := make([]*string, len(texts))
		for i := range texts {
			if texts[i] != "" || base == "text" {
				values[i] = &texts[i]
			}
		}
		parameter, format := encodeArray(base, values)
		r := conn.PgConn().ExecParams(t.Context(), "SELECT unnest($1::"+base+"[])::text", [][]byte{parameter}, nil, []int16{format}, nil).Read()
		if r.Err != nil || len(r.Rows) != len(values) {
			t.Fatalf("%d rows, %v", len(r.Rows), r.Err)
		}
		for i, row := range r.Rows {
			if (row[0] == nil) != (values[i] == nil) || values[i] != nil && string(row[0]) != *values[i] {
				t.Errorf("%s (format %d): %q came back as %q", base, format, texts[i], row[0])
			}
		}
	})
}

// TestWhatIsNoTimeIsLeftToTheServer: only what stands for one instant exactly is
// turned into it here.
func TestWhatIsNoTimeIsLeftToTheServer(t *testing.T) {
	for _, text := range []string{"2026-02-30 00:00:00+00", "2026-13-01 00:00:00+00", "2026-01-01 24:00:00+00", "2026-01-01T00:00:00+00", "2026-01-01 00:00:00+01", "2026-01-01 00:00:00.1234567+00", "2026-01-01 00:00:00.+00", "x"} {
		if _, format := encodeArray("timestamptz", []*string{&text}); format != pgx.TextFormatCode {
			t.Errorf("%s was sent in binary", text)
		}
	}
}
