package inspect

import (
	"fmt"
	"time"
)

// askProvider is said of every release whose charge nobody has asked for.
const askProvider = "the charge may have happened: ask the provider before the message runs again"

// Consequences says, before a release, what it does and what could go wrong.
func Consequences(t Table, mode ReleaseMode, overrideLease bool) []string {
	m := t.Mapping
	var out []string
	rule, ruled := m.ReleaseRule(mode)
	switch {
	case ruled:
		out = append(out, rule.Name+": "+rule.Consequence)
		if mode == ReleaseCall {
			out = append(out, "the framework's own function does it; an undo puts back the rows of this table, not what else the function wrote")
		}
	case mode == ReleaseDelete:
		out = append(out, "the row is deleted: the next delivery of this message finds nothing and runs it again")
	case mode == ReleaseExpire:
		out = append(out, "the lease ends now: the next delivery takes the claim over")
	case mode == ReleaseFail:
		out = append(out, "the claim becomes FAILED: the next delivery claims it again")
	case mode == ReleaseRequeue:
		out = append(out, "the claim becomes FREE: whoever comes next claims it")
	case mode == ReleaseClear:
		out = append(out, "the claim marks are cleared: whoever comes next claims it")
	}
	out = append(out, runsNext(m.RunsNextAfter(mode)))
	if m.Heartbeat.Join != nil {
		out = append(out, fmt.Sprintf("the owners' heartbeats stand in %s: they are read again by the statement that writes, which cannot guard them", m.Heartbeat.Join.Table))
	}
	switch {
	case m.Token != "" && ruled && !rule.bumps():
		out = append(out, "the token stays as it is: if the worker is only slow, the job may run twice and the late one may still write")
	case m.Token == "":
		out = append(out, "the table has no fencing token: if the worker is only slow, the job may run twice and the late one may still write")
	default:
		out = append(out, "the token is bumped: a late worker that checks it is refused; what it already sent outside stays sent")
	}
	if overrideLease {
		out = append(out, "the lease still runs: the worker may be alive and at work right now")
	}
	out = append(out, askProvider)
	if t.HasTriggers {
		out = append(out, "the table has triggers: they fire")
	}
	if t.RowSecurity {
		out = append(out, "row-level security is on: rows hidden from this role are not touched")
	}
	return out
}

func runsNext(r RunsNext) string {
	switch r {
	case RunsNextPoller:
		return "runs next: a poller reads the table and picks it up"
	case RunsNextBroker:
		return "runs next: a redelivery by the broker; if the message was acked or dead-lettered, nothing runs until somebody replays it"
	case RunsNextClient:
		return "runs next: the client's retry; nothing runs before that"
	case RunsNextNobody:
		return "runs next: nobody; start it yourself"
	default:
		return "runs next: not known for this table (name it with --map runs_next=poller|broker|client|nobody)"
	}
}

// UnknownOutcome says what is known about the charge of a claim whose worker
// did not finish. It never says that the charge did or did not happen.
func UnknownOutcome(c Claim, m Mapping, now time.Time) string {
	const unknown = "outcome unknown: the external step may have happened; check before release"
	if m.Kind == KindInsertOnly {
		return "the work is committed, or there would be no row: a release repeats it"
	}
	if !c.ProviderKey.OK || c.ProviderKey.V == "" {
		return unknown
	}
	key := c.ProviderKey.V
	if m.ProviderMemory <= 0 || !c.ClaimedAt.Valid() {
		return fmt.Sprintf("retry is safe only if it reuses %s and the provider still remembers it", key)
	}
	left := c.ClaimedAt.Time.Add(m.ProviderMemory).Sub(now)
	if left > 0 {
		return fmt.Sprintf("retry is safe only if it reuses %s (remembered %s more)", key, FormatSpan(left))
	}
	return fmt.Sprintf("provider has forgotten %s (%s ago): treat as %s", key, FormatSpan(-left), unknown)
}
