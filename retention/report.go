package retention

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Verdict compares what the table keeps with the horizon.
type Verdict string

// The verdicts. Strictly longer is safe; equal is not.
const (
	Safe      Verdict = "safe"      // kept longer than the rule asks
	Tight     Verdict = "tight"     // shorter than the rule, longer than a duplicate can really come
	Unsafe    Verdict = "unsafe"    // a duplicate can come after its row is forgotten
	Unbounded Verdict = "unbounded" // duplicates can come for ever
	Unknown   Verdict = "unknown"   // something is missing
)

// Policy is all that a report is made from.
type Policy struct {
	Paths  []Path // every way by which a message reaches this table; the largest decides
	Table  Table
	Margin Margin
}

// Report is the answer, and the value from which every format is printed. Its
// JSON form is idemtui.retention/v1.
type Report struct {
	Schema           string         `json:"schema"`
	RequiredSeconds  *Millis        `json:"required_seconds"`
	ReachableSeconds *Millis        `json:"reachable_seconds"`
	AssumedSeconds   *Millis        `json:"assumed_seconds"`
	Terms            []Term         `json:"terms"`
	Sources          []SourceReport `json:"sources"`
	Table            TableReport    `json:"table"`
	Verdict          Verdict        `json:"verdict"`
	HaveSeconds      *Millis        `json:"have_seconds"`
	ShortBySeconds   *Millis        `json:"short_by_seconds"`
	SafeBySeconds    *Millis        `json:"safe_by_seconds"`
	Warnings         []Warning      `json:"warnings"`
	Missing          []string       `json:"missing"`
	Assumptions      []Named        `json:"assumptions"`
	Reason           string         `json:"reason,omitempty"` // for an unbounded verdict: what never ends, and what would bound it
}

// Named is a value that nobody stated, by name.
type Named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// SourceReport is one source's own horizon.
type SourceReport struct {
	Name            string  `json:"name"`
	RequiredSeconds *Millis `json:"required_seconds"`
	Terms           []Term  `json:"terms"`
}

// TableReport is what is known of the table, and how large it grows.
type TableReport struct {
	RetentionSeconds *Millis `json:"retention_seconds"`
	Source           string  `json:"source"`
	RowsPerDay       *int64  `json:"rows_per_day"`
	RowBytes         *int64  `json:"row_bytes"`
	RowsAtRequired   *int64  `json:"rows_at_required"`
	BytesAtRequired  *int64  `json:"bytes_at_required"`
	PurgeKeepsUp     *bool   `json:"purge_keeps_up"`
}

// Evaluate computes the horizon of every path and compares the largest with
// what the table keeps. Its only errors are a policy without a path and lengths
// too large to add.
func Evaluate(policy Policy) (Report, error) {
	if len(policy.Paths) == 0 {
		return Report{}, errors.New("no source of messages is given")
	}
	horizons := make([]horizon, 0, len(policy.Paths))
	for _, path := range policy.Paths {
		h, err := newHorizon(path, policy.Margin)
		if err != nil {
			return Report{}, fmt.Errorf("source %s: %w", path.Name, err)
		}
		horizons = append(horizons, h)
	}
	k, err := policy.Table.kept(largestDowntime(policy.Paths))
	if err != nil {
		return Report{}, fmt.Errorf("dedup table: %w", err)
	}
	r := Report{Schema: "idemtui.retention/v1", Warnings: []Warning{}, Missing: []string{}, Assumptions: []Named{}}
	r.setHorizon(horizons)
	r.setMissing(horizons, k)
	r.setVerdict(k)
	r.setTable(policy.Table, k)
	for _, h := range horizons {
		r.addWarnings(h.warnings)
	}
	r.addWarnings(k.warnings)
	if r.RequiredSeconds != nil && r.HaveSeconds != nil && *r.RequiredSeconds == *r.HaveSeconds {
		r.addWarnings([]Warning{{CodeMustBeStrictlyLonger, fmt.Sprintf("the table keeps exactly the %s that is required: it must be strictly longer", *r.RequiredSeconds)}})
	}
	return r, nil
}

func largestDowntime(paths []Path) Millis {
	longest := Millis(0)
	for _, p := range paths {
		longest = max(longest, p.Downtime.Length)
	}
	return longest
}

// setHorizon takes the deciding source: an unbounded one, else the one that
// requires most. The tight bound is the largest of all sources, since each of
// them can really happen.
func (r *Report) setHorizon(horizons []horizon) {
	decides := 0
	for i, h := range horizons {
		source := SourceReport{Name: h.path.Name, Terms: h.terms}
		if !h.unbounded {
			source.RequiredSeconds = &h.required
		}
		r.Sources = append(r.Sources, source)
		d := horizons[decides]
		if !d.unbounded && (h.unbounded || h.required > d.required) {
			decides = i
		}
	}
	r.Terms = horizons[decides].terms
	if horizons[decides].unbounded {
		r.Reason = horizons[decides].why
		r.setAssumed(horizons)
		return
	}
	reachable := Millis(0)
	for _, h := range horizons {
		reachable = max(reachable, h.reachable)
	}
	r.RequiredSeconds = &horizons[decides].required
	r.ReachableSeconds = &reachable
}

// setAssumed gives a finite figure only if every unbounded source has one.
func (r *Report) setAssumed(horizons []horizon) {
	longest := Millis(0)
	for _, h := range horizons {
		switch {
		case !h.unbounded:
			longest = max(longest, h.required)
		case h.path.Life.Assumed == nil:
			return
		default:
			longest = max(longest, h.path.Life.Assumed.Length)
			r.assume("horizon of "+h.path.Name, h.path.Life.Assumed.Text)
		}
	}
	r.AssumedSeconds = &longest
}

func (r *Report) assume(name, text string) {
	named := Named{Name: name, Text: text}
	if !slices.Contains(r.Assumptions, named) {
		r.Assumptions = append(r.Assumptions, named)
	}
}

// setMissing names what was not given and what was assumed.
func (r *Report) setMissing(horizons []horizon, k kept) {
	for _, h := range horizons {
		p := h.path
		if !p.Downtime.Known && !slices.Contains(r.Missing, MissingDowntime) {
			r.Missing = append(r.Missing, MissingDowntime)
			r.assume(TermDowntime, "0s (not given)")
		}
		if p.Hold.Assumed {
			r.assume(TermHold, p.Hold.Length.String()+" ("+p.Hold.Source+")")
		}
		if p.Replay != ReplayFull && p.Reach.Assumed {
			r.assume("commit interval", p.Reach.Length.String()+" ("+p.Reach.Source+")")
		}
	}
	switch {
	case k.evicts:
		r.Missing = append(r.Missing, MissingGuarantee)
	case !k.known:
		r.Missing = append(r.Missing, MissingRetention)
	}
}

// setVerdict compares. With the downtime missing the required time is only a
// lower bound, so that unsafe and unbounded stand and nothing else does.
func (r *Report) setVerdict(k kept) {
	if k.known {
		r.HaveSeconds = &k.length
	}
	if r.RequiredSeconds == nil {
		r.Verdict = Unbounded
		return
	}
	if !k.known {
		r.Verdict = Unknown
		return
	}
	short := max(*r.RequiredSeconds-k.length, 0)
	over := max(k.length-*r.RequiredSeconds, 0)
	r.ShortBySeconds, r.SafeBySeconds = &short, &over
	switch {
	case k.length <= *r.ReachableSeconds:
		r.Verdict = Unsafe
	case slices.Contains(r.Missing, MissingDowntime):
		r.Verdict = Unknown
	case k.length <= *r.RequiredSeconds:
		r.Verdict = Tight
	default:
		r.Verdict = Safe
	}
}

// setTable computes the table's size at the required retention. A size that
// cannot be counted stays unknown.
func (r *Report) setTable(t Table, k kept) {
	r.Table = TableReport{Source: k.source, RowsPerDay: t.RowsPerDay, RowBytes: t.RowBytes, PurgeKeepsUp: t.PurgeKeepsUp}
	if k.known {
		r.Table.RetentionSeconds = &k.length
	}
	if t.RowsPerDay == nil || r.RequiredSeconds == nil {
		return
	}
	const secondsPerDay = 86400
	product, err := timesMillis(*r.RequiredSeconds/Second, *t.RowsPerDay)
	if err != nil {
		return
	}
	rows := int64((product + secondsPerDay - 1) / secondsPerDay)
	r.Table.RowsAtRequired = &rows
	if t.RowBytes == nil {
		return
	}
	if bytes, err := timesMillis(Millis(rows), *t.RowBytes); err == nil {
		size := int64(bytes)
		r.Table.BytesAtRequired = &size
	}
}

// addWarnings adds those that are not there yet.
func (r *Report) addWarnings(warnings []Warning) {
	for _, w := range warnings {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

// Headline is the verdict in one sentence.
func (r Report) Headline() string {
	switch r.Verdict {
	case Safe:
		return fmt.Sprintf("SAFE by %s: ids are kept %s, and a duplicate can come until %s after the first processing.", *r.SafeBySeconds, *r.HaveSeconds, *r.RequiredSeconds)
	case Tight:
		if *r.ShortBySeconds == 0 {
			return fmt.Sprintf("TIGHT: ids are kept exactly the %s that the rule asks, and it must be strictly longer; but a duplicate can really come only until %s.",
				*r.HaveSeconds, *r.ReachableSeconds)
		}
		return fmt.Sprintf("TIGHT: ids are kept %s, %s less than the rule asks (%s), but %s longer than a duplicate can really come (%s).",
			*r.HaveSeconds, *r.ShortBySeconds, *r.RequiredSeconds, *r.HaveSeconds-*r.ReachableSeconds, *r.ReachableSeconds)
	case Unsafe:
		if *r.ShortBySeconds == 0 {
			return fmt.Sprintf("UNSAFE: ids are kept exactly the %s after which a duplicate can still come; it must be strictly longer.", *r.HaveSeconds)
		}
		return fmt.Sprintf("UNSAFE, short by %s: ids are kept %s, and a duplicate can come until %s after the first processing.", *r.ShortBySeconds, *r.HaveSeconds, *r.RequiredSeconds)
	case Unbounded:
		return fmt.Sprintf("UNBOUNDED: no retention is long enough, because %s.", r.Reason)
	}
	missing := strings.Join(r.Missing, " and ")
	if slices.Contains(r.Missing, MissingDowntime) {
		return fmt.Sprintf("UNKNOWN: %s not given; with a downtime of 0 already, ids must be kept longer than %s.", missing, *r.RequiredSeconds)
	}
	return fmt.Sprintf("UNKNOWN: %s not given; ids must be kept longer than %s.", missing, *r.RequiredSeconds)
}
