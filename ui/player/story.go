package player

import (
	"fmt"
	"sort"
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

// story says what the last event did, and at the end what the run came to.
func (v *view) story() (sentence string, k ink) {
	switch {
	case v.n == 0 && v.guided:
		return "Nothing has happened yet.", inkMuted
	case v.n == 0:
		return v.opening(), inkText
	case v.n == v.trace.Len():
		sentence, good := outcome(v.trace.Result())
		if good {
			return sentence, inkOK
		}
		return "✗ " + sentence, inkBad
	}
	sentence = v.sentence(v.n)
	if _, wrong := v.page.violation(int32(v.n - 1)); wrong {
		return "✗ " + sentence, inkBad
	}
	return sentence, inkText
}

// drawStory tells the story; below it stands what to do next, where there is
// room.
func (v *view) drawStory(p pane) {
	sentence, k := v.story()
	y := p.wrap(0, p.rect.h, sentence, k)
	if hint := v.hint(); hint != "" && y < p.rect.h {
		p.wrap(y, p.rect.h-y, hint, inkInfo)
	}
}

func (v *view) opening() string {
	s := v.trace.Scenario()
	again := s.Payments * int64(s.Duplicates) / int64(sim.One)
	switch w := &v.workloads[v.shown]; {
	case w.scene:
		return "The run of the lesson's page: " + w.title + "."
	case s.Payments == 1 && s.Duplicates > 0:
		return "One payment, and the broker will deliver it twice."
	case s.Payments == 1:
		return "One payment, and one message about it."
	case again == 0 && s.Crash+s.Slow+s.Fail+s.Timeout+s.AckLost+s.Rebalance == 0:
		return fmt.Sprintf("%s, %s.", text.Plural(s.Payments, "payment", "payments"), text.Plural(int64(s.Workers), "worker", "workers"))
	case s.Crash+s.Slow+s.Fail+s.Timeout+s.AckLost+s.Rebalance > 0:
		return fmt.Sprintf("%s, %s, %s of them delivered again, and faults on the way.",
			text.Plural(s.Payments, "payment", "payments"), text.Plural(int64(s.Workers), "worker", "workers"), text.Count(again, true))
	}
	return fmt.Sprintf("%s, %s, and %s delivered again while they are in process.",
		text.Plural(s.Payments, "payment", "payments"), text.Plural(int64(s.Workers), "worker", "workers"), text.Count(again, true)+" of them")
}

// hint is what to do next, or what the last key came to.
func (v *view) hint() string {
	k := v.keys.Player
	switch {
	case v.notice != "":
		return v.notice
	case v.guided: // what stands around it says what to do
	case v.n == 0 && v.mode == paused:
		return fmt.Sprintf("%s to play, %s to step", k.Play.Help().Key, k.Step.Help().Key)
	case v.n == v.trace.Len():
		return fmt.Sprintf("%s for the next handler, %s to compare, %s to play again", k.NextHandler.Help().Key, k.Compare.Help().Key, k.Play.Help().Key)
	}
	return ""
}

// wideLog is the width from which the log has whole sentences.
const wideLog = 80

// choosing says whether the log shows a choice of the events.
func (p *Player) choosing() bool { return p.filtering || p.filter != "" }

// drawEvents draws the log under its heading, which says what it shows.
func (v *view) drawEvents(p pane, y int) {
	if !v.choosing() && !v.following {
		y = v.section(p, y, "events")
		v.drawLog(p.sub(1, y, p.rect.w-1, p.rect.h-y))
		return
	}
	title := "events"
	if v.following {
		title += " of " + sim.PaymentName(v.followed)
	}
	all := v.cached(v.logList())
	past := sort.Search(len(all), func(i int) bool { return int(all[i]) >= v.n })
	count := fmt.Sprintf("%d of %d", past, len(all))
	if !v.choosing() {
		y = v.section(p, y, title+" · "+count)
		v.drawLog(p.sub(1, y, p.rect.w-1, p.rect.h-y))
		return
	}
	head := p.sub(0, y, p.rect.w, 1)
	x := head.put(1, 0, title+" ", inkTitle)
	x = head.put(x, 0, "/"+v.filter, inkAccent)
	if v.filtering {
		x = head.put(x, 0, "▌", inkAccent)
	}
	for x++; x < head.rect.w-text.Width(count)-1; x++ {
		head.put(x, 0, "─", inkFaint)
	}
	head.right(0, count, inkMuted)
	y++
	if past == 0 {
		p.sub(1, y, p.rect.w-1, p.rect.h-y).wrap(0, 3, v.nothingListed(len(all)), inkMuted)
		return
	}
	v.drawLog(p.sub(1, y, p.rect.w-1, p.rect.h-y))
}

// nothingListed says why the log is empty under its filter.
func (v *view) nothingListed(found int) string {
	k := v.keys.Player
	if found == 0 {
		return "No event has that in its line: worker, payment, step, outcome. A ! in front: those without."
	}
	return fmt.Sprintf("None so far; %s goes to the next.", k.NextEvent.Help().Key)
}

// drawLog lists the last events, the newest at the bottom: those that changed
// something, or every one of a run that is as short as the log.
func (v *view) drawLog(p pane) {
	rows := p.rect.h
	shown := make([]int, 0, rows)
	if v.choosing() || v.following {
		all := v.cached(v.logList())
		past := sort.Search(len(all), func(i int) bool { return int(all[i]) >= v.n })
		for ; past > 0 && len(shown) < rows; past-- {
			shown = append(shown, int(all[past-1]))
		}
	} else {
		for i := v.n - 1; i >= 0 && len(shown) < rows; i-- {
			if i == v.n-1 || v.trace.Len() <= rows || v.trace.Event(i).Visible() {
				shown = append(shown, i)
			}
		}
	}
	for y := range len(shown) {
		i := shown[len(shown)-1-y]
		v.drawLogLine(p, y, i)
	}
}

func (v *view) drawLogLine(p pane, y, i int) {
	e := v.trace.Event(i)
	marker, k := " ", inkMuted
	if i == v.n-1 {
		marker, k = "▶", inkStrong
	}
	kind, bad := v.page.violation(int32(i))
	p.put(0, y, marker, inkAccent)
	x := p.put(1, y, v.logTime(e.At)+"  ", k)
	if p.rect.w >= wideLog && v.filter == "" {
		sentence := v.sentence(i + 1)
		if bad {
			sentence, k = "✗ "+sentence, inkBad
		}
		p.cut(x, y, p.rect.w, sentence, k)
		return
	}
	x = p.put(x, y, text.Left(v.logLane(e), 7), k)
	payment := ""
	if e.Payment >= 0 {
		payment = sim.PaymentName(e.Payment)
	}
	x = p.put(x, y, text.Left(payment, 6), k)
	step := v.trace.Step(e)
	x = p.put(x, y, step+" ", v.logInk(e))
	switch {
	case bad:
		x = p.cut(x, y, p.rect.w, "✗ "+kind.String(), inkBad)
	default:
		x = p.cut(x, y, p.rect.w, logWord(v.trace.Outcome(e), step), k)
	}
	if p.rect.w >= wideLog {
		const column = 48
		p.cut(max(x+2, column), y, p.rect.w, v.sentence(i+1), inkMuted)
	}
}

// sentence is the narration of the last of n events, kept for the next frame.
func (v *view) sentence(n int) string {
	const most = 1 << 12
	told := v.cache.told
	if told == nil || len(told) > most {
		told = make(map[int]string)
		v.cache.told = told
	}
	s, ok := told[n]
	if !ok {
		s = v.trace.Narrate(n)
		told[n] = s
	}
	return s
}

// logWord is the outcome without the step's own name in front of it.
func logWord(outcome, step string) string {
	rest := strings.TrimPrefix(outcome, step)
	return strings.ReplaceAll(strings.TrimPrefix(rest, "-"), "-", " ")
}

func (v *view) logInk(e sim.Event) ink {
	switch e.Kind {
	case sim.EventStart, sim.EventEffect, sim.EventBusy, sim.EventAnswer, sim.EventAckLate:
		return stepInk(v.trace.Handler().Program[e.PC].Kind)
	}
	return inkText
}
