package inspect

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ReleaseRule is one way in which a profile allows a claim to be released. It
// holds no SQL: the Store writes the statement and its guard.
type ReleaseRule struct {
	// Name says in a few words what it does; of ReleaseCall it is unused.
	Name string
	Mode ReleaseMode
	Set  []SetColumn
	// Expect must hold besides the guard, or the claim is not released so.
	Expect []StateRule
	// Function is what ReleaseCall calls, [SCHEMA.]NAME; without a schema it is
	// that of the table. It takes an array of owners, or Arguments once a claim.
	Function  string
	Arguments []Argument
	// With are rows of other tables that are released with the claim.
	With []Companion
	// To is where ReleaseMove puts the claim.
	To *MoveTo
	// Unusable says why it cannot be carried out on this table; "" where it can.
	Unusable    string
	Consequence string
	RunsNext    RunsNext
	// Preferred is what auto stands for. Where no rule is preferred a release
	// must name its mode.
	Preferred bool
}

// Argument is what a framework's function is given for a claim.
type Argument string

// The arguments of a function that is called once a claim.
const (
	ArgumentKey  Argument = "key"
	ArgumentNow  Argument = "now"
	ArgumentNull Argument = "null"
)

// SetColumn is one column that a release writes.
type SetColumn struct {
	Column string
	To     SetTo
	// Value is the literal of SetLiteral.
	Value string
}

// SetTo says what a column is set to.
type SetTo string

// What a release may write.
const (
	SetNull    SetTo = "null"
	SetNow     SetTo = "now"
	SetBump    SetTo = "bump"
	SetLiteral SetTo = "literal"
)

// PurgeRule says what the framework itself deletes, after how long, and who
// runs it. It is told, never run.
type PurgeRule struct {
	Where string
	Keep  time.Duration
	By    string
}

// columns are those that the rule writes or tests.
func (r ReleaseRule) columns() []string {
	var out []string
	for _, s := range r.Set {
		out = append(out, s.Column)
	}
	for _, e := range r.Expect {
		out = append(out, e.Columns()...)
	}
	return append(out, r.claimColumns()...)
}

// ReleaseRule finds the profile's rule of a mode; none where the modes follow
// from the columns.
func (m Mapping) ReleaseRule(mode ReleaseMode) (ReleaseRule, bool) {
	i := slices.IndexFunc(m.Releases, func(r ReleaseRule) bool { return r.Mode == mode })
	if i < 0 {
		return ReleaseRule{}, false
	}
	return m.Releases[i], true
}

// resolveByRules resolves a mode where a profile lists its releases.
func resolveByRules(m Mapping, mode ReleaseMode) (ReleaseMode, error) {
	var offered []string
	for _, r := range m.Releases {
		if r.Mode == mode || (r.Preferred && (mode == ReleaseAuto || mode == "")) {
			if r.Unusable != "" {
				return "", &Fault{Kind: FaultMapping, What: fmt.Sprintf("release mode %s cannot be carried out here: %s", r.Mode, r.Unusable), Next: "mend that, or choose another --mode"}
			}
			return r.Mode, nil
		}
		offered = append(offered, fmt.Sprintf("--mode %s (%s)", r.Mode, r.Name))
	}
	what := fmt.Sprintf("release mode %s is not one that profile %s knows", mode, m.Profile)
	if mode == ReleaseAuto || mode == "" {
		what = fmt.Sprintf("profile %s advises no release: %s", m.Profile, strings.Join(m.Caveats[:min(1, len(m.Caveats))], ""))
	}
	return "", &Fault{Kind: FaultRefused, What: what, Next: "if you know better: " + strings.Join(offered, ", ")}
}

// RefuseMode says why a claim that may be released may not be so in this mode:
// the profile expects more of its row.
func RefuseMode(c Claim, m Mapping, mode ReleaseMode) (Skip, bool) {
	rule, _ := m.ReleaseRule(mode)
	for _, e := range rule.Expect {
		if !e.Holds(c.AsRead) {
			return Skip{Key: c.Key, Reason: ReasonChanged, Text: fmt.Sprintf("release mode %s is only for rows where %s", mode, e)}, true
		}
	}
	return Skip{}, false
}

// RunsNextAfter is who runs the message after a release of a mode.
func (m Mapping) RunsNextAfter(mode ReleaseMode) RunsNext {
	if rule, ok := m.ReleaseRule(mode); ok && rule.RunsNext != RunsNextUnknown {
		return rule.RunsNext
	}
	return m.RunsNext
}

// bumps reports whether the rule draws a new fencing token.
func (r ReleaseRule) bumps() bool {
	return slices.ContainsFunc(r.Set, func(s SetColumn) bool { return s.To == SetBump })
}
