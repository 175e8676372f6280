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
	g := newGrouper(by)
	for i := range claims {
		c := &claims[i]
		if c.State != StateProcessing {
			continue
		}
		group := g.add(groupName(c, by), c, 1)
		if c.Age.OK {
			group.see(c.Age.V)
		}
	}
	return g.groups()
}

// grouper is groups in the making.
type grouper struct {
	by     Grouping
	byName map[string]*Group
}

func newGrouper(by Grouping) *grouper { return &grouper{by, map[string]*Group{}} }

// add counts so many claims that are judged as c is.
func (g *grouper) add(name string, c *Claim, rows int64) *Group {
	group := g.byName[name]
	if group == nil {
		group = &Group{Name: name}
		g.byName[name] = group
	}
	group.Claimed += rows
	if c.Condition == ConditionStuck {
		group.Stuck += rows
	}
	return group
}

// see notes the age of one claim.
func (g *Group) see(age time.Duration) {
	if !g.Oldest.OK || age > g.Oldest.V {
		g.Oldest = Some(age)
	}
	if !g.Newest.OK || age < g.Newest.V {
		g.Newest = Some(age)
	}
}

func (g *grouper) groups() []Group {
	out := make([]Group, 0, len(g.byName))
	for _, group := range g.byName {
		out = append(out, *group)
	}
	slices.SortFunc(out, func(a, b Group) int {
		if g.by == GroupByAge {
			return cmp.Or(cmp.Compare(a.Newest.V, b.Newest.V), cmp.Compare(a.Name, b.Name))
		}
		return cmp.Or(cmp.Compare(b.Stuck, a.Stuck), cmp.Compare(b.Claimed, a.Claimed), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func groupName(c *Claim, by Grouping) string {
	switch {
	case by == GroupByOwner:
		return ownerGroup(c)
	case by == GroupByKind:
		return kindOfKey(c.Key)
	case !c.Age.OK:
		return noAgeGroup
	}
	return ageGroup(c.Age.V)
}

// noAgeGroup are the claims without an age.
const noAgeGroup = "no claim time"

func ownerGroup(c *Claim) string { return c.Owner.Or("no owner") }

func ageGroup(age time.Duration) string {
	for _, g := range ageGroups {
		if age < g.below {
			return g.name
		}
	}
	return "over 7d"
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
