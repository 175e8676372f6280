package inspect

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Grouping is what claims are grouped by.
type Grouping string

// The groupings. The kind of a claim is the scope in its key, such as the
// consumer, else the word that its message id begins with.
const (
	GroupByOwner Grouping = "owner"
	GroupByKind  Grouping = "kind"
	GroupByAge   Grouping = "age"
)

// Groupings are the groupings in their order.
var Groupings = []Grouping{GroupByOwner, GroupByKind, GroupByAge}

// Group is the claims that have something in common.
type Group struct {
	Name    string
	Claimed int64
	Stuck   int64
	Oldest  Null[time.Duration]
	Newest  Null[time.Duration]
}

// ageGroups are the bounds of the ages, each exclusive.
var ageGroups = []struct {
	below time.Duration
	name  string
}{{15 * time.Minute, "under 15m"}, {time.Hour, "15m to 1h"}, {6 * time.Hour, "1h to 6h"}, {24 * time.Hour, "6h to 1d"}, {7 * 24 * time.Hour, "1d to 7d"}}

// GroupClaims groups judged PROCESSING claims, the group with the most stuck
// ones first; ages keep their order.
func GroupClaims(claims []Claim, by Grouping) []Group {
	groups := map[string]*Group{}
	var order []*Group
	for i := range claims {
		c := &claims[i]
		if c.State != StateProcessing {
			continue
		}
		name := groupName(c, by)
		g := groups[name]
		if g == nil {
			g = &Group{Name: name}
			groups[name] = g
			order = append(order, g)
		}
		g.add(c)
	}
	slices.SortFunc(order, func(a, b *Group) int {
		if by == GroupByAge {
			return cmp.Compare(a.Newest.V, b.Newest.V)
		}
		return cmp.Or(cmp.Compare(b.Stuck, a.Stuck), cmp.Compare(b.Claimed, a.Claimed), cmp.Compare(a.Name, b.Name))
	})
	out := make([]Group, len(order))
	for i, g := range order {
		out[i] = *g
	}
	return out
}

func (g *Group) add(c *Claim) {
	g.Claimed++
	if c.Condition == ConditionStuck {
		g.Stuck++
	}
	if !c.Age.OK {
		return
	}
	if !g.Oldest.OK || c.Age.V > g.Oldest.V {
		g.Oldest = c.Age
	}
	if !g.Newest.OK || c.Age.V < g.Newest.V {
		g.Newest = c.Age
	}
}

func groupName(c *Claim, by Grouping) string {
	switch by {
	case GroupByOwner:
		return c.Owner.Or("no owner")
	case GroupByKind:
		return kindOfKey(c.Key)
	default:
		if !c.Age.OK {
			return "no claim time"
		}
		for _, g := range ageGroups {
			if c.Age.V < g.below {
				return g.name
			}
		}
		return "over 7d"
	}
}

// kindOfKey is the scope of a composite key, else the letters before the first
// separator of the message id: pay for pay_88412.
func kindOfKey(k Key) string {
	parts := k.Parts()
	if len(parts) > 1 {
		scope := make([]KeyPart, len(parts)-1)
		copy(scope, parts[:len(parts)-1])
		return NewKey(scope...).String()
	}
	if len(parts) == 1 && parts[0].Kind == PartText {
		v := parts[0].Value
		if i := strings.IndexFunc(v, func(r rune) bool { return !unicode.IsLetter(r) }); i > 0 && strings.ContainsRune("_-:./#", rune(v[i])) {
			return v[:i]
		}
	}
	return "no kind in the key"
}
