package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Facts are what is known besides the rows themselves when claims are judged.
type Facts struct {
	// Now is the database's clock at the look.
	Now     time.Time
	Mapping Mapping
	Standby bool
	Pooler  bool
	// Before is the look before this one, nil at the first.
	Before *Look
	// Locks are the live holders of row locks by key. LocksHidden says why
	// they could not be seen; "" means that they were.
	Locks       map[Key][]LockHolder
	LocksHidden string
	// Advisory are the live holders of the claims' advisory locks by key, where
	// those are mapped; AdvisoryHidden is as LocksHidden.
	Advisory       map[Key][]LockHolder
	AdvisoryHidden string
	// Sessions are the connected sessions by owner; nil: not looked at.
	Sessions *Sessions
	// Others are claims beside those that are judged, where only some of the claimed
	// rows are: enough to know every owner, and when it last gave a sign of life.
	Others []Claim
	// Finished is how long finished work took, if the table tells.
	Finished Null[Finished]
	// Query writes the query that shows a rung's fact for one key; nil leaves
	// the evidence without queries.
	Query func(key Key, rung Rung) string

	silent map[string]silence
	owners map[string]bool // of all claimed rows that are judged together
}

// LockHolder is a live session that holds a lock on a row, or a claim's
// advisory lock.
type LockHolder struct {
	PID         int64
	Application string
	State       string // of the session
	InState     time.Duration
	// Hidden: the session's state and times need pg_read_all_stats.
	Hidden bool
}

// Finished is how long the finished rows of a table took from claim to end.
type Finished struct {
	Rows    int64
	Longest time.Duration
}

// FutureSkew is how far a claim time or heartbeat may lie in the future before
// it counts as one: clocks of workers differ from the database's by that much.
const FutureSkew = time.Minute

// Among prepares the facts for judging claims of one look, which are seen
// together: whose sessions are peers, and whether many owners fell silent at
// once.
func (f Facts) Among(claims []Claim) Facts {
	if len(f.Others) > 0 {
		claims = slices.Concat(claims, f.Others)
	}
	owners := f.KnownOwners()
	for i := range claims {
		if claims[i].State == StateProcessing && claims[i].Owner.OK {
			owners[claims[i].Owner.V] = true
		}
	}
	f.owners = owners
	f.silent = silentTogether(claims, f)
	return f
}

// KnownOwners are the owners of claimed rows that are known already: those of the
// claims that are judged together, of the others, and of the look before, for claims
// of one look may be judged a few at a time.
func (f Facts) KnownOwners() map[string]bool {
	owners := map[string]bool{}
	maps.Copy(owners, f.owners)
	for i := range f.Others {
		if f.Others[i].Owner.OK {
			owners[f.Others[i].Owner.V] = true
		}
	}
	if f.Before != nil {
		for _, c := range f.Before.Claims {
			if c.Owner.OK {
				owners[c.Owner.V] = true
			}
		}
	}
	return owners
}

// JudgeAll judges claims of one look together.
func JudgeAll(claims []Claim, f Facts) []Claim {
	f = f.Among(claims)
	out := make([]Claim, len(claims))
	for i, c := range claims {
		out[i] = Judge(c, f)
	}
	return out
}

// Judge fills age, condition, verdict, evidence and notes of one claim, by the
// first-match rules of the design: nothing here is a guess, and every rung
// that cannot be seen is named.
func Judge(c Claim, f Facts) Claim {
	c = Assess(c, f)
	c.Notes = append(append([]string(nil), c.Notes...), oddities(c)...)
	if c.State == StateProcessing {
		c.Evidence = evidenceOf(c, f)
		c.Notes = append(c.Notes, standing(c, f)...)
	}
	return c
}

// Assess is Judge without the words: age, condition and verdict. It is what
// the many rows need that are counted and not shown.
func Assess(c Claim, f Facts) Claim {
	if c.ClaimedAt.Valid() && !c.ClaimedAt.After(f.Now) {
		c.Age = Some(f.Now.Sub(c.ClaimedAt.Time))
	}
	if c.State != StateProcessing {
		return c
	}
	if c.LeaseUntil.Before(f.Now) {
		c.Lapsed = Some(f.Now.Sub(c.LeaseUntil.Time))
		c.GoneSince = goneSince(c, f)
	}
	c.UnlockedSince = unlockedSince(c, f)
	c.Condition = conditionOf(c, f)
	c.Verdict = verdictOf(c, f)
	c.FreesItselfAt = freesItself(c, f)
	return c
}

func conditionOf(c Claim, f Facts) Condition {
	beat := beatOf(c, f)
	switch {
	case c.ClaimedAt.Invalid(), c.LeaseUntil.Invalid(), c.HeartbeatAt.Invalid():
		return ConditionInvalidTime
	case c.ClaimedAt.After(f.Now.Add(FutureSkew)), c.HeartbeatAt.After(f.Now.Add(FutureSkew)):
		return ConditionFuture
	case beat == beatFresh, leaseRuns(c, f):
		return ConditionHeld
	case beat == beatStale, c.LeaseUntil.Valid():
		return ConditionStuck
	case c.ClaimedAt.Valid() && !youngerThanThreshold(c, f) && f.Mapping.looksAlike():
		return ConditionNoLease
	case c.ClaimedAt.Valid() && !youngerThanThreshold(c, f):
		return ConditionStuck
	case c.ClaimedAt.Valid():
		return ConditionHeld
	default:
		return ConditionNoLease
	}
}

// leaseRuns: the lease's end is not past by the database's clock.
func leaseRuns(c Claim, f Facts) bool {
	return c.LeaseUntil.Valid() && !c.LeaseUntil.Before(f.Now)
}

func youngerThanThreshold(c Claim, f Facts) bool {
	return !c.ClaimedAt.Before(f.Now.Add(-f.Mapping.Threshold()))
}

type beat uint8

const (
	beatNone beat = iota
	beatFresh
	beatStale
	beatOdd // no time, or in the future beyond skew
)

func beatOf(c Claim, f Facts) beat {
	switch {
	case c.OwnerAbsent:
		return beatStale
	case c.HeartbeatAt.None():
		return beatNone
	case c.HeartbeatAt.Invalid(), c.HeartbeatAt.After(f.Now.Add(FutureSkew)):
		return beatOdd
	case c.HeartbeatAt.Before(f.Now.Add(-f.Mapping.HeartbeatLimit())):
		return beatStale
	default:
		return beatFresh
	}
}

// verdictOf is the first rung that decides.
func verdictOf(c Claim, f Facts) Verdict {
	beat := beatOf(c, f)
	_, together := silenceOf(c, f)
	session := sessionOf(c, f)
	switch {
	case f.locked(c), movedSince(c, f) != unmoved, beat == beatFresh:
		return VerdictAlive
	case leaseRuns(c, f) && beat == beatStale:
		return VerdictCannotTell
	case leaseRuns(c, f):
		return VerdictAlive
	case f.Standby, together, session == sessionConnected:
		return VerdictCannotTell
	case beat == beatStale, session == sessionGoneTwice, unlockedTwice(c, f):
		return VerdictLikelyDead
	default:
		return VerdictCannotTell
	}
}

// silenceOf is the group that the claim's owner fell silent with, if any.
func silenceOf(c Claim, f Facts) (silence, bool) {
	if !c.Owner.OK {
		return silence{}, false
	}
	s, ok := f.silent[c.Owner.V]
	return s, ok
}

// evidenceOf lists every rung, strongest first, decided or not.
func evidenceOf(c Claim, f Facts) []Evidence {
	evidence := []Evidence{lockEvidence(c, f)}
	if e, ok := advisoryEvidence(c, f); ok {
		evidence = append(evidence, e)
	}
	evidence = append(evidence, renewedEvidence(c, f))
	if e, ok := heartbeatEvidence(c, f); ok {
		evidence = append(evidence, e)
	}
	evidence = append(evidence, sessionEvidence(c, f), leaseEvidence(c, f))
	if s, ok := silenceOf(c, f); ok {
		evidence = append(evidence, Evidence{Rung: RungAge, For: ForNeither, Text: s.text()})
	}
	if e, ok := ageEvidence(c, f); ok {
		evidence = append(evidence, e)
	}
	if f.Query != nil {
		for i := range evidence {
			evidence[i].Query = f.Query(c.Key, evidence[i].Rung)
		}
	}
	return evidence
}

func lockEvidence(c Claim, f Facts) Evidence {
	e := Evidence{Rung: RungRowLock, For: ForNeither}
	holders := f.Locks[c.Key]
	switch {
	case f.LocksHidden != "":
		e.Text = "row locks not seen: " + f.LocksHidden
	case len(holders) == 0:
		e.Text = "no live session holds a lock on the row"
		unlockedEvidence(&e, c, f)
	default:
		e.For = ForAlive
		words := make([]string, len(holders))
		for i, h := range holders {
			words[i] = h.words()
		}
		e.Text = "row locked by " + strings.Join(words, " and by ")
	}
	return e
}

func (h LockHolder) words() string {
	w := fmt.Sprintf("pid %d", h.PID)
	if h.Application != "" {
		w += " (" + h.Application + ")"
	}
	switch {
	case h.Hidden:
		w += ", its state is hidden (needs pg_read_all_stats)"
	case h.State != "":
		w += ", " + h.State + " " + FormatSpan(h.InState)
	}
	return w
}

// moved is what changed since the look before.
type moved uint8

const (
	unmoved moved = iota
	movedToken
	movedLease
	movedHeartbeat
)

// movedSince compares with the look before: a lease that moved forward, another
// token or a later heartbeat is a sign of life.
func movedSince(c Claim, f Facts) moved {
	old, ok := seenBefore(c, f)
	switch {
	case !ok:
		return unmoved
	case old.Token != c.Token:
		return movedToken
	case c.LeaseUntil.Valid() && (old.LeaseUntil.Before(c.LeaseUntil.Time) || old.LeaseUntil.None()):
		return movedLease
	case c.HeartbeatAt.Valid() && (old.HeartbeatAt.Before(c.HeartbeatAt.Time) || old.HeartbeatAt.None()):
		return movedHeartbeat
	}
	return unmoved
}

func seenBefore(c Claim, f Facts) (Claim, bool) {
	if f.Before == nil {
		return Claim{}, false
	}
	old, ok := f.Before.Claims[c.Key]
	return old, ok && old.State == StateProcessing
}

func renewedEvidence(c Claim, f Facts) Evidence {
	e := Evidence{Rung: RungRenewed, For: ForNeither}
	if f.Before == nil {
		e.Text = "not compared: this is the first look"
		return e
	}
	since := FormatSpan(f.Now.Sub(f.Before.At))
	old, ok := seenBefore(c, f)
	if !ok {
		e.Text = fmt.Sprintf("not compared: it was not claimed at the look %s ago", since)
		return e
	}
	e.For = ForAlive
	switch movedSince(c, f) {
	case movedToken:
		e.Text = fmt.Sprintf("claimed again since the look %s ago: token %s, was %s", since, c.Token.Or("none"), old.Token.Or("none"))
	case movedLease:
		e.Text = fmt.Sprintf("lease renewed since the look %s ago", since)
	case movedHeartbeat:
		e.Text = fmt.Sprintf("heartbeat written since the look %s ago", since)
	default:
		e.For, e.Text = ForNeither, fmt.Sprintf("lease, token and heartbeat unchanged since the look %s ago", since)
	}
	return e
}

func heartbeatEvidence(c Claim, f Facts) (Evidence, bool) {
	e := Evidence{Rung: RungHeartbeat, For: ForNeither}
	limit := f.Mapping.HeartbeatLimit()
	ago := func() string {
		if d := f.Now.Sub(c.HeartbeatAt.Time); d >= 0 {
			return FormatSpan(d) + " ago"
		}
		return FormatSpan(c.HeartbeatAt.Time.Sub(f.Now)) + " ahead of the database's clock"
	}
	if c.OwnerAbsent && !c.Owner.OK {
		e.For, e.Text = ForDead, fmt.Sprintf("no owner: its row in %s was deleted, as of a worker that ended or fell silent", f.Mapping.Heartbeat.Join.Table)
		return e, true
	}
	if c.OwnerAbsent {
		e.For, e.Text = ForDead, fmt.Sprintf("owner %s is not in %s: it is not one of the live workers", c.Owner.V, f.Mapping.Heartbeat.Join.Table)
		return e, true
	}
	switch beatOf(c, f) {
	case beatNone:
		if !f.Mapping.Heartbeat.Mapped() {
			return e, false
		}
		e.Text = "no heartbeat was ever written"
	case beatOdd:
		e.Text = "the heartbeat is no usable time: " + c.HeartbeatAt.String()
	case beatFresh:
		e.For, e.Text = ForAlive, fmt.Sprintf("last heartbeat %s, limit %s", ago(), FormatSpan(limit))
	case beatStale:
		e.For, e.Text = ForDead, fmt.Sprintf("last heartbeat %s, limit %s", ago(), FormatSpan(limit))
		if every := f.Mapping.Heartbeat.Every; every > 0 {
			e.Text += fmt.Sprintf(", %s missed", plural(int64(f.Now.Sub(c.HeartbeatAt.Time)/every), "interval"))
		}
	}
	return e, true
}

func leaseEvidence(c Claim, f Facts) Evidence {
	e := Evidence{Rung: RungLease, For: ForNeither}
	switch {
	case c.LeaseUntil.Invalid():
		e.Text = "the lease is no usable time: " + c.LeaseUntil.Raw
	case !f.Mapping.Lease.Mapped():
		e.Text = "the table has no lease"
	case c.LeaseUntil.None():
		e.Text = "no lease on this row"
	case leaseRuns(c, f):
		e.For = ForAlive
		left := FormatSpan(c.LeaseUntil.Time.Sub(f.Now))
		e.Text = fmt.Sprintf("lease runs for another %s", left)
		if beatOf(c, f) == beatStale {
			e.For = ForNeither
			e.Text = fmt.Sprintf("silent for %s, frees itself in %s", FormatSpan(f.Now.Sub(c.HeartbeatAt.Time)), left)
		}
	default:
		e.For = ForDead
		e.Text = fmt.Sprintf("lease lapsed %s ago", FormatSpan(c.Lapsed.V))
	}
	return e
}

func ageEvidence(c Claim, f Facts) (Evidence, bool) {
	e := Evidence{Rung: RungAge, For: ForNeither}
	switch {
	case c.Age.OK:
		e.Text = fmt.Sprintf("claimed %s ago", FormatSpan(c.Age.V))
		if f.Finished.OK && f.Finished.V.Rows > 0 {
			e.Text += fmt.Sprintf("; the longest of %s finished took %s", groupDigits(f.Finished.V.Rows), FormatSpan(f.Finished.V.Longest))
		}
		if c.LeaseUntil.None() && c.HeartbeatAt.None() {
			if f.Mapping.looksAlike() {
				e.Text += "; " + alikeText
			} else {
				e.Text += "; counts as stuck from " + FormatSpan(f.Mapping.Threshold())
			}
			if !youngerThanThreshold(c, f) && !f.Mapping.looksAlike() {
				e.For = ForDead
			}
		}
	case c.ClaimedAt.Valid():
		e.Text = "claimed in the future, at " + c.ClaimedAt.String()
	case c.ClaimedAt.Invalid():
		e.Text = "the claim time is no usable time: " + c.ClaimedAt.Raw
	case f.Mapping.ClaimedAt != "":
		e.Text = "no claim time on this row"
	default:
		return e, false
	}
	return e, true
}
