package explore

import (
	"sync"
	"sync/atomic"
)

// crew is the number of goroutines that share the work of a search.
type crew int

// each does the tasks from 0 to count-1, each once. Every worker takes its tasks
// in rising order. Worker 0 is the caller.
func (c crew) each(count int, do func(worker, task int)) {
	workers := min(int(c), count)
	if workers < 2 {
		for task := range count {
			do(0, task)
		}
		return
	}
	var next atomic.Int64
	work := func(worker int) {
		for {
			task := int(next.Add(1)) - 1
			if task >= count {
				return
			}
			do(worker, task)
		}
	}
	var others sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { work(worker) })
	}
	work(0)
	others.Wait()
}

// apart keeps what one worker writes off the cache lines of what another reads;
// processors fetch lines in pairs.
type apart [128]byte
