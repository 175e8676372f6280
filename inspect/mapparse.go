package inspect

import (
	"fmt"
	"slices"
	"strings"

	"idemtui/retention"
)

// mapNames are the names that a mapping may set, in the order in which help
// and errors list them.
var mapNames = []string{
	"kind", "key", "state", "processing", "done", "failed", "free", "claimed_at", "lease", "heartbeat", "heartbeat_every",
	"advisory", "owner", "token", "attempts", "completed_at", "failed_at", "expires_at", "runs_next", "unit.COL", "zone.COL",
}

// ParseMap reads a mapping by hand, as the flag --map takes it: NAME=VALUE
// parts joined by commas. A backslash takes its meaning from a comma, a +, a |, a
// backslash, or a blank at either end of a name, which is else trimmed. An error
// names the part that is wrong.
func ParseMap(text string) (Mapping, error) {
	p := mapParser{seen: map[string]bool{}}
	p.m = Mapping{Verified: true, Times: map[string]TimeBinding{}, State: StateBinding{Values: map[State][]string{}, Rules: map[State][]StateRule{}}}
	for _, part := range splitEscaped(text, ',') {
		if err := p.part(part); err != nil {
			return Mapping{}, fmt.Errorf("--map: %w", err)
		}
	}
	if err := p.finish(); err != nil {
		return Mapping{}, fmt.Errorf("--map: %w", err)
	}
	return p.m, nil
}

type mapParser struct {
	m    Mapping
	seen map[string]bool
}

func (p *mapParser) part(part string) error {
	name, value, ok := cutEscaped(part, '=')
	name, value = trimEscaped(name), trimEscaped(value)
	switch {
	case !ok || name == "":
		return fmt.Errorf("%q: want NAME=VALUE", part)
	case value == "":
		return fmt.Errorf("%q: nothing after the =", part)
	case p.seen[name]:
		return fmt.Errorf("%q: %s is given twice", part, name)
	}
	p.seen[name] = true
	if err := p.set(name, value); err != nil {
		return fmt.Errorf("%q: %w", part, err)
	}
	return nil
}

func (p *mapParser) set(name, value string) error {
	if s, ok := stateNames[name]; ok {
		return p.state(s, value)
	}
	if column, ok := p.columns()[name]; ok {
		*column = unescape(value)
		return nil
	}
	switch {
	case name == "key":
		return p.key(value)
	case name == "lease":
		return p.lease(value)
	case name == "advisory":
		var err error
		p.m.Advisory, err = ParseAdvisory(value)
		return err
	case name == "kind":
		p.m.Kind = Kind(value)
		if !slices.Contains(kinds, p.m.Kind) {
			return fmt.Errorf("want K1 to K8")
		}
		return nil
	case name == "heartbeat_every":
		d, err := retention.ParseDuration(value)
		p.m.Heartbeat.Every = d
		return err
	case name == "runs_next":
		p.m.RunsNext = RunsNext(value)
		if !slices.Contains([]RunsNext{RunsNextPoller, RunsNextBroker, RunsNextClient, RunsNextNobody}, p.m.RunsNext) {
			return fmt.Errorf("want poller, broker, client or nobody")
		}
		return nil
	case strings.HasPrefix(name, "unit."):
		return p.unit(unescape(strings.TrimPrefix(name, "unit.")), value)
	case strings.HasPrefix(name, "zone."):
		column := unescape(strings.TrimPrefix(name, "zone."))
		t := p.m.Times[column]
		t.Zone = value
		p.m.Times[column] = t
		return nil
	}
	return fmt.Errorf("unknown name %q; the names are %s", name, strings.Join(mapNames, ", "))
}

var stateNames = map[string]State{"processing": StateProcessing, "done": StateDone, "failed": StateFailed, "free": StateFree}

func (p *mapParser) columns() map[string]*string {
	return map[string]*string{
		"state": &p.m.State.Column, "claimed_at": &p.m.ClaimedAt, "heartbeat": &p.m.Heartbeat.Column, "owner": &p.m.Owner,
		"token": &p.m.Token, "attempts": &p.m.Attempts, "completed_at": &p.m.CompletedAt, "failed_at": &p.m.FailedAt, "expires_at": &p.m.ExpiresAt,
	}
}

func (p *mapParser) key(value string) error {
	columns := splitEscaped(value, '+')
	if len(columns) > MaxKeyParts {
		return fmt.Errorf("a key has at most %d columns", MaxKeyParts)
	}
	for i, c := range columns {
		c = unescape(trimEscaped(c))
		if c == "" {
			return fmt.Errorf("an empty column name")
		}
		role := RoleScope
		if i == len(columns)-1 {
			role = RoleMessage
		}
		p.m.Key = append(p.m.Key, KeyColumn{Column: c, Kind: PartText, Role: role})
	}
	return nil
}

// state reads V|V, or the rules COL!null, COL=null, COL>now and COL<=now.
func (p *mapParser) state(s State, value string) error {
	for _, v := range splitEscaped(value, '|') {
		if column, op, ok := cutTest(v); ok {
			if column = unescape(trimEscaped(column)); column == "" {
				return fmt.Errorf("%q: no column before the test", v)
			}
			p.m.State.Rules[s] = append(p.m.State.Rules[s], StateRule{{Column: column, Op: op}})
			continue
		}
		if v == "" {
			return fmt.Errorf("an empty value")
		}
		p.m.State.Values[s] = append(p.m.State.Values[s], unescape(v))
	}
	return nil
}

// mapTests are the tests that need no value, which is what a mapping by hand
// can say.
var mapTests = []TestOp{TestNotNull, TestNull, TestPast, TestFuture}

func cutTest(v string) (column string, op TestOp, ok bool) {
	for _, op := range mapTests {
		if c, found := strings.CutSuffix(v, string(op)); found {
			return c, op, true
		}
	}
	return "", "", false
}

// lease reads COL, COL+4h or COL+COL.
func (p *mapParser) lease(value string) error {
	parts := splitEscaped(value, '+')
	for i := range parts {
		parts[i] = trimEscaped(parts[i])
	}
	if len(parts) > 2 || parts[0] == "" || parts[len(parts)-1] == "" {
		return fmt.Errorf("want COL, COL+DURATION or COL+COL")
	}
	p.m.Lease.Column = unescape(parts[0])
	if len(parts) == 1 {
		return nil
	}
	if c := parts[1][0]; c < '0' || c > '9' {
		p.m.Lease.PlusColumn = unescape(parts[1])
		return nil
	}
	d, err := retention.ParseDuration(parts[1])
	p.m.Lease.Plus = d
	return err
}

func (p *mapParser) unit(column, value string) error {
	u := EpochUnit(value)
	if !slices.Contains([]EpochUnit{UnitSeconds, UnitMillis, UnitMicros, UnitNanos}, u) {
		return fmt.Errorf("want s, ms, us or ns")
	}
	t := p.m.Times[column]
	t.Unit = u
	p.m.Times[column] = t
	return nil
}

// finish checks the parts against each other and names the kind.
func (p *mapParser) finish() error {
	m := &p.m
	p.statedByKind()
	byValue, byNull := len(m.State.Values), len(m.State.Rules)
	switch {
	case len(m.Key) == 0:
		return fmt.Errorf("no key: say which column holds the message id, as in key=message_id")
	case m.State.Column == "" && byValue > 0:
		return fmt.Errorf("state values without state=COL")
	case m.State.Column != "" && byNull > 0:
		return fmt.Errorf("state=%s and a test of a column exclude each other", m.State.Column)
	case m.State.Column == "" && byNull == 0:
		return fmt.Errorf("no state: say state=COL and processing=VALUE, or processing=COL!null")
	case m.Kind != KindInsertOnly && byNull > 0 && len(m.State.Rules[StateProcessing]) == 0:
		return fmt.Errorf("no processing: say which rows are claimed, as in processing=locked_at!null")
	}
	taken := map[string]State{}
	for _, s := range StateOrder {
		for _, v := range m.State.Values[s] {
			if other, ok := taken[v]; ok {
				return fmt.Errorf("the value %q stands for both %s and %s", v, other, s)
			}
			taken[v] = s
		}
	}
	if m.Kind != "" {
		return checkKind(*m)
	}
	m.Kind = kindOf(*m)
	return nil
}

func kindOf(m Mapping) Kind {
	switch {
	case m.Lease.Plain():
		return KindStateLease
	case m.Heartbeat.Mapped() && !m.Lease.Mapped():
		return KindHeartbeat
	case m.State.ByRules():
		return KindLockedAt
	default:
		return KindStateAge
	}
}

// cutEscaped cuts at the first separator that no backslash escapes.
func cutEscaped(s string, sep byte) (before, after string, ok bool) {
	before = splitEscaped(s, sep)[0]
	if len(before) == len(s) {
		return s, "", false
	}
	return before, s[len(before)+1:], true
}

// splitEscaped cuts at each separator that no backslash escapes; the escapes
// stay for unescape.
func splitEscaped(s string, sep byte) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case sep:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
