package inspect

import "time"

// lookedAtJSON is a table with what one look saw of it as a whole.
type lookedAtJSON struct {
	tableJSON
	Incident    *incidentJSON            `json:"incident"`
	Pulse       *pulseJSON               `json:"pulse"`
	Groups      map[Grouping][]groupJSON `json:"groups"`
	LastClaimed *string                  `json:"last_claimed_at"`
	IndexHint   *string                  `json:"index_hint"`
	ScannedAt   *string                  `json:"scanned_at"`
	Touched     *touchedJSON             `json:"touched_together"`
}

type incidentJSON struct {
	Claims     int64            `json:"claims"`
	BeganAt    string           `json:"began_at"`
	LatestAt   string           `json:"latest_at"`
	Owners     []ownerCountJSON `json:"owners"`
	FirstBinAt string           `json:"first_bin_at"`
	BinSeconds float64          `json:"bin_seconds"`
	Bins       []int64          `json:"bins"`
	Older      *olderJSON       `json:"older"`
}

// touchedJSON is the claims that were last written in one minute.
type touchedJSON struct {
	Claims int64  `json:"claims"`
	Owners int64  `json:"owners"`
	Alive  int64  `json:"alive"`
	FromAt string `json:"from_at"`
	ToAt   string `json:"to_at"`
}

type ownerCountJSON struct {
	Owner  *string `json:"owner"`
	Claims int64   `json:"claims"`
}

type olderJSON struct {
	Claims   int64  `json:"claims"`
	OldestAt string `json:"oldest_at"`
	NewestAt string `json:"newest_at"`
}

type pulseJSON struct {
	Seconds  float64 `json:"seconds"`
	Inserted int64   `json:"inserted"`
	Updated  int64   `json:"updated"`
	Deleted  int64   `json:"deleted"`
}

type groupJSON struct {
	Name    string   `json:"name"`
	Claimed int64    `json:"claimed"`
	Stuck   int64    `json:"stuck"`
	Oldest  *float64 `json:"oldest_seconds"`
	Newest  *float64 `json:"newest_seconds"`
}

// groupsInJSON bounds each grouping: a table may have as many owners as claims.
const groupsInJSON = 100

func newLookedAtJSON(s Snapshot) lookedAtJSON {
	out := lookedAtJSON{
		tableJSON: newTableJSON(s.Table), Incident: newIncidentJSON(s.Incident), Groups: map[Grouping][]groupJSON{},
		LastClaimed: stampJSON(s.LastClaimed), IndexHint: optional(s.IndexHint),
	}
	if !s.ScannedAt.IsZero() {
		out.ScannedAt = optional(FormatTime(s.ScannedAt))
	}
	if t := s.Touched.V; s.Touched.OK {
		out.Touched = &touchedJSON{t.Claims, t.Owners, t.Alive, FormatTime(t.From), FormatTime(t.To)}
	}
	if s.Pulse.OK {
		p := s.Pulse.V
		out.Pulse = &pulseJSON{p.Over.Round(time.Microsecond).Seconds(), p.Inserted, p.Updated, p.Deleted}
	}
	for by, groups := range s.Groups {
		list := []groupJSON{}
		for _, g := range groups[:min(groupsInJSON, len(groups))] {
			list = append(list, groupJSON{g.Name, g.Claimed, g.Stuck, seconds(g.Oldest), seconds(g.Newest)})
		}
		out.Groups[by] = list
	}
	return out
}

func newIncidentJSON(n Incident) *incidentJSON {
	if n.Claims == 0 {
		return nil
	}
	out := &incidentJSON{
		Claims: n.Claims, BeganAt: FormatTime(n.Began), LatestAt: FormatTime(n.Latest), Owners: []ownerCountJSON{},
		FirstBinAt: FormatTime(n.FirstBin), BinSeconds: n.BinWidth.Seconds(), Bins: append([]int64{}, n.Bins...),
	}
	for _, o := range n.Owners[:min(groupsInJSON, len(n.Owners))] {
		out.Owners = append(out.Owners, ownerCountJSON{pointer(o.Owner), o.Claims})
	}
	if n.Older.Claims > 0 {
		out.Older = &olderJSON{n.Older.Claims, FormatTime(n.Older.Oldest), FormatTime(n.Older.Newest)}
	}
	return out
}
