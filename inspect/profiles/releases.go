package profiles

import (
	"errors"
	"fmt"
	"slices"

	"idemtui/inspect"
)

var modes = []inspect.ReleaseMode{
	inspect.ReleaseDelete, inspect.ReleaseClear, inspect.ReleaseRequeue, inspect.ReleaseFail, inspect.ReleaseExpire, inspect.ReleaseMove, inspect.ReleaseCall,
}

var runners = []inspect.RunsNext{inspect.RunsNextUnknown, inspect.RunsNextPoller, inspect.RunsNextBroker, inspect.RunsNextClient, inspect.RunsNextNobody}

func (l *loader) releases() error {
	m := &l.p.Mapping
	m.RunsNext = inspect.RunsNext(l.f.RunsNext)
	if !slices.Contains(runners, m.RunsNext) {
		return l.at("runs_next", "want poller, broker, client or nobody")
	}
	preferred := 0
	for i, r := range l.f.Release {
		rule, err := releaseRule(r)
		if err != nil {
			return l.at("release", "number %d: %v", i+1, err)
		}
		if _, twice := m.ReleaseRule(rule.Mode); twice {
			return l.at("release", "number %d: mode %s stands twice", i+1, rule.Mode)
		}
		if rule.Preferred {
			preferred++
		}
		if rule.Mode == inspect.ReleaseCall && m.Owner == "" && len(rule.Arguments) == 0 {
			return l.at("release", "number %d: call takes owners, and none is mapped", i+1)
		}
		if err := takesKey(*m, rule); err != nil {
			return l.at("release", "number %d: %v", i+1, err)
		}
		m.Releases = append(m.Releases, rule)
	}
	if preferred > 1 {
		return l.at("release", "%d are preferred: at most one can be", preferred)
	}
	return nil
}

func releaseRule(r release) (inspect.ReleaseRule, error) {
	rule := inspect.ReleaseRule{
		Name: r.Name, Mode: inspect.ReleaseMode(r.Mode), Set: r.Set, Function: r.Function,
		Consequence: r.Consequence, RunsNext: inspect.RunsNext(r.RunsNext), Preferred: r.Preferred,
	}
	switch {
	case !slices.Contains(modes, rule.Mode):
		return rule, fmt.Errorf("mode: want delete, clear, requeue, fail, expire, move or call")
	case rule.Name == "" || rule.Consequence == "":
		return rule, fmt.Errorf("name and consequence are what a person decides by: give both")
	case !slices.Contains(runners, rule.RunsNext):
		return rule, fmt.Errorf("runs_next: want poller, broker, client or nobody")
	case (rule.Mode == inspect.ReleaseCall) != (rule.Function != ""):
		return rule, fmt.Errorf("function: mode call needs it, and no other takes it")
	case slices.Contains([]inspect.ReleaseMode{inspect.ReleaseDelete, inspect.ReleaseCall, inspect.ReleaseMove}, rule.Mode) == (len(rule.Set) > 0):
		return rule, fmt.Errorf("set: mode %s %s", rule.Mode, map[bool]string{true: "sets no column", false: "needs the columns that it sets"}[len(rule.Set) > 0])
	}
	if err := errors.Join(arguments(r, &rule), others(r, &rule)); err != nil {
		return rule, err
	}
	for i := range rule.Set {
		rule.Set[i].Column = inspect.FoldName(rule.Set[i].Column)
	}
	for _, text := range r.Expect {
		e, err := inspect.ParseStateRule(text)
		if err != nil {
			return rule, fmt.Errorf("expect: %w", err)
		}
		for _, test := range e {
			if test.Op == inspect.TestFuture || test.Op == inspect.TestPast {
				return rule, fmt.Errorf("expect: %s compares with the clock, which only a state may", test)
			}
		}
		rule.Expect = append(rule.Expect, foldRule(e))
	}
	return rule, nil
}

// required: what decides about a row is required of the table. What a profile
// only shows may be missing in an older version of it.
func (l *loader) required() error {
	m := l.p.Mapping
	need := map[string][]string{"key": m.KeyNames(), "state.col": {m.State.Column}, "lease": {m.Lease.Column, m.Lease.PlusColumn}, "heartbeat.col": {m.Heartbeat.Column}, "advisory": m.Advisory.Columns()}
	for _, rules := range m.State.Rules {
		for _, rule := range rules {
			need["state"] = append(need["state"], rule.Columns()...)
		}
	}
	for _, r := range m.Releases {
		for _, s := range r.Set {
			need["release"] = append(need["release"], s.Column)
		}
		for _, e := range r.Expect {
			need["release"] = append(need["release"], e.Columns()...)
		}
		for _, p := range r.ClaimPairs() {
			need["release"] = append(need["release"], p.With)
		}
	}
	if m.Heartbeat.Join != nil {
		need["owner"] = []string{m.Owner}
	}
	for _, path := range []string{"key", "state.col", "state", "lease", "heartbeat.col", "advisory", "owner", "release"} {
		for _, name := range need[path] {
			if name != "" && !slices.Contains(l.p.Match.Require, name) {
				return l.at(path, "%s is not in match.require", name)
			}
		}
	}
	return nil
}
