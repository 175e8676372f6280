package profiles

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"idemtui/inspect"
)

// companion is a table whose rows are released with the claim.
type companion struct {
	Table string   `yaml:"table"`
	On    pairs    `yaml:"on"`
	Set   settings `yaml:"set"`
}

// moveTo is the table into which the mode move puts a claim.
type moveTo struct {
	Table string   `yaml:"table"`
	Take  pairs    `yaml:"take"`
	Set   settings `yaml:"set"`
	From  *struct {
		Table string `yaml:"table"`
		On    pairs  `yaml:"on"`
		Take  pairs  `yaml:"take"`
	} `yaml:"from"`
}

// pairs are COL: COL, in the order of the file.
type pairs []inspect.ColumnPair

// UnmarshalYAML reads a mapping of words.
func (p *pairs) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return &lineError{node.Line, "want COL: COL"}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		column, with := node.Content[i], node.Content[i+1]
		if with.Kind != yaml.ScalarNode || with.Value == "" {
			return &lineError{with.Line, fmt.Sprintf("%s: want a column", column.Value)}
		}
		*p = append(*p, inspect.ColumnPair{Column: inspect.FoldName(column.Value), With: inspect.FoldName(with.Value)})
	}
	return nil
}

func folded(set settings) []inspect.SetColumn {
	out := slices.Clone([]inspect.SetColumn(set))
	for i := range out {
		out[i].Column = inspect.FoldName(out[i].Column)
	}
	return out
}

// others reads what a release does in other tables.
func others(r release, rule *inspect.ReleaseRule) error {
	for _, c := range r.With {
		switch {
		case c.Table == "" || len(c.On) == 0:
			return fmt.Errorf("with: want {table, on: {COL: COL}}")
		case (len(c.Set) == 0) != (rule.Mode == inspect.ReleaseCall):
			return fmt.Errorf("with: set is for what idemtui writes: mode call has none, and the others need it")
		case rule.Mode == inspect.ReleaseMove:
			return fmt.Errorf("with: mode move takes to, and no other table")
		}
		rule.With = append(rule.With, inspect.Companion{Table: c.Table, On: c.On, Set: folded(c.Set)})
	}
	if (rule.Mode == inspect.ReleaseMove) != (r.To != nil) {
		return fmt.Errorf("to: mode move needs it, and no other takes it")
	}
	if r.To == nil {
		return nil
	}
	to := &inspect.MoveTo{Table: r.To.Table, Take: r.To.Take, Set: folded(r.To.Set)}
	if to.Table == "" || len(to.Take) == 0 {
		return fmt.Errorf("to: want {table, take: {COL: COL}}")
	}
	for _, s := range to.Set {
		if s.To == inspect.SetBump {
			return fmt.Errorf("to: set: a new row has nothing to bump")
		}
	}
	if f := r.To.From; f != nil {
		if f.Table == "" || len(f.On) == 0 || len(f.Take) == 0 {
			return fmt.Errorf("to: from: want {table, on: {COL: COL}, take: {COL: COL}}")
		}
		to.From = &inspect.MoveFrom{Table: f.Table, On: f.On, Take: f.Take}
	}
	rule.To = to
	return nil
}

// arguments reads what a function is given.
func arguments(r release, rule *inspect.ReleaseRule) error {
	for _, word := range r.Arguments {
		a := inspect.Argument(word)
		if !slices.Contains([]inspect.Argument{inspect.ArgumentKey, inspect.ArgumentNow, inspect.ArgumentNull}, a) {
			return fmt.Errorf("arguments: want key, now or null")
		}
		rule.Arguments = append(rule.Arguments, a)
	}
	if len(rule.Arguments) > 0 && (rule.Mode != inspect.ReleaseCall || !slices.Contains(rule.Arguments, inspect.ArgumentKey)) {
		return fmt.Errorf("arguments: they are for mode call, and the key is one of them")
	}
	return nil
}

// takesKey: a row that is moved can be told from the others by its key.
func takesKey(m inspect.Mapping, rule inspect.ReleaseRule) error {
	for _, k := range m.Key {
		if rule.To != nil && !slices.ContainsFunc(rule.To.Take, func(p inspect.ColumnPair) bool { return p.With == k.Column }) {
			return fmt.Errorf("to: take: the key's column %s is not among them", k.Column)
		}
	}
	return nil
}
