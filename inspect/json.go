package inspect

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteJSON writes v as one indented JSON document with a newline. Every rune
// that is not printable is escaped, so that no byte of a table reaches a
// terminal as a command; the values stay exact.
func WriteJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	if _, err := w.Write(escapeUnprintable(buf.Bytes())); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// escapeUnprintable writes DEL, C1 and other unprintable runes, which
// encoding/json lets through and which in JSON stand inside strings only, as
// \uXXXX.
func escapeUnprintable(doc []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(doc); {
		r, size := utf8.DecodeRune(doc[i:])
		if r > '~' && !unicode.IsPrint(r) {
			out = append(out, doc[done:i]...)
			if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
				out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			done = i + size
		}
		i += size
	}
	return append(out, doc[done:]...)
}

// Schemas of the JSON documents.
const (
	SchemaClaims  = "idemtui.claims/v1"
	SchemaClaim   = "idemtui.claim/v1"
	SchemaRelease = "idemtui.release/v1"
	SchemaUndo    = "idemtui.undo/v1"
	SchemaTables  = "idemtui.tables/v1"
)

// EncodeClaims writes idemtui.claims/v1: one or more databases, of which some
// may have failed (Database.Error), with one summary over all.
func EncodeClaims(w io.Writer, mode Mode, snapshots []Snapshot) error {
	doc := claimsJSON{Schema: SchemaClaims, Mode: mode, Databases: []databaseJSON{}, Tables: []lookedAtJSON{}, Claims: []claimJSON{}, Notes: []string{}}
	var parts []Summary
	for _, s := range snapshots {
		doc.Databases = append(doc.Databases, newDatabaseJSON(s.Database))
		if s.Database.Error != "" {
			continue
		}
		doc.Tables = append(doc.Tables, newLookedAtJSON(s))
		doc.Notes = append(doc.Notes, s.Notes...)
		parts = append(parts, s.Summary)
		for _, c := range s.Claims {
			doc.Claims = append(doc.Claims, newClaimJSON(c))
		}
	}
	doc.Summary, doc.Open = newSummaryJSON(MergeSummaries(parts...)), openTransactions(snapshots)
	return WriteJSON(w, doc)
}

// EncodeTables writes idemtui.tables/v1: candidates, best first.
func EncodeTables(w io.Writer, tables []Table) error {
	doc := tablesJSON{Schema: SchemaTables, Tables: []candidateJSON{}}
	for _, t := range tables {
		doc.Tables = append(doc.Tables, candidateJSON{
			Name: t.FullName(), Database: t.Database, Profile: t.Mapping.Profile, Kind: t.Mapping.Kind, Score: t.Score, Why: list(t.Reasons),
			Usable: !t.Incomplete, Mapping: newMappingJSON(t.Mapping), EstimatedRows: pointer(t.EstimatedRows),
		})
	}
	return WriteJSON(w, doc)
}

// EncodeClaim writes idemtui.claim/v1.
func EncodeClaim(w io.Writer, d Detail) error {
	doc := claimDocJSON{
		Schema: SchemaClaim, Database: newDatabaseJSON(d.Database), Table: newTableJSON(d.Table), Claim: newClaimJSON(d.Claim),
		Columns: map[string]*string{}, SQL: list(d.SQL), IfReleased: list(d.IfReleased),
	}
	for _, c := range d.Columns {
		doc.Columns[c.Column] = c.Value
	}
	return WriteJSON(w, doc)
}

// EncodeRelease writes idemtui.release/v1, for a plan that was only printed
// (see Plan.Preview) as for one that was carried out.
func EncodeRelease(w io.Writer, r Result) error { return WriteJSON(w, newReleaseJSON(r)) }

// EncodeUndo writes idemtui.undo/v1.
func EncodeUndo(w io.Writer, r UndoResult) error {
	return WriteJSON(w, undoJSON{
		Schema: SchemaUndo, Executed: r.Executed, Restored: keys(r.Restored), Skipped: skips(r.Skipped), Failed: failures(r.Failed), AuditID: r.AuditID,
	})
}

type claimsJSON struct {
	Schema    string         `json:"schema"`
	Databases []databaseJSON `json:"databases"`
	Tables    []lookedAtJSON `json:"tables"`
	Mode      Mode           `json:"mode"`
	Summary   summaryJSON    `json:"summary"`
	Claims    []claimJSON    `json:"claims"`
	Notes     []string       `json:"notes"`
	Open      []openJSON     `json:"open_transactions"`
}

type tablesJSON struct {
	Schema string          `json:"schema"`
	Tables []candidateJSON `json:"tables"`
}

type candidateJSON struct {
	Name          string      `json:"name"`
	Profile       string      `json:"profile"`
	Kind          Kind        `json:"kind"`
	Score         int         `json:"score"`
	Why           []string    `json:"why"`
	Mapping       mappingJSON `json:"mapping"`
	Database      string      `json:"database"`
	Usable        bool        `json:"usable"`
	EstimatedRows *int64      `json:"estimated_rows"`
}

type claimDocJSON struct {
	Schema     string             `json:"schema"`
	Database   databaseJSON       `json:"database"`
	Table      tableJSON          `json:"table"`
	Claim      claimJSON          `json:"claim"`
	Columns    map[string]*string `json:"columns"`
	SQL        []string           `json:"sql"`
	IfReleased []string           `json:"if_released"`
}

type releaseJSON struct {
	Schema   string        `json:"schema"`
	Plan     planJSON      `json:"plan"`
	Executed bool          `json:"executed"`
	Released []string      `json:"released"`
	Skipped  []skipJSON    `json:"skipped"`
	Failed   []failureJSON `json:"failed"`
	AuditID  string        `json:"audit_id"`
	Follow   *followJSON   `json:"follow,omitempty"`
}

type planJSON struct {
	ID          string      `json:"id"`
	Database    string      `json:"database"`
	Table       string      `json:"table"`
	Mode        ReleaseMode `json:"mode"`
	SQL         string      `json:"sql"`
	Consequence []string    `json:"consequence"`
	RunsNext    *string     `json:"runs_next"`
	Count       int         `json:"count"`
	Keys        []string    `json:"keys"`

	Claims []plannedJSON `json:"claims"`
}

type undoJSON struct {
	Schema   string        `json:"schema"`
	Executed bool          `json:"executed"`
	Restored []string      `json:"restored"`
	Skipped  []skipJSON    `json:"skipped"`
	Failed   []failureJSON `json:"failed"`
	AuditID  string        `json:"audit_id"`
}

type skipJSON struct {
	Key    string `json:"key"`
	Reason Reason `json:"reason"`
	Text   string `json:"text"`
}

type failureJSON struct {
	Key   string `json:"key"`
	Error string `json:"error"`
}

type databaseJSON struct {
	ID         string   `json:"id"`
	Engine     string   `json:"engine"`
	Version    string   `json:"version"`
	Name       string   `json:"name"`
	ServerTime *string  `json:"server_time"`
	Standby    bool     `json:"standby"`
	ReplayLag  *float64 `json:"replay_lag_seconds"`
	Pooler     bool     `json:"pooler"`
	Error      *string  `json:"error"`
	Primary    *string  `json:"primary"`
}

func newDatabaseJSON(d Database) databaseJSON {
	out := databaseJSON{
		ID: d.ID, Engine: d.Engine, Version: d.Version, Name: d.Name, Standby: d.Standby,
		ReplayLag: seconds(d.ReplayLag), Pooler: d.Pooler, Error: optional(d.Error), Primary: optional(d.Primary),
	}
	if !d.ServerTime.IsZero() {
		out.ServerTime = optional(FormatTime(d.ServerTime))
	}
	return out
}

type tableJSON struct {
	Database      string      `json:"database"`
	Name          string      `json:"name"`
	Profile       string      `json:"profile"`
	Kind          Kind        `json:"kind"`
	EstimatedRows *int64      `json:"estimated_rows"`
	Mapping       mappingJSON `json:"mapping"`
	Warnings      []string    `json:"warnings"`
}

func newTableJSON(t Table) tableJSON {
	return tableJSON{
		Database: t.Database, Name: t.FullName(), Profile: t.Mapping.Profile, Kind: t.Mapping.Kind,
		EstimatedRows: pointer(t.EstimatedRows), Mapping: newMappingJSON(t.Mapping), Warnings: list(t.Warnings),
	}
}

type claimJSON struct {
	Database string         `json:"database"`
	Key      string         `json:"key"`
	KeyParts map[string]any `json:"key_parts"`
	State    State          `json:"state"`
	RawState string         `json:"raw_state"`
	Owner    *string        `json:"owner"`
	Token    *string        `json:"token"`
	Attempts *int64         `json:"attempts"`

	ClaimedAt   *string `json:"claimed_at"`
	LeaseUntil  *string `json:"lease_until"`
	HeartbeatAt *string `json:"heartbeat_at"`
	CompletedAt *string `json:"completed_at"`
	FailedAt    *string `json:"failed_at"`
	ExpiresAt   *string `json:"expires_at"`

	Raw           map[string]string `json:"raw"`
	AgeSeconds    *float64          `json:"age_seconds"`
	LapsedSeconds *float64          `json:"lapsed_seconds"`
	Condition     *string           `json:"condition"`
	Verdict       *string           `json:"verdict"`
	Evidence      []evidenceJSON    `json:"evidence"`
	FreesItselfAt *string           `json:"frees_itself_at"`
	Notes         []string          `json:"notes"`
}

type evidenceJSON struct {
	Rung Rung   `json:"rung"`
	For  For    `json:"for"`
	Text string `json:"text"`
}

func newClaimJSON(c Claim) claimJSON {
	out := claimJSON{
		Database: c.Database, Key: c.Key.String(), KeyParts: keyParts(c.Key), State: c.State, RawState: c.RawState,
		Owner: pointer(c.Owner), Token: pointer(c.Token), Attempts: pointer(c.Attempts),
		ClaimedAt: stampJSON(c.ClaimedAt), LeaseUntil: stampJSON(c.LeaseUntil), HeartbeatAt: stampJSON(c.HeartbeatAt),
		CompletedAt: stampJSON(c.CompletedAt), FailedAt: stampJSON(c.FailedAt), ExpiresAt: stampJSON(c.ExpiresAt),
		Raw: map[string]string{}, AgeSeconds: seconds(c.Age), LapsedSeconds: seconds(c.Lapsed),
		Condition: optional(string(c.Condition)), Verdict: optional(string(c.Verdict)), Evidence: []evidenceJSON{},
		FreesItselfAt: stampJSON(c.FreesItselfAt), Notes: list(c.Notes),
	}
	for _, s := range c.Stamps() {
		if s.Stamp.Invalid() {
			out.Raw[s.Name] = s.Stamp.Raw
		}
	}
	for _, e := range c.Evidence {
		out.Evidence = append(out.Evidence, evidenceJSON{e.Rung, e.For, e.Text})
	}
	return out
}

// keyParts has each part's exact value: integers as strings, since they may
// pass 2^53, bytes (and text that is no UTF-8) in hexadecimal.
func keyParts(k Key) map[string]any {
	out := map[string]any{}
	for _, p := range k.Parts() {
		switch {
		case p.IsNull:
			out[p.Column] = nil
		case p.Kind == PartBytes || !utf8.ValidString(p.Value):
			out[p.Column] = map[string]string{"hex": hex.EncodeToString([]byte(p.Value))}
		default:
			out[p.Column] = p.Value
		}
	}
	return out
}

type summaryJSON struct {
	Claimed     int64                `json:"claimed"`
	Stuck       int64                `json:"stuck"`
	Held        int64                `json:"held"`
	NoLease     int64                `json:"no_lease"`
	InvalidTime int64                `json:"invalid_time"`
	Future      int64                `json:"future"`
	Alive       int64                `json:"alive"`
	LikelyDead  int64                `json:"likely_dead"`
	CannotTell  int64                `json:"cannot_tell"`
	Oldest      *float64             `json:"oldest_seconds"`
	Median      *float64             `json:"median_seconds"`
	Over1h      int64                `json:"over_1h"`
	Over6h      int64                `json:"over_6h"`
	ByState     map[State]countJSON  `json:"by_state"`
	ByOwner     []ownerJSON          `json:"by_owner"`
	Unmapped    map[string]countJSON `json:"unmapped_states"`
	Truncated   bool                 `json:"truncated"`
	LookCut     bool                 `json:"look_cut"`
}

type countJSON struct {
	Rows  int64 `json:"rows"`
	Exact bool  `json:"exact"`
}

type ownerJSON struct {
	Owner   *string  `json:"owner"`
	Claimed int64    `json:"claimed"`
	Stuck   int64    `json:"stuck"`
	Oldest  *float64 `json:"oldest_seconds"`
}

func newSummaryJSON(s Summary) summaryJSON {
	out := summaryJSON{
		Claimed: s.Claimed.Rows, Stuck: s.Stuck, Held: s.Held, NoLease: s.NoLease, InvalidTime: s.InvalidTime, Future: s.Future,
		Alive: s.Alive, LikelyDead: s.LikelyDead, CannotTell: s.CannotTell,
		Oldest: seconds(s.Oldest), Median: seconds(s.Median), Over1h: s.Over1h, Over6h: s.Over6h,
		ByState: map[State]countJSON{}, ByOwner: []ownerJSON{}, Unmapped: map[string]countJSON{}, Truncated: s.Truncated, LookCut: s.LookCut,
	}
	for state, c := range s.ByState {
		out.ByState[state] = countJSON(c)
	}
	for raw, c := range s.Unmapped {
		out.Unmapped[raw] = countJSON(c)
	}
	for _, o := range s.ByOwner {
		out.ByOwner = append(out.ByOwner, ownerJSON{pointer(o.Owner), o.Claimed, o.Stuck, seconds(o.Oldest)})
	}
	return out
}

type mappingJSON struct {
	Key         []string                `json:"key"`
	State       *string                 `json:"state"`
	Values      map[State][]string      `json:"values"`
	ClaimedAt   *string                 `json:"claimed_at"`
	Lease       *string                 `json:"lease"`
	Heartbeat   *string                 `json:"heartbeat"`
	Advisory    *string                 `json:"advisory"`
	Owner       *string                 `json:"owner"`
	Token       *string                 `json:"token"`
	Attempts    *string                 `json:"attempts"`
	CompletedAt *string                 `json:"completed_at"`
	FailedAt    *string                 `json:"failed_at"`
	ExpiresAt   *string                 `json:"expires_at"`
	StaleAfter  float64                 `json:"stale_after_seconds"`
	RunsNext    *string                 `json:"runs_next"`
	Times       map[string]timesAsNamed `json:"times"`
}

type timesAsNamed struct {
	Unit string `json:"unit,omitempty"`
	Zone string `json:"zone,omitempty"`
}

func newMappingJSON(m Mapping) mappingJSON {
	out := mappingJSON{
		Key: list(m.KeyNames()), State: optional(m.State.Column), Values: map[State][]string{}, ClaimedAt: optional(m.ClaimedAt),
		Lease: optional(m.Lease.String()), Heartbeat: optional(m.Heartbeat.String()), Advisory: optional(m.Advisory.String()), Owner: optional(m.OwnerText()), Token: optional(m.Token),
		Attempts: optional(m.Attempts), CompletedAt: optional(m.CompletedAt), FailedAt: optional(m.FailedAt), ExpiresAt: optional(m.ExpiresAt),
		StaleAfter: m.Threshold().Seconds(), RunsNext: optional(string(m.RunsNext)), Times: map[string]timesAsNamed{},
	}
	for _, s := range StateOrder {
		out.Values[s] = append([]string{}, m.State.Values[s]...)
		for _, rule := range m.State.Rules[s] {
			out.Values[s] = append(out.Values[s], rule.String())
		}
	}
	for column, t := range m.Times {
		out.Times[column] = timesAsNamed{string(t.Unit), t.Zone}
	}
	return out
}

func keys(in []Key) []string {
	out := make([]string, len(in))
	for i, k := range in {
		out[i] = k.String()
	}
	return out
}

func skips(in []Skip) []skipJSON {
	out := make([]skipJSON, len(in))
	for i, s := range in {
		out[i] = skipJSON{s.Key.String(), s.Reason, s.Text}
	}
	return out
}

func failures(in []Failure) []failureJSON {
	out := make([]failureJSON, len(in))
	for i, f := range in {
		out[i] = failureJSON{f.Key.String(), strings.ToValidUTF8(f.Error, "?")}
	}
	return out
}

func list(in []string) []string { return append([]string{}, in...) }

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func pointer[T comparable](n Null[T]) *T {
	if !n.OK {
		return nil
	}
	return &n.V
}

func seconds(n Null[time.Duration]) *float64 {
	if !n.OK {
		return nil
	}
	s := n.V.Seconds()
	return &s
}

func stampJSON(s Stamp) *string {
	if !s.Valid() {
		return nil
	}
	return optional(FormatTime(s.Time))
}
