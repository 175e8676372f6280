package frame

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/ui/theme"
)

// Grace is how long a dialog that writes ignores the keyboard after it opened,
// so that a key that was already on its way cannot answer it.
const Grace = 400 * time.Millisecond

// Dialog is a box over the screen. The topmost dialog is asked first and takes
// every key and paste.
type Dialog interface {
	// Update takes a message and says whether the dialog is finished.
	Update(tea.Msg) (done bool, cmd tea.Cmd)
	// View draws the dialog's box in at most w by h cells.
	View(w, h int, s theme.Styles) string
	// ShortHelp lists the keys for the footer.
	ShortHelp() []key.Binding
	// Guarded asks for the [Grace] period: true for every dialog that writes.
	Guarded() bool
}

// Dialogs is the stack of open dialogs. Screens hold a pointer to the root's
// stack and push on it.
type Dialogs struct {
	open   []entry
	opened int
}

type entry struct {
	dialog  Dialog
	id      int
	waiting bool
}

// graceOverMsg ends the grace period of the dialog with this id.
type graceOverMsg struct{ id int }

// Push opens a dialog on top. The command ends its grace period.
func (d *Dialogs) Push(dialog Dialog) tea.Cmd {
	d.opened++
	id := d.opened
	d.open = append(d.open, entry{dialog: dialog, id: id, waiting: dialog.Guarded()})
	if !dialog.Guarded() {
		return nil
	}
	return tea.Tick(Grace, func(time.Time) tea.Msg { return graceOverMsg{id: id} })
}

// Open reports whether a dialog is open.
func (d *Dialogs) Open() bool { return len(d.open) > 0 }

// Top is the topmost dialog, or nil.
func (d *Dialogs) Top() Dialog {
	if len(d.open) == 0 {
		return nil
	}
	return d.open[len(d.open)-1].dialog
}

// Waiting reports that the topmost dialog is in its grace period.
func (d *Dialogs) Waiting() bool {
	return len(d.open) > 0 && d.open[len(d.open)-1].waiting
}

// Update gives a message to the topmost dialog. taken means that the message
// goes no further: keys and pastes always, other messages never, so that a
// screen keeps refreshing behind its dialog.
func (d *Dialogs) Update(msg tea.Msg) (taken bool, cmd tea.Cmd) {
	if over, ok := msg.(graceOverMsg); ok {
		for i := range d.open {
			if d.open[i].id == over.id {
				d.open[i].waiting = false
			}
		}
		return true, nil
	}
	if len(d.open) == 0 {
		return false, nil
	}
	top := d.open[len(d.open)-1]
	switch msg.(type) {
	case tea.KeyMsg, tea.PasteMsg, tea.MouseMsg:
		taken = true
		if top.waiting {
			return true, nil
		}
	}
	done, cmd := top.dialog.Update(msg)
	if done {
		d.remove(top.id)
	}
	return taken, cmd
}

// remove closes the dialog with this id, wherever it is by now: the dialog may
// have pushed another one while it finished.
func (d *Dialogs) remove(id int) {
	for i := range d.open {
		if d.open[i].id == id {
			d.open = append(d.open[:i], d.open[i+1:]...)
			return
		}
	}
}
