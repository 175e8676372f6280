package triage

import (
	"slices"
	"time"

	"idemtui/inspect"
)

// lingers is how long a row that left the list stays on screen, faint, with
// the reason: a released row is seen to go instead of vanishing.
const lingers = 20 * time.Second

// list is the rows on screen: filtered and sorted, with a selection and marks
// that follow the keys. It does no I/O and reads no clock.
type list struct {
	all    []row // as of the last look, and those that linger
	shown  []row // filtered and sorted
	filter string
	order  order
	marked map[inspect.Key]bool
	focus  inspect.Key // the selected key
	index  int         // its place in shown; -1 when nothing is shown
	top    int         // the first row in sight
	height int         // rows in sight
	shift  int         // how far long values are scrolled, in cells
	opened bool        // a selection was made at least once

	old      func(inspect.Claim) bool // which claims fold away; nil folds none
	unfolded bool
	folded   int                      // how many are folded now
	only     func(inspect.Claim) bool // which claims alone are listed; nil lists all
}

func newList() list { return list{index: -1, marked: map[inspect.Key]bool{}} }

// replace takes the rows of a new look. A row that has gone lingers if notes
// say why; so does the selected one, so that the selection never slips to a
// neighbour unseen.
func (l *list) replace(claims []inspect.Claim, at, now time.Time, notes map[inspect.Key]string) {
	present := make(map[inspect.Key]bool, len(claims))
	rows := make([]row, 0, len(claims))
	for _, c := range claims {
		present[c.Key] = true
		rows = append(rows, newRow(c, at))
	}
	for _, r := range l.all {
		if present[r.claim.Key] {
			continue
		}
		delete(l.marked, r.claim.Key)
		if r.gone == "" {
			r.since = now
			r.gone = notes[r.claim.Key]
			if r.gone == "" && r.claim.Key == l.focus {
				r.gone = "left this list since the last look"
			}
		}
		if r.gone != "" && now.Sub(r.since) < lingers {
			rows = append(rows, r)
		}
	}
	l.all = rows
	l.arrange()
}

// leave marks rows as gone, at once, before the next look shows it.
func (l *list) leave(notes map[inspect.Key]string, now time.Time) {
	for i := range l.all {
		if note, ok := notes[l.all[i].claim.Key]; ok {
			l.all[i].gone, l.all[i].since = note, now
			delete(l.marked, l.all[i].claim.Key)
		}
	}
	l.arrange()
}

// tick lets go of the rows that have lingered long enough.
func (l *list) tick(now time.Time) {
	before := len(l.all)
	l.all = slices.DeleteFunc(l.all, func(r row) bool { return r.gone != "" && now.Sub(r.since) >= lingers })
	if len(l.all) != before {
		l.arrange()
	}
}

// arrange filters and sorts again. The selection stays on its key; if that has
// left, on its place. The selected row keeps its line on the screen.
func (l *list) arrange() {
	line := l.index - l.top
	l.shown = l.shown[:0]
	l.folded = 0
	for _, r := range l.all {
		switch {
		case !r.matches(l.filter) || l.only != nil && !l.only(r.claim):
		case l.folds(r):
			l.folded++
		default:
			l.shown = append(l.shown, r)
		}
	}
	slices.SortStableFunc(l.shown, l.order.compare)
	place := l.find(l.focus)
	switch {
	case len(l.shown) == 0:
		l.index = -1
		l.top = 0
		return
	case !l.opened || place < 0:
		place = max(0, min(l.index, len(l.shown)-1))
		l.focus = l.shown[place].claim.Key
		l.opened = true
	}
	l.index = place
	l.top = place - max(0, line)
	l.clamp()
}

// folds reports whether a row folds away. A filter looks into all rows, and
// what is marked or has just gone stays in sight.
func (l *list) folds(r row) bool {
	return l.foldsNow() && r.gone == "" && !l.marked[r.claim.Key] && l.old(r.claim)
}

// foldsNow reports whether claims from long before fold away at all.
func (l *list) foldsNow() bool {
	return l.old != nil && !l.unfolded && l.filter == "" && l.only == nil
}

// setOnly lists only some claims; nil lists all.
func (l *list) setOnly(only func(inspect.Claim) bool) {
	l.only = only
	l.arrange()
}

// find is the place of a key; of a key on several rows, the one nearest to the
// selection. It is -1 where the key is not shown.
func (l *list) find(key inspect.Key) int {
	best := -1
	for i, r := range l.shown {
		if r.claim.Key == key && (best < 0 || i <= l.index) {
			best = i
		}
	}
	return best
}

// clamp keeps the selection in sight and the window full.
func (l *list) clamp() {
	if l.height <= 0 {
		return
	}
	l.top = min(l.top, l.index)
	l.top = max(l.top, l.index-l.height+1)
	l.top = max(0, min(l.top, len(l.shown)-l.height))
}

// move selects the row that stands by rows further down.
func (l *list) move(by int) {
	if len(l.shown) == 0 {
		return
	}
	l.index = max(0, min(l.index+by, len(l.shown)-1))
	l.focus = l.shown[l.index].claim.Key
	l.clamp()
}

// resize sets how many rows are in sight.
func (l *list) resize(height int) {
	l.height = max(1, height)
	if l.index >= 0 {
		l.clamp()
	}
}

// setFilter narrows the list. The selection stays where it can.
func (l *list) setFilter(filter string) {
	l.filter = filter
	l.arrange()
}

// selected is the row under the cursor.
func (l *list) selected() (row, bool) {
	if l.index < 0 || l.index >= len(l.shown) {
		return row{}, false
	}
	return l.shown[l.index], true
}

// window is the rows in sight.
func (l *list) window() []row {
	if len(l.shown) == 0 {
		return nil
	}
	return l.shown[l.top:min(l.top+l.height, len(l.shown))]
}

// toggle marks or unmarks the selected row and steps to the next.
func (l *list) toggle() {
	r, ok := l.selected()
	if !ok || r.gone != "" {
		return
	}
	if l.marked[r.claim.Key] {
		delete(l.marked, r.claim.Key)
	} else {
		l.marked[r.claim.Key] = true
	}
	l.move(1)
}

// toggleAll marks every row that the filter shows; when all are marked already
// it takes all marks away.
func (l *list) toggleAll() {
	missing := false
	for _, r := range l.shown {
		if r.gone == "" && !l.marked[r.claim.Key] {
			missing = true
			l.marked[r.claim.Key] = true
		}
	}
	if !missing {
		clear(l.marked)
	}
}

// targets are the keys that a release is asked for: the marked ones in the
// order of the list, hidden ones last, else the selected one.
func (l *list) targets() []inspect.Key {
	if len(l.marked) == 0 {
		if r, ok := l.selected(); ok && r.gone == "" {
			return []inspect.Key{r.claim.Key}
		}
		return nil
	}
	keys := make([]inspect.Key, 0, len(l.marked))
	listed := make(map[inspect.Key]bool, len(l.marked))
	for _, rows := range [][]row{l.shown, l.all} {
		for _, r := range rows {
			if l.marked[r.claim.Key] && !listed[r.claim.Key] {
				listed[r.claim.Key] = true
				keys = append(keys, r.claim.Key)
			}
		}
	}
	return keys
}

// claimOf is the claim of a key as last seen.
func (l *list) claimOf(key inspect.Key) inspect.Claim {
	for _, r := range l.all {
		if r.claim.Key == key {
			return r.claim
		}
	}
	return inspect.Claim{Key: key}
}

// hiddenMarks counts the marked rows that the filter hides.
func (l *list) hiddenMarks() int {
	n := len(l.marked)
	for _, r := range l.shown {
		if l.marked[r.claim.Key] {
			n--
		}
	}
	return n
}
