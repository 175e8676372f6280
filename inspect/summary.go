package inspect

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Summary is the header of a list: counts, and ages over all claimed rows.
type Summary struct {
	Claimed     Count
	Stuck       int64
	Held        int64
	NoLease     int64
	InvalidTime int64
	Future      int64

	Alive      int64
	LikelyDead int64
	CannotTell int64

	Oldest Null[time.Duration]
	Median Null[time.Duration]
	Over1h int64
	Over6h int64

	// ByState counts all rows of the table. A state that only statistics
	// know, and do not know of, is absent rather than 0.
	ByState  map[State]Count
	ByOwner  []OwnerSummary
	Unmapped map[string]Count
	// Ages are the ages of the claimed rows, ascending.
	Ages []time.Duration
	// FirstLease is the lease of a claimed row that ends first, or ended.
	FirstLease Stamp

	// Truncated: the list, or the look at the claimed rows, was cut.
	Truncated bool
	// LookCut: more rows are claimed than a look reads, so that the counts by
	// condition and verdict and the ages cover only those read.
	LookCut bool
}

// OwnerSummary is one owner's share of the claimed rows.
type OwnerSummary struct {
	Owner   Null[string]
	Claimed int64
	Stuck   int64
	Oldest  Null[time.Duration]
}

// Summarise counts judged claims that are PROCESSING; others are left out. A
// row whose claim time is missing, invalid or in the future has no age and
// takes no part in the ages.
func Summarise(claims []Claim) Summary {
	t := newTallier()
	for i := range claims {
		c := &claims[i]
		if c.Age.OK {
			t.add(c, 1, []time.Duration{c.Age.V})
		} else {
			t.add(c, 1, nil)
		}
		if c.State == StateProcessing {
			t.lease(c.LeaseUntil)
		}
	}
	return t.summary()
}

// tallier is a summary in the making.
type tallier struct {
	s      Summary
	owners map[Null[string]]OwnerSummary
}

func newTallier() *tallier { return &tallier{owners: map[Null[string]]OwnerSummary{}} }

// add counts so many claims that are judged as c is, with the ages that they have.
func (t *tallier) add(c *Claim, rows int64, ages []time.Duration) {
	if c.State != StateProcessing {
		return
	}
	t.s.Claimed.Rows += rows
	t.s.tally(c, rows)
	o := t.owners[c.Owner]
	o.Owner = c.Owner
	o.Claimed += rows
	if c.Condition == ConditionStuck {
		o.Stuck += rows
	}
	for _, age := range ages {
		if !o.Oldest.OK || age > o.Oldest.V {
			o.Oldest = Some(age)
		}
	}
	t.s.Ages = append(t.s.Ages, ages...)
	t.owners[c.Owner] = o
}

// lease notes a claimed row's lease.
func (t *tallier) lease(s Stamp) {
	if s.Valid() && (t.s.FirstLease.None() || s.Before(t.s.FirstLease.Time)) {
		t.s.FirstLease = s
	}
}

func (t *tallier) summary() Summary {
	t.s.Claimed.Exact = true
	t.s.ages()
	t.s.ByOwner = sortedOwners(t.owners)
	return t.s
}

func (s *Summary) tally(c *Claim, rows int64) {
	switch c.Condition {
	case ConditionStuck:
		s.Stuck += rows
	case ConditionHeld:
		s.Held += rows
	case ConditionNoLease:
		s.NoLease += rows
	case ConditionInvalidTime:
		s.InvalidTime += rows
	case ConditionFuture:
		s.Future += rows
	}
	switch c.Verdict {
	case VerdictAlive:
		s.Alive += rows
	case VerdictLikelyDead:
		s.LikelyDead += rows
	case VerdictCannotTell:
		s.CannotTell += rows
	}
}

// ages fills oldest, median (the mean of the middle two for an even number)
// and the counts above one and six hours.
func (s *Summary) ages() {
	n := len(s.Ages)
	if n == 0 {
		return
	}
	slices.Sort(s.Ages)
	s.Oldest = Some(s.Ages[n-1])
	if n%2 == 1 {
		s.Median = Some(s.Ages[n/2])
	} else {
		lower, upper := s.Ages[n/2-1], s.Ages[n/2]
		s.Median = Some(lower + (upper-lower)/2)
	}
	for _, a := range s.Ages {
		if a > time.Hour {
			s.Over1h++
		}
		if a > 6*time.Hour {
			s.Over6h++
		}
	}
}

// MergeSummaries adds the summaries of several databases.
func MergeSummaries(parts ...Summary) Summary {
	sum := Summary{Claimed: Count{Exact: true}, ByState: map[State]Count{}, Unmapped: map[string]Count{}}
	owners := map[Null[string]]OwnerSummary{}
	for _, p := range parts {
		sum.Claimed = addCounts(sum.Claimed, p.Claimed)
		sum.Stuck += p.Stuck
		sum.Held += p.Held
		sum.NoLease += p.NoLease
		sum.InvalidTime += p.InvalidTime
		sum.Future += p.Future
		sum.Alive += p.Alive
		sum.LikelyDead += p.LikelyDead
		sum.CannotTell += p.CannotTell
		sum.Ages = append(sum.Ages, p.Ages...)
		sum.Truncated = sum.Truncated || p.Truncated
		sum.LookCut = sum.LookCut || p.LookCut
		mergeCounts(sum.ByState, p.ByState)
		mergeCounts(sum.Unmapped, p.Unmapped)
		for _, o := range p.ByOwner {
			all := owners[o.Owner]
			all.Owner = o.Owner
			all.Claimed += o.Claimed
			all.Stuck += o.Stuck
			if o.Oldest.OK && (!all.Oldest.OK || o.Oldest.V > all.Oldest.V) {
				all.Oldest = o.Oldest
			}
			owners[o.Owner] = all
		}
	}
	sum.ages()
	sum.ByOwner = sortedOwners(owners)
	return sum
}

func addCounts(a, b Count) Count { return Count{Rows: a.Rows + b.Rows, Exact: a.Exact && b.Exact} }

func mergeCounts[K comparable](into, from map[K]Count) {
	for k, c := range from {
		if old, ok := into[k]; ok {
			c = addCounts(old, c)
		}
		into[k] = c
	}
}

// sortedOwners puts the owner with the most stuck claims first.
func sortedOwners(owners map[Null[string]]OwnerSummary) []OwnerSummary {
	return slices.SortedFunc(maps.Values(owners), func(a, b OwnerSummary) int {
		return cmp.Or(cmp.Compare(b.Stuck, a.Stuck), cmp.Compare(b.Claimed, a.Claimed), compareOwners(a.Owner, b.Owner))
	})
}

// compareOwners sorts by name, no owner first.
func compareOwners(a, b Null[string]) int {
	if a.OK != b.OK {
		if b.OK {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.V, b.V)
}
