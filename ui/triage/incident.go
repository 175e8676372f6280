package triage

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// pulseOver is how long the counters are compared over: long enough that a
// worker which still lives has finished something.
const pulseOver = 30 * time.Second

// beat is the counters of one look.
type beat struct {
	at       time.Time // the database's clock
	counters inspect.Null[inspect.Counters]
}

// feelPulse compares the counters of a look with those of about half a minute
// ago.
func (s *Screen) feelPulse(snapshot inspect.Snapshot) {
	if snapshot.Seen == nil {
		return
	}
	now := beat{snapshot.Seen.At, snapshot.Seen.Counters}
	for len(s.beats) > 1 && now.at.Sub(s.beats[1].at) >= pulseOver {
		s.beats = slices.Delete(s.beats, 0, 1)
	}
	if len(s.beats) > 0 {
		old := s.beats[0]
		s.pulse = inspect.PulseBetween(&inspect.Look{At: old.at, Counters: old.counters}, now.at, now.counters)
		if !s.pulse.OK { // the statistics were reset, or the clock was
			s.beats = nil
		}
	}
	s.beats = append(s.beats, now)
}

// storyLine says when it began and whose claims they are.
func (s *Screen) storyLine(w int) string {
	look := s.current()
	if !look.ok {
		return ""
	}
	return s.styles.Strong.Render(text.Cut(" "+text.Sanitise(look.snapshot.Incident.Story(look.snapshot.At)), w))
}

// timesLine is the histogram of the claim times.
func (s *Screen) timesLine(w int) string {
	look := s.current()
	if !look.ok {
		return ""
	}
	return s.styles.Accent.Render(text.Cut(" "+text.Sanitise(look.snapshot.Incident.Histogram(look.snapshot.At)), w))
}

// foldLines is how many lines the rows give to what is folded.
func (s *Screen) foldLines() int {
	leftOut := s.list.foldsNow() && s.current().snapshot.Incident.Older.Claims > 0 // by the limit of a look
	if s.list.folded > 0 || leftOut {
		return 1
	}
	return 0
}

// foldLine is the one line into which claims from long before fold.
func (s *Screen) foldLine(w int) string {
	snapshot := s.current().snapshot
	story, _, _ := strings.Cut(snapshot.Incident.OlderStory(snapshot.At), "; --until")
	return s.styles.Muted.Render(text.Cut("   "+s.keys.Fold.Help().Key+" lists "+text.Sanitise(story), w))
}

// toggleFold lists the claims from long before, or folds them again. Those that the
// limit of a look left out are read first.
func (s *Screen) toggleFold() tea.Cmd {
	s.list.unfolded = !s.list.unfolded
	s.list.arrange()
	switch {
	case s.current().snapshot.Incident.Older.Claims == 0:
		s.say("no claim is much older than the others")
	case s.list.unfolded:
		s.say("all claims are listed")
	}
	if snapshot := s.current().snapshot; snapshot.Matching.Rows > int64(len(snapshot.Claims)) {
		return s.loadClaims()
	}
	return nil
}

// showIncident opens what is known of the incident as a whole, uncut.
func (s *Screen) showIncident() tea.Cmd {
	look := s.current()
	if !look.ok {
		return nil
	}
	snapshot, at := look.snapshot, look.snapshot.At
	n := snapshot.Incident
	lines := []string{n.Story(at)}
	if n.Claims < 2 {
		lines[0] = "too few stuck claims with a claim time to tell when it began"
	}
	lines = append(lines, "", n.Histogram(at), "")
	for i, o := range n.Owners {
		if i == keysNamed {
			lines = append(lines, "and "+text.Plural(int64(len(n.Owners)-i), "more owner", "more owners"))
			break
		}
		lines = append(lines, text.Count(o.Claims, true)+" of "+o.Owner.Or("no owner"))
	}
	older, _, _ := strings.Cut(n.OlderStory(at), ", folded")
	if older != "" {
		lines = append(lines, "", older)
	}
	lines = append(lines, "")
	if s.pulse.OK {
		lines = append(lines, "the server's counters: "+s.pulse.V.Text(s.cfg.Table.Mapping))
	} else {
		lines = append(lines, "the server's counters: compared from the second look on")
	}
	return s.dialogs.Push(&noteDialog{
		keys: s.keys, buttons: s.buttons, title: "The incident, as of " + at.UTC().Format("15:04:05Z"), lines: slices.Compact(lines),
		sheet: s.newSheet(), form: newForm(nil, "Close"),
	})
}
