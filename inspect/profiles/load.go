package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"idemtui/inspect"
	"idemtui/retention"
)

// IsProfile reports whether a file says that it is a profile, as against a
// mapping of NAME=VALUE parts.
func IsProfile(content []byte) bool { return profileHead.Match(content) }

// profileHead is the line by which even a file with an error in it is known.
var profileHead = regexp.MustCompile(`(?m)^["']?schema["']?\s*:\s*["']?idemtui\.profile/`)

// Load reads one profile file, strictly: an unknown key, a missing part or a
// contradiction is an error that names its line.
func Load(content []byte) (inspect.Profile, error) {
	l := loader{}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(&l.f); err != nil {
		return inspect.Profile{}, yamlError(err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return inspect.Profile{}, errors.New("a profile file holds one document")
	}
	if err := yaml.Unmarshal(content, &l.root); err != nil {
		return inspect.Profile{}, yamlError(err)
	}
	l.p.Mapping.State = inspect.StateBinding{Values: map[inspect.State][]string{}, Rules: map[inspect.State][]inspect.StateRule{}}
	l.p.Mapping.Times = map[string]inspect.TimeBinding{}
	for _, step := range []func() error{l.head, l.match, l.key, l.state, l.columns, l.spans, l.times, l.releases, l.required} {
		if err := step(); err != nil {
			return inspect.Profile{}, err
		}
	}
	return l.p, nil
}

type loader struct {
	f    file
	root yaml.Node
	p    inspect.Profile
}

// at is an error at the line of a path of keys, or of the nearest one there is.
func (l *loader) at(path, format string, args ...any) error {
	node := &l.root
	if node.Kind == yaml.DocumentNode && len(node.Content) > 0 {
		node = node.Content[0]
	}
	line := node.Line
	for _, name := range strings.Split(path, ".") {
		i := -1
		if node.Kind == yaml.MappingNode {
			for j := 0; j+1 < len(node.Content); j += 2 {
				if node.Content[j].Value == name {
					i = j
				}
			}
		}
		if i < 0 {
			break
		}
		line, node = node.Content[i].Line, node.Content[i+1]
	}
	return &lineError{line, path + ": " + fmt.Sprintf(format, args...)}
}

var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

func (l *loader) head() error {
	f := l.f
	kinds := []string{"K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8"}
	switch {
	case f.Schema != Schema:
		return l.at("schema", "want %s", Schema)
	case !profileName.MatchString(f.Name):
		return l.at("name", "want small letters, digits and -")
	case f.Name == inspect.GuessedProfile:
		return l.at("name", "%s is what a guess is called", f.Name)
	case !slices.Contains(kinds, f.Kind):
		return l.at("kind", "want K1 to K8")
	case f.Support != "verified" && f.Support != "unverified":
		return l.at("support", "want verified or unverified")
	case len(f.Engines) == 0:
		return l.at("engines", "want postgres, mysql or sqlite")
	}
	for _, e := range f.Engines {
		if !slices.Contains([]string{"postgres", "mysql", "sqlite"}, e) {
			return l.at("engines", "%q is no engine: want postgres, mysql or sqlite", e)
		}
	}
	l.p.Name, l.p.Title, l.p.Engines, l.p.Verified, l.p.Source = f.Name, f.Title, f.Engines, f.Support == "verified", f.Source
	l.p.Mapping.Kind, l.p.Mapping.Caveats = inspect.Kind(f.Kind), f.Caveats
	return nil
}

// otherColumns forbids in match.forbid every column that is not required.
const otherColumns = "*"

func (l *loader) match() error {
	m := &l.p.Match
	if len(l.f.Match.Require) == 0 {
		return l.at("match.require", "name the columns that the table must have, the most telling one first")
	}
	for _, name := range l.f.Match.Require {
		m.Require = append(m.Require, inspect.FoldName(name))
	}
	for _, name := range l.f.Match.Unique {
		m.Unique = append(m.Unique, inspect.FoldName(name))
	}
	for _, name := range l.f.Match.Forbid {
		if name == otherColumns {
			m.ForbidOthers = true
			continue
		}
		if slices.Contains(m.Require, inspect.FoldName(name)) {
			return l.at("match.forbid", "%s is required too", name)
		}
		m.Forbid = append(m.Forbid, inspect.FoldName(name))
	}
	m.Types = map[string][]string{}
	for name, types := range l.f.Match.Types {
		m.Types[inspect.FoldName(name)] = types
	}
	return nil
}

func (l *loader) key() error {
	if n := len(l.f.Key); n == 0 || n > inspect.MaxKeyParts {
		return l.at("key", "want 1 to %d columns", inspect.MaxKeyParts)
	}
	for _, k := range l.f.Key {
		role := inspect.KeyRole(k.Role)
		if role == "" {
			role = inspect.RoleMessage
		}
		if k.Col == "" || (role != inspect.RoleMessage && role != inspect.RoleScope) {
			return l.at("key", "want {col: COLUMN, role: message|scope}")
		}
		l.p.Mapping.Key = append(l.p.Mapping.Key, inspect.KeyColumn{Column: inspect.FoldName(k.Col), Kind: inspect.PartText, Role: role})
	}
	return nil
}

func (l *loader) state() error {
	s := l.f.State
	lists := s.byState()
	if s.When != nil {
		if s.Col != "" || len(s.Processing)+len(s.Done)+len(s.Failed)+len(s.Free) > 0 {
			return l.at("state.when", "col and when exclude each other")
		}
		lists = s.When.byState()
	}
	to := &l.p.Mapping.State
	to.Column = inspect.FoldName(s.Col)
	taken := map[string]inspect.State{}
	for _, state := range inspect.StateOrder {
		for _, word := range lists[state] {
			if other, ok := taken[word]; ok {
				return l.at("state", "%q stands for both %s and %s", word, other, state)
			}
			taken[word] = state
			if to.Column != "" {
				to.Values[state] = append(to.Values[state], word)
				continue
			}
			rule, err := inspect.ParseStateRule(word)
			if err != nil {
				return l.at("state", "%v", err)
			}
			to.Rules[state] = append(to.Rules[state], foldRule(rule))
		}
	}
	if len(taken) == 0 {
		return l.at("state", "want {col: COLUMN, processing: [VALUE]} or {when: {processing: [COLUMN!null]}}")
	}
	return nil
}

func foldRule(rule inspect.StateRule) inspect.StateRule {
	for i := range rule {
		rule[i].Column = inspect.FoldName(rule[i].Column)
	}
	return rule
}

func (l *loader) columns() error {
	f, m := l.f, &l.p.Mapping
	for _, c := range []struct {
		from string
		to   *string
	}{
		{f.ClaimedAt, &m.ClaimedAt},
		{f.Lease.Col, &m.Lease.Column},
		{f.Heartbeat.Col, &m.Heartbeat.Column},
		{f.Token, &m.Token},
		{f.Attempts.Col, &m.Attempts},
		{f.CompletedAt, &m.CompletedAt},
		{f.FailedAt, &m.FailedAt},
		{f.ExpiresAt, &m.ExpiresAt},
		{f.UpdatedAt, &m.UpdatedAt},
		{f.Result, &m.Result},
	} {
		*c.to = inspect.FoldName(c.from)
	}
	owner, element, isElement := strings.Cut(strings.TrimSuffix(f.Owner, "]"), "[")
	if isElement && element != inspect.FirstElement && element != inspect.LastElement {
		return l.at("owner", "want COL, COL[first] or COL[last]")
	}
	m.Owner, m.OwnerElement = inspect.FoldName(owner), element
	m.AttemptsMean = f.Attempts.Means
	if !slices.Contains([]string{"", "starts", "failures", "loops", "resubmissions"}, m.AttemptsMean) {
		return l.at("attempts.means", "want starts, failures, loops or resubmissions")
	}
	if f.Lease.From != "" {
		if (f.Lease.Col != "") == (f.Lease.For != "") {
			return l.at("lease", "want col, or from with for (a duration) or from with col (an interval or seconds)")
		}
		m.Lease.PlusColumn, m.Lease.Column = m.Lease.Column, inspect.FoldName(f.Lease.From)
	}
	if f.Advisory != "" {
		lock, err := inspect.ParseAdvisory(f.Advisory)
		if err != nil {
			return l.at("advisory", "%v", err)
		}
		m.Advisory = lock.InNames(inspect.FoldName)
	}
	if j := f.Heartbeat.Join; j != nil {
		if f.Heartbeat.Col != "" || j.Table == "" || j.Key == "" || j.Col == "" {
			return l.at("heartbeat.join", "want {table, key, col} and no col beside it")
		}
		if j.Unowned != "" && j.Unowned != "gone" {
			return l.at("heartbeat.join.unowned", "want gone, or nothing")
		}
		m.Heartbeat.Join = &inspect.HeartbeatJoin{Table: j.Table, Key: inspect.FoldName(j.Key), Column: inspect.FoldName(j.Col), UnownedGone: j.Unowned != ""}
		if m.Owner == "" {
			return l.at("heartbeat.join", "the owner whose heartbeat it is has no column")
		}
	}
	return nil
}

func (l *loader) spans() error {
	f, m := l.f, &l.p.Mapping
	for path, s := range map[string]struct {
		text string
		to   *time.Duration
	}{
		"lease.for":       {f.Lease.For, &m.Lease.Plus},
		"stale_after":     {f.StaleAfter, &m.StaleAfter},
		"heartbeat.every": {f.Heartbeat.Every, &m.Heartbeat.Every},
		"heartbeat.limit": {f.Heartbeat.Limit, &m.Heartbeat.Limit},
		"purge.keep":      {f.Purge.Keep, &m.Purge.Keep},
	} {
		if s.text == "" {
			continue
		}
		d, err := retention.ParseDuration(s.text)
		if err != nil {
			return l.at(path, "%v", err)
		}
		*s.to = d
	}
	if f.Lease.For != "" && f.Lease.From == "" {
		return l.at("lease.for", "it is added to lease.from, which is missing")
	}
	m.Purge.Where, m.Purge.By = f.Purge.Where, f.Purge.By
	return nil
}

func (l *loader) times() error {
	for column, t := range l.f.Times {
		unit := inspect.EpochUnit(t.Unit)
		if !slices.Contains([]inspect.EpochUnit{"", inspect.UnitSeconds, inspect.UnitMillis, inspect.UnitMicros, inspect.UnitNanos}, unit) {
			return l.at("times."+column+".unit", "want s, ms, us or ns")
		}
		l.p.Mapping.Times[inspect.FoldName(column)] = inspect.TimeBinding{Unit: unit, Zone: t.Zone, Sentinel: t.Sentinel}
	}
	return nil
}

func yamlError(err error) error {
	var typeError *yaml.TypeError
	if errors.As(err, &typeError) {
		text := strings.Join(typeError.Errors, "; ")
		text = regexp.MustCompile(` in type [A-Za-z_.{}*\[\] "]+`).ReplaceAllString(text, "")
		text = strings.ReplaceAll(text, " not found", "")
		return errors.New(strings.ReplaceAll(text, "field ", "unknown key "))
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}
