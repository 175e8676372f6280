package triage

import (
	"strings"

	"charm.land/lipgloss/v2"

	"idemtui/inspect"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// page collects lines of at most w cells. Texts that it is given are printable
// already.
type page struct {
	w      int
	styles theme.Styles
	lines  []string
}

func (p *page) add(line string) { p.lines = append(p.lines, text.Cut(line, p.w)) }

func (p *page) blank() { p.lines = append(p.lines, "") }

// head begins a section.
func (p *page) head(title string) {
	p.blank()
	p.add(p.styles.Title.Render(title))
}

// wrap adds a text, broken into lines that begin with indent.
func (p *page) wrap(style lipgloss.Style, indent, s string) {
	if s == "" {
		return
	}
	for _, line := range text.Wrap(s, max(1, p.w-text.Width(indent))) {
		p.add(indent + style.Render(line))
	}
}

// code adds a statement line by line, as it was laid out.
func (p *page) code(style lipgloss.Style, indent, sql string) {
	for line := range strings.Lines(strings.ReplaceAll(sql, "\t", "  ")) {
		line = strings.TrimRight(line, "\r\n")
		body := strings.TrimLeft(line, " ")
		p.wrap(style, indent+line[:len(line)-len(body)], text.Sanitise(body))
	}
}

// item adds a text with a dash before it.
func (p *page) item(s string) { p.hanging(p.styles.Muted.Render("- "), 2, p.styles.Text, s) }

// hanging adds a text whose first line follows lead and whose others are
// indented by as many cells as lead takes.
func (p *page) hanging(lead string, width int, style lipgloss.Style, s string) {
	for i, line := range text.Wrap(s, max(1, p.w-width)) {
		if i > 0 {
			lead = strings.Repeat(" ", width)
		}
		p.add(lead + style.Render(line))
	}
}

// fields adds pairs of a label and a value, the values in one column.
func (p *page) fields(pairs [][2]string) {
	width := 0
	for _, pair := range pairs {
		width = max(width, min(text.Width(pair[0]), p.w/3))
	}
	for _, pair := range pairs {
		p.hanging(p.styles.Muted.Render(text.Left(pair[0], width))+"  ", width+2, p.styles.Text, pair[1])
	}
}

// rungWidth is the room for a rung's name, and a blank.
const rungWidth = 14

// rung adds which way a piece of evidence points, and its text.
func (p *page) rung(e inspect.Evidence) {
	mark, style := "· neither  ", p.styles.Muted
	switch e.For {
	case inspect.ForAlive:
		mark, style = "● alive    ", p.styles.OK
	case inspect.ForDead:
		mark, style = "✗ dead     ", p.styles.Bad
	}
	if p.w < 60 {
		p.add(style.Render(mark) + p.styles.Muted.Render(string(e.Rung)))
		p.wrap(p.styles.Text, "  ", text.Sanitise(e.Text))
		return
	}
	p.hanging(style.Render(mark)+p.styles.Muted.Render(text.Left(string(e.Rung), rungWidth)), text.Width(mark)+rungWidth, p.styles.Text, text.Sanitise(e.Text))
}

// queries adds the statements with which an engineer checks the evidence by
// hand, each once, under the rungs that it serves.
func (p *page) queries(evidence []inspect.Evidence) {
	rungs := map[string][]string{}
	var order []string
	for _, e := range evidence {
		if e.Query == "" {
			continue
		}
		if rungs[e.Query] == nil {
			order = append(order, e.Query)
		}
		rungs[e.Query] = append(rungs[e.Query], string(e.Rung))
	}
	for i, query := range order {
		if i == 0 {
			p.head("check by hand")
		}
		p.wrap(p.styles.Muted, "", strings.Join(rungs[query], ", "))
		p.code(p.styles.Text, "  ", query)
	}
}
