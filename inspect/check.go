package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"idemtui/retention"
)

// Status is the state of a check, as monitoring plugins have it.
type Status string

// The states of a check.
const (
	StatusOK       Status = "ok"
	StatusWarning  Status = "warning"
	StatusCritical Status = "critical"
	StatusUnknown  Status = "unknown" // nothing can be said
)

// ExitCode is the exit code of a plugin in this state.
func (s Status) ExitCode() int {
	return slices.Index([]Status{StatusOK, StatusWarning, StatusCritical, StatusUnknown}, s)
}

// Worst is the state of several checks together. What cannot be told is worse
// than a warning and hides nothing critical.
func Worst(all ...Status) Status {
	rank := []Status{StatusOK, StatusWarning, StatusUnknown, StatusCritical}
	worst := 0
	for _, s := range all {
		worst = max(worst, slices.Index(rank, s))
	}
	return rank[worst]
}

// Threshold is one limit of a check: what is measured passes while it is not
// above Limit. Ages are in seconds.
type Threshold struct {
	Measure string
	Limit   float64
	// Text is the threshold as it was written.
	Text string
}

// The measures of a check.
const (
	MeasureStuck   = "stuck"
	MeasureOldest  = "oldest" // age of the oldest stuck claim
	MeasureClaimed = "claimed"
	MeasureNoLease = "no-lease"
)

// Measures are the names that a threshold may have.
var Measures = []string{MeasureStuck, MeasureOldest, MeasureClaimed, MeasureNoLease}

// ParseThresholds reads MEASURE>LIMIT joined by commas: stuck>5,oldest>20m.
func ParseThresholds(text string) ([]Threshold, error) {
	var out []Threshold
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, limit, ok := strings.Cut(part, ">")
		name, limit = strings.TrimSpace(name), strings.TrimSpace(limit)
		t := Threshold{Measure: name, Text: part}
		if !ok || !slices.Contains(Measures, name) {
			return nil, fmt.Errorf("%q: want MEASURE>LIMIT, with %s", part, strings.Join(Measures, ", "))
		}
		if name == MeasureOldest {
			d, err := retention.ParseDuration(limit)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", part, err)
			}
			t.Limit = d.Seconds()
		} else {
			n, err := strconv.ParseInt(limit, 10, 64)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%q: want a whole number after the >", part)
			}
			t.Limit = float64(n)
		}
		out = append(out, t)
	}
	return out, nil
}

// CheckRules are what a check compares with.
type CheckRules struct {
	Warn, Crit []Threshold
	// MinLapsed is how long a claim must have been stuck to count: workers that
	// take over lapsed claims need a moment.
	MinLapsed time.Duration
}

// CheckQuery is the look that Check needs: every claimed row.
func CheckQuery(allowScan bool) Query {
	return Query{All: true, Limit: 1 << 20, Brief: true, NeverScan: !allowScan}
}

// Check is what was found in one table. It names no key and no owner.
type Check struct {
	Database string
	Table    string
	Profile  string
	Status   Status
	// Text says why, on one line.
	Text string
	// Up: the table could be looked at; the rest means something only then.
	Up     bool
	LookAt time.Time
	// Conditions count the claimed rows; those stuck for less than MinLapsed
	// count as held.
	Conditions map[Condition]int64
	Claimed    Count
	// Oldest is the age of the oldest stuck claim, 0 without one.
	Oldest time.Duration
	// AtLeast: more rows are claimed than a look reads.
	AtLeast bool
}

// CheckFailed is the check of a table that could not be looked at.
func CheckFailed(database, why string) Check {
	return Check{Database: database, Status: StatusUnknown, Text: why}
}

// CheckSnapshot checks a look made by CheckQuery.
func CheckSnapshot(s Snapshot, rules CheckRules) Check {
	c := Check{
		Database: s.Database.ID, Table: s.Table.FullName(), Profile: s.Table.Mapping.Profile, Up: true, LookAt: s.At,
		Conditions: map[Condition]int64{}, Claimed: s.Summary.Claimed, AtLeast: s.Summary.LookCut,
	}
	for _, condition := range []Condition{ConditionHeld, ConditionStuck, ConditionNoLease, ConditionInvalidTime, ConditionFuture} {
		c.Conditions[condition] = 0
	}
	for i := range s.Claims {
		claim := &s.Claims[i]
		condition := claim.Condition
		over, known := Overdue(claim, s.Table.Mapping, s.At)
		if condition == ConditionStuck && known && over < rules.MinLapsed {
			condition = ConditionHeld
		}
		c.Conditions[condition]++
		if condition == ConditionStuck {
			c.Oldest = max(c.Oldest, claim.Age.Or(over))
		}
	}
	c.judge(s, rules)
	return c
}

// judge compares what was found with the thresholds. What may be hidden is never
// called fine.
func (c *Check) judge(s Snapshot, rules CheckRules) {
	crit, warn := c.above(rules.Crit), c.above(rules.Warn)
	c.Text = c.figures()
	switch {
	case len(crit) > 0:
		c.Status, c.Text = StatusCritical, c.Text+": "+strings.Join(crit, ", ")
	case len(warn) > 0:
		c.Status, c.Text = StatusWarning, c.Text+": "+strings.Join(warn, ", ")
	case !s.Table.Mapping.State.Claims():
		c.Status, c.Text = StatusUnknown, "no state is mapped to processing, so nothing can be stuck"
	case s.Table.RowSecurity:
		c.Status, c.Text = StatusUnknown, c.Text+", but row-level security may hide rows from this role"
	default:
		c.Status = StatusOK
	}
}

func (c *Check) above(thresholds []Threshold) []string {
	var out []string
	for _, t := range thresholds {
		if c.Value(t.Measure) > t.Limit {
			out = append(out, t.Text)
		}
	}
	return out
}

// Value is what a threshold compares.
func (c *Check) Value(measure string) float64 {
	switch measure {
	case MeasureStuck:
		return float64(c.Conditions[ConditionStuck])
	case MeasureOldest:
		return c.Oldest.Seconds()
	case MeasureClaimed:
		return float64(c.Claimed.Rows)
	default:
		return float64(c.Conditions[ConditionNoLease])
	}
}

func (c *Check) figures() string {
	atLeast := ""
	if c.AtLeast {
		atLeast = "at least "
	}
	text := fmt.Sprintf("%s%s stuck of %s claimed in %s %s", atLeast, groupDigits(c.Conditions[ConditionStuck]), groupDigits(c.Claimed.Rows), c.Database, c.Table)
	if c.Conditions[ConditionStuck] > 0 {
		text += ", oldest " + FormatSpan(c.Oldest)
	}
	return text
}

// Overdue is how long a claim has been stuck: past its lease, past its
// heartbeat's limit, or past the threshold; negative while it is not. It is
// unknown without any of these.
func Overdue(c *Claim, m Mapping, now time.Time) (time.Duration, bool) {
	switch {
	case c.LeaseUntil.Valid():
		return now.Sub(c.LeaseUntil.Time), true
	case c.HeartbeatAt.Valid():
		return now.Sub(c.HeartbeatAt.Time.Add(m.HeartbeatLimit())), true // a difference beyond every Duration stays one
	case c.ClaimedAt.Valid():
		return now.Sub(c.ClaimedAt.Time.Add(m.Threshold())), true
	}
	return 0, false
}
