package inspect

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sessions are the sessions connected to the database, by the owner whose name
// they bear.
type Sessions struct {
	ByOwner map[string][]Session
	// Skipped says why sessions say nothing here; "" means that they were seen.
	Skipped string
	// Names are the names of owners by session (process and start), kept for the
	// next look. Pooled: one changed hands, so that workers come through a pooler.
	Names  map[string]string
	Pooled bool
}

// ChangedHands compares with the look before: a session that bore one owner's
// name and bears another's belongs to a pooler in transaction mode. There a
// worker has a session only while a transaction of it runs, so that a missing
// one says nothing. Once seen, that holds for every later look.
func (s *Sessions) ChangedHands(before *Look) bool {
	if before == nil {
		return false
	}
	for session, name := range s.Names {
		if was, ok := before.SessionNames[session]; ok && was != name {
			return true
		}
	}
	return before.Pooled
}

// Session is one connected session.
type Session struct {
	PID         int64
	Application string
	// Started is none where it is hidden (needs pg_read_all_stats).
	Started Stamp
	// AdvisoryLocks is how many advisory locks it holds, AdvisoryWords the first
	// of them as the arguments of pg_advisory_lock.
	AdvisoryLocks int64
	AdvisoryWords string
}

// sessionSign is what the sessions say about one claim.
type sessionSign uint8

const (
	sessionUnseen sessionSign = iota
	sessionConnected
	sessionGone
	// sessionGoneTwice: the lease has lapsed and the owner's session was gone
	// at two looks far enough apart, while other owners had theirs.
	sessionGoneTwice
)

// peers counts the other owners of claimed rows, and those connected.
func (f Facts) peers(owner string) (connected, all int) {
	for o, sessions := range f.Sessions.ByOwner { // there are fewer of these, and this is asked of each claim
		if o != owner && len(sessions) > 0 && f.owners[o] {
			connected++
		}
	}
	all = len(f.owners)
	if f.owners[owner] {
		all--
	}
	return connected, all
}

func sessionOf(c Claim, f Facts) sessionSign {
	switch {
	case f.Sessions == nil, f.Sessions.Skipped != "", !c.Owner.OK:
		return sessionUnseen
	case len(f.Sessions.ByOwner[c.Owner.V]) > 0:
		return sessionConnected
	case c.GoneSince.Valid() && f.Now.Sub(c.GoneSince.Time) >= SecondLookAfter:
		return sessionGoneTwice
	}
	return sessionGone
}

func sessionEvidence(c Claim, f Facts) Evidence {
	e := Evidence{Rung: RungSession, For: ForNeither}
	switch sign := sessionOf(c, f); {
	case f.Sessions == nil:
		e.Text = "not looked at: the owner's sessions"
	case f.Sessions.Skipped != "":
		e.Text = "sessions skipped: " + f.Sessions.Skipped
	case sign == sessionUnseen:
		e.Text = "no owner whose session could be looked for"
	case sign == sessionConnected:
		e.Text = connectedText(c, f.Sessions.ByOwner[c.Owner.V])
	default:
		connected, all := f.peers(c.Owner.V)
		e.Text = fmt.Sprintf("no session under the owner's name; %d of %s connected", connected, plural(int64(all), "peer"))
		switch {
		case all == 0:
			e.Text = "no session under the owner's name, and no other owner to compare with"
		case connected == 0:
			e.Text += ", so sessions may not bear their owners' names"
		case sign == sessionGoneTwice:
			e.For = ForDead
			e.Text += fmt.Sprintf("; gone at every look for %s", FormatSpan(f.Now.Sub(c.GoneSince.Time)))
		case c.GoneSince.Valid():
			e.Text += fmt.Sprintf("; a second look counts from %s on", FormatSpan(SecondLookAfter))
		}
	}
	return e
}

// connectedText says why a connected session does not prove that the worker
// still works on this claim.
func connectedText(c Claim, sessions []Session) string {
	if n := len(sessions); n > 1 {
		return fmt.Sprintf("%d sessions share the owner's name", n)
	}
	s := sessions[0]
	text := fmt.Sprintf("a session under the owner's name is connected (pid %d)", s.PID)
	switch {
	case s.Started.None():
		text += ", since when is hidden (needs pg_read_all_stats)"
	case c.ClaimedAt.Valid() && s.Started.After(c.ClaimedAt.Time):
		text += ", but it started after the claim"
	default:
		text += ", from before the claim"
	}
	return text
}

// goneSince is when the owner's session was first seen to be gone: at the look
// before, if the claim has not moved since, else now.
func goneSince(c Claim, f Facts) Stamp {
	if f.Sessions == nil || f.Sessions.Skipped != "" || !c.Owner.OK || len(f.Sessions.ByOwner[c.Owner.V]) > 0 {
		return Stamp{}
	}
	if connected, _ := f.peers(c.Owner.V); connected == 0 {
		return Stamp{}
	}
	if f.Before != nil {
		old, ok := f.Before.Claims[c.Key]
		if ok && old.GoneSince.Valid() && old.Token == c.Token && old.Owner == c.Owner && old.LeaseUntil == c.LeaseUntil {
			return old.GoneSince
		}
	}
	return At(f.Now)
}

// sessionNameBytes is how much of an application_name PostgreSQL keeps
// (NAMEDATALEN - 1).
const sessionNameBytes = 63

// SessionNames are the application_names that a session of an owner such as
// worker-7@host-3:1234 may bear: the whole name, or the part before the host or
// the process, each as a server shows it. A name that is missed makes a worker
// look dead.
func SessionNames(owner string) []string {
	names := []string{owner}
	worker, _, _ := strings.Cut(owner, "@")
	if worker == owner {
		worker, _, _ = strings.Cut(owner, ":")
	}
	if worker != "" && worker != owner {
		names = append(names, worker)
	}
	var shown []string
	for _, name := range names {
		for _, form := range []string{"?", `\x%02x`} { // up to version 15, and from 16 on
			if s := asApplicationName(name, form); !slices.Contains(shown, s) {
				shown = append(shown, s)
			}
		}
	}
	return shown
}

// asApplicationName writes a name as a server does: cut between characters,
// each byte that is not printable ASCII replaced, and cut again.
func asApplicationName(name, form string) string {
	if len(name) > sessionNameBytes {
		end := sessionNameBytes
		for end > 0 && !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	var b strings.Builder
	for i := 0; i < len(name) && b.Len() < sessionNameBytes; i++ {
		switch c := name[i]; {
		case c >= 32 && c <= 126:
			b.WriteByte(c)
		case form == "?":
			b.WriteByte('?')
		default:
			fmt.Fprintf(&b, form, c)
		}
	}
	return b.String()[:min(b.Len(), sessionNameBytes)]
}
