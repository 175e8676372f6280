package explorer

import (
	"context"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim/explore"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// mostFaults is the largest budget of a kind that the dialog offers.
const mostFaults = 3

// budgetsChosenMsg brings the viewer's own faults, and about how many states
// the search has; 0 where that is not known.
type budgetsChosenMsg struct {
	deliveries int
	budgets    explore.Budgets
	states     int64
}

// estimatedMsg brings an estimate of the search.
type estimatedMsg struct {
	generation int
	states     int64
	err        error
}

// budgetDialog asks for deliveries and faults, and says how large the search
// will be.
type budgetDialog struct {
	ctx        context.Context
	keys       keys.Map
	job        job
	row        int
	generation int
	cancel     context.CancelFunc
	states     int64 // the estimate; 0 while it is made
}

func newBudgetDialog(ctx context.Context, j job, keyMap keys.Map) *budgetDialog {
	return &budgetDialog{ctx: ctx, job: j, keys: keyMap, cancel: func() {}}
}

// value is the number of a row, with the least and the most that it takes.
func (d *budgetDialog) value(row int) (n *int, low, high int) {
	if row == 0 {
		return &d.job.deliveries, 1, explore.MaxDeliveries
	}
	b := &d.job.budgets
	return []*int{&b.Fail, &b.Timeout, &b.Crash, &b.Slow, &b.Forget}[row-1], 0, mostFaults
}

// estimate asks how large the search is, away from the loop.
func (d *budgetDialog) estimate() tea.Cmd {
	d.cancel()
	d.generation++
	d.states = 0
	generation, config := d.generation, d.job.config()
	ctx, cancel := context.WithCancel(d.ctx)
	d.cancel = cancel
	return func() tea.Msg {
		defer cancel()
		states, err := explore.Estimate(ctx, config)
		return estimatedMsg{generation, states, err}
	}
}

// Update changes a number, and ends on enter with all of them or on esc without.
func (d *budgetDialog) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case estimatedMsg:
		if msg.generation == d.generation && msg.err == nil {
			d.states = msg.states
		}
	case tea.KeyPressMsg:
		return d.pressed(msg)
	}
	return false, nil
}

func (d *budgetDialog) pressed(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	k := d.keys.Explorer
	n, low, high := d.value(d.row)
	before := *n
	switch {
	case key.Matches(msg, k.Back):
		d.cancel()
		return true, nil
	case key.Matches(msg, k.Choose):
		d.cancel()
		chosen := budgetsChosenMsg{d.job.deliveries, d.job.budgets, d.states}
		return true, func() tea.Msg { return chosen }
	case key.Matches(msg, k.Up):
		d.row = max(d.row-1, 0)
	case key.Matches(msg, k.Down):
		d.row = min(d.row+1, len(faults)-1)
	case key.Matches(msg, k.Left):
		*n = max(*n-1, low)
	case key.Matches(msg, k.Right):
		*n = min(*n+1, high)
	case len(msg.Text) == 1 && msg.Text[0] >= '0' && msg.Text[0] <= '9':
		*n = min(max(int(msg.Text[0]-'0'), low), high)
	}
	if *n != before {
		return false, d.estimate()
	}
	return false, nil
}

// View draws the box.
func (d *budgetDialog) View(w, _ int, s theme.Styles) string {
	inner := min(62, w-s.Box.GetHorizontalFrameSize())
	lines := []string{s.Title.Render("faults of your own") + s.Muted.Render(", each at most so often"), ""}
	for row := range len(faults) {
		n, low, high := d.value(row)
		name, does := "deliveries", "of the one payment"
		if row > 0 {
			name, does = faults[row].name, faults[row].does
		}
		marker, style := " ", s.Text
		if row == d.row {
			marker, style = "▶", s.Accent
		}
		less, more := "←", "→"
		if *n == low {
			less = " "
		}
		if *n == high {
			more = " "
		}
		line := marker + " " + text.Left(name, 11) + less + fmt.Sprintf(" %d ", *n) + more
		lines = append(lines, style.Render(line)+s.Muted.Render("  "+text.Cut(does, inner-text.Width(line)-2)))
	}
	lines = append(lines, "")
	said, bad := d.outlook()
	style := s.Muted
	if bad {
		style, said = s.Warn, "✗ "+said
	}
	for _, line := range text.Wrap(said, inner) {
		lines = append(lines, style.Render(line))
	}
	return s.Box.Width(inner + s.Box.GetHorizontalFrameSize()).Render(strings.Join(lines, "\n"))
}

// outlook says how large the search will be, and whether that is a warning.
func (d *budgetDialog) outlook() (said string, bad bool) {
	name := d.job.handler.String()
	switch need := d.states * explore.BytesPerState; {
	case d.states == 0:
		return "Estimating the search of " + name + ".", false
	case d.states <= quickStates:
		return name + " has " + about(d.states) + ": a moment.", false
	case need <= searchMemory:
		return name + " has " + about(d.states) + ": some seconds, and about " + size(need) + ". Only the marked handler is searched; esc cancels.", true
	default:
		return name + " has " + about(d.states) + ", which needs about " + size(need) + ". The search stops at " + size(searchMemory) + " with what it has found by then.", true
	}
}

// about is a number of states in words, to two digits where it is large.
func about(n int64) string {
	switch {
	case n >= 1_000_000_000_000:
		return "over a thousand billion states"
	case n >= 1_000_000_000:
		return "about " + text.Count(n/1_000_000_000, true) + " billion states"
	case n >= 1_000_000:
		return "about " + text.Count(n/1_000_000, true) + " million states"
	}
	return "about " + text.Count(n, true) + " states"
}

// size is a number of bytes in MiB, or in GiB with a tenth.
func size(n int64) string {
	if n < 1<<30 {
		return text.Count(n>>20, true) + " MiB"
	}
	tenths := (n*10 + 1<<29) >> 30
	if tenths%10 == 0 {
		return fmt.Sprintf("%d GiB", tenths/10)
	}
	return fmt.Sprintf("%d.%d GiB", tenths/10, tenths%10)
}

// ShortHelp lists the keys for the footer.
func (d *budgetDialog) ShortHelp() []key.Binding {
	k := d.keys.Explorer
	row := key.NewBinding(key.WithKeys(append(k.Up.Keys(), k.Down.Keys()...)...), key.WithHelp("↑↓", "which"))
	number := key.NewBinding(key.WithKeys(append(k.Left.Keys(), k.Right.Keys()...)...), key.WithHelp("←→", "how many"))
	choose := k.Choose
	choose.SetHelp(choose.Help().Key, "search")
	back := k.Back
	back.SetHelp(back.Help().Key, "close")
	return []key.Binding{row, number, choose, back}
}

// Guarded is false: the dialog writes nothing.
func (d *budgetDialog) Guarded() bool { return false }
