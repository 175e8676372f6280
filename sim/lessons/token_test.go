package lessons_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"idemtui/sim/lessons"
)

// The token of a page opens the page and its run, as it is and as it was changed.
func TestTheTokenOfAPageOpensItsRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom(lessons.All()).Draw(t, "lesson")
		page := rapid.IntRange(0, len(l.Pages)-1).Draw(t, "page")
		scene := l.Scenes[l.Pages[page].Scene]
		for range rapid.IntRange(0, 4).Draw(t, "turns") {
			if len(scene.Parameters) == 0 {
				break
			}
			p := rapid.SampledFrom(scene.Parameters).Draw(t, "parameter")
			if turned, ok := p.Turn(scene.Scenario, rapid.SampledFrom([]int{-1, 1}).Draw(t, "by")); ok {
				scene.Scenario = turned
			}
		}
		token := l.Token(page, scene.Scenario)
		opened, err := lessons.ParseToken(token)
		if err != nil || !lessons.IsToken(token) {
			t.Fatalf("%s: %v", token, err)
		}
		if got := opened.Scene().Scenario; opened.Lesson != l.N || opened.Page != page+1 || got != scene.Scenario {
			t.Fatalf("%s opens %+v with %+v, want %+v", token, opened, got, scene.Scenario)
		}
	})
}

func TestBrokenTokensOfPagesAreRefusedInOneLine(t *testing.T) {
	for _, token := range []string{"l2.4.3", "l1", "l1.4", "l1.0.1", "l1.8.1", "l1.04.1", "l1.4.0", "l1.4.99", "l1.4.3.", "l1.4.3.s1.nobody.1", "l1.4.3.s2.fence.1"} {
		if _, err := lessons.ParseToken(token); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", token, err)
		}
	}
	for _, token := range []string{"", "l", "lx.1", "s1.check.1", "x1.check"} {
		if lessons.IsToken(token) {
			t.Errorf("%q is taken for a page's", token)
		}
	}
}
