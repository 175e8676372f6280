package sim

// Result is what a run comes to: one row of the table of results.
type Result struct {
	Handler      HandlerID
	Seed         uint64
	Deliveries   int64 // arrivals at a worker, redeliveries included
	Payments     int64 // different payments
	Charges      int64 // what the provider's ledger says
	ChargedTwice int64 // payments charged two or more times
	NeverCharged int64 // payments acknowledged and never charged
	FailedFirst  int64 // first deliveries that the provider refused
	Takeovers    int64 // claims made over a lapsed one
	Fenced       int64 // calls refused for an old token
	Stuck        int64 // claims left behind that nobody will ever finish
	DeadLetters  int64 // messages put aside after max receives
	VirtualNanos int64 // how long the run took in virtual time
}
