package profiles

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"idemtui/inspect"
)

// Schema is the schema of a profile file.
const Schema = "idemtui.profile/v1"

// file is a profile file as it is written.
type file struct {
	Schema  string   `yaml:"schema"`
	Name    string   `yaml:"name"`
	Title   string   `yaml:"title"`
	Kind    string   `yaml:"kind"`
	Engines []string `yaml:"engines"`
	Support string   `yaml:"support"`
	Source  string   `yaml:"source"`

	Match struct {
		Require []string         `yaml:"require"`
		Forbid  []string         `yaml:"forbid"`
		Types   map[string]words `yaml:"types"`
		Unique  []string         `yaml:"unique"`
	} `yaml:"match"`
	Key []struct {
		Col  string `yaml:"col"`
		Role string `yaml:"role"`
	} `yaml:"key"`
	State struct {
		Col    string  `yaml:"col"`
		When   *states `yaml:"when"`
		states `yaml:",inline"`
	} `yaml:"state"`

	ClaimedAt string `yaml:"claimed_at"`
	Lease     struct {
		Col  string `yaml:"col"`
		From string `yaml:"from"`
		For  string `yaml:"for"`
	} `yaml:"lease"`
	StaleAfter string `yaml:"stale_after"`
	Heartbeat  struct {
		Col  string `yaml:"col"`
		Join *struct {
			Table string `yaml:"table"`
			Key   string `yaml:"key"`
			Col   string `yaml:"col"`
			// Unowned says what a claim without an owner is: gone, or "".
			Unowned string `yaml:"unowned"`
		} `yaml:"join"`
		Every string `yaml:"every"`
		Limit string `yaml:"limit"`
	} `yaml:"heartbeat"`
	Advisory string `yaml:"advisory"`
	Owner    string `yaml:"owner"`
	Token    string `yaml:"token"`
	Attempts struct {
		Col   string `yaml:"col"`
		Means string `yaml:"means"`
	} `yaml:"attempts"`
	CompletedAt string `yaml:"completed_at"`
	FailedAt    string `yaml:"failed_at"`
	ExpiresAt   string `yaml:"expires_at"`
	UpdatedAt   string `yaml:"updated_at"`
	Result      string `yaml:"result"`

	Times map[string]struct {
		Unit     string `yaml:"unit"`
		Zone     string `yaml:"zone"`
		Sentinel string `yaml:"sentinel"`
	} `yaml:"times"`
	Purge struct {
		Where string `yaml:"where"`
		Keep  string `yaml:"keep"`
		By    string `yaml:"by"`
	} `yaml:"purge"`
	RunsNext string    `yaml:"runs_next"`
	Release  []release `yaml:"release"`
	Caveats  []string  `yaml:"caveats"`
}

type states struct {
	Processing words `yaml:"processing"`
	Done       words `yaml:"done"`
	Failed     words `yaml:"failed"`
	Free       words `yaml:"free"`
}

func (s states) byState() map[inspect.State]words {
	return map[inspect.State]words{
		inspect.StateProcessing: s.Processing, inspect.StateDone: s.Done, inspect.StateFailed: s.Failed, inspect.StateFree: s.Free,
	}
}

type release struct {
	Name        string      `yaml:"name"`
	Mode        string      `yaml:"mode"`
	Set         settings    `yaml:"set"`
	Expect      words       `yaml:"expect"`
	Function    string      `yaml:"function"`
	Arguments   words       `yaml:"arguments"`
	With        []companion `yaml:"with"`
	To          *moveTo     `yaml:"to"`
	Consequence string      `yaml:"consequence"`
	RunsNext    string      `yaml:"runs_next"`
	Preferred   bool        `yaml:"preferred"`
}

// words is one word or several, each as it is written: 1 and true are words.
type words []string

// UnmarshalYAML reads a scalar or a list of scalars.
func (w *words) UnmarshalYAML(node *yaml.Node) error {
	list := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		list = node.Content
	}
	for _, n := range list {
		if n.Kind != yaml.ScalarNode {
			return &lineError{n.Line, "want a word or a list of words"}
		}
		*w = append(*w, n.Value)
	}
	return nil
}

// settings are what a release writes, in the order of the file.
type settings []inspect.SetColumn

// UnmarshalYAML reads COL: null, now, bump or a literal; a quoted word is a
// literal whatever it says.
func (s *settings) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return &lineError{node.Line, "set: want COL: VALUE"}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		column, value := node.Content[i], node.Content[i+1]
		if value.Kind != yaml.ScalarNode {
			return &lineError{value.Line, fmt.Sprintf("set: %s: want null, now, bump or a literal", column.Value)}
		}
		set := inspect.SetColumn{Column: column.Value, To: inspect.SetLiteral, Value: value.Value}
		plain := value.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0
		switch {
		case value.ShortTag() == "!!null":
			set.To, set.Value = inspect.SetNull, ""
		case plain && value.Value == string(inspect.SetNow):
			set.To, set.Value = inspect.SetNow, ""
		case plain && value.Value == string(inspect.SetBump):
			set.To, set.Value = inspect.SetBump, ""
		}
		*s = append(*s, set)
	}
	return nil
}

// lineError is an error at a line of the file.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }
