package sim

// Statement is what a step is in a real system: an SQL statement, or the call
// that takes its place, and what the losing side sees.
type Statement struct {
	Text string // one statement or call; lines are separated by newlines
	Note string // one or two sentences
}

// Statement is the step's statement on PostgreSQL; ok is false where the
// program has no such step.
func (h *Handler) Statement(pc uint8) (s Statement, ok bool) {
	if int(pc) >= h.Steps {
		return Statement{}, false
	}
	switch kind := h.Program[pc].Kind; kind {
	case OpCharge:
		return h.chargeStatement(), true
	case OpClaim:
		return Statement{
			"INSERT INTO claimed (payment_id) VALUES ($1)",
			"The loser gets a violation of the unique key (SQLSTATE 23505) and acks. If the winner's transaction is still open, the loser's INSERT waits for its end.",
		}, true
	case OpLeaseClaim:
		return h.leaseClaimStatement(), true
	case OpComplete, OpMarkFailed:
		return h.finishStatement(kind), true
	default:
		s, ok = statements[kind]
		return s, ok
	}
}

// statements are those that do not depend on the handler.
var statements = map[OpKind]Statement{
	OpCheck: {
		"SELECT 1 FROM processed WHERE payment_id = $1",
		"It locks nothing: what it says may be out of date before the answer arrives.",
	},
	OpRemember: {
		"INSERT INTO processed (payment_id) VALUES ($1)",
		"The second worker's insert violates the unique key (SQLSTATE 23505), after both have charged. With ON CONFLICT DO NOTHING nobody even notices; without the key there are two rows.",
	},
	OpRelease: {
		"DELETE FROM claimed WHERE payment_id = $1",
		"It runs where the charge raised an error. A crash raises none, and a lost answer looks like an error although the customer has paid.",
	},
	OpOpenAndClaim: {
		"BEGIN;\nINSERT INTO processed (payment_id) VALUES ($1)\nON CONFLICT (payment_id) DO NOTHING",
		"Another transaction's INSERT of the same id waits until this one ends. Then it inserts nothing (committed) or goes ahead (rolled back).",
	},
	OpCommit: {
		"COMMIT",
		"The row and the database work become visible together. The charge was a call to somebody else's system: it is in no transaction of ours.",
	},
	OpRollback: {
		"ROLLBACK",
		"The row was never there. If the provider has charged, the charge stays, and the next delivery charges again.",
	},
	OpAck: {
		"ack(message)",
		"Delete it from the queue, commit the offset, or answer 200.",
	},
}

// leaseClaimStatement claims, claims again, or takes over. What the completion
// is guarded by has to be written here.
func (h *Handler) leaseClaimStatement() Statement {
	column, value, set := "", "", ""
	if h.Guard == GuardName {
		column, value, set = "owner, ", "$3, ", "owner = $3, "
	}
	return Statement{
		"INSERT INTO claims AS c (payment_id, state, " + column + "token, lease_until)\nVALUES ($1, 'PROCESSING', " + value + "nextval('tokens'), now() + $2)\n" +
			"ON CONFLICT (payment_id) DO UPDATE\nSET state = 'PROCESSING', " + set + "token = nextval('tokens'), lease_until = now() + $2\n" +
			"WHERE c.state = 'FAILED' OR c.state = 'PROCESSING' AND c.lease_until < now()\nRETURNING token",
		"One row: the claim is yours. No row: it is DONE, or somebody's lease is running; read which. The database's clock judges the lease. 'idemtui inspect schema' prints the whole statement.",
	}
}

// finishStatement completes or fails a claim under the handler's guard.
func (h *Handler) finishStatement(kind OpKind) Statement {
	state := "DONE"
	if kind == OpMarkFailed {
		state = "FAILED"
	}
	text := "UPDATE claims SET state = '" + state + "', lease_until = NULL\nWHERE payment_id = $1 AND "
	if h.Guard == GuardName {
		return Statement{
			text + "owner = $2",
			"A stalled worker and its successor have the same name, so both get one row: the name guards nothing.",
		}
	}
	return Statement{
		text + "state = 'PROCESSING' AND token = $2",
		"No row: somebody has taken over, and whoever has the newer token decides. It guards this row, not what was sent outside.",
	}
}

// chargeStatement is the handler's call to the provider, or its effect.
func (h *Handler) chargeStatement() Statement {
	switch h.ID {
	case HandlerNatural:
		return Statement{
			"UPDATE orders SET status = 'SHIPPED' WHERE id = $1\n" +
				"-- or, only from the state it expects: WHERE id = $1 AND status = 'PACKED'\n" +
				"-- or, keyed by a business id: INSERT INTO shipments (order_id, status) VALUES ($1, 'SHIPPED')\n" +
				"--     ON CONFLICT (order_id) DO UPDATE SET status = EXCLUDED.status",
			"Twice is as good as once. The conditional form says so by its count: 1 row, then 0 rows; and it alone refuses an older message that comes late.",
		}
	case HandlerIncrement:
		return Statement{
			"UPDATE orders SET shipped_count = shipped_count + 1 WHERE id = $1",
			"Twice is once too many. Say what the new state is instead of what to add.",
		}
	case HandlerFence:
		return Statement{
			"POST /charges {\"payment\": $1, \"token\": $2}",
			"The provider keeps the highest token it has seen of the payment and refuses a lower one. Few providers can do that.",
		}
	}
	switch {
	case h.Effect == EffectKey:
		return Statement{
			"POST /charges {\"payment\": $1}\nIdempotency-Key: $1",
			"The provider returns the first result to a key that it knows. The key is the payment's, the same in every try, and every hop must pass it on.",
		}
	case h.sendsNewKeys():
		return Statement{
			"POST /charges {\"payment\": $1}\nIdempotency-Key: gen_random_uuid()",
			"A new key with every try is no key: the provider sees a new request each time.",
		}
	}
	return Statement{
		"POST /charges {\"payment\": $1}",
		"Nothing in this request tells the provider that it has seen it before.",
	}
}

// sendsNewKeys says whether the handler sends a key that changes with every try.
func (h *Handler) sendsNewKeys() bool {
	return handlers[h.ID].Effect == EffectKey && h.Effect != EffectKey
}
