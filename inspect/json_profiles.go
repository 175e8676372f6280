package inspect

import "io"

// SchemaProfiles is the schema of the document of known frameworks.
const SchemaProfiles = "idemtui.profiles/v1"

type profilesJSON struct {
	Schema   string        `json:"schema"`
	Profiles []profileJSON `json:"profiles"`
}

type profileJSON struct {
	Name     string        `json:"name"`
	Title    string        `json:"title"`
	Kind     Kind          `json:"kind"`
	Engines  []string      `json:"engines"`
	Support  string        `json:"support"`
	Source   string        `json:"source"`
	BuiltIn  bool          `json:"built_in"`
	Match    matchJSON     `json:"match"`
	Mapping  mappingJSON   `json:"mapping"`
	Releases []releaseRule `json:"releases"`
	Purge    *purgeJSON    `json:"purge"`
	Caveats  []string      `json:"caveats"`
}

type matchJSON struct {
	Require      []string            `json:"require"`
	Forbid       []string            `json:"forbid"`
	ForbidOthers bool                `json:"forbid_others"`
	Types        map[string][]string `json:"types"`
	Unique       []string            `json:"unique"`
}

type releaseRule struct {
	Name        string      `json:"name"`
	Mode        ReleaseMode `json:"mode"`
	Consequence string      `json:"consequence"`
	RunsNext    *string     `json:"runs_next"`
	Preferred   bool        `json:"preferred"`
}

type purgeJSON struct {
	Where       string   `json:"where"`
	KeepSeconds *float64 `json:"keep_seconds"`
	By          *string  `json:"by"`
}

// Support is "verified" where the profile was tested on tables that the
// framework itself made, "unverified" otherwise.
func (p Profile) Support() string {
	if p.Verified {
		return "verified"
	}
	return "unverified"
}

// EncodeProfiles writes idemtui.profiles/v1. The names of columns in it are
// folded.
func EncodeProfiles(w io.Writer, profiles []Profile) error {
	doc := profilesJSON{Schema: SchemaProfiles, Profiles: []profileJSON{}}
	for _, p := range profiles {
		out := profileJSON{
			Name: p.Name, Title: p.Title, Kind: p.Mapping.Kind, Engines: list(p.Engines), Support: p.Support(), Source: p.Source, BuiltIn: p.BuiltIn,
			Match:   matchJSON{list(p.Match.Require), list(p.Match.Forbid), p.Match.ForbidOthers, p.Match.Types, list(p.Match.Unique)},
			Mapping: newMappingJSON(p.Mapping), Releases: []releaseRule{}, Caveats: list(p.Mapping.Caveats),
		}
		for _, r := range p.Mapping.Releases {
			out.Releases = append(out.Releases, releaseRule{r.Name, r.Mode, r.Consequence, optional(string(r.RunsNext)), r.Preferred})
		}
		if purge := p.Mapping.Purge; purge != (PurgeRule{}) {
			out.Purge = &purgeJSON{Where: purge.Where, By: optional(purge.By)}
			if purge.Keep > 0 {
				out.Purge.KeepSeconds = seconds(Some(purge.Keep))
			}
		}
		doc.Profiles = append(doc.Profiles, out)
	}
	return WriteJSON(w, doc)
}
