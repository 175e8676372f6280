package inspect

import (
	"fmt"
	"net/url"
	"strings"
)

// StandbyText says what a standby means for whoever looks: how old its data is,
// what it cannot show, and the line to type for the primary.
func StandbyText(d Database, t Table) string {
	behind := "how far behind is unknown"
	if d.ReplayLag.OK {
		behind = FormatSpan(d.ReplayLag.V) + " behind"
	}
	return fmt.Sprintf("a standby, %s: ages may be old, locks and sessions are not seen, nothing can be released here; for the primary type: %s", behind, PrimaryLine(d, t))
}

// PrimaryLine is the command line that inspects the same table on the primary.
// Where the standby hides whom it streams from, PRIMARY stands for the host.
func PrimaryLine(d Database, t Table) string {
	host := d.Primary
	if host == "" || strings.HasPrefix(host, "/") {
		host = "PRIMARY"
	}
	place := url.URL{Scheme: "postgres", User: url.User(d.User), Host: host, Path: "/" + d.Name}
	line := "idemtui inspect --dsn " + shellWord(place.String())
	if t.Name != "" {
		line += " --table " + shellWord(t.FullName())
	}
	return line
}

// shellWord quotes what a shell would not take as one word.
func shellWord(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+-[]", r)
	}) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// SameDatabase reports whether two addresses lead to the same database, or to
// copies of it: the server's system identifier and the database's name are the
// same. Where the identifier is hidden it cannot be told.
func SameDatabase(a, b Database) bool {
	return a.System != "" && a.System == b.System && a.Name == b.Name
}

// OneEntryEach drops the snapshots of tables that another address of the same
// database has shown, keeping a primary rather than its standby, and says so in
// the notes of the one that stays.
func OneEntryEach(snapshots []Snapshot) []Snapshot {
	var out []Snapshot
	for _, s := range snapshots {
		twin := -1
		for i := range out {
			if s.Database.Error == "" && SameDatabase(out[i].Database, s.Database) && out[i].Table.FullName() == s.Table.FullName() {
				twin = i
			}
		}
		switch {
		case twin < 0:
			out = append(out, s)
		case out[twin].Database.Standby && !s.Database.Standby:
			s.Notes = append(s.Notes, sameNote(out[twin].Database))
			out[twin] = s
		default:
			out[twin].Notes = append(out[twin].Notes, sameNote(s.Database))
		}
	}
	return out
}

func sameNote(other Database) string {
	return fmt.Sprintf("%s is the same database, and is not listed twice", other.ID)
}
