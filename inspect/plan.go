package inspect

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ResolveReleaseMode says which mode auto stands for on a table, and refuses
// modes that the mapping cannot carry out.
func ResolveReleaseMode(m Mapping, mode ReleaseMode) (ReleaseMode, error) {
	if len(m.Releases) > 0 {
		return resolveByRules(m, mode)
	}
	can := map[ReleaseMode]string{
		ReleaseRequeue: needs(len(m.State.Values[StateFree]) > 0, "no value for the state free is mapped (--map free=VALUE)"),
		ReleaseFail:    needs(len(m.State.Values[StateFailed]) > 0, "no value for the state failed is mapped (--map failed=VALUE)"),
		ReleaseClear:   needs(clearable(m), "the state is not told by the null-ness of columns"),
		ReleaseExpire:  needs(m.Lease.Plain(), "the table has no lease column to end"),
		ReleaseDelete:  "",
		ReleaseMove:    "where to is said by a profile file (release: mode: move, to: {table: NAME, take: {COL: COL}}; --map FILE)",
		ReleaseCall:    "no profile of this table describes it",
	}
	if mode == ReleaseAuto || mode == "" {
		for _, m := range []ReleaseMode{ReleaseRequeue, ReleaseFail, ReleaseClear, ReleaseExpire} {
			if can[m] == "" {
				return m, nil
			}
		}
		if !m.State.Claims() {
			return "", &Fault{Kind: FaultMapping, What: "no state is mapped to processing, so nothing can be released", Next: "say which value means claimed: --map 'processing=VALUE'"}
		}
		// A row that is gone tells nothing any more: that is a person's choice.
		return "", &Fault{Kind: FaultMapping, What: "with this mapping a claim can only be released by deleting its row", Next: "map a state to release to (--map failed=VALUE or free=VALUE), or ask for it with --mode delete"}
	}
	why, known := can[mode]
	switch {
	case !known:
		return "", &Fault{Kind: FaultMapping, What: fmt.Sprintf("unknown release mode %q", mode), Next: "use auto, delete, clear, requeue, fail, expire, move or call"}
	case why != "":
		return "", &Fault{Kind: FaultMapping, What: fmt.Sprintf("release mode %s does not fit: %s", mode, why), Next: "leave --mode away to take the one that fits"}
	}
	return mode, nil
}

func needs(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// clearable: what makes a row claimed is a column that is not NULL.
func clearable(m Mapping) bool {
	return m.State.ByRules() && slices.ContainsFunc(m.State.Rules[StateProcessing], func(r StateRule) bool {
		return len(r) == 1 && r[0].Op == TestNotNull
	})
}

// Refuse says why a judged claim must not be in a plan, whatever the flags:
// only a running lease can be overridden. bulk is a release by owner or of all
// that are likely dead.
func Refuse(c Claim, m Mapping, overrideLease, bulk bool, now time.Time) (Skip, bool) {
	skip := func(r Reason, format string, args ...any) (Skip, bool) {
		return Skip{Key: c.Key, Reason: r, Text: fmt.Sprintf(format, args...)}, true
	}
	f := Facts{Now: now, Mapping: m}
	switch {
	case c.State == StateDone:
		return skip(ReasonDone, "%s", since("done", c.CompletedAt))
	case c.State == StateFailed:
		return skip(ReasonFailed, "%s: the next delivery may claim it already", since("failed", c.FailedAt))
	case c.State != StateProcessing:
		return skip(ReasonChanged, "not claimed: the row says %q", Brief(c.RawState))
	case says(c, RungRowLock, ForAlive):
		return skip(ReasonLocked, "%s", textOf(c, RungRowLock))
	case says(c, RungAdvisoryLock, ForAlive):
		return skip(ReasonLocked, "%s", textOf(c, RungAdvisoryLock))
	case leaseRuns(c, f) && !overrideLease:
		return skip(ReasonLeaseRunning, "frees itself in %s", FormatSpan(c.LeaseUntil.Time.Sub(now)))
	case c.LeaseUntil.Invalid() && c.LeaseUntil.Raw != "-infinity" && !overrideLease: // no number is before all times
		return skip(ReasonLeaseRunning, "the lease is no time (%s), so it cannot be judged lapsed", c.LeaseUntil.Raw)
	case beatOf(c, f) == beatFresh:
		return skip(ReasonAlive, "%s", textOf(c, RungHeartbeat))
	case heldByAge(c, f):
		return skip(ReasonLeaseRunning, "claimed %s ago: without a lease it counts as held for %s (--stale-after)", FormatSpan(c.Age.V), FormatSpan(m.Threshold()))
	case says(c, RungRenewed, ForAlive) && !overrideLease:
		return skip(ReasonRenewed, "%s", textOf(c, RungRenewed))
	case c.Repeated:
		return skip(ReasonChanged, "the key stands on more than one row, so one release cannot be told from the other")
	case bulk && c.AloneBecause() != "":
		return skip(ReasonChanged, "%s: only by its own key, never in bulk", c.AloneBecause())
	}
	return Skip{}, false
}

// heldByAge: neither lease nor heartbeat, and claimed too recently.
func heldByAge(c Claim, f Facts) bool {
	return beatOf(c, f) == beatNone && c.LeaseUntil.None() && c.ClaimedAt.Valid() && youngerThanThreshold(c, f) &&
		!c.ClaimedAt.After(f.Now.Add(FutureSkew))
}

func since(word string, s Stamp) string {
	if s.Valid() {
		return word + " since " + FormatTime(s.Time)
	}
	return word
}

func says(c Claim, rung Rung, way For) bool {
	return slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Rung == rung && e.For == way })
}

func textOf(c Claim, rung Rung) string {
	for _, e := range c.Evidence {
		if e.Rung == rung {
			return e.Text
		}
	}
	return ""
}

// PlannedFrom keeps a claim as it was read.
func PlannedFrom(c Claim) PlannedRow {
	return PlannedRow{Key: c.Key, AsRead: c.AsRead, RowVersion: pointer(c.RowVersion), Owner: pointer(c.Owner), Verdict: c.Verdict, Condition: c.Condition}
}

// PlanID is a hash of what a plan would do and of the rows as read: another
// row, value, mode or table gives another id.
func PlanID(p Plan) string {
	h := sha256.New()
	var waiting []byte // many small pieces would take the hash longer than the whole
	put := func(pieces ...string) {
		if len(waiting) > 1<<14 {
			h.Write(waiting)
			waiting = waiting[:0]
		}
		size := 0
		for _, s := range pieces {
			size += len(s)
		}
		waiting = binary.BigEndian.AppendUint64(waiting, uint64(size))
		for _, s := range pieces {
			waiting = append(waiting, s...)
		}
	}
	maybe := func(s *string) {
		if s == nil {
			put("-")
			return
		}
		put("+", *s)
	}
	put(p.Database)
	put(p.Table)
	put(string(p.Mode))
	put(fmt.Sprint(p.OverrideLease))
	for _, r := range p.Rows {
		put(r.Key.String())
		maybe(r.RowVersion)
		for _, c := range r.AsRead {
			put(c.Column)
			maybe(c.Value)
		}
		for _, other := range r.With {
			put(other.Table)
			for _, c := range other.Before {
				put(c.Column)
				maybe(c.Value)
			}
		}
		if s := r.Settlement; s != nil {
			put(string(s.Outcome))
			put(s.Reference)
			maybe(s.Result)
		}
	}
	h.Write(waiting)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// HeldWhenTried is the text of a skip where nothing about the row tells why its
// write did nothing.
const HeldWhenTried = "another transaction held the row when it was tried; nothing changed since"

// SkippedBecause says why a planned row was not written, from the row as it
// is now (judged at now; nil when it is gone). The reasons are tried in the
// order of the contract.
func SkippedBecause(row PlannedRow, now *Claim, m Mapping, overrideLease bool, at time.Time) Skip {
	skip := func(r Reason, format string, args ...any) Skip {
		return Skip{Key: row.Key, Reason: r, Text: fmt.Sprintf(format, args...)}
	}
	if now == nil {
		return skip(ReasonGone, "the row is no longer there")
	}
	c := *now
	f := Facts{Now: at, Mapping: m}
	switch {
	case c.State == StateDone:
		return skip(ReasonDone, "%s", since("done", c.CompletedAt))
	case c.State == StateFailed:
		return skip(ReasonFailed, "%s", since("failed", c.FailedAt))
	case c.State == StateProcessing && claimedAgain(row, c, m):
		return skip(ReasonClaimedAgain, "claimed again%s", byWhom(c))
	case says(c, RungRowLock, ForAlive):
		return skip(ReasonLocked, "%s", textOf(c, RungRowLock))
	case says(c, RungAdvisoryLock, ForAlive):
		return skip(ReasonLocked, "%s", textOf(c, RungAdvisoryLock))
	case leaseRuns(c, f) && !(overrideLease && same(row, c, m.Lease.Column)):
		return skip(ReasonLeaseRunning, "%s", leaseNow(row, c, m, at))
	case c.State == StateProcessing && !(same(row, c, m.Lease.Column) && same(row, c, m.Lease.PlusColumn) && same(row, c, m.Heartbeat.Column)):
		return skip(ReasonRenewed, "lease or heartbeat written since it was read")
	case beatOf(c, f) == beatFresh:
		return skip(ReasonAlive, "%s", textOf(c, RungHeartbeat))
	case c.State == StateProcessing && heldByAge(c, f):
		return skip(ReasonLeaseRunning, "claimed %s ago: without a lease it counts as held for %s (--stale-after)", FormatSpan(c.Age.V), FormatSpan(m.Threshold()))
	case c.State != StateProcessing && unchanged(row, c):
		return skip(ReasonChanged, "no longer claimed: the row says %q", c.RawState)
	case unchanged(row, c):
		return skip(ReasonLocked, HeldWhenTried)
	case len(differing(row, c)) == 0:
		return skip(ReasonChanged, "the row was written since it was read, in a column that is not mapped")
	default:
		return skip(ReasonChanged, "%s changed since it was read", strings.Join(differing(row, c), ", "))
	}
}

func byWhom(c Claim) string {
	if c.Owner.OK {
		return " by " + Brief(c.Owner.V)
	}
	return ""
}

func leaseNow(row PlannedRow, c Claim, m Mapping, at time.Time) string {
	left := FormatSpan(c.LeaseUntil.Time.Sub(at))
	if same(row, c, m.Lease.Column) {
		return "frees itself in " + left
	}
	return "renewed since it was read: the lease now runs for another " + left
}

// claimedAgain: owner or token differs, or the claim time where there is no token.
func claimedAgain(row PlannedRow, c Claim, m Mapping) bool {
	return !same(row, c, m.Owner) || !same(row, c, m.Token) || (m.Token == "" && !same(row, c, m.ClaimedAt))
}

func same(row PlannedRow, c Claim, column string) bool {
	return column == "" || !slices.Contains(differing(row, c), column)
}

func unchanged(row PlannedRow, c Claim) bool {
	return len(differing(row, c)) == 0 && (row.RowVersion == nil || !c.RowVersion.OK || *row.RowVersion == c.RowVersion.V)
}

// differing names the columns whose stored values differ.
func differing(row PlannedRow, c Claim) []string {
	was := map[string]*string{}
	for _, v := range row.AsRead {
		was[v.Column] = v.Value
	}
	var out []string
	for _, v := range c.AsRead {
		old, ok := was[v.Column]
		if !ok || (old == nil) != (v.Value == nil) || (old != nil && *old != *v.Value) {
			out = append(out, v.Column)
		}
	}
	return out
}
