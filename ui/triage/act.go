package triage

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// operation is the last thing this session wrote, and how it ended.
type operation struct {
	undo     bool
	released inspect.Result
	restored inspect.UndoResult
	err      error
	undone   bool
}

// undoable reports that it is a release that changed something and was not
// undone yet.
func (o *operation) undoable() bool {
	return !o.undo && !o.undone && len(o.released.Released) > 0 && o.released.AuditID != ""
}

// plannedMsg is what a release would do.
type plannedMsg struct {
	request inspect.PlanRequest
	plan    inspect.Plan
	settle  bool
	err     error
}

func (m plannedMsg) verb() string {
	if m.settle {
		return "settled"
	}
	return "released"
}

// releasedMsg is what a release did. The result counts even with an error.
type releasedMsg struct {
	result inspect.Result
	err    error
	follow bool // the released keys are followed at once
}

// cannotWrite says why nothing may be written here at all; "" means that it
// may, once the session is armed.
func (s *Screen) cannotWrite() string {
	database := s.databaseNow()
	switch {
	case s.session == inspect.ModeForbidden && s.cfg.ForbiddenBy != "":
		return "releasing is forbidden here by " + s.cfg.ForbiddenBy
	case s.session == inspect.ModeForbidden:
		return "releasing is forbidden in this session"
	case database.Standby:
		return "this is a standby: connect to the primary to release"
	case database.ReadOnly:
		return "this server refuses writes: connect to one that takes them"
	case !s.cfg.Table.CanUpdate && !s.cfg.Table.CanDelete:
		return "the role " + text.Sanitise(database.User) + " may not change this table: ask for UPDATE on it"
	case s.cfg.Audit == nil:
		return "there is no audit file, and without one nothing is released"
	}
	return ""
}

// needsArming reports that a person must type something before a write.
func (s *Screen) needsArming() bool { return s.session != inspect.ModeArmed || !s.accepted }

// busy reports that a plan, a lookup or a write is on its way.
func (s *Screen) busy() bool { return s.planning || s.looking || s.writing != "" }

// wantRelease begins a release of the marked claims, or of the selected one.
func (s *Screen) wantRelease() tea.Cmd {
	if s.databaseNow().Standby && s.session != inspect.ModeForbidden {
		return s.onStandby()
	}
	targets := s.list.targets()
	if len(targets) == 0 && s.cannotWrite() == "" {
		s.say("no claim is selected")
		return nil
	}
	return s.wantPlan(inspect.PlanRequest{Keys: targets})
}

// wantOwner begins a release of every claim of the selected claim's owner.
func (s *Screen) wantOwner() tea.Cmd {
	r, ok := s.list.selected()
	switch {
	case !ok:
		s.say("no claim is selected")
		return nil
	case !r.claim.Owner.OK:
		s.say("this claim has no owner to release by")
		return nil
	}
	return s.wantPlan(inspect.PlanRequest{Owner: r.claim.Owner})
}

// wantPlan asks what a release would do, unless nothing may be written; a
// session that is read-only is armed first.
func (s *Screen) wantPlan(request inspect.PlanRequest) tea.Cmd {
	if why := s.cannotWrite(); why != "" {
		s.complain("%s", why)
		return nil
	}
	switch {
	case s.busy():
		s.say("one moment: the last one is still under way")
		return nil
	case s.needsArming():
		return s.dialogs.Push(s.newArmDialog(armedFor{release: &request}))
	}
	return s.plan(request)
}

// armed takes the confirmation of the arming dialog, and goes on with what was
// wanted: the next dialog asks again.
func (s *Screen) armed(msg armedMsg) tea.Cmd {
	s.session, s.accepted = inspect.ModeArmed, true
	s.say("this session is armed: %s releases, after asking", s.keys.Release.Help().Key)
	switch {
	case msg.then.undo:
		return s.planUndo()
	case msg.then.release != nil:
		return s.plan(*msg.then.release)
	case len(msg.then.answers) > 0:
		return s.planSettle(answerChosenMsg{msg.then.answers})
	case len(msg.then.settle) > 0:
		return s.dialogs.Push(s.newAnswerDialog(msg.then.settle))
	}
	return nil
}

// disarm makes an armed session read-only again.
func (s *Screen) disarm() {
	if s.session != inspect.ModeArmed {
		s.say("this session is read-only already")
		return
	}
	s.session = inspect.ModeReadOnly
	s.say("this session is read-only again")
}

// plan reads the claims again and asks what a release would do.
func (s *Screen) plan(request inspect.PlanRequest) tea.Cmd {
	s.planning = true
	request.Mode = inspect.ReleaseAuto
	request.Before = s.memory.forOne()
	store, table := s.cfg.Store, s.cfg.Table
	return s.ask(func(ctx context.Context) tea.Msg {
		plan, err := store.Plan(ctx, table, request)
		return plannedMsg{request: request, plan: plan, err: err}
	})
}

func (s *Screen) planned(msg plannedMsg) tea.Cmd {
	s.planning = false
	if msg.err != nil {
		s.complain("nothing was %s: %s", msg.verb(), msg.err)
		return nil
	}
	if msg.settle {
		return s.dialogs.Push(s.newSettleDialog(msg.plan))
	}
	return s.dialogs.Push(s.newReleaseDialog(msg.request, msg.plan))
}

// release carries out a plan that was confirmed.
func (s *Screen) release(msg releaseChosenMsg) tea.Cmd {
	if s.busy() || s.needsArming() || s.cannotWrite() != "" {
		return nil
	}
	verb := verbOf(msg.plan)
	s.writing = verb.ing + " " + claims(msg.plan.Count()) + " …"
	store, table, audit, accepted := s.cfg.Store, s.cfg.Table, s.cfg.Audit, s.accepted
	ctx, cancel := context.WithCancel(s.ctx)
	progress := &progress{total: msg.plan.Count(), cancel: cancel}
	writing := s.askWith(ctx, func(ctx context.Context) tea.Msg {
		defer cancel()
		auditor, err := audit.Begin()
		if err != nil {
			return releasedMsg{result: inspect.Result{Plan: msg.plan}, err: err}
		}
		result, err := store.Release(ctx, table, msg.plan, inspect.ReleaseOptions{
			Auditor: auditor, Reason: msg.reason, AllowUnverified: accepted, Progress: progress.tell,
		})
		s.unseen.note("the "+verb.noun, auditor.ID(), len(result.Released), verb.ed, err)
		return releasedMsg{result: result, err: err, follow: msg.follow}
	})
	if msg.plan.Count() == 1 {
		return writing
	}
	return tea.Batch(writing, s.dialogs.Push(s.newProgressDialog(verb, progress)))
}

// verb is what a plan does, in the forms that sentences need.
type verb struct{ noun, ing, ed string }

func verbOf(p inspect.Plan) verb {
	if p.Settles() {
		return verb{"settle", "settling", "settled"}
	}
	return verb{"release", "releasing", "released"}
}

// released shows the outcome of each claim, and lets the released rows fade
// out with a note.
func (s *Screen) released(msg releasedMsg) tea.Cmd {
	s.writing = ""
	s.unseen.seen()
	s.last = &operation{released: msg.result, err: msg.err}
	verb := verbOf(msg.result.Plan)
	note := verb.ed + ", audit " + text.Sanitise(msg.result.AuditID)
	for _, k := range msg.result.Released {
		s.left[k] = note
	}
	for _, skip := range msg.result.Skipped {
		s.left[skip.Key] = "not " + verb.ed + ": " + text.Sanitise(skip.Text)
	}
	gone := make(map[inspect.Key]string, len(msg.result.Released))
	for _, k := range msg.result.Released {
		gone[k] = note
	}
	s.list.leave(gone, s.now)
	for _, row := range msg.result.Plan.Rows {
		delete(s.list.marked, row.Key)
	}
	for _, skip := range msg.result.Plan.Refused {
		delete(s.list.marked, skip.Key)
	}
	if msg.follow && msg.err == nil && len(msg.result.Released) > 0 {
		return tea.Batch(s.startFollow(), s.loadClaims())
	}
	return tea.Batch(s.showOutcome(), s.loadClaims())
}

// showOutcome opens what the last release or undo did.
func (s *Screen) showOutcome() tea.Cmd {
	if s.last == nil {
		s.say("nothing was written in this session")
		return nil
	}
	d := &outcomeDialog{keys: s.keys, buttons: s.buttons, operation: *s.last, sheet: s.newSheet(), form: newForm(nil, "Close")}
	if s.followable() {
		d.form = newForm(nil, "Close", "Follow "+them(len(s.last.released.Released)))
	}
	return s.dialogs.Push(d)
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// errText is an error for a dialog; a cancelled question is said in words.
func errText(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return faultText(err)
}
