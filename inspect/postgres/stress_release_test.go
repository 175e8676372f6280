package postgres

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"

	"idemtui/inspect"
)

// stressOperation is one release, settle or undo: what its record holds and
// what it said.
type stressOperation struct {
	override bool
	undoOf   string
	rows     map[string][2]uint64 // hashes of the images before and after, by key
	told     map[string]bool      // keys that it said it wrote
	broken   bool                 // it ended with an error, or does not know of some rows
}

// stressAuditor keeps what was recorded under its audit id.
type stressAuditor struct {
	id   string
	mu   sync.Mutex
	rows []inspect.AuditRow
}

func (a *stressAuditor) ID() string { return a.id }

func (a *stressAuditor) Intent(_ context.Context, i inspect.Intent) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rows = append(a.rows, i.ToUndo()...)
	return nil
}

func (a *stressAuditor) Outcome(context.Context, inspect.Outcome) error { return nil }

// imageHash tells one image of a row from another; 0 is no row.
func imageHash(values []*string) uint64 {
	if values == nil {
		return 0
	}
	h := fnv.New64a()
	for _, v := range values {
		if v == nil {
			_, _ = h.Write([]byte{0})
			continue
		}
		_, _ = h.Write([]byte{1})
		_, _ = h.Write([]byte(*v))
		_, _ = h.Write([]byte{2})
	}
	return h.Sum64()
}

func valuesOf(columns []inspect.ColumnValue) []*string {
	if columns == nil {
		return nil
	}
	out := make([]*string, len(columns))
	for i, c := range columns {
		out[i] = c.Value
	}
	return out
}

// note keeps an operation for the check.
func (s *stress) note(a *stressAuditor, op stressOperation, told []inspect.Key, failed []inspect.Failure, err error) {
	op.told, op.rows = stressNames(told), map[string][2]uint64{}
	for _, row := range a.rows {
		op.rows[row.Key.String()] = [2]uint64{imageHash(valuesOf(row.Before)), imageHash(valuesOf(row.After))}
	}
	op.broken = err != nil || len(failed) > 0
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[a.id] = &op
}

// release releases, settles and undoes, in any mode, whatever the list shows,
// again and again. Sessions are ended meanwhile: that is no error of the test's.
func (s *stress) release(ctx context.Context, store *Store, seed uint64) error {
	random := newDice(seed, 2)
	table, err := s.kind.resolve(ctx, store)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		err := s.releaseOnce(ctx, store, table, random)
		if err != nil && s.weakened {
			return err
		}
		if err != nil {
			s.broken.Add(1)
			text := err.Error()
			s.why.Store(&text)
		}
	}
	return ctx.Err()
}

func (s *stress) releaseOnce(ctx context.Context, store *Store, table inspect.Table, random dice) error {
	p, err := s.plan(ctx, store, table, random)
	if err != nil || p.Count() == 0 {
		return err
	}
	// The person reads the plan while the workers go on.
	if err := pause(ctx, random.between(1, 10)); err != nil {
		return err
	}
	a, err := s.carryOut(ctx, store, table, p)
	if s.weakened || random.IntN(2) == 0 {
		return err
	}
	if e := pause(ctx, random.between(0, 10)); e != nil {
		return e
	}
	if e := s.undo(ctx, store, table, a); e != nil {
		return e
	}
	return err
}

// plan is a release of what the list shows in one of the table's modes, by key
// or by owner; a settle; or one running claim by an override.
func (s *stress) plan(ctx context.Context, store *Store, table inspect.Table, random dice) (inspect.Plan, error) {
	single := s.kind.single || (s.kind.leases && !s.weakened && random.IntN(8) == 0)
	snap, err := store.Snapshot(ctx, table, inspect.Query{All: single, Limit: s.keys})
	if err != nil || len(snap.Claims) == 0 {
		return inspect.Plan{}, err
	}
	keys := make([]inspect.Key, len(snap.Claims))
	for i, c := range snap.Claims {
		keys[i] = c.Key
	}
	mode := s.kind.modes[random.IntN(len(s.kind.modes))]
	request := inspect.PlanRequest{Keys: keys, Mode: mode}
	switch {
	case s.weakened:
		request.Mode = inspect.ReleaseAuto
	case single:
		request.Keys, request.OverrideLease = keys[random.IntN(len(keys)):][:1], true
	case s.kind.settles && random.IntN(4) == 0:
		return store.PlanSettle(ctx, table, settleOf(keys, random))
	case table.Mapping.Owner != "" && random.IntN(4) == 0:
		request = inspect.PlanRequest{Owner: inspect.Some(s.kind.owner(100 + random.IntN(5))), Mode: mode}
	}
	return store.Plan(ctx, table, request)
}

func settleOf(keys []inspect.Key, random dice) inspect.SettleRequest {
	var request inspect.SettleRequest
	for _, key := range keys {
		answer := []inspect.Answer{inspect.AnswerCharged, inspect.AnswerNotCharged}[random.IntN(2)]
		request.Answers = append(request.Answers, inspect.KeyAnswer{Key: key, Settlement: inspect.Settlement{Outcome: answer, Reference: "stress"}})
	}
	return request
}

func (s *stress) carryOut(ctx context.Context, store *Store, table inspect.Table, p inspect.Plan) (*stressAuditor, error) {
	w := write{}
	if p.Mode != inspect.ReleaseComplete {
		w = newWrite(table, p.Mode, p.OverrideLease, readableColumns(table))
	}
	w.keyAndState = s.weakened
	a := &stressAuditor{id: stressID("r")}
	r, err := store.release(ctx, table, p, inspect.ReleaseOptions{Auditor: a, Reason: "stress", AllowUnverified: true}, w)
	s.attempts.Add(int64(len(p.Rows)))
	s.written.Add(int64(len(r.Released)))
	s.skipped.Add(int64(len(r.Skipped) - len(p.Refused)))
	s.note(a, stressOperation{override: p.OverrideLease}, r.Released, r.Failed, err)
	if err == nil && len(r.Failed) > 0 {
		err = fmt.Errorf("failed: %+v", r.Failed[0])
	}
	return a, err
}

// undo puts back all that the record of a release holds, also what was rolled
// back and what somebody has written since.
func (s *stress) undo(ctx context.Context, store *Store, table inspect.Table, of *stressAuditor) error {
	if len(of.rows) == 0 {
		return nil
	}
	a := &stressAuditor{id: stressID("u")}
	u, err := store.Undo(ctx, table, inspect.UndoRequest{AuditID: of.id, Rows: of.rows, Auditor: a, Reason: "stress"})
	s.undone.Add(int64(len(u.Restored)))
	s.note(a, stressOperation{undoOf: of.id}, u.Restored, u.Failed, err)
	return err
}
