package inspect

import "fmt"

var kinds = []Kind{KindStateLease, KindStateAge, KindLockedAt, KindHeartbeat, KindPlaceholder, KindInsertOnly, KindInsertOnlyCommit, KindLockRow}

// statedByKind tells the states of a table whose kind says them: every row of an
// insert-only table is there because its work is done, or only begun, and a row
// of locks is held until its end.
func (p *mapParser) statedByKind() {
	m := &p.m
	if m.State.Column != "" {
		return
	}
	for s, values := range m.State.Values {
		if len(values) == 1 && values[0] == everyRow {
			m.State.Rules[s] = append(m.State.Rules[s], StateRule{})
			delete(m.State.Values, s)
		}
	}
	if len(m.State.Values)+len(m.State.Rules) > 0 {
		return
	}
	switch m.Kind {
	case KindInsertOnly:
		m.State.Rules[StateDone] = []StateRule{{}}
	case KindInsertOnlyCommit:
		m.State.Rules[StateProcessing] = []StateRule{{}}
	case KindLockRow:
		if m.Lease.Plain() {
			m.State.Rules[StateProcessing] = []StateRule{{{Column: m.Lease.Column, Op: TestFuture}}}
			m.State.Rules[StateFree] = []StateRule{{{Column: m.Lease.Column, Op: TestPast}}}
		}
	}
}

// checkKind refuses a kind that the columns of a mapping contradict.
func checkKind(m Mapping) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("kind=%s: %s", m.Kind, fmt.Sprintf(format, args...))
	}
	done := len(m.State.Values[StateDone])+len(m.State.Rules[StateDone]) > 0
	switch m.Kind {
	case KindStateLease:
		if !m.Lease.Plain() {
			return refuse("a state with a lease has the lease's end in a column: lease=COL")
		}
	case KindStateAge:
		if m.ClaimedAt == "" && m.Lease.Column == "" {
			return refuse("a state with an age has the time of the claim: claimed_at=COL")
		}
	case KindLockedAt:
		if !m.State.ByRules() {
			return refuse("where a column that is not NULL means claimed there is no state=COL: say processing=COL!null")
		}
	case KindHeartbeat:
		if !m.Heartbeat.Mapped() {
			return refuse("say heartbeat=COL")
		}
	case KindInsertOnly:
		if m.Lease.Mapped() || m.Heartbeat.Mapped() {
			return refuse("a row that is there because its work was committed has neither lease nor heartbeat")
		}
	case KindInsertOnlyCommit:
		if done || m.CompletedAt != "" || m.Lease.Mapped() {
			return refuse("nothing in such a row tells finished work from begun; a table with done, completed_at or a lease is another kind, leave kind away")
		}
	case KindLockRow:
		switch {
		case !m.Lease.Plain():
			return refuse("a lock row has its end in a column: lease=COL")
		case done || m.CompletedAt != "":
			return refuse("a lock row never means that work is done")
		}
	}
	return nil
}
