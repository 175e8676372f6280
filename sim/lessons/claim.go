package lessons

import "idemtui/sim"

// Claim is a claim of a real table, to be played: why it is stuck.
type Claim struct {
	Key   string // printable
	Owner string // printable; "" where none is named
	Token string // printable; "" where the table has none
	Lease int64  // for how long it was claimed or last renewed, in nanoseconds
	Age   int64  // since when it is claimed, in nanoseconds
}

// longestPlayed bounds lease and age, so that the run stays within what can be
// recorded.
const longestPlayed = 60 * day

// Playable reports whether the claim can be played: it has a lease and an age.
func (c Claim) Playable() bool { return c.Lease > 0 && c.Age > 0 }

// ForClaim are the lessons, of which the one on leases begins with this claim:
// its lease and its age are the run's, and a delivery comes when the claim is as
// old as it is now.
func ForClaim(c Claim) []Lesson {
	all := All()
	for i := range all {
		if all[i].Name == "lease" {
			all[i] = all[i].withClaim(c)
		}
	}
	return all
}

func (l Lesson) withClaim(c Claim) Lesson {
	handler := sim.HandlerLease
	if c.Token != "" {
		handler = sim.HandlerFence
	}
	s := leased(handler)
	s.Lease = min(max(c.Lease, millisecond), longestPlayed)
	s.Visibility = min(max(c.Age, s.Lease+millisecond), longestPlayed)
	played := Scene{Title: "this claim", Scenario: s, Sends: crashAfter(1)}
	played.Compare, played.Parameters = l.Scenes[0].Compare, l.Scenes[0].Parameters
	l.Scenes = append(append([]Scene{}, l.Scenes...), played)
	pages := claimPages(c, len(l.Scenes)-1)
	l.Question.Before += len(pages)
	l.Pages = append(pages, l.Pages...)
	return l
}

func claimPages(c Claim, scene int) []Page {
	who, token := "a worker that is not named", "Your table has no token."
	if c.Owner != "" {
		who = literal(c.Owner)
	}
	if c.Token != "" {
		token = "The token on your row is " + literal(c.Token) + "; here they begin at 1."
	}
	lapsed := "On your row the lease has ended " + length(c.Age-c.Lease) + " ago, and the row is still there."
	if c.Age <= c.Lease {
		lapsed = "On your row the lease has " + length(c.Lease-c.Age) + " to run: until then this is how it should be."
	}
	return []Page{
		{
			Scene: scene, Moment: at(sim.LabelClaimWon),
			text: "Why " + literal(c.Key) + " is stuck, played. " + who + " claimed it " + length(c.Age) + " ago, and holds it for {lease}. " + token,
		},
		{
			Scene: scene, Moment: on(sim.EventCrash),
			text: "Suppose that the worker died here, before the charge. Had it died just after, or were it alive and slow, the row would look the same: so nobody can tell from the row whether the charge happened. Ask the provider.",
		},
		{
			Scene: scene, Moment: at(sim.LabelClaimTakeover),
			text: "A lease that lapses changes nothing by itself: only a delivery does. " + lapsed + " Here one comes, and takes over under the token {token}. If none comes, it stays stuck: somebody has to send the message again, or release it and know what runs next.",
		},
		{
			Scene: scene, Moment: atEnd,
			text: "Charged {charged} in this run, after {deliveries} deliveries, for the worker was supposed to die before the charge. Whether your payment was charged, only the provider knows. Go on for what else can happen to such a claim, or back to it.",
		},
	}
}
