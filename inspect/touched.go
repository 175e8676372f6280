package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Touched is claims whose rows were last written within one minute, by more than
// one worker: one event stopped them all, the end of a host or a failover, and
// their workers may well be alive.
type Touched struct {
	Claims   int64
	Owners   int64 // 0 where none is named
	Alive    int64 // of the claims, by verdict
	From, To time.Time
}

// TouchedWindow is how close together the last writes must lie.
const TouchedWindow = time.Minute

// minTouched is how many claims make an event.
const minTouched = 3

// TouchedTogether finds the minute in which most of the claims were last written
// that have stood still since: the stuck ones, and those of a heartbeat elsewhere.
// It needs more than half of them, and several owners.
func TouchedTogether(claims []Claim, f Facts) Null[Touched] {
	var points []point
	for i := range claims {
		if at := lastTouch(&claims[i], f); at.Valid() && stoodStill(&claims[i], at.Time, f) {
			points = append(points, point{at.Time.UnixMicro(), i})
		}
	}
	return touchedTogether(points, func(i int) *Claim { return &claims[i] })
}

// TouchedTogetherInCohorts is TouchedTogether for claims counted by cohort.
func TouchedTogetherInCohorts(cohorts []Cohort, f Facts) Null[Touched] {
	var points []point
	for i := range cohorts {
		for _, at := range cohorts[i].Touched {
			if stoodStill(&cohorts[i].Claim, time.UnixMicro(at), f) {
				points = append(points, point{at, i})
			}
		}
	}
	return touchedTogether(points, func(i int) *Claim { return &cohorts[i].Claim })
}

// lastTouch is the latest time at which a row says that it was written.
func lastTouch(c *Claim, f Facts) Stamp {
	written := []Stamp{c.ClaimedAt, c.UpdatedAt}
	if f.Mapping.Heartbeat.Join == nil { // else it is written in another table
		written = append(written, c.HeartbeatAt)
	}
	var last Stamp
	for _, s := range written {
		if s.Valid() && !s.After(f.Now) && (last.None() || s.After(last.Time)) {
			last = s
		}
	}
	return last
}

// stoodStill: nobody has written the row for as long as a worker should take, and
// no lease says that this is in order. Where finished rows look the same, nothing
// follows from rows that stand still.
func stoodStill(c *Claim, touched time.Time, f Facts) bool {
	return c.State == StateProcessing && !f.Mapping.looksAlike() && !leaseRuns(*c, f) && (c.Condition == ConditionStuck || touched.Before(f.Now.Add(-f.Mapping.Threshold())))
}

func touchedTogether(points []point, claim func(int) *Claim) Null[Touched] {
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	from, to := 0, 0
	for i, j := 0, 0; i < len(points); i++ {
		for j < len(points) && points[j].time().Sub(points[i].time()) <= TouchedWindow {
			j++
		}
		if j-i > to-from {
			from, to = i, j
		}
	}
	together := points[from:to]
	if len(together) < minTouched || 2*len(together) <= len(points) {
		return Null[Touched]{}
	}
	out := Touched{Claims: int64(len(together)), From: together[0].time(), To: together[len(together)-1].time()}
	owners := map[string]bool{}
	for _, p := range together {
		c := claim(p.of)
		if c.Owner.OK {
			owners[c.Owner.V] = true
		}
		if c.Verdict == VerdictAlive {
			out.Alive++
		}
	}
	if out.Owners = int64(len(owners)); out.Owners == 1 {
		return Null[Touched]{} // one worker died
	}
	return Some(out)
}

// Text says it in one line: "12 claims last touched 11:31:02 to 11:31:58 by 4
// owners".
func (t Touched) Text(now time.Time) string {
	text := fmt.Sprintf("%s last touched %s to %s", plural(t.Claims, "claim"), clockTime(t.From, now), clockTime(t.To, now))
	if t.Owners > 0 {
		text += fmt.Sprintf(" by %s", plural(t.Owners, "owner"))
	}
	text += ": one event, the end of a host or a failover of the database, is likelier than many deaths"
	if t.Alive > 0 {
		belong := "belong to live workers"
		if t.Alive == 1 {
			belong = "belongs to a live worker"
		}
		text += fmt.Sprintf("; %s of them %s", groupDigits(t.Alive), belong)
	}
	return text
}
