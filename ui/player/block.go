package player

import (
	"idemtui/sim"
	"idemtui/ui/text"
)

// leastWord is how many cells a step gets at least, where its neighbour can
// spare them: room for an abbreviation and its end. The borrowed cells are at
// most three, and the neighbour is a long step.
const (
	leastWord = 4
	longStep  = 10
)

// block is a span of a worker's row, laid out in cells from a up to b.
type block struct {
	span   sim.Span
	a, b   int
	glyphs []rune // one for each cell
	word   int    // so many cells from a on are shown as soon as the step begins
	effect int    // the cell of the charge's effect, or -1
	ink    ink
}

// stepWords are the words of the steps and their abbreviations.
var stepWords = map[sim.OpKind][2]string{
	sim.OpCheck:        {"check", "chk"},
	sim.OpCharge:       {"charge", "chg"},
	sim.OpRemember:     {"remember", "rem"},
	sim.OpClaim:        {"claim", "clm"},
	sim.OpRelease:      {"release", "rel"},
	sim.OpLeaseClaim:   {"claim", "clm"},
	sim.OpComplete:     {"complete", "cmp"},
	sim.OpMarkFailed:   {"mark failed", "fail"},
	sim.OpOpenAndClaim: {"claim", "clm"},
	sim.OpCommit:       {"commit", "cmt"},
	sim.OpRollback:     {"rollback", "rbk"},
	sim.OpAck:          {"ack", "ack"},
}

func stepInk(k sim.OpKind) ink {
	switch k {
	case sim.OpCheck, sim.OpClaim, sim.OpLeaseClaim, sim.OpOpenAndClaim:
		return inkRead
	case sim.OpCharge:
		return inkCharge
	case sim.OpRemember, sim.OpComplete, sim.OpCommit, sim.OpMarkFailed:
		return inkWrite
	case sim.OpRelease, sim.OpRollback:
		return inkUndo
	}
	return inkMuted
}

// layBlocks gives each span of a worker its cells and its glyphs.
func (p *page) layBlocks(spans []sim.Span) []block {
	if p.dense {
		return p.layDense(spans)
	}
	blocks := make([]block, 0, len(spans))
	for _, s := range spans {
		a := max(p.column(s.Start), 0)
		if n := len(blocks); n > 0 {
			a = max(a, blocks[n-1].b)
		}
		if a >= p.width {
			break
		}
		b := max(min(p.column(s.End), p.width), a+1)
		blocks = append(blocks, block{span: s, a: a, b: b, effect: -1})
	}
	for i := range blocks {
		if blocks[i].span.Kind == sim.SpanStep {
			p.makeRoom(blocks, i)
		}
	}
	for i := range blocks {
		p.letter(&blocks[i])
	}
	return blocks
}

// makeRoom widens a step that is too short for a word: into the gap or the
// pick-up after it, at the cost of a long neighbour, by moving a short one that
// has room, or into its own pick-up.
func (p *page) makeRoom(blocks []block, i int) {
	b := &blocks[i]
	short := leastWord - (b.b - b.a)
	if short <= 0 {
		return
	}
	var next *block
	if i+1 < len(blocks) {
		next = &blocks[i+1]
	}
	free := p.free(blocks, i)
	ends := p.trace.Handler().Program[b.span.PC].Kind == sim.OpAck
	switch {
	case free >= short, ends && free > 0:
		b.b += min(free, short)
		if next != nil {
			next.a = max(next.a, b.b)
		}
	case next != nil && next.a == b.b && next.span.Kind == sim.SpanStep && next.b-next.a >= longStep:
		b.b += short
		next.a = b.b
	case next != nil && next.a == b.b && p.free(blocks, i+1) >= short:
		b.b += short
		next.a, next.b = b.b, next.b+short
		if i+2 < len(blocks) {
			blocks[i+2].a = max(blocks[i+2].a, next.b)
		}
	case i > 0 && blocks[i-1].b == b.a && blocks[i-1].b-blocks[i-1].a >= longStep:
		b.a -= short
		blocks[i-1].b = b.a
	case i > 0 && blocks[i-1].b == b.a && blocks[i-1].span.Kind == sim.SpanPickUp:
		b.a -= max(min(short, b.a-blocks[i-1].a-1), 0)
		blocks[i-1].b = b.a
	}
}

// free is how many cells after a block are empty or a mere pick-up, of which one
// is left.
func (p *page) free(blocks []block, i int) int {
	if i+1 >= len(blocks) {
		return p.width - blocks[i].b
	}
	next := blocks[i+1]
	free := next.a - blocks[i].b
	if next.span.Kind == sim.SpanPickUp {
		free += max(next.b-next.a-1, 0)
	}
	return free
}

// letter fills the block's cells with its word and its rule.
func (p *page) letter(b *block) {
	w := b.b - b.a
	switch b.span.Kind {
	case sim.SpanPickUp:
		b.ink = inkFaint
		b.glyphs = bar("", '·', w, false, false)
		return
	case sim.SpanPause:
		b.ink = inkWarn
		b.glyphs = bar("paused", '·', w, false, false)
	case sim.SpanDown:
		b.ink = inkBad
		b.glyphs = bar("✗ crashed", '·', w, false, false)
	default:
		p.letterStep(b)
		return
	}
	for b.word = 0; b.word < w && b.glyphs[b.word] != '·'; {
		b.word++
	}
}

func (p *page) letterStep(b *block) {
	w := b.b - b.a
	kind := p.trace.Handler().Program[b.span.PC].Kind
	words := stepWords[kind]
	b.ink = stepInk(kind)
	if b.span.Event == sim.EventBusy {
		words = [2]string{"busy", "bsy"}
	}
	opens, closes := b.span.Start >= p.start, b.span.End < p.end()
	name := words[0]
	if p.trace.Scenario().Payments > 1 && kind == sim.OpCharge {
		name += " " + sim.PaymentName(b.span.Payment)
	}
	switch {
	case !opens && w < leastWord: // the rest of a step of the page before
		b.glyphs = bar("", '─', w, false, closes)
	case kind == sim.OpAck && w > text.Width("ack"):
		b.glyphs = bar(" ack", ' ', w, false, false)
	case kind == sim.OpAck:
		b.glyphs = bar("ack", ' ', w, false, false)
	case w >= text.Width(name)+2:
		b.glyphs = bar(name, '─', w, opens, closes)
	case w >= text.Width(words[0])+2:
		b.glyphs = bar(words[0], '─', w, opens, closes)
	case opens && (w == text.Width(words[0]) || w == text.Width(words[0])+1):
		b.glyphs = bar(words[0], '─', w, false, closes && w > text.Width(words[0]))
	case w >= text.Width(words[1])+2:
		b.glyphs = bar(words[1], '─', w, opens, closes)
	default:
		b.glyphs = bar(words[1], '─', w, false, closes && w > text.Width(words[1]))
	}
	b.word = 0
	for b.word < w && b.glyphs[b.word] != '─' && b.glyphs[b.word] != '┤' {
		b.word++
	}
	if kind == sim.OpCharge && b.span.Effect >= p.start {
		if x := p.column(b.span.Effect) - b.a; x >= b.word && x < w {
			b.effect = x
		}
	}
}

// bar is a word followed by a rule, in w cells, with its ends where it has
// them on this page.
func bar(word string, rule rune, w int, opens, closes bool) []rune {
	glyphs := make([]rune, 0, w)
	if opens {
		glyphs = append(glyphs, '├')
	}
	for _, r := range word {
		glyphs = append(glyphs, r)
	}
	for len(glyphs) < w {
		glyphs = append(glyphs, rule)
	}
	glyphs = glyphs[:w]
	if closes {
		glyphs[w-1] = '┤'
	}
	return glyphs
}

// layDense draws the steps without words, from far away: only what is at least a
// cell long, and the instants of the charges.
func (p *page) layDense(spans []sim.Span) []block {
	blocks := make([]block, 0, p.width)
	free := 0
	for _, s := range spans {
		a, b := max(p.column(s.Start), free), min(p.column(s.End), p.width)
		charge := s.Kind == sim.SpanStep && p.trace.Handler().Program[s.PC].Kind == sim.OpCharge
		if charge && a < p.width {
			b = max(b, a+1)
		}
		if a >= b || a > p.column(s.Start)+1 && a > 1 {
			continue
		}
		k := block{span: s, a: a, b: b, effect: -1, ink: inkFaint}
		switch {
		case s.Kind == sim.SpanStep:
			k.ink = stepInk(p.trace.Handler().Program[s.PC].Kind)
			k.glyphs = bar("", '─', b-a, false, false)
		case s.Kind == sim.SpanPause:
			k.ink, k.glyphs = inkWarn, bar("", '·', b-a, false, false)
		case s.Kind == sim.SpanDown:
			k.ink, k.glyphs = inkBad, bar("✗", '·', b-a, false, false)
		default:
			k.glyphs = bar("", '·', b-a, false, false)
		}
		if charge && s.Effect >= p.start {
			k.effect = min(max(p.column(s.Effect)-a, 0), b-a-1)
		}
		blocks = append(blocks, k)
		free = b
	}
	return blocks
}
