package inspect

import "time"

// Facts are what is known besides the rows themselves when claims are judged.
type Facts struct {
	// Now is the database's clock at the look.
	Now     time.Time
	Mapping Mapping
	Table   string // for the queries in the evidence, quoted
	Standby bool
	Pooler  bool
	// Before is the look before this one, nil at the first.
	Before *Look
	// Locks are the live holders of row locks by key. LocksHidden says why
	// they could not be seen; "" means that they were.
	Locks       map[Key][]LockHolder
	LocksHidden string
	// Finished is how long finished work took, if the table tells.
	Finished Null[Finished]
}

// LockHolder is a live session that holds a lock on a row.
type LockHolder struct {
	PID         int64
	Application string
	State       string        // of the session; "" when hidden
	InState     time.Duration // since when, 0 when hidden
	XactAge     time.Duration
	Hidden      bool // state and times need pg_read_all_stats
}

// Finished is how long the finished rows of a table took from claim to end.
type Finished struct {
	Rows    int64
	Longest time.Duration
	P50     time.Duration
	P99     time.Duration
}

// FutureSkew is how far a claim time or heartbeat may lie in the future before
// it counts as one: clocks of workers differ from the database's by that much.
const FutureSkew = time.Minute
