package lesson

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
)

// table is a table of results as the viewer has it: what came in so far, and
// how it was changed.
type table struct {
	changed *lessons.Table // nil: as the lesson has it
	request int            // generation of its runs
	results []sim.Result
	failure string
	begun   bool
}

// rowMsg brings the result of a row.
type rowMsg struct {
	lesson, table, row, request int
	result                      sim.Result
	err                         error
}

// currentTable is the table on the screen.
func (s *Screen) currentTable() lessons.Table {
	if changed := s.book().tables[s.place.i].changed; changed != nil {
		return *changed
	}
	return s.lesson().Tables[s.place.i]
}

// fill makes the runs of a table, once.
func (s *Screen) fill(i int) tea.Cmd {
	t := &s.book().tables[i]
	if t.begun {
		return nil
	}
	t.begun, t.results, t.failure = true, nil, ""
	t.request++
	return s.runRow(s.at, i, 0)
}

// runRow makes the run of a row, away from the loop.
func (s *Screen) runRow(lesson, i, row int) tea.Cmd {
	t := &s.books[lesson].tables[i]
	rows := s.list[lesson].Tables[i].Rows
	if t.changed != nil {
		rows = t.changed.Rows
	}
	if row >= len(rows) {
		return nil
	}
	ctx, scenario := s.ctx, rows[row].Scenario
	msg := rowMsg{lesson: lesson, table: i, row: row, request: t.request}
	return func() tea.Msg {
		msg.result, msg.err = sim.RunContext(ctx, scenario, nil)
		return msg
	}
}

// rowCame fills in a row and begins with the next.
func (s *Screen) rowCame(msg rowMsg) tea.Cmd {
	t := &s.books[msg.lesson].tables[msg.table]
	if msg.request != t.request {
		return nil
	}
	if msg.err != nil {
		t.begun = false
		if !errors.Is(msg.err, context.Canceled) {
			t.failure = msg.err.Error()
		}
		return nil
	}
	t.results = append(t.results, msg.result)
	return s.runRow(msg.lesson, msg.table, msg.row+1)
}

// changeTable makes the runs anew on a changed workload.
func (s *Screen) changeTable(changed lessons.Table) tea.Cmd {
	t := &s.book().tables[s.place.i]
	t.changed, t.begun = &changed, false
	return s.fill(s.place.i)
}

// resetTable puts the workload back.
func (s *Screen) resetTable() tea.Cmd {
	t := &s.book().tables[s.place.i]
	if t.changed == nil {
		return nil
	}
	t.changed, t.begun = nil, false
	return s.fill(s.place.i)
}
