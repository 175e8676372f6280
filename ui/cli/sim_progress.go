package cli

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"idemtui/ui/text"
)

// The progress line appears only for work that takes a while.
const (
	progressAfter = 600 * time.Millisecond
	progressEvery = 200 * time.Millisecond
	progressWidth = 24
)

// showRuns draws a progress line on standard error while done grows to
// total, if that is a terminal. The returned function ends and erases it.
func (a *app) showRuns(what string, total int64, done *atomic.Int64) (stop func()) {
	if !a.streams.ErrTerminal || a.dumb() || total <= 0 {
		return func() {}
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		a.drawProgress(what, total, done, quit)
	}()
	return func() {
		close(quit)
		<-gone
	}
}

func (a *app) drawProgress(what string, total int64, done *atomic.Int64, quit <-chan struct{}) {
	began, width := a.now(), 0
	next := time.NewTimer(progressAfter)
	defer next.Stop()
	for {
		select {
		case <-quit:
			if width > 0 {
				fmt.Fprintf(a.streams.Err, "\r%s\r", strings.Repeat(" ", width))
			}
			return
		case <-next.C:
			line := progressLine(what, done.Load(), total, a.now().Sub(began))
			fmt.Fprintf(a.streams.Err, "\r%s", text.Left(line, width))
			width = max(width, text.Width(line))
			next.Reset(progressEvery)
		}
	}
}

// progressLine is how far the work is: a bar, the rate and the time left.
func progressLine(what string, done, total int64, elapsed time.Duration) string {
	done = min(done, total)
	full := int(done * progressWidth / total)
	line := fmt.Sprintf("[%s%s] %3d%%", strings.Repeat("#", full), strings.Repeat(".", progressWidth-full), done*100/total)
	if milliseconds := elapsed.Milliseconds(); milliseconds > 0 && done > 0 {
		left := time.Duration(int64(elapsed) / done * (total - done))
		line += fmt.Sprintf("  %s %s/s  %s left", text.Count(done*1000/milliseconds, true), what, text.Duration(left))
	}
	return line
}
