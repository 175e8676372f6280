package inspect

import (
	"strings"
	"testing"
	"time"
)

// R25: 12 million rows a day kept for 7 days, purged by 4,000 a minute.
func TestR25_APurgeThatCannotKeepUp(t *testing.T) {
	day := 24 * time.Hour
	f := HealthFacts{
		Retention: Some(7 * day), Purge: Some(PurgeRate{4000, time.Minute}),
		Finished: TableFacts{RowsPerDay: Some[int64](12_000_000), RowBytes: Some[int64](200)},
	}
	findings := diagnosePurge(f)
	if len(findings) != 1 || findings[0].Code != "purge-cannot-keep-up" {
		t.Fatalf("%+v", findings)
	}
	for _, want := range []string{"4,000 every 1m00s is 5,760,000 a day", "grows by 6,240,000 a day", "run 3 batches every 1m00s", "84,000,000 rows, about 16.8 GB, kept level by 138.9 deletes a second"} {
		if !strings.Contains(findings[0].Text, want) {
			t.Errorf("no %q in %s", want, findings[0].Text)
		}
	}
	f.Purge = Some(PurgeRate{4000, 20 * time.Second})
	if findings := diagnosePurge(f); len(findings) != 0 {
		t.Errorf("a purge that keeps up: %+v", findings)
	}
	// Without a word about the purge, the server's counters tell.
	f.Purge, f.Snapshot.At = Null[PurgeRate]{}, noon
	f.Finished.OldestFinished, f.PastPolicy = ago(9*day), 27_191
	f.Written = Counters{Inserted: 1_000_000, Deleted: 400_000}
	var text []string
	for _, x := range diagnosePurge(f) {
		text = append(text, x.Text)
	}
	for _, want := range []string{"27,191 rows past it, which is 28 batches of 1,000", "1,000,000 rows came in and 400,000 were deleted"} {
		if !strings.Contains(strings.Join(text, "\n"), want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
