package inspect

import (
	"fmt"
	"slices"
	"time"
)

// WorkTimes are how long finished work took, from its claim to its end.
type WorkTimes struct {
	Rows    int64 // that were read: those that finished last
	P50     time.Duration
	P99     time.Duration
	Longest time.Duration
}

// adviceRows are the finished rows from which their 99th percentile tells
// anything; longLease is how many times the longest work a lease may last before
// it is called long, shortWait the lease that is never called so.
const (
	adviceRows = 100
	longLease  = 10
	shortWait  = 5 * time.Minute
)

// LeaseLength is how long a claim's lease lasts: as mapped, else the median of
// the claims of a look. It is absent where no lease is mapped or none is seen.
func LeaseLength(m Mapping, claims []Claim) Null[time.Duration] {
	if m.Lease.Plus > 0 && m.Lease.Column == m.ClaimedAt {
		return Some(m.Lease.Plus)
	}
	var spans []time.Duration
	for _, c := range claims {
		if c.ClaimedAt.Valid() && c.LeaseUntil.Valid() && c.LeaseUntil.Time.After(c.ClaimedAt.Time) {
			spans = append(spans, c.LeaseUntil.Time.Sub(c.ClaimedAt.Time))
		}
	}
	if len(spans) == 0 {
		return Null[time.Duration]{}
	}
	slices.Sort(spans)
	return Some(spans[(len(spans)-1)/2])
}

// patience is how long a claim may last before it counts as stuck, in words, for
// a table whose workers renew nothing that is seen.
func patience(m Mapping, lease Null[time.Duration]) (time.Duration, string) {
	switch {
	case m.Heartbeat.Mapped():
		return 0, ""
	case m.Lease.Mapped() && lease.OK:
		return lease.V, "a lease lasts " + FormatSpan(lease.V)
	case m.Lease.Mapped():
		return 0, "how long a lease lasts is not seen: nothing is claimed under one"
	}
	return m.Threshold(), "a claim counts as stuck from " + FormatSpan(m.Threshold())
}

// Work is how long work really takes, beside what a claim is given for it.
func (h Health) Work() Fact {
	m, f := h.Table.Mapping, h.Facts
	told := "not known: no finished row is in sight, or it cannot be read without a scan"
	switch {
	case m.ClaimedAt == "" || m.CompletedAt == "":
		told = "not known: no columns say when a message was claimed and when it was finished"
	case f.Work.OK:
		w := f.Work.V
		told = fmt.Sprintf("p50 %s, p99 %s, longest %s, of the last %s finished", FormatSpan(w.P50), FormatSpan(w.P99), FormatSpan(w.Longest), groupDigits(w.Rows))
		if _, given := patience(m, f.Lease); given != "" {
			told += "; " + given
		}
	}
	return Fact{"how long work takes", told}
}

// diagnoseWork compares how long work takes with what a claim is given for it.
func diagnoseWork(f HealthFacts) []Finding {
	m, w := f.Snapshot.Table.Mapping, f.Finished.Work.V
	given, words := patience(m, f.Finished.Lease)
	if !f.Finished.Work.OK || w.Rows < adviceRows || given == 0 {
		return nil
	}
	took := fmt.Sprintf("of the last %s finished, 1 in 100 took %s or longer and the longest %s, and %s", groupDigits(w.Rows), FormatSpan(w.P99), FormatSpan(w.Longest), words)
	enough := FormatSpan(roundUp(2 * w.Longest))
	switch {
	case w.P99 < given && w.Longest >= given:
		return []Finding{{"lease-tight", SeverityInfo, took + ": the slowest work outlives its claim; " + remedyShort(m, enough), ""}}
	case w.P99 >= given:
		return []Finding{{"lease-too-short", SeverityWarning, took + ": work that is only slow outlives its claim, and a second worker may charge meanwhile; " + remedyShort(m, enough), ""}}
	case m.Lease.Mapped() && given > shortWait && given > longLease*w.Longest:
		return []Finding{{"lease-too-long", SeverityInfo, took + ": a dead worker's message waits longer than it need; a lease of " + FormatSpan(max(roundUp(2*w.Longest), time.Second)) + " would cover the work", ""}}
	}
	return nil
}

func remedyShort(m Mapping, enough string) string {
	if !m.Lease.Mapped() {
		return "--stale-after " + enough + " would cover it"
	}
	return "let workers renew the lease, or make it " + enough
}

// roundUp makes a span one that people would write.
func roundUp(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond} {
		if d >= unit {
			return (d + unit - 1) / unit * unit
		}
	}
	return d
}
