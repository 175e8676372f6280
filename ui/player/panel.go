package player

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/keys"
	"idemtui/ui/text"
)

// Panel is where a run is changed on the spot: a list of parameters, one of
// which is selected and can be turned. The zero value is closed.
type Panel struct {
	Open     bool
	selected int
	stuck    bool // the last turn changed nothing
}

// Dials are what a panel turns.
type Dials struct {
	Parameters []lessons.Parameter
	Now, Own   sim.Scenario // as it is, and as it was before anything was turned
	Whose      string       // what Own is, before its value: "lesson"
	Title      string       // what heads the panel
}

// Pressed takes a key while the panel is open. by is how the selected parameter
// of so many is to be turned, 0 where it is not. taken is false for keys that
// are no business of the panel.
func (b *Panel) Pressed(msg tea.KeyPressMsg, k keys.Lesson, parameters int) (by int, taken bool) {
	b.stuck = false
	switch {
	case key.Matches(msg, k.Up):
		b.selected = max(b.selected-1, 0)
	case key.Matches(msg, k.Down):
		b.selected = min(b.selected+1, parameters-1)
	case key.Matches(msg, k.Less):
		return -1, true
	case key.Matches(msg, k.More):
		return 1, true
	case key.Matches(msg, k.Change, k.Back, k.Answer):
		b.Open = false
	default:
		return 0, false
	}
	return 0, true
}

// Selected is which parameter is turned, of those in the list.
func (b *Panel) Selected(all []lessons.Parameter) lessons.Parameter {
	return all[min(b.selected, len(all)-1)]
}

// Turned says whether the turn that Pressed asked for changed anything.
func (b *Panel) Turned(ok bool) { b.stuck = !ok }

// aboutRoom is how many cells there must be beside a value to say there what it
// means.
const aboutRoom = 26

// aboutHeight is how many lines a panel has at least where what is cut beside a
// value stands whole at the bottom.
const aboutHeight = 8

// draw draws the list under its heading, the selected parameter always among
// the lines. What a parameter means stands beside it, and where there is no room
// for all of it the selected one's at the bottom.
func (b *Panel) draw(v *view, p pane, d Dials) {
	all := d.Parameters
	if len(all) == 0 || p.rect.h <= 0 {
		return
	}
	selected := min(b.selected, len(all)-1)
	names, values := 0, 0
	for _, parameter := range all {
		names, values = max(names, text.Width(parameter.String())), max(values, text.Width(parameter.Value(d.Now)))
	}
	column := 3 + names + len("  ← ") + values + len(" →  ") - 4 // an arrow has three bytes and one cell
	beside := p.rect.w-column >= aboutRoom
	widest := 0
	for _, parameter := range all {
		widest = max(widest, text.Width(b.about(parameter, d)))
	}
	below := 0
	switch {
	case !beside:
		below = min((widest+p.rect.w)/max(p.rect.w-1, 1), max((p.rect.h-2)/2, 0))
	case widest > p.rect.w-column && p.rect.h >= aboutHeight:
		below = (widest + p.rect.w) / max(p.rect.w-1, 1)
	}
	title := d.Title
	if len(all) > p.rect.h-1-below {
		title += fmt.Sprintf(" · %d of %d", selected+1, len(all))
	}
	y := v.section(p, 0, title)
	rows := max(p.rect.h-y-below, 1)
	first := min(max(selected-rows+1, 0), max(len(all)-rows, 0))
	for i := first; i < min(len(all), first+rows); i++ {
		k, other := inkStrong, inkMuted
		if i == selected {
			p.put(1, y, ">", inkAccent)
			k, other = inkAccent, inkText
		}
		p.put(3, y, all[i].String(), k)
		x := p.put(3+names+2, y, "← ", inkMuted)
		x = p.put(x, y, text.Right(all[i].Value(d.Now), values), inkStrong)
		p.put(x, y, " →", inkMuted)
		if about := b.about(all[i], d); beside {
			p.cut(column, y, p.rect.w-column, about, other)
		} else if own := all[i].Value(d.Own); own != all[i].Value(d.Now) {
			p.cut(column, y, p.rect.w-column, "("+own+")", inkMuted)
		}
		y++
	}
	if below > 0 {
		p.sub(1, p.rect.h-below, p.rect.w-1, below).wrap(0, below, b.about(all[selected], d), inkInfo)
	}
}

// about is what a parameter means, and what it was before it was turned.
func (b *Panel) about(parameter lessons.Parameter, d Dials) string {
	if b.stuck && parameter == b.Selected(d.Parameters) {
		return "it goes no further"
	}
	about := parameter.About()
	if own := parameter.Value(d.Own); own != parameter.Value(d.Now) {
		about = strings.TrimSuffix(about, ".") + " (" + d.Whose + ": " + own + ")"
	}
	return about
}

// Panel draws a panel over dials in w by h cells, for a screen around the player.
func (p *Player) Panel(b *Panel, d Dials, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	c := newCanvas(w, h)
	b.draw(&view{Player: p}, c.pane(rect{0, 0, w, h}), d)
	return c.draw(&p.palette)
}
