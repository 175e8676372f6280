package start

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"idemtui/ui/keys"
	"idemtui/ui/theme"
)

func newPage() *Page {
	p := New([]Choice{
		{Title: "Watch two deliveries race", About: "the animated explainer", Args: []string{"sim"}},
		{Title: "Look at the stuck claims", About: "the inspector", Args: []string{"inspect"}},
	}, keys.Default())
	p.SetStyles(theme.New(true))
	return p
}

func press(p *Page, keys ...rune) (cmd tea.Cmd) {
	for _, k := range keys {
		cmd = p.Update(tea.KeyPressMsg{Code: k})
	}
	return cmd
}

func TestChoosingEndsThePageWithACommandLine(t *testing.T) {
	p := newPage()
	if _, ok := p.Chosen(); ok {
		t.Fatal("something is chosen before a key was pressed")
	}
	cmd := press(p, tea.KeyDown, tea.KeyDown, tea.KeyUp, tea.KeyEnter)
	choice, ok := p.Chosen()
	if !ok || choice.Args[0] != "inspect" || cmd == nil {
		t.Fatalf("chose %+v (%v)", choice, ok)
	}
}

func TestThePageFits(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"60x15", 60, 15}, {"80x24", 80, 24}, {"120x36", 120, 36}} {
		t.Run(size.name, func(t *testing.T) {
			view := ansi.Strip(newPage().View(size.w, size.h-1))
			lines := strings.Split(view, "\n")
			if len(lines) > size.h-1 {
				t.Errorf("%d lines of %d", len(lines), size.h-1)
			}
			for _, line := range lines {
				if ansi.StringWidth(line) > size.w {
					t.Errorf("line of %d cells: %q", ansi.StringWidth(line), line)
				}
			}
			golden.RequireEqual(t, []byte(view))
		})
	}
}
