package postgres

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
)

// dice are what one goroutine draws its choices from.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

func (d dice) between(low, high int) time.Duration {
	return time.Duration(low+d.IntN(high-low)) * time.Millisecond
}

// work claims, holds, renews (in time and late), completes and fails.
func (s *stress) work(ctx context.Context, owner string, seed uint64) error {
	random := newDice(seed, 1)
	for ctx.Err() == nil {
		if s.calm() && !s.weakened {
			_ = pause(ctx, random.between(50, 150)) // the loop ends with the context
		}
		id := s.kind.id(random.IntN(s.keys))
		var err error
		if s.kind.hold != "" {
			err = s.workUnderLock(ctx, id, owner, random)
		} else {
			err = s.workUnderLease(ctx, id, owner, random)
		}
		if err != nil {
			return err
		}
		if random.IntN(4) == 0 { // forgotten, so that the keys do not all end
			if _, err := s.pool.Exec(ctx, s.kind.forget, s.kind.id(random.IntN(s.keys))); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (s *stress) workUnderLease(ctx context.Context, id, owner string, random dice) error {
	if s.kind.beats { // a worker of such a framework beats before it asks for work
		if err := s.step(ctx, s.kind.renew, id, owner, 0, 0); err != nil {
			return err
		}
	}
	token, err := s.claim(ctx, id, owner, random.between(5, 40))
	if err != nil || token == nil {
		return err
	}
	for random.IntN(3) > 0 {
		// Sometimes beyond the lease, so that renewals come late.
		if err := pause(ctx, random.between(1, 50)); err != nil {
			return err
		}
		if err := s.step(ctx, s.kind.renew, id, owner, *token, random.between(5, 40).Milliseconds()); err != nil {
			return err
		}
	}
	switch random.IntN(4) {
	case 0: // dies without a word
		return nil
	case 1:
		return s.step(ctx, s.kind.fail, id, owner, *token, 0)
	default:
		return s.step(ctx, s.kind.complete, id, owner, *token, 0)
	}
}

// workUnderLock commits the row, and works in the transaction that holds its
// lock.
func (s *stress) workUnderLock(ctx context.Context, id, owner string, random dice) error {
	if _, err := s.pool.Exec(ctx, s.kind.claim, []string{id}, owner, 1); err != nil {
		return err
	}
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // after the commit it does nothing
	tag, err := tx.Exec(ctx, s.kind.hold, id)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if err := pause(ctx, random.between(1, 60)); err != nil {
		return err
	}
	if random.IntN(3) == 0 {
		return nil
	}
	if tag, err = tx.Exec(ctx, s.kind.complete, pgx.NamedArgs{"id": id}); err != nil {
		return err
	}
	s.finished.Add(tag.RowsAffected())
	return tx.Commit(ctx)
}

// claim returns the token of a claim, nil where somebody else has the key.
func (s *stress) claim(ctx context.Context, id, owner string, lease time.Duration) (token *int64, err error) {
	sql, ids := s.kind.claim, any([]string{id})
	if s.kind.official != "" {
		sql, ids = s.kind.official, id
	}
	rows, err := s.pool.Query(ctx, sql, ids, owner, lease.Milliseconds())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values() // the answer, then the token
		if err != nil {
			return nil, err
		}
		if n, held := values[1].(int64); held {
			token = &n
		}
	}
	return token, rows.Err()
}

func (s *stress) step(ctx context.Context, sql, id, owner string, token, lease int64) error {
	tag, err := s.pool.Exec(ctx, sql, pgx.NamedArgs{"id": id, "owner": owner, "token": token, "lease": lease})
	if err == nil && sql != s.kind.renew {
		s.finished.Add(tag.RowsAffected())
	}
	return err
}

// die claims many keys at once, with a short lease, and says no more of them.
func (s *stress) die(ctx context.Context) error {
	random := newDice(1, 3)
	for ctx.Err() == nil {
		for s.calm() && !s.weakened && pause(ctx, 20*time.Millisecond) == nil {
		}
		ids := make([]string, 0, s.keys/8)
		for _, n := range random.Perm(s.keys)[:cap(ids)] {
			ids = append(ids, s.kind.id(n))
		}
		if _, err := s.pool.Exec(ctx, s.kind.claim, ids, s.kind.owner(100+random.IntN(5)), 1+random.IntN(5)); err != nil {
			return err
		}
		// Of many keys less often, so that some are left alone for a while.
		if err := pause(ctx, random.between(10, 60)*time.Duration(s.keys/stressKeys)); err != nil {
			return err
		}
	}
	return ctx.Err()
}
