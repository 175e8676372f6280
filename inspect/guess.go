package inspect

import (
	"fmt"
	"slices"
	"strings"
)

// GuessedProfile labels a mapping that was guessed from names and types. It is
// never verified: a release needs the person's word for it.
const GuessedProfile = "guessed"

// Names of columns seen in hand-rolled tables, folded to lower case without
// "_" and "-", best first. expires_at alone is no lease: it is as often the end
// of the record's life.
var synonyms = map[string][]string{
	"key":          {"messageid", "msgid", "eventid", "idempotencykey", "idemkey", "idempotencyid", "dedupkey", "dedupid", "deduplicationid", "deduplicationkey", "messagekey", "requestid", "operationid", "key"},
	"scope":        {"consumer", "consumerid", "consumername", "consumergroup", "groupname", "handler", "topic", "type", "scope", "route", "endpoint", "tenantid", "userid", "client", "messageclass", "processorname", "listenerid", "region"},
	"state":        {"state", "status", "processingstate", "processingstatus", "statusname", "statename"},
	"claimed_at":   {"claimedat", "lockedat", "startedat", "processingstartedat", "acquiredat", "attemptedat", "lastrunat", "receivedat"},
	"lease":        {"leaseuntil", "leaseexpiresat", "leaseexpiry", "lockeduntil", "lockuntil", "lockexpiresat", "lockexpireson", "lockexpiry", "claimexpiresat", "visibleat", "visibilitytimeout"},
	"heartbeat":    {"heartbeatat", "lastheartbeat", "lastheartbeatat", "heartbeat"},
	"owner":        {"owner", "ownerid", "lockedby", "claimedby", "worker", "workerid", "leaseowner", "instanceid", "instance", "pickedby"},
	"token":        {"fencingtoken", "fence", "locktoken", "lockversion"},
	"attempts":     {"attempts", "attempt", "attemptcount", "tries", "retries", "retrycount", "receivecount", "deliverycount"},
	"completed_at": {"completedat", "processedat", "finishedat", "finalizedat", "consumedat", "processedon"},
	"failed_at":    {"failedat", "abandonedat", "discardedat"},
	"expires_at":   {"expiresat", "expires", "keepuntil", "deleteafter"},
}

// values of states seen in the field, folded.
var stateSynonyms = map[State][]string{
	StateProcessing: {"processing", "inprogress", "started", "running", "claimed", "locked", "executing", "active", "doing", "p"},
	StateDone:       {"done", "completed", "complete", "processed", "succeeded", "success", "finished", "consumed", "d"},
	StateFailed:     {"failed", "failure", "error", "dead", "discarded", "abandoned", "f"},
	StateFree:       {"free", "new", "waiting", "scheduled", "queued", "enqueued", "available", "received", "todo", "n"},
}

func folded(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// Guess is a mapping made from the names and types of a table's columns.
type Guess struct {
	Mapping Mapping
	// Score is 0 to 100.
	Score int
	Why   []string
	// Missing says what keeps the guess from being used.
	Missing []string
}

// GuessMapping maps a table from its columns, its unique keys and the values
// seen in its state column (nil: not known).
func GuessMapping(t Table, unique [][]string, values func(column string) []string) Guess {
	g := Guess{Mapping: Mapping{Profile: GuessedProfile, Times: map[string]TimeBinding{}, State: StateBinding{Values: map[State][]string{}, Rules: map[State][]StateRule{}}}}
	g.key(t, unique)
	m := &g.Mapping
	m.ClaimedAt = g.time(t, "claimed_at", 10)
	m.Lease.Column = g.time(t, "lease", 15)
	m.Heartbeat.Column = g.time(t, "heartbeat", 5)
	m.CompletedAt = g.time(t, "completed_at", 3)
	m.FailedAt = g.time(t, "failed_at", 1)
	m.ExpiresAt = g.time(t, "expires_at", 0)
	m.Owner = g.column(t, "owner", 5)
	m.Token = g.column(t, "token", 5)
	m.Attempts = g.column(t, "attempts", 3)
	g.state(t, values)
	if m.Lease.Column == "" && m.ClaimedAt == "" && m.Heartbeat.Column == "" {
		g.Missing = append(g.Missing, "no column says when a row was claimed or until when")
	}
	if m.Lease.Column == "" && m.ExpiresAt != "" {
		g.Why = append(g.Why, m.ExpiresAt+" is read as the end of the record, not as a lease; if it is the lease: --map 'lease="+m.ExpiresAt+"'")
	}
	m.Kind = kindOf(*m)
	return g
}

// named finds the first column with one of a role's names.
func named(t Table, role string) (Column, bool) {
	for _, name := range synonyms[role] {
		for _, c := range t.Columns {
			if folded(c.Name) == name {
				return c, true
			}
		}
	}
	return Column{}, false
}

func (g *Guess) column(t Table, role string, score int) string {
	c, ok := named(t, role)
	if !ok {
		return ""
	}
	g.found(role, c.Name, score)
	return c.Name
}

func (g *Guess) found(role, column string, score int) {
	g.Score += score
	g.Why = append(g.Why, fmt.Sprintf("%s is %s", role, column))
}

func (g *Guess) time(t Table, role string, score int) string {
	c, ok := named(t, role)
	if !ok {
		return ""
	}
	if !slices.Contains([]string{"timestamptz", "timestamp"}, c.Base) {
		g.Why = append(g.Why, fmt.Sprintf("%s (%s) is left out as %s: its type does not say what it counts", c.Name, c.Type, role))
		return ""
	}
	g.found(role, c.Name, score)
	return c.Name
}

// key takes the smallest unique key that holds a message id and otherwise only
// scopes.
func (g *Guess) key(t Table, unique [][]string) {
	var best []string
	for _, columns := range unique {
		if len(columns) > MaxKeyParts || (best != nil && len(columns) >= len(best)) {
			continue
		}
		ids, others := 0, 0
		for _, c := range columns {
			switch {
			case slices.Contains(synonyms["key"], folded(c)):
				ids++
			case !slices.Contains(synonyms["scope"], folded(c)):
				others++
			}
		}
		if ids > 0 && others == 0 {
			best = columns
		}
	}
	if best == nil {
		if c, ok := named(t, "key"); ok {
			g.Mapping.Key = []KeyColumn{{Column: c.Name, Role: RoleMessage}}
			g.Score += 10
			g.Missing = append(g.Missing, "no unique key on "+c.Name+", so a claim in it is not atomic")
			return
		}
		g.Missing = append(g.Missing, "no column looks like a message id")
		return
	}
	for _, c := range best {
		role := RoleScope
		if slices.Contains(synonyms["key"], folded(c)) {
			role = RoleMessage
		}
		g.Mapping.Key = append(g.Mapping.Key, KeyColumn{Column: c, Role: role})
	}
	g.Score += 30
	g.Why = append(g.Why, "unique key "+strings.Join(best, ", "))
}

// state takes a state column and the words in it, else the null-ness of a
// locked-at and a done column.
func (g *Guess) state(t Table, values func(string) []string) {
	m := &g.Mapping
	if c, ok := named(t, "state"); ok {
		m.State.Column = c.Name
		g.found("state", c.Name, 10)
		seen := c.Labels
		if seen == nil && values != nil {
			seen = values(c.Name)
		}
		for _, v := range seen {
			for _, s := range StateOrder {
				if slices.Contains(stateSynonyms[s], folded(v)) {
					m.State.Values[s] = append(m.State.Values[s], v)
					g.Why = append(g.Why, fmt.Sprintf("%s means %s", v, s))
				}
			}
		}
		if len(m.State.Values[StateProcessing]) > 0 {
			g.Score += 10
			return
		}
		g.Missing = append(g.Missing, fmt.Sprintf("no value of %s is known to mean claimed (--map 'processing=VALUE')", c.Name))
		return
	}
	if m.ClaimedAt == "" {
		g.Missing = append(g.Missing, "no column says which rows are claimed")
		return
	}
	m.State.Rules[StateProcessing] = []StateRule{NullRule(m.ClaimedAt, false)}
	m.State.Rules[StateFree] = []StateRule{NullRule(m.ClaimedAt, true)}
	if m.CompletedAt != "" {
		m.State.Rules[StateDone] = []StateRule{NullRule(m.CompletedAt, false)}
	}
	g.Score += 5
	g.Why = append(g.Why, "claimed is told by "+m.ClaimedAt+" not being NULL")
}

// Names are folded column names by which candidate tables are found.
type Names struct{ Keys, Times, Words, States []string }

// CandidateNames are the names that make a table a candidate: one of the keys,
// one of the times and one of the words (a state, an owner, an end).
func CandidateNames() Names {
	return Names{
		Keys:   synonyms["key"],
		Times:  slices.Concat(synonyms["lease"], synonyms["claimed_at"], synonyms["heartbeat"]),
		Words:  slices.Concat(synonyms["state"], synonyms["owner"], synonyms["completed_at"]),
		States: synonyms["state"],
	}
}
