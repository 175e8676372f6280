package sim

import "strconv"

// Lane is a line of the timeline: the broker, the table, the provider, or a
// worker.
type Lane int16

// The lanes that every run has. The workers' lanes follow: see WorkerLane.
const (
	LaneBroker Lane = iota
	LaneTable
	LaneProvider
	laneWorkers
)

// WorkerLane is the lane of worker i, counted from 0.
func WorkerLane(i int) Lane { return laneWorkers + Lane(i) }

// Worker is the worker of the lane, counted from 0; ok is false for the others.
func (l Lane) Worker() (i int, ok bool) { return int(l - laneWorkers), l >= laneWorkers }

// String is the lane's name: broker, table, provider, w1, w2 and so on.
func (l Lane) String() string {
	switch l {
	case LaneBroker:
		return "broker"
	case LaneTable:
		return "table"
	case LaneProvider:
		return "provider"
	}
	return "w" + strconv.Itoa(int(l-laneWorkers)+1)
}

// EventKind is what an event of a trace is.
type EventKind uint8

// The kinds of event. A step has three: its start, its one instant of effect
// and its answer; only the effect (or busy) changes the payment's cell.
const (
	EventDeliver      EventKind = iota // the broker hands the message to a worker for the first time
	EventRedeliver                     // the broker hands it out again
	EventStart                         // a worker begins a step
	EventEffect                        // the step happens; Label says how
	EventBusy                          // the step was not enabled: somebody else holds the claim
	EventAnswer                        // the worker learns how the step went
	EventReturn                        // the delivery ended badly; the broker will bring the message back
	EventCrash                         // the worker dies in the middle of a delivery
	EventRestart                       // and is back
	EventPause                         // the worker stops for a while without knowing it
	EventVisible                       // the broker gives up waiting for the ack and brings the message back
	EventExpire                        // a claim's lease lapses
	EventArrive                        // a late copy arrives at the broker
	EventDelete                        // the broker deletes a message: another delivery of it was acknowledged meanwhile
	EventForget                        // the table purges what it remembers of the payment: the retention is over
	EventForgetKey                     // the provider forgets the payment's idempotency key
	EventRenew                         // a worker extends the lease of its claim
	EventRenewStale                    // it tries to, and the guard refuses
	EventReject                        // the broker refuses a message id that it accepted within its window
	EventDeadLetter                    // the broker has delivered the message often enough and puts it aside
	EventAckLost                       // a worker's ack does not arrive: to the broker nothing was acknowledged
	EventCommitOffset                  // a log's offset moves over what is done
	EventRebalance                     // a log's partition goes to another worker
	EventRewind                        // a log's message is to come again: it lies after the last commit
	EventAckLate                       // a worker's ack arrives after the broker has brought the message back, and is ignored
	EventReplay                        // a message that was delivered long ago is read or sent once more, under its own id
	eventKindCount
)

var eventKindNames = [eventKindCount]string{
	"deliver", "redeliver", "start", "effect", "busy", "answered", "return", "crash", "restart", "pause", "visible", "expire", "arrive", "delete",
	"forget", "forget-key", "renew", "renew-stale", "reject", "dead-letter", "ack-lost",
	"commit-offset", "rebalance", "rewind", "ack-late", "replay",
}

// String names the kind.
func (k EventKind) String() string {
	if k >= eventKindCount {
		return ""
	}
	return eventKindNames[k]
}

// Event is one entry of a trace. Payments, workers and copies count from 0,
// ordinals from 1.
type Event struct {
	At      int64     // virtual time in nanoseconds
	Seq     int32     // its index in the trace
	Cause   int32     // the event that led to it, or -1
	Payment int32     // -1: none
	Ordinal uint32    // which delivery of the payment: 1 the original, 2 the copy, more for redeliveries
	Lane    Lane      // where it shows
	Worker  int16     // -1: none
	Kind    EventKind // what happened
	PC      uint8     // of a step: its place in the handler's program
	Label   Label     // of an effect, an expiry or a crash: the transition
	Copy    uint8     // which message of the payment: 0 the original, 1 its copy
}

// Step is the event's step as the JSON trace names it: a step of the handler's
// program, or what the world did.
func (t *Trace) Step(e Event) string {
	switch e.Kind {
	case EventStart, EventEffect, EventBusy, EventAnswer, EventAckLate:
		return t.handler.Program[e.PC].Kind.String()
	}
	return e.Kind.String()
}

// Outcome is the event's outcome as the JSON trace names it: "start", a
// transition's label, "busy", "ack-late" or "answered"; empty for what the world did.
func (t *Trace) Outcome(e Event) string {
	switch e.Kind {
	case EventStart, EventBusy, EventAnswer, EventAckLate:
		return e.Kind.String()
	}
	return e.Label.String()
}
