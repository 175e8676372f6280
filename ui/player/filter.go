package player

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
)

// longestFilter bounds what can be typed.
const longestFilter = 32

// typeFilter takes a key while the filter of the log is typed. Up and down go
// through what it finds.
func (p *Player) typeFilter(msg tea.KeyPressMsg) {
	k := p.keys.Player
	switch name := msg.String(); {
	case key.Matches(msg, k.Clear):
		p.filtering, p.filter = false, ""
	case name == "enter":
		p.filtering = false
	case name == "backspace" && p.filter != "":
		_, size := utf8.DecodeLastRuneInString(p.filter)
		p.filter = p.filter[:len(p.filter)-size]
	case name == "backspace":
		p.filtering = false
	case name == "ctrl+u":
		p.filter = ""
	case key.Matches(msg, k.LaneUp):
		p.moveInList(true, -1)
	case key.Matches(msg, k.LaneDown):
		p.moveInList(true, 1)
	default:
		p.addToFilter(msg.Text)
	}
}

// addToFilter appends what was typed or pasted, as far as it can be shown.
func (p *Player) addToFilter(typed string) {
	for _, r := range typed {
		if unicode.IsPrint(r) && utf8.RuneCountInString(p.filter) < longestFilter {
			p.filter += string(r)
		}
	}
}

// matcher tests events against a filter: all that have the text in their line of
// the log, or with a ! in front of it all that have it not.
func (p *Player) matcher(filter string) func(sim.Event) bool {
	wanted, inverse := strings.CutPrefix(strings.ToLower(filter), "!")
	if wanted == "" {
		return func(sim.Event) bool { return true }
	}
	return func(e sim.Event) bool { return strings.Contains(p.logWords(e), wanted) != inverse }
}

// logWords is an event's line of the log, in lower case: who, the payment, the
// step, how it went, and what went wrong.
func (p *Player) logWords(e sim.Event) string {
	words := []string{p.logLane(e)}
	if e.Payment >= 0 {
		words = append(words, sim.PaymentName(e.Payment))
	}
	step := p.trace.Step(e)
	words = append(words, step)
	if outcome := logWord(p.trace.Outcome(e), step); outcome != "" {
		words = append(words, outcome)
	}
	all := p.trace.Violations()
	if i, bad := slices.BinarySearchFunc(all, int(e.Seq), func(v sim.Violation, seq int) int { return v.Seq - seq }); bad {
		words = append(words, "✗ "+all[i].Kind.String())
	}
	return strings.Join(words, " ")
}

// logLane is where the log says that an event happened.
func (p *Player) logLane(e sim.Event) string {
	if e.Worker >= 0 {
		return sim.WorkerLane(int(e.Worker)).String()
	}
	return e.Lane.String()
}
