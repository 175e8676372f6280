package sim

// ackOp ends every program.
func ackOp() Op { return Op{Kind: OpAck, Code: "ack", Next: End} }

// chargeOp calls the provider; bad is where a failure or a lost answer leads.
// A handler whose bad is 0 has no code for it: the delivery comes back.
func chargeOp(code string, next, bad uint8) Op {
	return Op{Kind: OpCharge, Code: code, Next: next, Bad: bad}
}

// bare is a program without a table.
func bare(code string) [ProgramSize]Op {
	return [ProgramSize]Op{chargeOp(code, 1, 0), ackOp()}
}

// leased is the program of the lease family; they differ only in what they
// pass to the provider.
func leased(charge string) [ProgramSize]Op {
	return [ProgramSize]Op{
		{Kind: OpLeaseClaim, Code: "tok = claim(id, lease) or done { ack } or busy { later }", Next: 1, Refuse: 3},
		chargeOp(charge, 2, 4),
		{Kind: OpComplete, Code: "set DONE if token = tok", Next: 3},
		ackOp(),
		{Kind: OpMarkFailed, Code: "on error: set FAILED if token = tok; retry", Next: 0},
	}
}

var handlers = [idCount]Handler{
	{
		ID: HandlerNone, Name: "none", Title: "no deduplication", Steps: 2,
		Program: bare("charge(id)"),
	},
	{
		ID: HandlerCheck, Name: "check", Title: "check, charge, then remember", Steps: 4,
		Program: [ProgramSize]Op{
			{Kind: OpCheck, Code: "if seen(id) { ack; return }", Next: 1, Refuse: 3},
			chargeOp("charge(id)", 2, 0),
			{Kind: OpRemember, Code: "remember(id)", Next: 3},
			ackOp(),
		},
	},
	{
		ID: HandlerClaim, Name: "claim", Title: "claim first, atomically", Steps: 3,
		Program: [ProgramSize]Op{
			{Kind: OpClaim, Code: "if !claim(id) { ack; return }", Next: 1, Refuse: 2},
			chargeOp("charge(id)", 2, 0),
			ackOp(),
		},
	},
	{
		ID: HandlerRelease, Name: "release", Title: "claim, charge, release on failure", Steps: 4,
		Program: [ProgramSize]Op{
			{Kind: OpClaim, Code: "if !claim(id) { ack; return }", Next: 1, Refuse: 2},
			chargeOp("charge(id)", 2, 3),
			ackOp(),
			{Kind: OpRelease, Code: "on error: release(id); retry", Next: 0},
		},
	},
	{
		ID: HandlerLease, Name: "lease", Title: "claim with state and lease", Steps: 5, Leased: true,
		Program: leased("charge(id)"),
	},
	{
		ID: HandlerFence, Name: "fence", Title: "lease with a fencing token", Steps: 5, Leased: true, Effect: EffectFence,
		Program: leased("charge(id, tok)"),
	},
	{
		ID: HandlerKey, Name: "key", Title: "lease with the provider's idempotency key", Steps: 5, Leased: true, Effect: EffectKey,
		Program: leased("charge(id, key = id)"),
	},
	{
		ID: HandlerKeyOnly, Name: "keyonly", Title: "the provider's idempotency key only", Steps: 2, Effect: EffectKey,
		Program: bare("charge(id, key = id)"),
	},
	{
		ID: HandlerNatural, Name: "natural", Title: "natural idempotency: set a value", Steps: 2, Effect: EffectSet,
		Program: bare("set paid(id) = true"),
	},
	{
		ID: HandlerIncrement, Name: "increment", Title: "increment, which is not idempotent", Steps: 2,
		Program: bare("paid(id) += amount"),
	},
	{
		ID: HandlerOneTx, Name: "onetx", Title: "one transaction for claim and database work", Steps: 5,
		Program: [ProgramSize]Op{
			{Kind: OpOpenAndClaim, Code: "begin; insert row(id) or done { ack }", Next: 1, Refuse: 3},
			chargeOp("charge(id)", 2, 4),
			{Kind: OpCommit, Code: "commit", Next: 3},
			ackOp(),
			{Kind: OpRollback, Code: "on error: rollback; retry", Next: 0},
		},
	},
}
