package triage

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
)

// followEvery is how often released keys are read again: one read by key,
// which the index of the key serves. followFor is the longest.
const (
	followEvery = 2 * time.Second
	followFor   = 5 * time.Minute
)

// following is a release whose keys are read again until there is nothing more
// to wait for. It goes on behind a closed dialog.
type following struct {
	generation int
	follow     inspect.Follow
	runsNext   string // what the plan said of who runs it
	began      time.Time
	now        time.Time
	reading    bool
	over       bool
	err        error // of the last read
}

// followRowsMsg is what the release left behind, from its audit record.
type followRowsMsg struct {
	id   string
	rows []inspect.AuditRow
	err  error
}

// followDueMsg says that the keys are to be read again.
type followDueMsg struct{ generation int }

// followedMsg is one look at the followed keys.
type followedMsg struct {
	generation int
	look       inspect.Lookup
	err        error
	at         time.Time
}

// followable reports that the last write was a release whose keys somebody may
// pick up.
func (s *Screen) followable() bool {
	if s.last == nil || s.last.undo || !s.last.undoable() {
		return false
	}
	_, can := s.cfg.Store.(inspect.KeyReader)
	completed, _ := s.last.released.Plan.CompletedBy()
	return can && len(completed) < s.last.released.Plan.Count()
}

// startFollow reads what the last release left behind, and opens the dialog.
func (s *Screen) startFollow() tea.Cmd {
	if !s.followable() {
		return nil
	}
	id, audit := s.last.released.AuditID, s.cfg.Audit
	return s.ask(func(context.Context) tea.Msg {
		rows, err := audit.Rows(id)
		return followRowsMsg{id: id, rows: rows, err: err}
	})
}

func (s *Screen) followRows(msg followRowsMsg) tea.Cmd {
	if msg.err != nil || s.last == nil || s.last.released.AuditID != msg.id {
		if msg.err != nil {
			s.complain("the release is not followed: %s", msg.err)
		}
		return s.showOutcome()
	}
	var open []inspect.AuditRow
	for _, row := range msg.rows {
		if row.Settlement == nil || row.Settlement.Outcome != inspect.AnswerCharged {
			open = append(open, row)
		}
	}
	generation := 0
	if s.follow != nil {
		generation = s.follow.generation + 1
	}
	s.follow = &following{generation: generation, follow: inspect.NewFollow(msg.id, open), runsNext: runsNextOf(s.last.released.Plan), began: s.now, now: s.now}
	return tea.Batch(s.lookAtFollowed(), s.dialogs.Push(s.newFollowDialog()))
}

// runsNextOf is the line of a plan that says who runs the message next.
func runsNextOf(p inspect.Plan) string {
	for _, line := range p.Consequence {
		if strings.HasPrefix(line, "runs next") {
			return line
		}
	}
	return ""
}

// lookAtFollowed reads the keys of which there is more to hear.
func (s *Screen) lookAtFollowed() tea.Cmd {
	reader, can := s.cfg.Store.(inspect.KeyReader)
	f := s.follow
	if !can || f == nil || f.reading || f.over {
		return nil
	}
	f.reading = true
	generation, open, table := f.generation, f.follow.Open(), s.cfg.Table
	return s.ask(func(ctx context.Context) tea.Msg {
		look, err := reader.Lookup(ctx, table, inspect.KeyList{Keys: open}, nil)
		return followedMsg{generation: generation, look: look, err: err, at: time.Now()}
	})
}

// followed takes a look. One that failed is tried again at the next turn: a
// server that is restarted in between is no end of the story.
func (s *Screen) followed(msg followedMsg) tea.Cmd {
	f := s.follow
	if f == nil || msg.generation != f.generation {
		return nil
	}
	f.reading, f.err, f.now = false, msg.err, msg.at
	if f.began.IsZero() {
		f.began = msg.at
	}
	if msg.err == nil {
		f.follow = f.follow.Next(msg.look)
	}
	if f.follow.Over() || f.left() <= 0 {
		f.over = true
		return nil
	}
	return tea.Tick(followEvery, func(time.Time) tea.Msg { return followDueMsg{f.generation} })
}

func (s *Screen) followDue(msg followDueMsg) tea.Cmd {
	if s.follow == nil || msg.generation != s.follow.generation {
		return nil
	}
	return s.lookAtFollowed()
}

// left is how much longer the keys are followed.
func (f *following) left() time.Duration { return followFor - f.now.Sub(f.began) }

// showFollow opens what is known of the last release, and begins to follow it
// if nobody did.
func (s *Screen) showFollow() tea.Cmd {
	switch {
	case s.last != nil && s.followable() && (s.follow == nil || s.follow.follow.AuditID != s.last.released.AuditID):
		return s.startFollow()
	case s.follow != nil:
		return s.dialogs.Push(s.newFollowDialog())
	case s.last != nil:
		s.say("nothing to follow: the last write released nothing that somebody picks up")
	default:
		s.say("nothing was released in this session; earlier ones: idemtui inspect follow AUDIT-ID")
	}
	return nil
}
