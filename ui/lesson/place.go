package lesson

import (
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
)

// place is where the viewer is in a lesson. The zero value is its first page.
type place struct {
	kind kind
	i    int // which page, or which table; on a low screen 1 is the closing's list
}

// kind is what there is at a place.
type kind uint8

const (
	page    kind = iota
	asking       // the question, which stands before its page, and its answer
	results      // a table at full size
	closing      // the last word
)

// book is what a viewer did in a lesson.
type book struct {
	asked   bool // the question was answered or skipped
	chosen  int  // the answer; none: -1
	marked  int  // the choice that is marked; none: -1
	changed map[int]sim.Scenario
	tables  []table
}

func newBook(l lessons.Lesson) book {
	b := book{chosen: -1, marked: -1, changed: map[int]sim.Scenario{}}
	b.tables = make([]table, len(l.Tables))
	return b
}

// next is the place after one; ok is false at the end of the lesson.
func (s *Screen) next(p place) (after place, ok bool) {
	l := s.lesson()
	switch p.kind {
	case page:
		switch {
		case p.i+1 == l.Question.Before && !s.book().asked:
			return place{kind: asking}, true
		case p.i+1 < len(l.Pages):
			return place{page, p.i + 1}, true
		}
		return s.next(place{results, -1})
	case asking:
		return place{page, l.Question.Before}, true
	case results:
		if p.i+1 < len(l.Tables) {
			return place{results, p.i + 1}, true
		}
		return place{kind: closing}, true
	case closing:
		if s.low && p.i == 0 && len(l.Checklist) > 0 {
			return place{closing, 1}, true
		}
	}
	return p, false
}

// before is the place before one; ok is false at the beginning.
func (s *Screen) before(p place) (before place, ok bool) {
	l := s.lesson()
	switch p.kind {
	case page:
		return place{page, p.i - 1}, p.i > 0
	case asking:
		return place{page, l.Question.Before - 1}, true
	case results:
		if p.i > 0 {
			return place{results, p.i - 1}, true
		}
	case closing:
		if s.low && p.i > 0 {
			return place{kind: closing}, true
		}
		if len(l.Tables) > 0 {
			return place{results, len(l.Tables) - 1}, true
		}
	}
	return place{page, len(l.Pages) - 1}, true
}

// turn goes on to the next place, or back, and over the end to the next lesson.
func (s *Screen) turn(by int) tea.Cmd {
	s.panel.Open = false
	if by > 0 {
		if s.place.kind == asking {
			s.book().asked = true
		}
		if p, ok := s.next(s.place); ok {
			return s.enter(p, true)
		}
		if s.at+1 < len(s.list) {
			return s.Open(s.at + 2)
		}
		return nil
	}
	if p, ok := s.before(s.place); ok {
		return s.enter(p, false)
	}
	if s.at > 0 {
		s.at--
		s.scene = noScene
		return s.enter(place{kind: closing}, false)
	}
	return nil
}

// turnResults shows the results at full size, and goes back to where they were
// asked for.
func (s *Screen) turnResults() tea.Cmd {
	if s.place.kind == results {
		return s.enter(s.from, false)
	}
	return s.enter(place{kind: results}, true)
}

// enter comes to a place. On the way forward the cursor moves to its moment so
// that one can look on; the way back is a jump.
func (s *Screen) enter(p place, forward bool) tea.Cmd {
	if p.kind == results && s.place.kind != results {
		s.from = s.place
	}
	s.place, s.panel.Open = p, false
	switch p.kind {
	case page, asking:
		how := jump
		if s.sequence() != nil {
			return tea.Batch(s.show(p.i, jump), s.enterSequence(forward))
		}
		if forward {
			how = glide
		}
		return s.show(s.pageOf(p), how)
	case results:
		return s.fill(p.i)
	}
	return nil
}

// pageOf is the page to which a place on the timeline belongs.
func (s *Screen) pageOf(p place) int {
	if p.kind == asking {
		return s.lesson().Question.Before
	}
	return p.i
}
