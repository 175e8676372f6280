package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"idemtui/retention"
	"idemtui/sim"
	"idemtui/ui/text"
)

// The places of a plot.
var (
	plotDistances = []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 32}
	plotCharges   = []int64{62_500, 125_000, 250_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000, 32_000_000}
)

// plotWidth is the length of the longest bar.
const plotWidth = 60

// plotPoint is how many payments are charged twice at one place of a plot.
type plotPoint struct {
	Handler string      `json:"handler"`
	X       json.Number `json:"x"`
	Median  json.Number `json:"median"`
	Min     json.Number `json:"min"`
	Max     json.Number `json:"max"`

	name  string // the place, for people
	twice int64  // twice the median, which may be half a payment
}

// axis is what a plot goes along.
type plotAxis struct {
	flag   string
	title  string
	column string
	places []int64
	set    func(*sim.Scenario, int64)
	value  func(int64) json.Number
	name   func(int64) string
}

// plotAxes are the values of --plot.
var plotAxes = map[string]plotAxis{
	"distance": {
		"distance", "by the distance of the copy", "distance", plotDistances,
		func(s *sim.Scenario, x int64) { s.Distance = x },
		func(x int64) json.Number { return json.Number(fmt.Sprint(x)) },
		func(x int64) string { return fmt.Sprint(x) },
	},
	"charge": {
		"charge", "by the time of a charge", "charge_seconds", plotCharges,
		func(s *sim.Scenario, x int64) { s.Charge = x },
		sim.Seconds,
		func(x int64) string { return retention.FormatDuration(time.Duration(x)) },
	},
}

// runPlot runs each handler at every place of the axis and draws the result.
func (a *app) runPlot(ctx context.Context, f *runFlags, scenarios []sim.Scenario) error {
	axis, ok := plotAxes[f.plot]
	if !ok {
		return usageError(fmt.Sprintf("--plot: there is no plot %q", shortName(f.plot)), "it is distance or charge")
	}
	var placed []sim.Scenario
	for _, s := range scenarios {
		for _, x := range axis.places {
			axis.set(&s, x)
			if err := s.Validate(); err != nil {
				return rangeError(err)
			}
			placed = append(placed, s)
		}
	}
	repeat := int(f.repeat)
	runs, err := a.sweep(ctx, placed, repeat)
	if err != nil {
		return err
	}
	points := make([]plotPoint, 0, len(placed))
	for i, s := range placed {
		values := make([]int64, repeat)
		for j := range values {
			values[j] = runs[i*repeat+j].ChargedTwice
		}
		x := axis.places[i%len(axis.places)]
		spread := spreadOf("", "", values)
		points = append(points, plotPoint{
			s.Handler.String(), axis.value(x), spread.Median, spread.Min, spread.Max,
			axis.name(x), values[(repeat-1)/2] + values[repeat/2],
		})
	}
	switch f.format {
	case formatJSON:
		return a.printPlotJSON(f, points)
	case formatCSV:
		return a.printPlotCSV(axis, points)
	}
	a.printf("%s\n", workloadLine(f.scenario, repeat))
	for first := 0; first < len(points); first += len(axis.places) {
		a.printf("\n%s", plotChart(axis, points[first:first+len(axis.places)]))
	}
	return nil
}

// plotChart draws one handler's points as bars.
func plotChart(axis plotAxis, points []plotPoint) string {
	longest, widest := int64(1), 0
	for _, p := range points {
		longest, widest = max(longest, p.twice), max(widest, text.Width(p.name))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s: payments charged twice, %s\n", points[0].Handler, axis.title)
	for _, p := range points {
		bar := strings.Repeat("█", int(p.twice*plotWidth/longest))
		if bar == "" && p.twice > 0 {
			bar = "▏"
		}
		value := spreadText(spread{Median: p.Median, Min: p.Min, Max: p.Max})
		fmt.Fprintf(&out, "  %s  %s\n", text.Right(p.name, widest), strings.TrimSpace(bar+" "+value))
	}
	return out.String()
}

// printPlotJSON prints the points in idemtui.run/v1.
func (a *app) printPlotJSON(f *runFlags, points []plotPoint) error {
	workload := f.scenario.Parameters()
	workload.Handler = ""
	type plot struct {
		By     string      `json:"by"`
		Field  string      `json:"field"`
		Points []plotPoint `json:"points"`
	}
	return a.printJSON(struct {
		Schema   string         `json:"schema"`
		Workload sim.Parameters `json:"workload"`
		Results  []runRow       `json:"results"`
		Plot     plot           `json:"plot"`
	}{"idemtui.run/v1", workload, []runRow{}, plot{f.plot, "charged_twice", points}})
}

// printPlotCSV prints one point a line.
func (a *app) printPlotCSV(axis plotAxis, points []plotPoint) error {
	lines := [][]string{{"handler", axis.column, "median", "min", "max"}}
	for _, p := range points {
		lines = append(lines, []string{p.Handler, p.X.String(), p.Median.String(), p.Min.String(), p.Max.String()})
	}
	if err := csv.NewWriter(&a.out).WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
