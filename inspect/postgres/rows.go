package postgres

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"idemtui/inspect"
)

// reader turns rows of one table into claims.
type reader struct {
	table   inspect.Table
	columns []string // mapped, in the order of the select list
	list    string   // the select list
	// times are the places of claimed_at, lease, heartbeat, completed_at, failed_at,
	// expires_at and updated_at in the select list; -1 where there is none.
	times [7]int
	// state and owner are the places of what only the database can tell, a state
	// by rules and an owner in an array; -1 where there is none.
	state, owner int
	versions     int // the place of xmin, before xmax
	advisory     int // the place of the advisory lock's id, -1 where there is none
	// slim leaves out what only a release needs, the columns as read: a look reads
	// thousands of rows and must stay small.
	slim bool
	// stored is the row in the making, by column.
	stored map[string]*string
}

// timeNames are the columns of a claim's times.
func timeNames(t inspect.Table) [7]string {
	m := t.Mapping
	return [7]string{m.ClaimedAt, m.Lease.Column, m.Heartbeat.Column, m.CompletedAt, m.FailedAt, m.ExpiresAt, updatedColumn(t)}
}

// updatedColumn is the column of the last write, where it is a time.
func updatedColumn(t inspect.Table) string {
	if c, _ := t.Column(t.Mapping.UpdatedAt); slices.Contains(timeTypes, c.Base) {
		return c.Name
	}
	return ""
}

// newReader writes the select list: every mapped column as text, which is what
// a release compares, the times as timestamptz where they are stored otherwise,
// and the row's versions.
func newReader(t inspect.Table) reader {
	m := t.Mapping
	r := reader{table: t, columns: m.Columns(), stored: map[string]*string{}}
	list := make([]string, 0, len(r.columns)+8)
	for _, c := range r.columns {
		list = append(list, col(c)+"::text")
	}
	for i, name := range timeNames(t) {
		c, ok := t.Column(name)
		isLease := i == 1
		switch {
		case !ok:
			r.times[i] = -1
			continue
		case c.Base == "timestamptz" && (!isLease || m.Lease.Plain()) && m.Times[name].Sentinel == "":
			r.times[i] = slices.Index(r.columns, name)
			continue
		}
		x := stamp(t, name)
		if isLease {
			x = lease(t)
		}
		r.times[i] = len(list)
		list = append(list, orSentinel(t, name, "("+x+")::text"))
	}
	r.state, r.owner = -1, -1
	if m.State.ByRules() {
		r.state = len(list)
		list = append(list, numberedState(t))
	}
	if m.OwnerElement != "" {
		r.owner = len(list)
		list = append(list, ownerText(t))
	}
	r.advisory = -1
	if m.Advisory.Mapped() {
		r.advisory = len(list)
		list = append(list, "("+advisoryID(t)+")::text")
	}
	r.versions = len(list)
	if t.RowVersions {
		list = append(list, "t.xmin::text", "t.xmax::text")
	} else {
		list = append(list, "NULL::text", "NULL::text")
	}
	r.list = strings.Join(list, ", ")
	return r
}

// from is the select statement up to its WHERE.
func (r reader) from() string {
	return "SELECT " + r.list + " FROM " + tableName(r.table) + " AS t WHERE "
}

// read is a claim as stored, with the row's xmax and the id of its advisory
// lock for the lock rungs.
type read struct {
	claim    inspect.Claim
	xmax     string
	advisory string
}

// rows runs a query with the reader's select list.
func (r reader) rows(ctx context.Context, t *tx, sql string, args ...any) ([]read, error) {
	var out []read
	err := t.texts(ctx, func(v []*string) error {
		c, err := r.claim(t.database.ID, v)
		if err != nil {
			return err
		}
		row := read{claim: c}
		if x := v[r.versions+1]; x != nil && *x != "0" {
			row.xmax = *x
		}
		if r.advisory >= 0 {
			row.advisory = textOf(v[r.advisory]).V
		}
		if len(out) == cap(out) { // claims are large: growing by less would copy them often
			out = slices.Grow(out, 64+15*len(out))
		}
		out = append(out, row)
		return nil
	}, sql, args...)
	if err == nil && r.table.Joined != nil {
		err = t.beats(ctx, r.table, out)
	}
	return out, err
}

func (r reader) claim(database string, v []*string) (inspect.Claim, error) {
	m := r.table.Mapping
	stored := r.stored
	c := inspect.Claim{Database: database}
	if !r.slim {
		c.AsRead = make([]inspect.ColumnValue, len(r.columns))
	}
	for i, name := range r.columns {
		stored[name] = v[i]
		if !r.slim {
			c.AsRead[i] = inspect.ColumnValue{Column: name, Value: v[i]}
		}
	}
	key, err := keyFrom(m, stored)
	if err != nil {
		return c, err
	}
	c.Key = key
	c.State, c.RawState = r.stateOf(v, stored)
	owner := stored[m.Owner]
	if r.owner >= 0 {
		owner = v[r.owner]
	}
	c.Owner, c.Token, c.ProviderKey = textOf(owner), textOf(stored[m.Token]), textOf(stored[m.ProviderKey])
	if a := stored[m.Attempts]; a != nil {
		if n, err := strconv.ParseInt(*a, 10, 64); err == nil {
			c.Attempts = inspect.Some(n)
		} else {
			c.Notes = append(c.Notes, "attempts is no whole number: "+*a)
		}
	}
	names := timeNames(r.table)
	for i, to := range []*inspect.Stamp{&c.ClaimedAt, &c.LeaseUntil, &c.HeartbeatAt, &c.CompletedAt, &c.FailedAt, &c.ExpiresAt, &c.UpdatedAt} {
		if at := r.times[i]; at >= 0 {
			if v[at] == nil || *v[at] != sentinel {
				*to = stampFrom(v[at], stored[names[i]])
			}
		}
	}
	if plus := m.Lease.PlusColumn; plus != "" && stored[plus] == nil {
		c.LeaseUntil = inspect.Stamp{}
	}
	c.RowVersion = textOf(v[r.versions])
	return c, nil
}

func textOf(s *string) inspect.Null[string] {
	if s == nil {
		return inspect.Null[string]{}
	}
	return inspect.Some(*s)
}

func keyFrom(m inspect.Mapping, stored map[string]*string) (inspect.Key, error) {
	parts := make([]inspect.KeyPart, len(m.Key))
	for i, k := range m.Key {
		parts[i] = inspect.KeyPart{Column: k.Column, Kind: k.Kind}
		s := stored[k.Column]
		switch {
		case s == nil:
			parts[i].IsNull = true
		case k.Kind == inspect.PartBytes:
			b, err := hex.DecodeString(strings.TrimPrefix(*s, `\x`))
			if err != nil {
				return inspect.Key{}, fmt.Errorf("read bytes of %s: %w", k.Column, err)
			}
			parts[i].Value = string(b)
		default:
			parts[i].Value = *s
		}
	}
	return inspect.NewKey(parts...), nil
}

// partText is a key part as the text that casts back to the stored value.
func partText(p inspect.KeyPart) *string {
	if p.IsNull {
		return nil
	}
	s := p.Value
	if p.Kind == inspect.PartBytes {
		s = `\x` + hex.EncodeToString([]byte(p.Value))
	}
	return &s
}

// stampFrom reads a time: text is the timestamptz as the server writes it
// under UTC and ISO, stored the column's own text.
func stampFrom(text, stored *string) inspect.Stamp {
	if text == nil {
		if stored == nil {
			return inspect.Stamp{}
		}
		return inspect.NoTime(*stored)
	}
	at, err := time.Parse("2006-01-02 15:04:05.999999-07", *text)
	if err != nil {
		if stored != nil {
			return inspect.NoTime(*stored)
		}
		return inspect.NoTime(*text)
	}
	s := inspect.At(at)
	if s.Invalid() && stored != nil {
		s.Raw = *stored
	}
	return s
}

// byKeys reads the rows of keys, at most a thousand at a time, whatever their
// state. A key with a NULL part is found too.
func (r reader) byKeys(ctx context.Context, t *tx, keys []inspect.Key) ([]read, error) {
	var out []read
	var plain []inspect.Key
	for _, k := range keys {
		if !k.HasNull() {
			plain = append(plain, k)
			continue
		}
		where, args := r.exactKey(k)
		rows, err := r.rows(ctx, t, r.from()+where, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	for chunk := range slices.Chunk(plain, inspect.MaxBatch) {
		arrays, sql := r.keysSQL(chunk)
		rows, err := r.rows(ctx, t, sql, arrays...)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	markRepeated(out)
	return out, nil
}

// keysSQL reads the rows of keys by the index of the key, which an extension's
// type has for its own operator only.
func (r reader) keysSQL(keys []inspect.Key) (arrays []any, sql string) {
	arrays, casts, names := keyArrays(r.table, keys, 1)
	from := fmt.Sprintf("FROM unnest(%s) AS d(%s)", unnested(len(arrays), 1), strings.Join(names, ", "))
	if folds(r.table) {
		return arrays, fmt.Sprintf("%sEXISTS (SELECT %s WHERE %s)", r.from(), from, write{table: r.table}.keyEquals("d", false))
	}
	return arrays, fmt.Sprintf("%s(%s) IN (SELECT %s %s)", r.from(), keyColumns(r.table), strings.Join(casts, ", "), from)
}

// equals is a column's operator for equality.
func equals(c inspect.Column) string { return cmp.Or(c.Equal, "=") }

// folds: a key column has an equality of its own, under which another text may
// be the same key.
func folds(t inspect.Table) bool {
	return slices.ContainsFunc(t.Mapping.Key, func(k inspect.KeyColumn) bool {
		c, _ := t.Column(k.Column)
		return c.Equal != ""
	})
}

// sameKey brings keys that the table takes for one to one form.
func sameKey(t inspect.Table, k inspect.Key) inspect.Key {
	if !folds(t) {
		return k
	}
	parts := k.Parts()
	for i, p := range parts {
		if c, _ := t.Column(p.Column); c.Base == "citext" {
			parts[i].Value = strings.ToLower(p.Value)
		}
	}
	return inspect.NewKey(parts...)
}

// exactKey is the condition of one key, NULL parts included.
func (r reader) exactKey(k inspect.Key) (string, []any) {
	var conditions []string
	var args []any
	for _, p := range k.Parts() {
		if p.IsNull {
			conditions = append(conditions, col(p.Column)+" IS NULL")
			continue
		}
		c, _ := r.table.Column(p.Column)
		args = append(args, partText(p))
		conditions = append(conditions, fmt.Sprintf("%s %s $%d::text::%s", col(p.Column), equals(c), len(args), c.Cast))
	}
	return strings.Join(conditions, " AND "), args
}

func keyColumns(t inspect.Table) string {
	var out []string
	for _, k := range t.Mapping.Key {
		out = append(out, col(k.Column))
	}
	return strings.Join(out, ", ")
}

// keyArrays turns keys into one text array a column, with the casts that bring
// each element back to the column's type.
func keyArrays(t inspect.Table, keys []inspect.Key, first int) (arrays []any, casts, names []string) {
	for i, k := range t.Mapping.Key {
		values := make([]*string, len(keys))
		for j, key := range keys {
			values[j] = partText(key.Parts()[i])
		}
		c, _ := t.Column(k.Column)
		name := fmt.Sprintf("k%d", first+i)
		arrays, names = append(arrays, values), append(names, name)
		casts = append(casts, fmt.Sprintf("d.%s::%s", name, c.Cast))
	}
	return arrays, casts, names
}

// unnested is $first::text[], ... for n parameters.
func unnested(n, first int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("$%d::text[]", first+i)
	}
	return strings.Join(out, ", ")
}

// markRepeated marks keys that stand on several of the rows read.
func markRepeated(rows []read) {
	seen := map[inspect.Key]int{}
	for _, r := range rows {
		seen[r.claim.Key]++
	}
	for i := range rows {
		rows[i].claim.Repeated = seen[rows[i].claim.Key] > 1
	}
}

func claimsOf(rows []read) []inspect.Claim {
	out := make([]inspect.Claim, len(rows))
	for i, r := range rows {
		out[i] = r.claim
	}
	return out
}
