package lesson

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// pressedInQuestion takes a key while the question stands: a number answers it,
// and so does the mark. Nothing moves the cursor until it is answered or
// skipped, since the run would tell.
func (s *Screen) pressedInQuestion(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	b, k := s.book(), s.keys.Lesson
	choices := len(s.lesson().Question.Choices)
	if b.chosen >= 0 {
		return nil, false
	}
	switch {
	case key.Matches(msg, k.MarkLeft):
		b.marked = max(b.marked-1, 0)
	case key.Matches(msg, k.MarkRight):
		b.marked = min(b.marked+1, choices-1)
	case key.Matches(msg, k.Answer) && b.marked >= 0:
		return s.answer(b.marked), true
	case key.Matches(msg, k.Choice):
		if n := int(msg.String()[0] - '1'); n < choices {
			return s.answer(n), true
		}
	case key.Matches(msg, k.Change), key.Matches(msg, k.Reset), key.Matches(msg, k.Results), key.Matches(msg, s.keys.Player.Compare):
	default:
		return nil, false
	}
	return nil, true
}

// answer takes the viewer's answer, and shows what does happen.
func (s *Screen) answer(choice int) tea.Cmd {
	b := s.book()
	b.asked, b.chosen = true, choice
	if s.waiting() {
		return nil
	}
	return s.come(glide)
}

// verdict is the answer to the question, from the run that answers it.
func (s *Screen) verdict() string {
	t := s.player.Trace()
	if t == nil {
		return ""
	}
	return s.lesson().Question.Explain(t.Result(), s.book().chosen)
}

// right says whether the viewer's answer is right.
func (s *Screen) right() bool {
	t := s.player.Trace()
	if t == nil {
		return false
	}
	choice, _, ok := s.lesson().Question.Answer(t.Result())
	return ok && choice == s.book().chosen
}
