package frame

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"idemtui/ui/theme"
)

func checkSize(t interface{ Fatalf(string, ...any) }, frame string, w, h int) {
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Fatalf("frame has %d lines, want %d", len(lines), h)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got > w {
			t.Fatalf("line %d takes %d cells of %d: %q", i, got, w, line)
		}
	}
}

func TestFitIsExactlyAsLargeAsAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.StringOfN(rapid.RuneFrom([]rune("ab 注文👩\n")), 0, 200, -1).Draw(t, "content")
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 12).Draw(t, "h")
		checkSize(t, Fit(content, w, h), w, h)
	})
	if got := Fit("abc", 0, 0); got != "" {
		t.Errorf("Fit to nothing = %q", got)
	}
}

func TestOverlayKeepsTheFrameAndBothSides(t *testing.T) {
	background := strings.Repeat(strings.Repeat(".", 20)+"\n", 4) + strings.Repeat(".", 20)
	got := ansi.Strip(Overlay(background, "[box]\n[two]", 20, 5))
	want := "....................\n.......[box]........\n.......[two]........\n....................\n...................."
	if got != want {
		t.Errorf("Overlay =\n%s\nwant\n%s", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOfN(rapid.RuneFrom([]rune("ab注👩")), 0, 60, -1)
		background := strings.Join(rapid.SliceOfN(line, 0, 20).Draw(t, "background"), "\n")
		box := strings.Join(rapid.SliceOfN(line, 1, 20).Draw(t, "box"), "\n")
		w, h := rapid.IntRange(4, 50).Draw(t, "w"), rapid.IntRange(1, 15).Draw(t, "h")
		checkSize(t, Overlay(background, box, w, h), w, h)
	})
}

func TestTooSmallSaysWhatIsNeeded(t *testing.T) {
	for _, size := range [][2]int{{59, 15}, {60, 14}, {40, 10}, {20, 5}, {10, 3}, {10, 1}, {3, 2}, {1, 1}} {
		got := TooSmall(size[0], size[1])
		checkSize(t, got, size[0], size[1])
		if size[0] >= 5 && !strings.Contains(got, "60x15") {
			t.Errorf("at %v the needed size is missing: %q", size, got)
		}
		if size[1] >= 3 && size[0] >= 10 && !strings.Contains(got, "large") {
			t.Errorf("at %v it does not say what to do: %q", size, got)
		}
	}
}

func TestFooterLeavesOutWholeKeysAndKeepsHelp(t *testing.T) {
	binding := func(k, does string) key.Binding { return key.NewBinding(key.WithKeys(k), key.WithHelp(k, does)) }
	keys := []key.Binding{binding("space", "play"), binding("tab", "handler"), binding("g", "go to a time")}
	help := []key.Binding{binding("?", "help")}
	if got := ansi.Strip(Footer(keys, help, 80, theme.New(true))); got != " space play  tab handler  g go to a time  ? help" {
		t.Errorf("wide footer = %q", got)
	}
	if got := ansi.Strip(Footer(keys, help, 30, theme.New(true))); got != " space play  ? help" {
		t.Errorf("narrow footer = %q", got)
	}
}

func TestHelpBoxFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := make([]KeyGroup, rapid.IntRange(1, 6).Draw(t, "groups"))
		for i := range groups {
			groups[i].Title = "group"
			for range rapid.IntRange(0, 12).Draw(t, "keys") {
				groups[i].Keys = append(groups[i].Keys, key.NewBinding(key.WithKeys("x"), key.WithHelp("⇧←→", "does something useful")))
			}
		}
		w, h := rapid.IntRange(MinWidth, 200).Draw(t, "w"), rapid.IntRange(MinHeight, 60).Draw(t, "h")
		all, shown := 0, 0
		for _, g := range groups {
			all += len(g.Keys)
		}
		_, pages := HelpBox(groups, 0, w, h, theme.New(false))
		for page := range pages {
			box, _ := HelpBox(groups, page, w, h, theme.New(false))
			shown += strings.Count(box, "does something useful")
			lines := strings.Split(box, "\n")
			if len(lines) > h {
				t.Fatalf("help is %d lines of %d", len(lines), h)
			}
			for _, line := range lines {
				if ansi.StringWidth(line) > w {
					t.Fatalf("help line takes %d cells of %d", ansi.StringWidth(line), w)
				}
			}
		}
		if shown != all {
			t.Fatalf("%d pages show %d keys of %d", pages, shown, all)
		}
	})
}
