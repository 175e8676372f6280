package retention

import "fmt"

// Purge is how the dedup table forgets.
type Purge int

// The ways of purging.
const (
	PurgeDelete     Purge = iota // rows older than the retention are deleted, or partitions wholly older dropped
	PurgePartitions              // the last Keep partitions of Width are kept, the current one included
)

// Table is what is known of the dedup table. The guaranteed minimum life of a
// row is what counts: a sweep that comes late is luck.
type Table struct {
	Retention Given // the purge rule's age
	Purge     Purge
	Keep      int64  // PurgePartitions: how many partitions, the current one included
	Width     Millis // PurgePartitions: the span of one partition
	Sweep     Millis // how often the purge runs

	// EventTime says that the purge goes by the message's own time and not by
	// when it was processed; rows then live shorter by Lag, the longest time
	// from event to processing (nil: the consumer's downtime).
	EventTime bool
	Lag       *Millis
	// MayEvict says that the store drops rows under pressure: nothing is guaranteed.
	MayEvict bool

	OldestRow *Millis // age of the oldest finished row, where it was read
	Age       *Millis // age of the table

	RowsPerDay   *int64
	RowBytes     *int64 // with indexes
	PurgeKeepsUp *bool
}

// kept is the guaranteed minimum life of a row and how it was found.
type kept struct {
	length   Millis
	known    bool
	evicts   bool // nothing is known because the store may drop rows
	source   string
	warnings []Warning
}

// kept computes the guaranteed minimum life of a row. downtime is the default
// for the lag of an event-time purge.
func (t Table) kept(downtime Millis) (kept, error) {
	k := kept{length: t.Retention.Length, known: t.Retention.Known, source: t.Retention.Source}
	if t.Purge == PurgePartitions {
		length, err := timesMillis(t.Width, max(t.Keep-1, 0))
		if err != nil {
			return kept{}, err
		}
		k.length, k.known = length, true
		k.source = fmt.Sprintf("%d partitions of %s, the current one included: (%d-1) x %s", t.Keep, t.Width, t.Keep, t.Width)
	}
	if t.EventTime && k.known {
		lag := downtime
		if t.Lag != nil {
			lag = *t.Lag
		}
		k.length = max(k.length-lag, 0)
		k.source += fmt.Sprintf(", by event time: less %s", lag)
		k.warn(CodePurgeByEventTime, "rows are purged by the message's own time: one processed late lives %s shorter; purge by processed_at", lag)
	}
	t.observe(&k)
	if t.MayEvict {
		k.known, k.evicts = false, true
		k.warn(CodeEvictionPossible, "the store may drop rows under memory pressure: nothing is guaranteed; use noeviction and persistence")
	}
	return k, nil
}

// observe compares the rule with the oldest row.
func (t Table) observe(k *kept) {
	if t.OldestRow == nil {
		return
	}
	oldest, rule := *t.OldestRow, k.length
	switch {
	case !k.known:
		k.length, k.known, k.source = oldest, true, "observed: the oldest finished row"
	case t.Age != nil && *t.Age < rule:
		k.warn(CodeNotYetProven, "the table is %s old, younger than its rule of %s: the rule is not proven by its rows yet", *t.Age, rule)
	case oldest < rule && t.Age != nil && *t.Age > rule+t.Sweep:
		k.length, k.source = oldest, "observed: the oldest finished row"
		k.warn(CodePurgeAheadOfPolicy, "the oldest row is %s old though the rule is %s: somebody purges earlier, truncated or restored", oldest, rule)
	case oldest > rule+2*t.Sweep:
		k.warn(CodePurgeStalled, "the oldest row is %s old though the rule is %s: the purge is not running, and the table grows", oldest, rule)
	}
}

func (k *kept) warn(code Code, format string, args ...any) {
	k.warnings = append(k.warnings, Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}
