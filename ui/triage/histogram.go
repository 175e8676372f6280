package triage

import (
	"strings"
	"time"

	"idemtui/ui/theme"
)

// bars are the heights of a histogram. The first is an empty bucket: it keeps
// the base line.
var bars = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// ageSteps are the ends of the histogram's buckets; a last one takes what is
// older. They are fixed, so that a refresh does not rescale the picture.
var ageSteps = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour,
}

// histogram draws how many claims are how old, a bar of two cells for each
// step, between the names of the youngest and the oldest step. It is empty
// where no claim has an age.
func histogram(ages []time.Duration, s theme.Styles) string {
	counts := make([]int, len(ageSteps)+1)
	most := 0
	for _, age := range ages {
		i := 0
		for i < len(ageSteps) && age >= ageSteps[i] {
			i++
		}
		counts[i]++
		most = max(most, counts[i])
	}
	if most == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(s.Muted.Render("age <1m "))
	for _, n := range counts {
		if n == 0 {
			b.WriteString(s.Faint.Render(bars[0] + bars[0]))
			continue
		}
		bar := bars[1+(n*(len(bars)-2))/most]
		b.WriteString(s.Accent.Render(bar + bar))
	}
	b.WriteString(s.Muted.Render(" >1d"))
	return b.String()
}
