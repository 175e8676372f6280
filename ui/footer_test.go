package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"idemtui/sim"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
)

// The keys that the free player needs most are in the footer of a terminal of 80
// columns, alone and while handlers are compared.
func TestTheFooterHasTheNeededKeysAt80Columns(t *testing.T) {
	keyMap, dialogs := keys.Default(), &frame.Dialogs{}
	config := player.Config{Scenario: sim.DemoScenario(sim.HandlerCheck)}
	app := NewApp(WithExplorer(t.Context(), NewCourse(t.Context(), nil, config, keyMap, dialogs), keyMap, dialogs), dialogs, keyMap)
	app.Update(app.screen.Init()())
	app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	for _, step := range []struct {
		key  string
		want []string
	}{
		{"", []string{"space play", "←→ step", "tab handler", "c compare", "L lesson", "a change"}},
		{"c", []string{"space play", "←→ step", "tab handler", "c more", "L lesson", "↑↓ pick"}},
		{"c", []string{"space play", "←→ step", "tab handler", "c alone", "L lesson", "↑↓ pick"}},
		{"a", []string{"↑↓ choose", "←→ less, more", "r put it back", "esc close"}},
	} {
		if step.key != "" {
			app.Update(press(step.key))
		}
		lines := strings.Split(ansi.Strip(app.content()), "\n")
		footer := lines[len(lines)-1]
		for _, want := range append(step.want, "? help", "q quit") {
			if !strings.Contains(footer, want) {
				t.Errorf("after %q the footer lacks %q: %s", step.key, want, footer)
			}
		}
	}
}
