package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Incident is how the stuck claims lie in time: when it began, whose they are,
// and which are leftovers from long before.
type Incident struct {
	// Claims are the stuck claims with a claim time, without those of Older.
	Claims int64
	// Began and Latest are the first and the last claim time of these.
	Began, Latest time.Time
	// Owners are theirs, most claims first.
	Owners []OwnerCount
	// Bins count the claims by claim time, each BinWidth long, the first from
	// the instant FirstBin on.
	Bins     []int64
	BinWidth time.Duration
	FirstBin time.Time
	// Older are claims from long before: at least OlderFactor times as old as
	// the oldest of the incident.
	Older OlderClaims
}

// OwnerCount is one owner's share of an incident.
type OwnerCount struct {
	Owner  Null[string]
	Claims int64
}

// OlderClaims are the stuck claims from before an incident.
type OlderClaims struct {
	Claims         int64
	Oldest, Newest time.Time // their claim times
}

// OlderFactor and OlderGap say when a claim is much older than the stuck ones
// claimed after it: it is so many times as old, and older by so much.
const (
	OlderFactor = 10
	OlderGap    = time.Hour
)

// maxBins bounds the histogram: it must fit beside words on one line.
const maxBins = 24

// binWidths are the widths that people can read off.
var binWidths = []time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour,
}

// IncidentOf looks at the stuck ones among judged claims that are wanted (nil:
// all); those without a claim time in the past take no part.
func IncidentOf(now time.Time, claims []Claim, wanted func(Claim) bool) Incident {
	var points []point
	for i := range claims {
		c := &claims[i]
		if c.Condition == ConditionStuck && c.ClaimedAt.Valid() && !c.ClaimedAt.After(now) && (wanted == nil || wanted(*c)) {
			points = append(points, point{c.ClaimedAt.Time.UnixMicro(), i})
		}
	}
	return incidentOf(now, points, func(i int) *Claim { return &claims[i] })
}

// point is a claim time of an incident, in microseconds, and whose it is.
type point struct {
	at int64
	of int
}

func (p point) time() time.Time { return time.UnixMicro(p.at).UTC() }

// incidentOf sorts the points, newest first; claim gives what one is of.
func incidentOf(now time.Time, points []point, claim func(int) *Claim) Incident {
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(b.at, a.at) })
	var out Incident
	if len(points) == 0 {
		return out
	}
	split := olderFrom(now, points, claim)
	if older := points[split:]; len(older) > 0 {
		out.Older = OlderClaims{Claims: int64(len(older)), Newest: older[0].time(), Oldest: older[len(older)-1].time()}
	}
	recent := points[:split]
	out.Claims = int64(len(recent))
	out.Latest, out.Began = recent[0].time(), recent[split-1].time()
	owners := map[Null[string]]int64{}
	for _, p := range recent {
		owners[claim(p.of).Owner]++
	}
	for owner, n := range owners {
		out.Owners = append(out.Owners, OwnerCount{owner, n})
	}
	slices.SortFunc(out.Owners, func(a, b OwnerCount) int {
		return cmp.Or(cmp.Compare(b.Claims, a.Claims), compareOwners(a.Owner, b.Owner))
	})
	out.bin(recent)
	return out
}

// olderFrom is the place of the first claim that is much older than the one
// before it. A single leftover stays: one line is not made shorter by one line.
// Claims whose worker is alive are no incident: they fold nothing away.
func olderFrom(now time.Time, newestFirst []point, claim func(int) *Claim) int {
	first := slices.IndexFunc(newestFirst, func(p point) bool { return claim(p.of).Verdict != VerdictAlive })
	if first < 0 {
		return len(newestFirst)
	}
	for i := first + 1; i < len(newestFirst)-1; i++ {
		young, old := now.Sub(newestFirst[i-1].time()), now.Sub(newestFirst[i].time())
		if old-young >= OlderGap && old/OlderFactor >= young {
			return i
		}
	}
	return len(newestFirst)
}

func (n *Incident) bin(newestFirst []point) {
	span := n.Latest.Sub(n.Began)
	n.BinWidth = binWidths[len(binWidths)-1]
	for _, w := range binWidths {
		if span/w < maxBins-1 { // one more: the first bin begins before the first claim
			n.BinWidth = w
			break
		}
	}
	for span/n.BinWidth >= maxBins-1 {
		n.BinWidth *= 2
	}
	n.FirstBin = n.Began.Truncate(n.BinWidth)
	n.Bins = make([]int64, n.Latest.Sub(n.FirstBin)/n.BinWidth+1)
	for _, p := range newestFirst {
		n.Bins[p.time().Sub(n.FirstBin)/n.BinWidth]++
	}
}

// Folded reports whether a claim is one of the leftovers that a list folds into
// one line.
func (n Incident) Folded(c Claim) bool {
	return n.Older.Claims > 0 && c.Condition == ConditionStuck && c.ClaimedAt.Valid() && !c.ClaimedAt.After(n.Older.Newest)
}

// Story says when the incident began and whose claims they are: "it began at
// 02:10:03, all of worker-3@h7". It is empty where there is too little to tell.
func (n Incident) Story(now time.Time) string {
	if n.Claims < 2 {
		return ""
	}
	story := "it began at " + clockTime(n.Began, now)
	if n.Latest.Sub(n.Began) >= time.Second {
		story += ", the latest is from " + clockTime(n.Latest, now)
	}
	top := n.Owners[0]
	switch {
	case len(n.Owners) == 1 && !top.Owner.OK:
	case len(n.Owners) == 1:
		story += ", all of " + top.Owner.V
	case top.Owner.OK && 2*top.Claims > n.Claims:
		story += fmt.Sprintf(", %s of %s of %s", groupDigits(top.Claims), groupDigits(n.Claims), top.Owner.V)
	default:
		story += fmt.Sprintf(", of %s", plural(int64(len(n.Owners)), "owner"))
	}
	return story
}

// OlderStory is the one line into which the leftovers fold; "" where there are
// none.
func (n Incident) OlderStory(now time.Time) string {
	if n.Older.Claims == 0 {
		return ""
	}
	return fmt.Sprintf("%s from long before, claimed %s to %s ago, folded; --until %s lists them", plural(n.Older.Claims, "stuck claim"),
		FormatSpan(now.Sub(n.Older.Oldest)), FormatSpan(now.Sub(n.Older.Newest)), n.Older.Newest.Add(time.Second).UTC().Format("2006-01-02T15:04:05Z"))
}

// bars are the heights of a histogram's bars; an empty bin has none.
var bars = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// Bars draws the bins, one cell each, an empty one as a space.
func (n Incident) Bars() string {
	if len(n.Bins) == 0 {
		return ""
	}
	top := slices.Max(n.Bins)
	var b strings.Builder
	for _, count := range n.Bins {
		if count == 0 {
			b.WriteString(" ")
			continue
		}
		b.WriteString(bars[(count*int64(len(bars))-1)/top])
	}
	return b.String()
}

// Histogram is the bars with what they mean, on one line; "" where all claims
// are of one bin.
func (n Incident) Histogram(now time.Time) string {
	if len(n.Bins) < 2 {
		return ""
	}
	return fmt.Sprintf("claimed  %s %s %s  a bar is %s, the highest %s", clockTime(n.FirstBin, now), n.Bars(),
		clockTime(n.FirstBin.Add(time.Duration(len(n.Bins))*n.BinWidth), now), FormatSpan(n.BinWidth), groupDigits(slices.Max(n.Bins)))
}

// clockTime is the time of day in UTC, with the date where that is not today's.
func clockTime(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}
