package cli

import (
	"idemtui/inspect"
	"idemtui/ui/text"
)

// incidentLines say when it began and whose claims they are, how the claim
// times lie, and what moved between two looks.
func incidentLines(s inspect.Snapshot) []string {
	var lines []string
	if story := s.Incident.Story(s.At); story != "" {
		lines = append(lines, story)
	}
	if histogram := s.Incident.Histogram(s.At); histogram != "" {
		lines = append(lines, histogram)
	}
	if s.Pulse.OK {
		lines = append(lines, s.Pulse.V.Text(s.Table.Mapping))
	}
	for i := range lines {
		lines[i] = text.Sanitise(lines[i])
	}
	return lines
}

// groupTable is the claimed rows by what they have in common.
func groupTable(s inspect.Snapshot, by inspect.Grouping) *textTable {
	title := map[inspect.Grouping]string{inspect.GroupByOwner: "OWNER", inspect.GroupByKind: "KIND", inspect.GroupByAge: "AGE"}[by]
	t := newTextTable(title, "CLAIMED", "STUCK", "OLDEST", "NEWEST").alignRight("CLAIMED", "STUCK", "OLDEST", "NEWEST")
	for _, g := range s.Groups[by] {
		t.add(g.Name, text.Count(g.Claimed, true), text.Count(g.Stuck, true), ageCell(g.Oldest), ageCell(g.Newest))
	}
	return t
}
