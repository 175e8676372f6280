package inspect

import "time"

// Cohort is claims of one look that the rules judge alike, counted on the server:
// they have the same owner and the same holders of their locks, and their times
// lie on the same side of every limit.
type Cohort struct {
	// Claim stands for all of them. Its lease and heartbeat are their latest, so
	// that an owner's last sign of life is among its cohorts.
	Claim Claim
	Rows  int64
	// ClaimedAt are the claim times of those that have a valid one, in
	// microseconds as time.UnixMicro reads them.
	ClaimedAt []int64
	// Touched are the times of the last writes of those that tell, likewise.
	Touched []int64
	// FirstLease is the earliest of their leases.
	FirstLease Stamp
	// Kind is what GroupByKind calls them.
	Kind string
}

// KindOfKey is what GroupByKind calls the claim of a key.
func KindOfKey(k Key) string { return kindOfKey(k) }

// JudgeCohorts judges claims that were counted by cohort, together.
func JudgeCohorts(cohorts []Cohort, f Facts) Facts {
	claims := make([]Claim, len(cohorts))
	for i := range cohorts {
		claims[i] = cohorts[i].Claim
	}
	f = f.Among(claims)
	for i := range cohorts {
		cohorts[i].Claim = Assess(cohorts[i].Claim, f)
	}
	return f
}

// ages are the ages of a cohort's claims; a claim time in the future gives none.
func (c *Cohort) ages(now time.Time) []time.Duration {
	out := make([]time.Duration, 0, len(c.ClaimedAt))
	for _, at := range c.ClaimedAt {
		if at := time.UnixMicro(at); !at.After(now) {
			out = append(out, now.Sub(at))
		}
	}
	return out
}

// SummariseCohorts is Summarise for claims counted by cohort.
func SummariseCohorts(now time.Time, cohorts []Cohort) Summary {
	t := newTallier()
	for i := range cohorts {
		c := &cohorts[i]
		t.add(&c.Claim, c.Rows, c.ages(now))
		t.lease(c.FirstLease)
	}
	return t.summary()
}

// GroupCohorts is GroupClaims for claims counted by cohort.
func GroupCohorts(now time.Time, cohorts []Cohort, by Grouping) []Group {
	g := newGrouper(by)
	for i := range cohorts {
		c := &cohorts[i]
		if c.Claim.State != StateProcessing {
			continue
		}
		ages := c.ages(now)
		switch by {
		case GroupByOwner, GroupByKind:
			name := c.Kind
			if by == GroupByOwner {
				name = ownerGroup(&c.Claim)
			}
			group := g.add(name, &c.Claim, c.Rows)
			for _, age := range ages {
				group.see(age)
			}
		default:
			for _, age := range ages {
				g.add(ageGroup(age), &c.Claim, 1).see(age)
			}
			if rest := c.Rows - int64(len(ages)); rest > 0 {
				g.add(noAgeGroup, &c.Claim, rest)
			}
		}
	}
	return g.groups()
}

// IncidentOfCohorts is IncidentOf for claims counted by cohort; wanted is asked of
// each cohort and then of each claim time.
func IncidentOfCohorts(now time.Time, cohorts []Cohort, wanted func(*Claim) bool, since, until time.Time) Incident {
	var points []point
	for i := range cohorts {
		c := &cohorts[i]
		if c.Claim.Condition != ConditionStuck || !wanted(&c.Claim) {
			continue
		}
		for _, at := range c.ClaimedAt {
			if moment := time.UnixMicro(at); !moment.After(now) && between(moment, since, until) {
				points = append(points, point{at, i})
			}
		}
	}
	return incidentOf(now, points, func(i int) *Claim { return &cohorts[i].Claim })
}

// Matching counts the claims that a query wants, and the stuck ones among them.
func Matching(cohorts []Cohort, wanted func(*Claim) bool, since, until time.Time) (all, stuck int64) {
	for i := range cohorts {
		c := &cohorts[i]
		if !wanted(&c.Claim) {
			continue
		}
		rows := c.Rows
		if !since.IsZero() || !until.IsZero() {
			rows = 0
			for _, at := range c.ClaimedAt {
				if between(time.UnixMicro(at), since, until) {
					rows++
				}
			}
		}
		all += rows
		if c.Claim.Condition == ConditionStuck {
			stuck += rows
		}
	}
	return all, stuck
}

// between: not before since, and before until; a zero bound is none.
func between(at, since, until time.Time) bool {
	return (since.IsZero() || !at.Before(since)) && (until.IsZero() || at.Before(until))
}

// SilenceNotesOfCohorts is SilenceNotes for claims counted by cohort.
func SilenceNotesOfCohorts(cohorts []Cohort, f Facts) []string {
	claims, rows := make([]Claim, len(cohorts)), make([]int64, len(cohorts))
	for i := range cohorts {
		claims[i], rows[i] = cohorts[i].Claim, cohorts[i].Rows
	}
	return silenceNotes(claims, func(i int) int64 { return rows[i] }, f)
}
