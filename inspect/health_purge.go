package inspect

import (
	"fmt"
	"time"
)

// PurgeRate is how a purge runs: so many rows at a time, so often.
type PurgeRate struct {
	Batch int64
	Every time.Duration
}

// PerDay is the most that the purge deletes in a day.
func (p PurgeRate) PerDay() float64 {
	return float64(p.Batch) * float64(24*time.Hour) / float64(p.Every)
}

// steady are the figures that a table settles at once the purge keeps up.
type steady struct {
	rows    float64
	bytes   float64
	deletes float64 // a second
}

func steadyState(rowsPerDay int64, keep time.Duration, rowBytes Null[int64]) steady {
	s := steady{rows: float64(rowsPerDay) * keep.Hours() / 24, deletes: float64(rowsPerDay) / (24 * time.Hour).Seconds()}
	s.bytes = s.rows * float64(rowBytes.V)
	return s
}

// text is "84,000,000 rows, about 16.8 GB, kept level by 138.9 deletes a second".
func (s steady) text() string {
	size := ""
	if s.bytes > 0 {
		size = ", about " + bytesText(s.bytes)
	}
	return fmt.Sprintf("%s rows%s, kept level by %.1f deletes a second", groupDigits(int64(s.rows+0.5)), size, s.deletes)
}

func bytesText(b float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if b >= unit.size {
			return fmt.Sprintf("%.1f %s", b/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f bytes", b)
}

// keepsUpShare is the share of the rows that come in which a purge in its steady
// state must delete, less what statistics miss; countedRows the least that tells.
const (
	keepsUpShare = 0.95
	countedRows  = 1000
)

// diagnosePurge compares what must go with what goes.
func diagnosePurge(f HealthFacts) []Finding {
	var out []Finding
	keep := f.policy()
	oldest := f.Finished.OldestFinished
	behind := false
	if keep > 0 && oldest.Valid() {
		kept := f.Snapshot.At.Sub(oldest.Time)
		if behind = kept > keep+keep/10; behind {
			text := fmt.Sprintf("the oldest finished row is %s old, the policy says %s: the purge does not run, or cannot keep up", FormatSpan(kept), FormatSpan(keep))
			if f.PastPolicy > 0 {
				text += fmt.Sprintf("; %s past it, which is %s of 1,000", atLeast(f.PastPolicy, f.PastPolicyCut, "row"), batchesText((f.PastPolicy+999)/1000))
			}
			out = append(out, Finding{"purge-behind", SeverityWarning, text, f.PurgeBatchSQL})
		}
	}
	rate := f.Finished.RowsPerDay
	if keep > 0 && rate.OK && rate.V > 0 && f.Purge.OK {
		if miss := float64(rate.V) - f.Purge.V.PerDay(); miss > 0 {
			batches := float64(rate.V) / 86400 * f.Purge.V.Every.Seconds() / float64(f.Purge.V.Batch)
			out = append(out, Finding{"purge-cannot-keep-up", SeverityWarning, fmt.Sprintf(
				"%s rows a day come in; %s every %s is %s a day, so the table grows by %s a day: run %s batches every %s (at %s of retention it settles at %s)",
				groupDigits(rate.V), groupDigits(f.Purge.V.Batch), FormatSpan(f.Purge.V.Every), groupDigits(int64(f.Purge.V.PerDay())), groupDigits(int64(miss+0.5)),
				groupDigits(int64(batches)+1), FormatSpan(f.Purge.V.Every), FormatSpan(keep), steadyState(rate.V, keep, f.Finished.RowBytes).text()), f.PurgeBatchSQL})
		}
	} else if c := f.Written; behind && c.Inserted >= countedRows && float64(c.Deleted) < keepsUpShare*float64(c.Inserted) {
		text := fmt.Sprintf("since the server's statistics began %s rows came in and %s were deleted: the purge falls behind, and the table grows", groupDigits(c.Inserted), groupDigits(c.Deleted))
		if rate.OK && rate.V > 0 {
			text += fmt.Sprintf("; at %s rows a day and %s of retention it would settle at %s", groupDigits(rate.V), FormatSpan(keep), steadyState(rate.V, keep, f.Finished.RowBytes).text())
		}
		out = append(out, Finding{"purge-cannot-keep-up", SeverityWarning, text, f.PurgeBatchSQL})
	}
	if f.Expired > 0 {
		out = append(out, Finding{"expired-rows", SeverityWarning, fmt.Sprintf("%s past %s for over a day and still there: nobody purges them", atLeast(f.Expired, f.ExpiredCut, "finished row"), f.Snapshot.Table.Mapping.ExpiresAt), f.PurgeBatchSQL})
	}
	return out
}

// policy is how long finished rows are to be kept: as told, else as the
// framework's own purge keeps them; 0 where nobody says.
func (f HealthFacts) policy() time.Duration {
	if f.Retention.OK {
		return f.Retention.V
	}
	return f.Snapshot.Table.Mapping.Purge.Keep
}

// diagnoseHash finds the hash of the payload thrown away at completion.
func diagnoseHash(f HealthFacts) []Finding {
	h := f.Hash
	if h.Column == "" || h.DoneWithout == 0 || h.With == 0 {
		return nil
	}
	about := ""
	if h.Estimated {
		about = "~"
	}
	return []Finding{{"hash-lost", SeverityWarning, fmt.Sprintf("%s%s finished rows have no %s, though rows are claimed with one: a repeat with another payload is answered with the first one's result, unnoticed",
		about, groupDigits(h.DoneWithout), h.Column), fmt.Sprintf("ALTER TABLE %s ADD CHECK (%s IS NOT NULL) NOT VALID", f.TableSQL, f.quoted([]string{h.Column}))}}
}

func batchesText(n int64) string {
	if n == 1 {
		return "1 batch"
	}
	return groupDigits(n) + " batches"
}

func atLeast(n int64, cut bool, noun string) string {
	if cut {
		return "over " + plural(n, noun)
	}
	return plural(n, noun)
}

// HashFacts are what is known of a column with a hash of the payload.
type HashFacts struct {
	Column      string
	DoneWithout int64 // finished rows without the hash
	With        int64 // rows in any state that have it
	Estimated   bool
}

// HashNames are the names, folded, of columns that hold a hash of the payload.
var HashNames = []string{
	"payloadhash", "requesthash", "bodyhash", "contenthash", "messagehash", "inputhash", "paramshash", "fingerprint", "requestfingerprint",
	"payloadfingerprint", "payloadchecksum", "requestchecksum", "checksum", "digest", "payloaddigest", "hash",
}
