package inspect

import (
	"cmp"
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
	s := Summary{}
	owners := map[Null[string]]*OwnerSummary{}
	for _, c := range claims {
		if c.State != StateProcessing {
			continue
		}
		s.Claimed.Rows++
		s.tally(c)
		o := owners[c.Owner]
		if o == nil {
			o = &OwnerSummary{Owner: c.Owner}
			owners[c.Owner] = o
		}
		o.Claimed++
		if c.Condition == ConditionStuck {
			o.Stuck++
		}
		if c.Age.OK {
			s.Ages = append(s.Ages, c.Age.V)
			if !o.Oldest.OK || c.Age.V > o.Oldest.V {
				o.Oldest = c.Age
			}
		}
	}
	s.Claimed.Exact = true
	s.ages()
	for _, o := range owners {
		s.ByOwner = append(s.ByOwner, *o)
	}
	slices.SortFunc(s.ByOwner, func(a, b OwnerSummary) int {
		return cmp.Or(cmp.Compare(b.Stuck, a.Stuck), cmp.Compare(b.Claimed, a.Claimed), cmp.Compare(a.Owner.V, b.Owner.V))
	})
	return s
}

func (s *Summary) tally(c Claim) {
	switch c.Condition {
	case ConditionStuck:
		s.Stuck++
	case ConditionHeld:
		s.Held++
	case ConditionNoLease:
		s.NoLease++
	case ConditionInvalidTime:
		s.InvalidTime++
	case ConditionFuture:
		s.Future++
	}
	switch c.Verdict {
	case VerdictAlive:
		s.Alive++
	case VerdictLikelyDead:
		s.LikelyDead++
	case VerdictCannotTell:
		s.CannotTell++
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
