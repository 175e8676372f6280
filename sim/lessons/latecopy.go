package lessons

import (
	"fmt"
	"slices"

	"idemtui/sim"
)

// forms are the ways to write an idempotent message, side by side, and how wide
// a lane's name may be is why the names are short.
var forms = []struct {
	form sim.Form
	lane string
	code string // with the new state and the one expected
}{
	{sim.FormSet, "set", "UPDATE orders SET state = '%[1]s' WHERE id = 7"},
	{sim.FormConditional, "conditional", "UPDATE orders SET state = '%[1]s' WHERE id = 7 AND state = '%[2]s'"},
	{sim.FormUpsert, "upsert", "INSERT INTO orders (id, state) VALUES (7, '%[1]s') ON CONFLICT (id) DO UPDATE SET state = EXCLUDED.state"},
}

// The instants of the late copy, as steps of the sequence: so many of them have
// happened.
const (
	afterShipped   = 2
	afterDelivered = 3
	afterCopy      = 4
)

// lateCopyTimes are when the messages come. The broker waits for an ack for
// half a minute.
var lateCopyTimes = []int64{second, 5 * second, 31 * second}

// lateCopyRun is an older message's copy that comes after a newer message,
// written in three ways. What they leave is worked out by sim.ApplyUpdates.
func lateCopyRun() *Sequence {
	state, updates := sim.LateCopy()
	run := &Sequence{Title: "an older message comes again after a newer one", Lanes: []string{"messages"}}
	start := Instant{Marks: []Mark{{}}, Told: "The order is " + state + ". Two messages about it are on their way: m1 is to ship it, m2 to deliver it."}
	var written [][]sim.Written
	for _, f := range forms {
		run.Lanes = append(run.Lanes, f.lane)
		start.Marks = append(start.Marks, Mark{Text: state})
		written = append(written, sim.ApplyUpdates(f.form, state, updates))
	}
	run.Instants = []Instant{start}
	for i, u := range updates {
		instant := Instant{At: lateCopyTimes[i], Marks: []Mark{{Text: "●" + u.Name}}, Told: lateCopyTold(i, u)}
		again := slices.ContainsFunc(updates[:i], func(before sim.Update) bool { return before.Name == u.Name })
		switch {
		case again:
			instant.Marks[0] = Mark{Text: "↻" + u.Name + " again"}
		case slices.ContainsFunc(updates[i+1:], func(later sim.Update) bool { return later.Name == u.Name }):
			instant.Marks[0].Note = "ack lost"
		}
		for j, f := range forms {
			w := written[j][i]
			undone := again && w.Status != written[j][i-1].Status
			mark := Mark{Text: w.Status, Note: rowCount(w.Rows), Wrong: undone}
			if undone {
				mark.Text = "✗ " + w.Status
			}
			instant.Marks = append(instant.Marks, mark)
			instant.Lines = append(instant.Lines, Line{f.lane, fmt.Sprintf(f.code, u.To, u.From), rowCount(w.Rows)})
		}
		run.Instants = append(run.Instants, instant)
	}
	return run
}

func lateCopyTold(i int, u sim.Update) string {
	switch i {
	case 0:
		return u.Name + " says " + u.To + ", and all three write it. The ack of " + u.Name + " gets lost on its way."
	case 1:
		return u.Name + " says " + u.To + ", and all three write it. " + u.Name + " is acknowledged."
	}
	return "The broker has waited for the ack of " + u.Name + " for " + length(30*second) + ", and delivers " + u.Name + " again."
}

func rowCount(rows int) string {
	if rows == 1 {
		return "1 row"
	}
	return count(int64(rows)) + " rows"
}

// late is what the late copy of an older message leaves.
func late(form sim.Form) sim.Written {
	state, updates := sim.LateCopy()
	written := sim.ApplyUpdates(form, state, updates)
	return written[len(written)-1]
}

// lateCopyPages are the pages about it.
func lateCopyPages(scene int) []Page {
	run := lateCopyRun()
	page := func(step, lane int, text string) Page {
		return Page{Scene: scene, Moment: atEnd, Sequence: run, Step: step, Lane: lane, text: text}
	}
	return []Page{
		page(afterShipped, 0, "Twice in a row is harmless, then. But a newer message may come in between. Here is one order, written in three ways. m1 has shipped it, and its ack is lost, so m1 will come again."),
		page(afterDelivered, 0, "Meanwhile m2 delivers the order. So far all three have written the same, and each message has changed 1 row."),
		page(afterCopy, 1, "Now the copy of m1 comes, older than what is there. To set is to write it whatever was there: the order is "+late(sim.FormSet).Status+" again, and what m2 wrote is undone. Idempotent, and wrong."),
		page(afterCopy, 2, "The conditional update says what it expects: SHIPPED where it is PACKED. The copy finds "+late(sim.FormConditional).Status+" and changes "+rowCount(late(sim.FormConditional).Rows)+". That count is how you know a duplicate, and it is no error. Only look at the state: a message that comes too early gets 0 rows, too."),
		page(afterCopy, 3, "An upsert by business id never makes a second row, where an insert with a generated id would. But it sets all the same, and the copy leaves "+late(sim.FormUpsert).Status+". It needs a condition too, or a number that only grows."),
	}
}
