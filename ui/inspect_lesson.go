package ui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/frame"
	"idemtui/ui/lesson"
	"idemtui/ui/player"
	"idemtui/ui/text"
	"idemtui/ui/triage"
)

// The lessons that a claim opens: the one on leases, played with the claim, and
// where it has none, the one on claims that are never released.
const (
	lessonOnReleases = 3
	lessonOnLeases   = 4
)

// explain opens the simulator on a claim: why it is stuck, played.
func (n *inspector) explain(r *room, msg triage.ExplainMsg) tea.Cmd {
	if r.triage == nil || !r.triage.Leave() {
		return nil
	}
	c := msg.Claim
	played := lessons.Claim{Key: text.Sanitise(c.Key.String()), Owner: text.Sanitise(c.Owner.V), Token: text.Sanitise(c.Token.V), Age: int64(c.Age.V)}
	if c.LeaseUntil.Valid() && c.ClaimedAt.Valid() {
		began := c.ClaimedAt.Time
		if c.HeartbeatAt.Valid() && c.HeartbeatAt.Time.After(began) && c.HeartbeatAt.Time.Before(c.LeaseUntil.Time) {
			began = c.HeartbeatAt.Time
		}
		played.Lease = int64(c.LeaseUntil.Time.Sub(began))
	}
	played.Age, played.Lease = inSeconds(played.Age), inSeconds(played.Lease)
	seed := sim.DefaultScenario().Seed
	config := lesson.Config{Lesson: lessonOnReleases, Seed: seed}
	if played.Playable() {
		config = lesson.Config{Lesson: lessonOnLeases, Lessons: lessons.ForClaim(played), Seed: seed}
	}
	n.lesson = NewCourse(n.ctx, &config, player.Config{}, n.keys, n.dialogs)
	n.lesson.SetStyles(n.styles)
	return tea.Batch(n.lesson.Update(n.size), n.lesson.Init())
}

// inSeconds leaves away of a long time what nobody asks for.
func inSeconds(nanos int64) int64 {
	if nanos < int64(time.Second) {
		return nanos
	}
	return nanos - nanos%int64(time.Second)
}

// updateLesson gives a message to the simulator, and goes back to the claim.
func (n *inspector) updateLesson(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok && key.Matches(press, n.keys.Triage.Played) && !n.lesson.Typing() {
		n.lesson = nil
		return n.begin(n.here())
	}
	return n.lesson.Update(msg)
}

// ShortHelp lists the keys of what is in front.
func (n *inspector) ShortHelp() []key.Binding {
	if n.lesson != nil {
		return append([]key.Binding{n.keys.Triage.Played}, n.lesson.ShortHelp()...)
	}
	shown := n.front().ShortHelp()
	if r := n.here(); len(n.rooms) > 1 && r.picker == nil && !r.triage.Typing() {
		shown = append([]key.Binding{n.keys.Triage.Database}, shown...)
	}
	return shown
}

// FullHelp lists the groups of keys of what is in front.
func (n *inspector) FullHelp() []frame.KeyGroup {
	groups := n.front().FullHelp()
	if n.lesson != nil {
		groups = append([]frame.KeyGroup{{Title: "inspect", Keys: []key.Binding{n.keys.Triage.Played}}}, groups...)
	}
	return groups
}
