package player

import (
	"slices"

	"charm.land/bubbles/v2/key"

	"idemtui/sim"
	"idemtui/ui/text"
)

// mostShift is how many cells a mark may stand beside its place so that the one
// before it stays readable.
const mostShift = 4

// wish is an instant that wants to be marked on a lane: the texts say the same
// in less and less room.
type wish struct {
	column int
	seq    int32 // the event; -1 for what holds from the page's start
	texts  []string
	ink    ink
	loud   bool // a violation: it takes its place from others
}

// mark is an instant as it is drawn.
type mark struct {
	x    int
	seq  int32
	text string
	ink  ink
}

// layMarks finds a place for each wish. In time order: each takes its longest
// text that leaves the next one its place.
func (p *page) layMarks(wishes []wish) []mark {
	marks := make([]mark, 0, len(wishes))
	free := 0 // the first cell that is not taken
	for i, w := range wishes {
		x := max(w.column, free)
		if x-w.column > mostShift || x >= p.width {
			if !w.loud {
				continue
			}
			x = min(w.column, p.width-1)
			marks = clearFrom(marks, x)
		}
		room := p.width - x
		if i+1 < len(wishes) {
			room = min(room, max(wishes[i+1].column-x-1, wishes[i+1].column+mostShift-x-1))
		}
		chosen := w.texts[len(w.texts)-1]
		for _, t := range w.texts {
			if text.Width(t) <= room {
				chosen = t
				break
			}
		}
		if w.loud { // never without its words while the page has room
			chosen = firstThatFits(w.texts, p.width-x)
		}
		marks = append(marks, mark{x: x, seq: w.seq, text: chosen, ink: w.ink})
		free = x + text.Width(chosen)
		if text.Width(chosen) > 1 {
			free++
		}
	}
	return marks
}

func firstThatFits(texts []string, room int) string {
	i := slices.IndexFunc(texts, func(t string) bool { return text.Width(t) <= room })
	if i < 0 {
		return texts[len(texts)-1]
	}
	return texts[i]
}

// clearFrom shortens and drops marks so that the cells from x on are free.
func clearFrom(marks []mark, x int) []mark {
	for len(marks) > 0 {
		last := &marks[len(marks)-1]
		if last.x+text.Width(last.text) < x {
			return marks
		}
		if last.x < x-1 {
			last.text = string([]rune(last.text)[:1])
			return marks
		}
		marks = marks[:len(marks)-1]
	}
	return marks
}

// wishes are the marks of the broker's or the provider's lane.
func (p *page) wishes(lane sim.Lane) []wish {
	spans := p.trace.Spans(lane, p.start, p.end())
	all := make([]wish, 0, len(spans))
	for i, s := range spans {
		column := p.column(s.Start)
		if column < 0 || column >= p.width {
			continue
		}
		if s.Event == sim.EventArrive && i+1 < len(spans) && spans[i+1].Start == s.Start {
			continue // handed out at the instant at which it arrived: one mark
		}
		_, wrong := p.violation(s.FirstSeq)
		if p.dense && !wrong && len(all) > 0 && all[len(all)-1].column == column {
			continue // from far away one mark stands for many
		}
		if s.Label == sim.LabelAck && s.Event != sim.EventAckLate && !wrong && p.trace.Scenario().Payments > 1 {
			continue // the workers' own lanes say it, and the deliveries need the room
		}
		if s.Event == sim.EventDelete && p.trace.Scenario().Direct {
			continue // nobody brings it back: there is nothing to see
		}
		w := wish{column: column, seq: s.FirstSeq, loud: wrong}
		if lane == sim.LaneProvider {
			p.wishCharge(&w, s)
		} else {
			p.wishBroker(&w, s)
		}
		all = append(all, w)
	}
	return all
}

func (p *page) wishBroker(w *wish, s sim.Span) {
	name := sim.PaymentName(s.Payment)
	w.ink = inkMuted
	if w.loud {
		w.texts, w.ink = []string{"✗ " + name + " never charged", "✗ " + name, "✗"}, inkBad
		return
	}
	if p.trace.Scenario().Direct {
		switch s.Event {
		case sim.EventReturn:
			w.texts, w.ink = []string{"✗ " + name + " no answer", "✗ no answer", "✗ " + name, "✗"}, inkWarn
			return
		case sim.EventEffect:
			w.texts = []string{"╹answered", "╹"}
			return
		}
	}
	switch s.Event {
	case sim.EventDeliver, sim.EventRedeliver:
		if s.Event == sim.EventDeliver && s.Ordinal == 1 {
			w.texts, w.ink = []string{"●" + name, "●"}, inkText
			return
		}
		w.texts, w.ink = []string{"↻" + name + " again", "↻" + name, "↻"}, inkWarn
	case sim.EventArrive:
		w.texts = []string{"+" + name + " waits", "+" + name, "+"}
	case sim.EventVisible, sim.EventReturn:
		w.texts, w.ink = []string{"←" + name + " is back", "←" + name, "←"}, inkWarn
	case sim.EventReplay:
		w.texts, w.ink = []string{"←" + name + " replayed", "←" + name, "←"}, inkWarn
	case sim.EventAckLost:
		w.texts, w.ink = []string{"✗ ack lost", "✗"}, inkWarn
	case sim.EventAckLate:
		w.texts, w.ink = []string{"✗ ack too late", "✗ late", "✗"}, inkWarn
	case sim.EventReject:
		w.texts, w.ink = []string{"✗ " + name + " refused", "✗"}, inkWarn
	case sim.EventDeadLetter:
		w.texts, w.ink = []string{"✗ " + name + " dead letter", "✗ " + name, "✗"}, inkWarn
	case sim.EventDelete:
		w.texts = []string{"╹deleted", "╹"}
	case sim.EventRebalance:
		w.texts, w.ink = []string{"╹rebalance", "╹"}, inkWarn
	case sim.EventRewind:
		w.texts, w.ink = []string{"←" + name + " comes again", "←" + name, "←"}, inkWarn
	case sim.EventCommitOffset:
		w.texts = []string{"╹committed", "╹"}
	default:
		w.texts = []string{"╹acked", "╹"}
	}
}

// wishCharge marks what the call came to. Whether the ledger grew is asked of
// the trace, since a repeated key or a set value leaves it as it is.
func (p *page) wishCharge(w *wish, s sim.Span) {
	name := sim.PaymentName(s.Payment)
	switch {
	case s.Event == sim.EventForgetKey:
		w.texts, w.ink = []string{"╹key of " + name + " forgotten", "╹forgotten", "╹"}, inkWarn
		return
	case s.Label == sim.LabelChargeFail:
		w.texts, w.ink = []string{"✗ " + name + " refused", "✗ refused", "✗"}, inkWarn
		return
	case s.Label == sim.LabelFenced:
		w.texts, w.ink = []string{"✗ " + name + " old token", "✗ old token", "✗"}, inkWarn
		return
	}
	switch {
	case w.loud:
		w.texts, w.ink = []string{"✗ $ " + name, "✗$", "✗"}, inkBad
	case p.charges(s):
		w.texts, w.ink = []string{"$ " + name, "$"}, inkOK
	default:
		p.unchanged[s.FirstSeq] = true
		w.texts, w.ink = []string{"= " + name + " no change", "= " + name, "="}, inkOK
	}
}

// charges says whether a call that went through made the ledger grow: the first
// one of a payment does, and any other that the trace calls a violation.
func (p *page) charges(s sim.Span) bool {
	switch p.trace.Handler().Effect {
	case sim.EffectCount, sim.EffectFence:
		return true
	}
	if p.firsts == nil {
		p.firsts = firstCharges(p.trace, p.end())
	}
	if p.firsts[s.EffectSeq] {
		return true
	}
	_, again := p.violation(s.EffectSeq)
	return again
}

// firstCharges are the events up to a time at which a payment was first charged.
func firstCharges(t *sim.Trace, until int64) map[int32]bool {
	charged := make([]bool, t.Scenario().Payments)
	firsts := map[int32]bool{}
	for _, s := range t.Spans(sim.LaneProvider, 0, until) {
		if s.Payment < 0 || charged[s.Payment] || s.Label != sim.LabelCharge && s.Label != sim.LabelChargeTimeout {
			continue
		}
		charged[s.Payment] = true
		firsts[s.EffectSeq] = true
	}
	return firsts
}

// violation says whether the event is one, and which.
func (p *page) violation(seq int32) (kind sim.ViolationKind, ok bool) {
	all := p.trace.Violations()
	i, found := slices.BinarySearchFunc(all, int(seq), func(v sim.Violation, seq int) int { return v.Seq - seq })
	if !found {
		return 0, false
	}
	return all[i].Kind, true
}

// worldWords are what the world did to a row, in words.
var worldWords = map[sim.EventKind]string{
	sim.EventBusy:       "busy",
	sim.EventExpire:     "lease lapsed",
	sim.EventForget:     "forgotten",
	sim.EventRenew:      "renews",
	sim.EventRenewStale: "old token",
}

// rowWords are what a step did in the table, in words.
var rowWords = map[sim.Label]string{
	sim.LabelCheckNew:        "not seen",
	sim.LabelCheckSeen:       "seen",
	sim.LabelRemember:        "remembers",
	sim.LabelClaimWon:        "claims",
	sim.LabelClaimLost:       "too late",
	sim.LabelClaimRetry:      "claims again",
	sim.LabelClaimTakeover:   "takes over",
	sim.LabelClaimDone:       "finds DONE",
	sim.LabelComplete:        "DONE",
	sim.LabelCompleteStale:   "old token",
	sim.LabelMarkFailed:      "FAILED",
	sim.LabelMarkFailedStale: "old token",
	sim.LabelRelease:         "releases",
	sim.LabelCommit:          "commits",
	sim.LabelRollback:        "rolls back",
	sim.LabelForget:          "forgets",
}

// tableWishes are the marks of the table's lane. With one payment the row's
// first state is said at the left.
func (p *page) tableWishes() []wish {
	one := p.trace.Scenario().Payments == 1
	var all []wish
	if one {
		all = append(all, wish{column: 0, seq: -1, texts: []string{p.firstRow(), ""}, ink: inkMuted})
	}
	for _, s := range p.trace.Spans(sim.LaneTable, p.start, p.end()) {
		column := p.column(s.Start)
		if column < 0 || column >= p.width {
			continue
		}
		w := wish{column: column, seq: s.FirstSeq, ink: stepInk(p.trace.Handler().Program[s.PC].Kind)}
		word, world := worldWords[s.Event]
		if !world {
			word = rowWords[s.Label]
		}
		if world && s.Event != sim.EventBusy {
			w.ink = inkWarn
		}
		if s.Event == sim.EventExpire || s.Worker < 0 {
			w.texts, w.ink = []string{"╹" + word, "╹"}, inkWarn
			all = append(all, w)
			continue
		}
		worker := sim.WorkerLane(int(s.Worker)).String()
		if one {
			w.texts = []string{"╹" + worker + " " + word, "╹" + worker, "╹"}
		} else {
			name := sim.PaymentName(s.Payment)
			w.texts = []string{"╹" + name + " " + word, "╹" + name, "╹"}
		}
		all = append(all, w)
	}
	return all
}

// layNotes says under each step of a worker what came of it.
func (p *page) layNotes(blocks []block) []mark {
	var all []wish
	for i := range blocks {
		b := &blocks[i]
		if b.span.Kind != sim.SpanStep || b.span.EffectSeq < 0 || b.span.Effect < p.start || p.dense {
			continue
		}
		w := wish{column: b.a + 1, seq: b.span.EffectSeq, ink: inkMuted}
		switch kind := p.trace.Handler().Program[b.span.PC].Kind; {
		case b.span.Event == sim.EventBusy:
			w.texts = []string{"finds it claimed", "busy", ""}
		case kind == sim.OpCharge:
			p.wishCharged(&w, b)
		case kind == sim.OpAck:
			continue
		default:
			w.texts = []string{rowWords[b.span.Label], ""}
		}
		all = append(all, w)
	}
	return p.layMarks(all)
}

// wishCharged says what came of a charge, under the instant of its effect.
func (p *page) wishCharged(w *wish, b *block) {
	if b.effect >= 0 {
		w.column = b.a + b.effect
	}
	_, again := p.violation(b.span.EffectSeq)
	switch {
	case again:
		w.texts, w.ink, w.loud = []string{"✗ charged again", "✗ again", "✗"}, inkBad, true
	case b.span.Label == sim.LabelChargeTimeout:
		w.texts, w.ink = []string{"charged, the answer is lost", "answer lost", ""}, inkWarn
	case b.span.Label == sim.LabelChargeFail:
		w.texts, w.ink = []string{"refused", ""}, inkWarn
	case b.span.Label == sim.LabelFenced:
		w.texts, w.ink = []string{"refused: old token", "old token", ""}, inkWarn
	case !p.charges(b.span):
		w.texts = []string{"no change", ""}
	default:
		w.texts = []string{"charged", ""}
	}
}

// firstRow is the row at the page's start.
func (p *page) firstRow() string {
	n := 0
	if p.start > 0 {
		n = p.trace.IndexAt(p.start - 1)
	}
	s := p.trace.At(n)
	return p.trace.Claim(&s, 0).Row()
}

// legend explains the marks of the timeline for the help overlay.
func legend() []key.Binding {
	lines := [][2]string{
		{"├check┤", "a step, start to answer"},
		{"chk rem", "check, remember, shortened"},
		{"clm a", "claim, ack, shortened"},
		{"rel cmp", "release, complete"},
		{"····", "the message is picked up"},
		{"┃", "now"},
		{"● + ↻ ←", "new, waits, again, back"},
		{"╹", "the table's instant"},
		{"$", "the customer is charged"},
		{"=", "no change by this call"},
		{"✗", "charged again, or failed"},
		{"▁▄█", "wrong: few, some, many"},
		{"▶w1", "worker 1 is at this line"},
	}
	all := make([]key.Binding, len(lines))
	for i, l := range lines {
		all[i] = key.NewBinding(key.WithHelp(l[0], l[1]))
	}
	return all
}
