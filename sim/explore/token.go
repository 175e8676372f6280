package explore

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"idemtui/sim"
)

// tokenVersion begins every token of a schedule.
const tokenVersion = "x1"

// digits are the choices of a token, one base-36 digit each.
const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

// maxTokenText bounds the text that is parsed as a token.
const maxTokenText = 4096

// Token writes a schedule from the start as one word that opens it anywhere:
// x1.HANDLER.DELIVERIES.FAIL-TIMEOUT-CRASH-SLOW-FORGET.CHOICES
func (p *Path) Token() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s.%d.", tokenVersion, p.Handler.Name, p.Start.Count)
	for i, n := range p.Start.Budget {
		if i > 0 {
			b.WriteByte('-')
		}
		b.WriteString(strconv.FormatUint(uint64(n), 10))
	}
	b.WriteByte('.')
	for _, step := range p.Steps {
		b.WriteByte(digits[step.Choice])
	}
	return b.String()
}

// IsToken says whether a text is meant as a token of a schedule, of whatever
// version.
func IsToken(text string) bool { return strings.HasPrefix(text, "x") && strings.Contains(text, ".") }

// ParseToken opens a token. A token of another version is refused by name; one
// whose choices are not possible is refused at the first of them.
func ParseToken(text string) (Config, *Path, error) {
	config, path, err := parseToken(text)
	if err != nil {
		return Config{}, nil, fmt.Errorf("bad token: %w", err)
	}
	return config, path, nil
}

func parseToken(text string) (Config, *Path, error) {
	version, rest, _ := strings.Cut(text, ".")
	switch {
	case len(text) > maxTokenText:
		return Config{}, nil, errors.New("it is too long")
	case version != tokenVersion && IsToken(text) && isNumber(version[1:]):
		return Config{}, nil, fmt.Errorf("its version is %s, and this program reads %s", version, tokenVersion)
	case version != tokenVersion:
		return Config{}, nil, fmt.Errorf("it does not begin with the version %s", tokenVersion)
	}
	parts := strings.Split(rest, ".")
	if len(parts) != 4 {
		return Config{}, nil, fmt.Errorf("it is not %s.HANDLER.DELIVERIES.FAULTS.CHOICES", tokenVersion)
	}
	h, ok := sim.ByName(parts[0])
	if !ok {
		return Config{}, nil, fmt.Errorf("there is no handler %q", parts[0])
	}
	config := Config{Handler: h}
	var err error
	if config.Deliveries, err = tokenNumber(parts[1]); err != nil {
		return Config{}, nil, err
	}
	budgets := strings.Split(parts[2], "-")
	if len(budgets) != budgetCount {
		return Config{}, nil, fmt.Errorf("it has %d budgets and not %d", len(budgets), budgetCount)
	}
	b := &config.Budgets
	for i, field := range []*int{&b.Fail, &b.Timeout, &b.Crash, &b.Slow, &b.Forget} {
		if *field, err = tokenNumber(budgets[i]); err != nil {
			return Config{}, nil, err
		}
	}
	choices := make([]Choice, len(parts[3]))
	for i := range parts[3] {
		digit := strings.IndexByte(digits, parts[3][i])
		if digit < 0 || digit >= int(choiceCount) {
			return Config{}, nil, fmt.Errorf("%q is not a choice", parts[3][i])
		}
		choices[i] = Choice(digit)
	}
	path, err := Replay(config, choices)
	return config, path, err
}

// tokenNumber reads a number in the one form that Token writes.
func tokenNumber(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || strconv.FormatUint(n, 10) != text {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return int(n), nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 31)
	return err == nil
}
