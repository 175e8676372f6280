package lesson

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/player"
)

// scene is one of a lesson's small runs.
type scene struct{ lesson, i int }

var noScene = scene{-1, -1}

// way is how the cursor comes to its place.
type way uint8

const (
	glide way = iota // along the timeline
	jump             // at once
	stay             // it stays where it is, as far as the new run allows
)

// recordedMsg brings a finished run.
type recordedMsg struct {
	request int
	scene   scene
	trace   *sim.Trace
	err     error
	how     way
	at      player.Place // where the cursor was
	atPage  bool         // it was at the moment of the page
}

// show brings the cursor to the moment of a page, in a run that may have to be
// made first.
func (s *Screen) show(page int, how way) tea.Cmd {
	want := scene{s.at, s.lesson().Pages[page].Scene}
	if s.scene == want && s.player.Trace() != nil {
		return s.come(how)
	}
	s.scene = want
	return s.record(how)
}

// scenario is what the scene's run is made of: its own, or as the viewer has
// changed it.
func (s *Screen) scenario() sim.Scenario {
	if changed, ok := s.book().changed[s.scene.i]; ok {
		return changed
	}
	return s.present().Scenario
}

// present is the scene on the screen, as the lesson has it.
func (s *Screen) present() *lessons.Scene { return &s.lesson().Scenes[s.scene.i] }

// record makes the scene's run, away from the loop. Whatever was asked for
// before is stale from now on.
func (s *Screen) record(how way) tea.Cmd {
	s.request++
	made := *s.present()
	made.Scenario = s.scenario()
	msg := recordedMsg{request: s.request, scene: s.scene, how: how, at: s.player.Place()}
	if how == stay && s.place.kind == page {
		said := s.say()
		msg.atPage = said.Found && said.N == msg.at.N
	}
	return func() tea.Msg {
		msg.trace, msg.err = made.Record()
		return msg
	}
}

// recorded shows the new run.
func (s *Screen) recorded(msg recordedMsg) tea.Cmd {
	if msg.request != s.request {
		return nil
	}
	if msg.err != nil {
		s.player.Fail(msg.err)
		return nil
	}
	_, changed := s.book().changed[msg.scene.i]
	s.player.Present(msg.trace, msg.how == stay && changed)
	if s.config.Speed > 0 {
		s.player.SetSpeed(s.config.Speed)
	}
	if msg.how != stay {
		return s.come(msg.how)
	}
	if said := s.say(); msg.atPage && said.Found {
		s.player.StandAt(said.N)
	} else {
		s.player.Return(msg.at)
	}
	return nil
}

// come brings the cursor to the moment of the place. Before a question is
// answered the cursor does not go on to the moment that answers it.
func (s *Screen) come(how way) tea.Cmd {
	if s.place.kind == asking && s.book().chosen < 0 {
		before := s.lesson().Question.Before - 1
		if s.lesson().Pages[before].Scene != s.scene.i {
			s.player.StandAt(0)
		}
		return nil
	}
	said := s.say()
	switch {
	case !said.Found:
		return nil
	case how == glide:
		return s.player.GlideTo(said.N)
	}
	s.player.StandAt(said.N)
	return nil
}

// said is what a page says of a run, kept as long as both are the same.
type said struct {
	lessons.Shown
	lesson, page int
	trace        *sim.Trace
}

// say is what the present page says of the present run.
func (s *Screen) say() lessons.Shown {
	t, i := s.player.Trace(), s.pageOf(s.place)
	if t == nil {
		return lessons.Shown{}
	}
	if k := &s.shown; k.trace != t || k.lesson != s.at || k.page != i {
		s.shown = said{Shown: s.lesson().Show(i, t), lesson: s.at, page: i, trace: t}
	}
	return s.shown.Shown
}

// waiting says that the run on the screen is not the one that was asked for.
func (s *Screen) waiting() bool {
	t := s.player.Trace()
	return t == nil || s.scene.lesson != s.at || t.Scenario() != s.scenario()
}

// turnHandler shows the scene under the next handler that is worth comparing.
func (s *Screen) turnHandler(by int) tea.Cmd {
	all := s.present().Compare
	scenario := s.scenario()
	i := slices.Index(all, scenario.Handler)
	if len(all) < 2 {
		return nil
	}
	scenario.Handler = all[(i+by+len(all))%len(all)]
	return s.change(scenario)
}

// change makes the scene's run anew with another scenario.
func (s *Screen) change(scenario sim.Scenario) tea.Cmd {
	if scenario == s.present().Scenario {
		delete(s.book().changed, s.scene.i)
	} else {
		s.book().changed[s.scene.i] = scenario
	}
	return s.record(stay)
}

// reset puts the run, or the table's workload, back as the lesson has it.
func (s *Screen) reset() tea.Cmd {
	if s.place.kind == results {
		return s.resetTable()
	}
	if _, changed := s.book().changed[s.scene.i]; !changed || s.sequence() != nil {
		return nil
	}
	return s.change(s.present().Scenario)
}
