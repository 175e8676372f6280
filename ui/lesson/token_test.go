package lesson_test

import (
	"fmt"
	"testing"

	"idemtui/sim/lessons"
	"idemtui/ui/lesson"
)

// Every page has its token on the screen where there is room, and the token
// opens the page with its run, as it is and as it was changed.
func TestEveryPageHasATokenThatOpensIt(t *testing.T) {
	for _, l := range lessons.All() {
		for i, page := range l.Pages {
			scene := l.Scenes[page.Scene]
			onStage(t, lesson.Config{Lesson: l.N, Page: i + 1, Seed: 1}, 120, 36, func(t *testing.T, s *stage) {
				s.shows(t, fmt.Sprintf("token l1.%d.%d ", l.N, i+1), fmt.Sprintf("page %d of %d", i+1, len(l.Pages)))
			})
			for _, p := range scene.Parameters {
				changed, ok := p.Turn(scene.Scenario, 1)
				if !ok {
					continue
				}
				opened, err := lessons.ParseToken(l.Token(i, changed))
				if err != nil {
					t.Fatal(err)
				}
				onStage(t, lesson.Config{Lesson: opened.Lesson, Page: opened.Page, Changed: opened.Changed, Seed: 1}, 200, 60, func(t *testing.T, s *stage) {
					// The token is made from the run that is shown.
					s.shows(t, "token "+l.Token(i, changed), fmt.Sprintf("page %d of %d", i+1, len(l.Pages)))
				})
				break
			}
		}
	}
}
