package cli

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

// The measures of the picture, in pixels: 16:9 and large letters, for a slide.
const (
	svgWidth     = 1280
	svgMargin    = 40
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

// svgPalette is the colours of the picture on one background.
type svgPalette struct {
	ink, soft, page, rail, step, edge, charge, chargeEdge, bad, down string
}

var (
	svgLight = svgPalette{"#1c1e21", "#5b6270", "#ffffff", "#d5d9e0", "#dbe7fb", "#3867b5", "#fdebc8", "#a86a00", "#b3001b", "#e4e4e4"}
	svgDark  = svgPalette{"#eceff4", "#a7b0c0", "#16181d", "#3a404c", "#22375c", "#86aef0", "#4d3a12", "#f0b849", "#ff6b7d", "#33363d"}
)

// rules are the palette as style rules. Each has its colour in full: what puts
// a picture on a slide (librsvg, Inkscape, office programs) knows no custom
// properties, and would draw everything black.
func (p svgPalette) rules() string {
	return fmt.Sprintf("text,.dot{fill:%s}.soft{fill:%s}.page{fill:%s}.rail{stroke:%s}.step{fill:%s;stroke:%s}.charge{fill:%s;stroke:%s}.down{fill:%s;stroke:%s}.wait{stroke:%s}.bad{fill:%s}",
		p.ink, p.soft, p.page, p.rail, p.step, p.edge, p.charge, p.chargeEdge, p.down, p.soft, p.soft, p.bad)
}

// svgStyle has both palettes: light, and dark where the viewer prefers it. What
// went wrong has a word and a glyph beside its colour.
func svgStyle() string {
	return `
text{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:15px}
.title{font-size:24px;font-weight:bold}.rail,.wait{stroke-width:2}.down{stroke-dasharray:4 3}.wait{stroke-dasharray:2 4}
.bad{font-weight:bold}.mid{text-anchor:middle}.end{text-anchor:end}
` + svgLight.rules() + "\n@media (prefers-color-scheme:dark){" + svgDark.rules() + "}\n"
}

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
	p.printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", svgWidth, height, svgWidth, height)
	h := p.trace.Handler()
	p.printf("<title>%s</title>\n<style>%s</style>\n", html.EscapeString(h.Name+": "+h.Title), svgStyle())
	p.printf("<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", svgWidth, height)
	p.label(svgMargin, 50, "title", h.Name+": "+h.Title)
	what := runLine(p.trace.Scenario())
	if p.until < p.trace.Duration() {
		what = fmt.Sprintf("the first %s of %s · %s", text.Millis(p.until), text.Millis(p.trace.Duration()), what)
	}
	for i, line := range text.Wrap(what, (svgWidth-2*svgMargin)/svgLetter) {
		p.label(svgMargin, 82+20*i, "soft", line)
	}
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
	p.label(svgMargin, y+60, class, countersLine(p.trace))
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
	switch {
	case strings.HasPrefix(what, "✗ $"):
		what, class = "✗"+strings.TrimPrefix(what, "✗ $")+" charged twice", "bad"
	case s.Event == sim.EventRebalance:
		what = "rebalance"
	}
	p.printf("<circle class=\"dot %s\" cx=\"%d\" cy=\"%d\" r=\"5\"/>\n", class, x, y+svgBar/2+svgRailAfter)
	wide := text.Width(what) * svgLetter
	x = min(x-4, svgWidth-svgLetter-wide) // whole, also at the right edge
	if what == "" || x < free && class == "" {
		return free
	}
	p.label(x, y+svgRailAfter-2, class, what)
	return x + wide + svgLetter
}
