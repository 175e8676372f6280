package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tokenVersion begins every token of a scenario.
const tokenVersion = "s1"

// maxTokenText bounds the text that is parsed as a token.
const maxTokenText = 1024

// tokenField is a parameter in a token: a letter and, in base 36, its value.
// Letters are never given another meaning within a version.
type tokenField struct {
	letter byte
	get    func(*Scenario) int64
	set    func(*Scenario, int64)
}

// field makes the token field of a parameter.
func field[N ~int | ~int64 | ~uint8](letter byte, at func(*Scenario) *N) tokenField {
	return tokenField{
		letter,
		func(s *Scenario) int64 { return int64(*at(s)) },
		func(s *Scenario, n int64) { *at(s) = N(n) },
	}
}

// flag makes the token field of a switch: 1 is on.
func flag(letter byte, at func(*Scenario) *bool) tokenField {
	return tokenField{
		letter,
		func(s *Scenario) int64 {
			if *at(s) {
				return 1
			}
			return 0
		},
		func(s *Scenario, n int64) { *at(s) = n != 0 },
	}
}

// tokenFields are all parameters beside handler and seed, in the order of a
// token.
var tokenFields = []tokenField{
	field('n', func(s *Scenario) *int64 { return &s.Payments }),
	field('w', func(s *Scenario) *int { return &s.Workers }),
	field('d', func(s *Scenario) *Fraction { return &s.Duplicates }),
	field('k', func(s *Scenario) *int64 { return &s.Distance }),
	field('a', func(s *Scenario) *int64 { return &s.CopyAfter }),
	field('f', func(s *Scenario) *Fraction { return &s.Fail }),
	field('c', func(s *Scenario) *Fraction { return &s.Crash }),
	field('t', func(s *Scenario) *Fraction { return &s.Timeout }),
	field('s', func(s *Scenario) *Fraction { return &s.Slow }),
	field('h', func(s *Scenario) *int64 { return &s.Charge }),
	field('l', func(s *Scenario) *int64 { return &s.Lease }),
	field('r', func(s *Scenario) *int64 { return &s.Renew }),
	field('g', func(s *Scenario) *Guard { return &s.Guard }),
	flag('e', func(s *Scenario) *bool { return &s.Exact }),
	flag('u', func(s *Scenario) *bool { return &s.NoNack }),
	flag('i', func(s *Scenario) *bool { return &s.Direct }),
	field('v', func(s *Scenario) *int64 { return &s.Visibility }),
	field('m', func(s *Scenario) *int64 { return &s.MaxReceives }),
	field('o', func(s *Scenario) *int64 { return &s.Window }),
	field('q', func(s *Scenario) *int64 { return &s.Retention }),
	field('y', func(s *Scenario) *int64 { return &s.KeyMemory }),
	flag('z', func(s *Scenario) *bool { return &s.NewKeys }),
	flag('b', func(s *Scenario) *bool { return &s.ByMessage }),
	flag('j', func(s *Scenario) *bool { return &s.Log }),
	field('p', func(s *Scenario) *int64 { return &s.CommitEvery }),
	flag('0', func(s *Scenario) *bool { return &s.RetryTopic }),
	field('1', func(s *Scenario) *Fraction { return &s.Rebalance }),
	flag('2', func(s *Scenario) *bool { return &s.NodeClock }),
	field('3', func(s *Scenario) *int64 { return &s.Skew }),
	field('x', func(s *Scenario) *Fraction { return &s.AckLost }),
	flag('4', func(s *Scenario) *bool { return &s.LateAckIgnored }),
}

// Token writes the scenario as one word that opens the same run anywhere:
// s1.HANDLER.SEED, then, where they differ from the default, the parameters,
// each a letter and a number in base 36, joined by dashes.
func (s Scenario) Token() string {
	standard := DefaultScenario()
	var parts []string
	for _, f := range tokenFields {
		if n := f.get(&s); n != f.get(&standard) {
			parts = append(parts, string(f.letter)+strconv.FormatInt(n, 36))
		}
	}
	token := tokenVersion + "." + s.Handler.String() + "." + strconv.FormatUint(s.Seed, 36)
	if len(parts) > 0 {
		token += "." + strings.Join(parts, "-")
	}
	return token
}

// IsToken says whether a text is meant as a token of a scenario, of whatever
// version.
func IsToken(text string) bool { return strings.HasPrefix(text, "s") && strings.Contains(text, ".") }

// ParseToken opens a token. A token of another version is refused by name; only
// the one form that Token writes is taken. The error is one line.
func ParseToken(text string) (Scenario, error) {
	s, err := parseToken(text)
	if err != nil {
		return Scenario{}, fmt.Errorf("bad token: %w", err)
	}
	return s, nil
}

func parseToken(text string) (Scenario, error) {
	if len(text) > maxTokenText {
		return Scenario{}, errors.New("it is too long")
	}
	parts := strings.Split(text, ".")
	if version := parts[0]; version != tokenVersion {
		if IsToken(text) && len(version) > 1 && isDigits(version[1:]) {
			return Scenario{}, fmt.Errorf("its version is %s, and this program reads %s", quoteShort(version), tokenVersion)
		}
		return Scenario{}, fmt.Errorf("it does not begin with the version %s", tokenVersion)
	}
	if len(parts) < 3 || len(parts) > 4 {
		return Scenario{}, fmt.Errorf("it is not %s.HANDLER.SEED.PARAMETERS", tokenVersion)
	}
	h, ok := ByName(parts[1])
	if !ok {
		return Scenario{}, fmt.Errorf("there is no handler %s", quoteShort(parts[1]))
	}
	s := DefaultScenario()
	s.Handler = h.ID
	var err error
	if s.Seed, err = strconv.ParseUint(parts[2], 36, 64); err != nil {
		return Scenario{}, fmt.Errorf("%s is not a seed", quoteShort(parts[2]))
	}
	if len(parts) == 4 {
		for part := range strings.SplitSeq(parts[3], "-") {
			if err := s.setTokenField(part); err != nil {
				return Scenario{}, err
			}
		}
	}
	if err := s.Validate(); err != nil {
		return Scenario{}, err
	}
	if s.Token() != text {
		return Scenario{}, errors.New("its parameters are not in the form in which they are written")
	}
	return s, nil
}

// setTokenField sets the parameter that a part of a token names.
func (s *Scenario) setTokenField(part string) error {
	if part == "" {
		return errors.New("a parameter is missing")
	}
	i := slices.IndexFunc(tokenFields, func(f tokenField) bool { return f.letter == part[0] })
	n, err := strconv.ParseInt(part[1:], 36, 63)
	if i < 0 || err != nil {
		return fmt.Errorf("%s is not a parameter", quoteShort(part))
	}
	tokenFields[i].set(s, n)
	return nil
}
