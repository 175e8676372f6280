package cli

import (
	"bufio"
	"fmt"
	"html"
	"io"

	"idemtui/sim"
	"idemtui/ui/text"
)

// The measures of the picture, in pixels: 16:9 and large letters, for a slide.
const (
	svgWidth     = 1280
	svgLeft      = 130 // where time begins
	svgRight     = 1240
	svgTop       = 130 // the first lane
	svgLane      = 62
	svgBar       = 34
	svgLetter    = 9 // the width of a letter in a bar
	svgBottom    = 90
	svgWindow    = 12 // charges that a picture shows at most
	svgRailAfter = 12 // from a lane's top to the text above its moments
)

// svgStyle has both palettes: the viewer's preference decides. What went wrong
// has a word and a glyph beside its colour.
const svgStyle = `
svg{--ink:#1c1e21;--soft:#5b6270;--page:#ffffff;--rail:#d5d9e0;--step:#dbe7fb;--edge:#3867b5;--charge:#fdebc8;--charge-edge:#a86a00;--bad:#b3001b;--down:#e4e4e4}
@media (prefers-color-scheme:dark){svg{--ink:#eceff4;--soft:#a7b0c0;--page:#16181d;--rail:#3a404c;--step:#22375c;--edge:#86aef0;--charge:#4d3a12;--charge-edge:#f0b849;--bad:#ff6b7d;--down:#33363d}}
text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:15px;fill:var(--ink)}
.title{font-size:24px;font-weight:bold}.soft{fill:var(--soft)}.page{fill:var(--page)}.rail{stroke:var(--rail);stroke-width:2}
.step{fill:var(--step);stroke:var(--edge)}.charge{fill:var(--charge);stroke:var(--charge-edge)}.down{fill:var(--down);stroke:var(--soft);stroke-dasharray:4 3}
.wait{stroke:var(--soft);stroke-width:2;stroke-dasharray:2 4}.dot{fill:var(--ink)}.bad{fill:var(--bad);font-weight:bold}.mid{text-anchor:middle}.end{text-anchor:end}
`

// picture draws one trace.
type picture struct {
	out   *bufio.Writer
	trace *sim.Trace
	until int64 // the time at the right edge
}

// writeSVG writes the run as a picture that is readable on a slide, in light and
// dark. Of a long run it shows the beginning and says so.
func writeSVG(trace *sim.Trace) func(io.Writer) error {
	return func(w io.Writer) error {
		p := &picture{bufio.NewWriter(w), trace, max(trace.Duration(), 1)}
		if window := svgWindow * trace.Scenario().Charge; trace.Scenario().Payments > 1 {
			p.until = min(p.until, window)
		}
		p.draw()
		if err := p.out.Flush(); err != nil {
			return fmt.Errorf("write picture: %w", err)
		}
		return nil
	}
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// label writes a text; its class says how.
func (p *picture) label(x, y int, class, what string) {
	p.printf("<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, html.EscapeString(what))
}

// x is where a time stands.
func (p *picture) x(at int64) int {
	until := p.until
	for until > 1<<50 { // keeps the product in range for a run of a year
		at, until = at/2, until/2
	}
	return svgLeft + int(at*(svgRight-svgLeft)/until)
}

func (p *picture) draw() {
	lanes := p.trace.Lanes()
	height := svgTop + len(lanes)*svgLane + svgBottom
	p.printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n", svgWidth, height)
	h := p.trace.Handler()
	p.printf("<title>%s</title>\n<style>%s</style>\n", html.EscapeString(h.Name+": "+h.Title), svgStyle)
	p.printf("<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", svgWidth, height)
	p.label(40, 50, "title", h.Name+": "+h.Title)
	what := runLine(p.trace.Scenario())
	if p.until < p.trace.Duration() {
		what = fmt.Sprintf("the first %s of %s · %s", text.Millis(p.until), text.Millis(p.trace.Duration()), what)
	}
	p.label(40, 82, "soft", what)
	for i, lane := range lanes {
		p.lane(lane, svgTop+i*svgLane)
	}
	y := svgTop + len(lanes)*svgLane + 10
	p.printf("<line class=\"rail\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", svgLeft, y, svgRight, y)
	for i := range int64(5) {
		at := p.until / 4 * i
		p.label(p.x(at), y+22, "soft mid", text.Millis(at))
	}
	class := "title"
	if len(p.trace.Violations()) > 0 {
		class = "title bad"
	}
	p.label(40, y+60, class, countersLine(p.trace))
	p.printf("</svg>\n")
}

// lane draws a lane's name and what happens on it.
func (p *picture) lane(lane sim.Lane, y int) {
	middle := y + svgBar/2 + svgRailAfter
	p.label(svgLeft-14, middle+5, "end", laneName(lane))
	p.printf("<line class=\"rail\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", svgLeft, middle, svgRight, middle)
	free := 0 // where the next moment's text may begin
	for _, s := range p.trace.Spans(lane, 0, p.until) {
		if s.Kind == sim.SpanMoment {
			free = p.moment(s, y, free)
			continue
		}
		p.bar(s, y)
	}
}

// bar draws a stretch of a worker's lane.
func (p *picture) bar(s sim.Span, y int) {
	left, right := p.x(s.Start), min(p.x(s.End), svgRight)
	if s.Kind == sim.SpanPickUp {
		middle := y + svgBar/2 + svgRailAfter
		p.printf("<line class=\"wait\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", left, middle, right, middle)
		return
	}
	class, name := "step", s.Step
	switch {
	case s.Kind == sim.SpanPause || s.Kind == sim.SpanDown:
		class = "down"
	case s.Step == sim.OpCharge.String():
		class = "charge"
		name += " " + sim.PaymentName(s.Payment)
	}
	p.printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"><title>%s</title></rect>\n",
		class, left, y+svgRailAfter, max(right-left, 1), svgBar, html.EscapeString(s.Step+" "+sim.PaymentName(s.Payment)))
	for _, fitting := range []string{name, s.Step} {
		if len(fitting)*svgLetter+8 <= right-left {
			p.label((left+right)/2, y+svgRailAfter+svgBar/2+5, "mid", fitting)
			return
		}
	}
}

// moment draws an instant: a dot, and its text where there is room. It returns
// where the next text may begin.
func (p *picture) moment(s sim.Span, y, free int) int {
	x := p.x(s.Start)
	what, class := momentText(p.trace, s), ""
	if what == "✗ $" {
		what, class = "✗ charged twice", "bad"
	}
	p.printf("<circle class=\"dot %s\" cx=\"%d\" cy=\"%d\" r=\"5\"/>\n", class, x, y+svgBar/2+svgRailAfter)
	if what == "" || x < free && class == "" {
		return free
	}
	p.label(x-4, y+svgRailAfter-2, class, what)
	return x + (text.Width(what)+1)*svgLetter
}
