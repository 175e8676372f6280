package explorer

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/explore"
)

// fault is a column of the matrix.
type fault struct {
	name    string
	brief   string // what happens, for the help
	does    string // the same, for the dialog
	budgets explore.Budgets
}

// faults are the columns that are always there.
var faults = []fault{
	{"none", "only the order of steps", "nothing goes wrong but the order of the steps", explore.Budgets{}},
	{"fail", "a charge is refused", "the provider refuses a charge", explore.Budgets{Fail: 1}},
	{"timeout", "an answer is lost", "a charge works and its answer is lost", explore.Budgets{Timeout: 1}},
	{"crash", "a worker crashes", "a worker crashes; its message comes back", explore.Budgets{Crash: 1}},
	{"slow", "a lease lapses too soon", "a lease lapses while its worker lives", explore.Budgets{Slow: 1}},
	{"forget", "the table forgets", "the table forgets the payment", explore.Budgets{Forget: 1}},
}

// own heads the column of the viewer's own faults.
const own = "yours"

// quickStates is the size of a search up to which the viewer's own column fills
// by itself.
const quickStates = 1_000_000

// matrix is which cells there are, and which is marked.
type matrix struct {
	handlers   []sim.HandlerID
	deliveries int
	columns    []fault
	row        int
	column     int
	large      bool         // the last column is searched cell by cell, on demand
	wanted     map[job]bool // those that were demanded
}

func newMatrix(config Config) matrix {
	m := matrix{columns: slices.Clone(faults), wanted: make(map[job]bool)}
	for _, h := range sim.Handlers() {
		m.handlers = append(m.handlers, h.ID)
	}
	if config.Deliveries == 0 {
		config.Deliveries = 2
	}
	m.enter(config)
	return m
}

// enter marks the cell where the viewer begins.
func (m *matrix) enter(config Config) {
	m.deliveries = config.Deliveries
	m.row = max(slices.Index(m.handlers, config.Handler), 0)
	m.mark(config.Budgets)
}

// startOf is the config of a path's cell.
func startOf(path *explore.Path) Config {
	b := path.Start.Budget
	return Config{
		Handler: path.Handler.ID, Deliveries: path.Start.Count,
		Budgets: explore.Budgets{Fail: int(b[0]), Timeout: int(b[1]), Crash: int(b[2]), Slow: int(b[3]), Forget: int(b[4])},
	}
}

// mark goes to the column of these faults; where there is none yet, they become
// the viewer's own.
func (m *matrix) mark(b explore.Budgets) {
	m.column = slices.IndexFunc(m.columns, func(f fault) bool { return f.budgets == b })
	if m.column < 0 {
		m.columns = append(m.columns[:len(faults):len(faults)], fault{name: own, budgets: b})
		m.column = len(faults)
	}
}

// cell is the job of a cell.
func (m *matrix) cell(row, column int) job {
	return job{m.handlers[row], m.deliveries, m.columns[column].budgets}
}

// selected is the job of the marked cell.
func (m *matrix) selected() job { return m.cell(m.row, m.column) }

// next is what to search next: the marked cell, then its row, then the rest. A
// large search waits until all that take a moment are done.
func (m *matrix) next(found map[job]finding) (job, bool) {
	wanted := func(row, column int) bool {
		j := m.cell(row, column)
		_, done := found[j]
		return !done && (column < len(faults) || !m.large || m.wanted[j])
	}
	waits := m.large && m.column == len(faults)
	if wanted(m.row, m.column) && !waits {
		return m.selected(), true
	}
	rows := append([]int{m.row}, make([]int, 0, len(m.handlers))...)
	for row := range m.handlers {
		rows = append(rows, row)
	}
	for _, row := range rows {
		for column := range m.columns {
			if wanted(row, column) && (column < len(faults) || !m.large) {
				return m.cell(row, column), true
			}
		}
	}
	for _, row := range rows { // only the large ones are left
		if last := len(m.columns) - 1; wanted(row, last) {
			return m.cell(row, last), true
		}
	}
	return job{}, false
}

func (e *Explorer) pressedInMatrix(msg tea.KeyPressMsg) tea.Cmd {
	k, m := e.keys.Explorer, &e.matrix
	switch {
	case key.Matches(msg, k.Up):
		m.row = max(m.row-1, 0)
	case key.Matches(msg, k.Down):
		m.row = min(m.row+1, len(m.handlers)-1)
	case key.Matches(msg, k.Left):
		m.column = max(m.column-1, 0)
	case key.Matches(msg, k.Right):
		m.column = min(m.column+1, len(m.columns)-1)
	case key.Matches(msg, k.First):
		m.row = 0
	case key.Matches(msg, k.Last):
		m.row = len(m.handlers) - 1
	case key.Matches(msg, k.Deliveries):
		return e.chooseDeliveries(int(msg.Code - '0'))
	case key.Matches(msg, k.Budgets):
		dialog := newBudgetDialog(e.ctx, m.selected(), e.keys)
		return tea.Batch(e.dialogs.Push(dialog), dialog.estimate())
	case key.Matches(msg, k.Again):
		return e.searchAgain()
	case key.Matches(msg, k.Choose):
		return e.openSelected()
	case key.Matches(msg, k.Scheduler):
		return e.openSchedule(nil)
	case key.Matches(msg, k.Back):
		if e.searches.long() {
			e.cancelSearch()
			return nil
		}
		return e.close()
	}
	return nil
}

// chooseDeliveries fills the matrix for another number of deliveries.
func (e *Explorer) chooseDeliveries(n int) tea.Cmd {
	if n < 1 || n > explore.MaxDeliveries || n == e.matrix.deliveries {
		return nil
	}
	e.matrix.deliveries = n
	e.dropSearch()
	return e.searchNext()
}

// chooseBudgets gives the viewer's own faults a column.
func (e *Explorer) chooseBudgets(msg budgetsChosenMsg) tea.Cmd {
	m := &e.matrix
	m.deliveries = msg.deliveries
	m.mark(msg.budgets)
	if m.column == len(faults) {
		m.large = msg.states <= 0 || msg.states > quickStates
		m.wanted[m.selected()] = true
	}
	e.dropSearch()
	return e.searchNext()
}

// searchAgain searches the marked cell once more, or for the first time, as
// soon as no other search runs.
func (e *Explorer) searchAgain() tea.Cmd {
	selected := e.matrix.selected()
	if r := e.searches.running; r != nil && r.job == selected && !r.dropped {
		return nil
	}
	delete(e.searches.found, selected)
	e.matrix.wanted[selected] = true
	return e.searchNext()
}

// openSelected opens the marked cell's schedules; a cell that has not been
// searched is searched first.
func (e *Explorer) openSelected() tea.Cmd {
	f, ok := e.searches.found[e.matrix.selected()]
	if !ok || f.result.Handler == nil || f.cancelled && f.result.Verdict() == explore.Undecided {
		return e.searchAgain()
	}
	return e.openSchedule(schedulesOf(f.result))
}
