package cli

import (
	"context"
	"fmt"
	"time"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// secondLookMargin is added to the wait for a second look, because the
// database's clock decides whether it was long enough.
const secondLookMargin = 100 * time.Millisecond

// secondLookRows is how many claims one look can compare with another.
const secondLookRows = 10_000

// lookTwice looks, and looks again a little later where that can make a verdict
// firmer: one look cannot tell a worker that is gone from one that reconnects.
func (a *app) lookTwice(ctx context.Context, o opened, query inspect.Query) (inspect.Snapshot, error) {
	return a.lookForPulse(ctx, o, query, 0)
}

// lookForPulse is lookTwice; a pulse of more than 0 asks for the second look, that
// long after the first.
func (a *app) lookForPulse(ctx context.Context, o opened, query inspect.Query, pulse time.Duration) (inspect.Snapshot, error) {
	query.Single = pulse <= 0 // most looks are the only one
	snapshot, err := o.store.Snapshot(ctx, o.table, query)
	unsettled := snapshot.NeedsSecondLook()
	if err != nil || !unsettled && pulse <= 0 {
		return snapshot, err
	}
	if snapshot.Seen.Partial && snapshot.Listed > secondLookRows {
		snapshot.Notes = append(snapshot.Notes, fmt.Sprintf("no second look was taken at more than %s claims, so none is called dead for a session that is gone; --owner, --since or --limit make the list shorter",
			text.Count(secondLookRows, true)))
		return snapshot, nil
	}
	if snapshot.Seen.Partial { // a second look compares every claimed row
		first := query
		first.Single, first.Sink, first.Limit, first.Brief = false, nil, 1, true
		if snapshot, err = o.store.Snapshot(ctx, o.table, first); err != nil {
			return snapshot, err
		}
	}
	query.Single = false
	if unsettled { // the first look's own word: the one that compares lists a single claim
		err = a.awaitSecondLook(ctx)
		pulse -= inspect.SecondLookAfter + secondLookMargin
	}
	if err == nil {
		err = wait(ctx, pulse)
	}
	if err != nil {
		return snapshot, err
	}
	query.Before = snapshot.Seen
	return o.store.Snapshot(ctx, o.table, query)
}

// showTwice is lookTwice for one claim.
func (a *app) showTwice(ctx context.Context, o opened, key inspect.Key, options inspect.ShowOptions) (inspect.Detail, error) {
	detail, err := o.store.Show(ctx, o.table, key, options)
	claims := []inspect.Claim{detail.Claim}
	if err != nil || !(inspect.Snapshot{Claims: claims}).NeedsSecondLook() {
		return detail, err
	}
	if err := a.awaitSecondLook(ctx); err != nil {
		return detail, err
	}
	options.Before = detail.Seen
	return o.store.Show(ctx, o.table, key, options)
}

// planTwice plans again a little later where that can make a verdict firmer: who
// reads a plan decides by its verdicts, and they should be those of the list.
func (a *app) planTwice(ctx context.Context, o opened, request inspect.PlanRequest, plan inspect.Plan) (inspect.Plan, error) {
	reader, ok := o.store.(inspect.KeyReader)
	var keys inspect.KeyList
	for _, row := range plan.Rows {
		if row.Verdict == inspect.VerdictCannotTell {
			keys.Keys = append(keys.Keys, row.Key)
		}
	}
	if !ok || request.Before != nil || len(keys.Keys) == 0 {
		return plan, nil
	}
	looked, err := reader.Lookup(ctx, o.table, keys, nil)
	if err != nil {
		return plan, err
	}
	claims := make([]inspect.Claim, 0, len(looked.Keys))
	for _, k := range looked.Keys {
		claims = append(claims, k.Claim)
	}
	if !(inspect.Snapshot{Claims: claims}).NeedsSecondLook() {
		return plan, nil
	}
	if err := a.awaitSecondLook(ctx); err != nil {
		return plan, err
	}
	request.Before = inspect.Remember(looked.At, claims)
	request.Before.Partial = true // of all that are claimed
	return o.store.Plan(ctx, o.table, request)
}

// awaitSecondLook waits, and tells whoever sits at a terminal why.
func (a *app) awaitSecondLook(ctx context.Context) error {
	if a.streams.ErrTerminal {
		a.notef("some owners' sessions are gone; looking again in %s before calling them dead", inspect.FormatSpan(inspect.SecondLookAfter))
	}
	return wait(ctx, inspect.SecondLookAfter+secondLookMargin)
}

// wait waits; what is not above 0 is over at once.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
