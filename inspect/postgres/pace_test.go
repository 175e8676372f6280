package postgres

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestTheRateHoldsBetweenAnyTwoBatches: however long each takes, from the
// beginning of one batch to that of any later one no more rows are written than
// the rate allows.
func TestTheRateHoldsBetweenAnyTwoBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pace{perSecond: rapid.IntRange(1, 3000).Draw(t, "rate")}
		now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
		var began []time.Time
		var sizes []int
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			now = now.Add(p.wait(now))
			size := p.batch(1000)
			if size > p.perSecond || size < 1 {
				t.Fatalf("a batch of %d rows at %d/s", size, p.perSecond)
			}
			size = rapid.IntRange(0, size).Draw(t, "rows")
			began, sizes = append(began, now), append(sizes, size)
			p.wrote(size, now)
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "takes")))
		}
		for i := range began {
			rows := 0
			for j := i + 1; j < len(began); j++ {
				rows += sizes[j-1]
				allowed := began[j].Sub(began[i]).Seconds()*float64(p.perSecond) + 1e-3*float64(j-i)
				if float64(rows) > allowed {
					t.Fatalf("%d rows in %v at %d/s", rows, began[j].Sub(began[i]), p.perSecond)
				}
			}
		}
	})
	if free := (pace{}); free.batch(1000) != 1000 || free.wait(time.Now()) != 0 {
		t.Error("without a rate nothing waits")
	}
}
