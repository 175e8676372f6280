package explore

import (
	"fmt"
	"math/big"
	"strconv"
)

// Verdict is what a search says about a handler under its faults.
type Verdict string

// The verdicts.
const (
	Safe         Verdict = "safe"
	ChargesTwice Verdict = "charges-twice"
	Loses        Verdict = "loses"
	Both         Verdict = "charges-twice-and-loses"
	Undecided    Verdict = "undecided" // stopped early, with nothing found
)

// Verdict compares the counterexamples that were found.
func (r Result) Verdict() Verdict {
	switch {
	case r.ShortestDouble != nil && r.ShortestLost != nil:
		return Both
	case r.ShortestDouble != nil:
		return ChargesTwice
	case r.ShortestLost != nil:
		return Loses
	case !r.Complete:
		return Undecided
	}
	return Safe
}

// Headline is the verdict in one sentence.
func (r Result) Headline() string {
	var name, rest string
	switch r.Verdict() {
	case Safe:
		if r.Interleavings == nil {
			return "SAFE: no schedule charges twice, and none loses the payment."
		}
		if r.Interleavings.Cmp(big.NewInt(1)) == 0 {
			return "SAFE: the only schedule does not charge twice, and does not lose the payment."
		}
		return fmt.Sprintf("SAFE: none of the %s charges twice, and none loses the payment.", plural(r.Interleavings, "schedule"))
	case ChargesTwice:
		name, rest = "CHARGES TWICE", r.twice()+"; "+r.unless("no schedule loses the payment")
	case Loses:
		name, rest = "LOSES THE PAYMENT", r.loses()+"; "+r.unless("none charges twice")
	case Both:
		name, rest = "CHARGES TWICE AND LOSES THE PAYMENT", r.twice()+"; "+r.loses()
	default:
		return fmt.Sprintf("UNDECIDED: no double charge and no loss within the first %d states; the search did not end.", r.States)
	}
	return name + ": " + rest + "."
}

func (r Result) twice() string {
	text := fmt.Sprintf("a double charge is reachable in %d steps", r.ShortestDouble.Len())
	if r.Interleavings != nil {
		text = fmt.Sprintf("%s of %s %s twice or more, the first after %d steps",
			r.Double, plural(r.Interleavings, "schedule"), verb(r.Double, "charges", "charge"), r.ShortestDouble.Len())
	}
	return text
}

func (r Result) loses() string {
	text := fmt.Sprintf("an end without a charge is reachable in %d steps", r.ShortestLost.Len())
	if r.Interleavings != nil {
		text = fmt.Sprintf("%s of %s never %s though every delivery is acknowledged, the shortest in %d steps",
			r.Lost, plural(r.Interleavings, "schedule"), verb(r.Lost, "charges", "charge"), r.ShortestLost.Len())
	}
	return text
}

// unless says what a search that did not end cannot.
func (r Result) unless(text string) string {
	if r.Complete {
		return text
	}
	return "the search did not end, so that more may be reachable"
}

func plural(n *big.Int, noun string) string {
	return n.String() + " " + verb(n, noun, noun+"s")
}

// verb chooses the form that goes with a number.
func verb(n *big.Int, one, many string) string {
	if n.IsInt64() && n.Int64() == 1 {
		return one
	}
	return many
}

// Report is a result as idemtui.explore/v1.
type Report struct {
	Schema          string          `json:"schema"`
	Handler         string          `json:"handler"`
	Deliveries      int             `json:"deliveries"`
	Budgets         Budgets         `json:"budgets"`
	States          int64           `json:"states"`
	Edges           int64           `json:"edges"`
	CanonicalStates int64           `json:"canonical_states"`
	Terminal        int64           `json:"terminal"`
	MaxDepth        *int            `json:"max_depth"`
	Interleavings   *string         `json:"interleavings"`
	ChargedTwice    *string         `json:"charged_twice"`
	ChargedThrice   *string         `json:"charged_thrice"`
	NeverCharged    *string         `json:"never_charged"`
	ShortestDouble  *int            `json:"shortest_double"`
	ShortestLost    *int            `json:"shortest_lost"`
	Counterexamples Counterexamples `json:"counterexamples"`
	Token           *string         `json:"token"` // of the double charge, else of the loss
	Tokens          Tokens          `json:"tokens"`
	Verdict         Verdict         `json:"verdict"`
	Complete        bool            `json:"complete"`
	Notes           []string        `json:"notes"`
}

// Counterexamples are the shortest ones, step by step; empty where none exists.
type Counterexamples struct {
	Double []ReportStep `json:"double"`
	Lost   []ReportStep `json:"lost"`
}

// ReportStep is one step: who (D1 to D4, or env) and what.
type ReportStep struct {
	By   string `json:"by"`
	Step string `json:"step"`
}

// Tokens open the counterexamples; null where none exists.
type Tokens struct {
	Double *string `json:"double"`
	Lost   *string `json:"lost"`
}

// Report makes the form that is printed.
func (r Result) Report() Report {
	report := Report{
		Schema: "idemtui.explore/v1", Handler: r.Handler.Name, Deliveries: r.Deliveries, Budgets: r.Budgets,
		States: r.States, Edges: r.Edges, CanonicalStates: r.Canonical, Terminal: r.Terminal, MaxDepth: r.MaxDepth,
		Interleavings: decimal(r.Interleavings), ChargedTwice: decimal(r.Double), ChargedThrice: decimal(r.Triple), NeverCharged: decimal(r.Lost),
		Verdict: r.Verdict(), Complete: r.Complete, Notes: append([]string{}, r.Notes...),
	}
	report.ShortestDouble, report.Counterexamples.Double, report.Tokens.Double = describe(r.ShortestDouble)
	report.ShortestLost, report.Counterexamples.Lost, report.Tokens.Lost = describe(r.ShortestLost)
	report.Token = report.Tokens.Double
	if report.Token == nil {
		report.Token = report.Tokens.Lost
	}
	return report
}

// describe gives a path's length, steps and token.
func describe(p *Path) (length *int, steps []ReportStep, token *string) {
	steps = []ReportStep{}
	if p == nil {
		return nil, steps, nil
	}
	for _, step := range p.Steps {
		steps = append(steps, ReportStep{By: step.By, Step: step.Label.String()})
	}
	n, text := p.Len(), p.Token()
	return &n, steps, &text
}

func decimal(n *big.Int) *string {
	if n == nil {
		return nil
	}
	text := n.String()
	return &text
}

// Row is one line of a result for people.
type Row struct{ Name, Value string }

// Rows lists the numbers; what was not counted is left out.
func (r Result) Rows() []Row {
	least := ""
	if !r.Complete {
		least = "at least "
	}
	rows := []Row{
		{"handler", r.Handler.Name + " (" + r.Handler.Title + ")"},
		{"deliveries", strconv.Itoa(r.Deliveries)},
		{"faults", r.Budgets.String()},
		{"states", fmt.Sprintf("%s%d (%d up to the order of the deliveries)", least, r.States, r.Canonical)},
		{"edges", least + strconv.FormatInt(r.Edges, 10)},
		{"ends", least + strconv.FormatInt(r.Terminal, 10)},
	}
	if r.MaxDepth != nil {
		rows = append(rows, Row{"longest run", fmt.Sprintf("%d steps", *r.MaxDepth)})
	}
	if r.Interleavings != nil {
		rows = append(rows,
			Row{"schedules (interleavings)", r.Interleavings.String()},
			Row{"charge twice or more", r.Double.String()},
			Row{"charge three times or more", r.Triple.String()},
			Row{"never charge", r.Lost.String()},
		)
	}
	return rows
}

// String names the faults that may happen: "crash 1, slow 1".
func (b Budgets) String() string {
	text := ""
	for i, n := range b.list() {
		if n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += budgetNames[i] + " " + strconv.Itoa(n)
	}
	if text == "" {
		return "none"
	}
	return text
}
