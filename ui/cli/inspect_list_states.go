package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// unmappedNamed is how many of the states that the mapping does not name are
// written out.
const unmappedNamed = 8

// statesLine counts the rows of every state, so that none is overlooked for want
// of a mapping (R3): "rows: processing 3 · free 5 · done 22 · unmapped 1 (Delayed
// 1)". It is empty where nothing but claims is known.
func statesLine(s inspect.Summary) string {
	parts := []string{"processing " + text.Count(s.Claimed.Rows, s.Claimed.Exact)}
	for _, state := range []inspect.State{inspect.StateFree, inspect.StateDone, inspect.StateFailed, inspect.StateUnmapped} {
		n, known := s.ByState[state]
		if !known || n.Exact && n.Rows == 0 {
			continue
		}
		part := string(state) + " " + text.Count(n.Rows, n.Exact)
		if state == inspect.StateUnmapped && len(s.Unmapped) > 0 {
			part += " (" + unmappedStates(s.Unmapped) + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return ""
	}
	return "rows: " + strings.Join(parts, " · ")
}

// unmappedStates are the most frequent ones first.
func unmappedStates(counts map[string]inspect.Count) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return int(min(1, max(-1, counts[b].Rows-counts[a].Rows))) })
	var out []string
	for _, name := range names[:min(unmappedNamed, len(names))] {
		shown := name
		if shown == "" {
			shown = "empty"
		}
		out = append(out, text.Sanitise(shown)+" "+text.Count(counts[name].Rows, counts[name].Exact))
	}
	if more := len(names) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}
