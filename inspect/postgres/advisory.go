package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

// advisoryHeld are the advisory locks that are held in this database; of two
// numbers the first stands in the upper half, and objsubid is 2.
// https://www.postgresql.org/docs/current/view-pg-locks.html
const (
	advisoryHeld   = "%[1]s.locktype = 'advisory' AND %[1]s.granted AND %[1]s.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
	advisoryNumber = "((%[1]s.classid::int8 << 32) | %[1]s.objid::int8)"
)

// advisorySQL finds who holds advisory locks, without taking any.
var advisorySQL = `SELECT d.id, l.pid::text, a.application_name, a.state, extract(epoch FROM clock_timestamp() - a.state_change)::text
FROM unnest($1::text[]) AS d(id) JOIN pg_locks l ON ` + fmt.Sprintf(advisoryHeld, "l") + ` AND l.objsubid = $2::text::int2 AND ` + fmt.Sprintf(advisoryNumber, "l") + ` = d.id::int8
LEFT JOIN pg_stat_activity a ON a.pid = l.pid`

// advisoryID is the claim's lock as one number of 64 bits.
func advisoryID(t inspect.Table) string {
	b := t.Mapping.Advisory
	pieces := make([]string, len(b.From))
	for i, p := range b.From {
		pieces[i] = literal(p.Text)
		if p.Column != "" {
			pieces[i] = col(p.Column) + "::text"
		}
	}
	text := strings.Join(pieces, " || ")
	var id string
	switch b.Hash {
	case inspect.AdvisoryHashText:
		id = fmt.Sprintf("hashtext(%s)::int8", text)
	case inspect.AdvisoryHashTextExtended:
		id = fmt.Sprintf("hashtextextended(%s, 0)", text)
	case inspect.AdvisoryMD5:
		id = fmt.Sprintf("('x' || substr(md5(%s), 1, 16))::bit(64)::int8", text)
	default:
		id = col(b.Columns()[0]) + "::int8"
	}
	if !b.Class.OK {
		return id
	}
	class := fmt.Sprintf("(%d)", b.Class.V.Number)
	if b.Class.V.Text != "" {
		class = fmt.Sprintf("hashtext(%s)", literal(b.Class.V.Text))
	}
	return fmt.Sprintf("((%s::int8 << 32) | (%s & 4294967295))", class, id)
}

// advisoryNumbers is 2 for locks of two numbers, else 1.
func advisoryNumbers(t inspect.Table) string {
	if t.Mapping.Advisory.Class.OK {
		return "2"
	}
	return "1"
}

// advisoryFree holds for a row whose advisory lock nobody holds; "" where none
// is mapped.
func advisoryFree(t inspect.Table) string {
	if !t.Mapping.Advisory.Mapped() {
		return ""
	}
	return fmt.Sprintf("NOT EXISTS (SELECT FROM pg_locks AS v WHERE %s AND v.objsubid = %s AND %s = %s)",
		fmt.Sprintf(advisoryHeld, "v"), advisoryNumbers(t), fmt.Sprintf(advisoryNumber, "v"), advisoryID(t))
}

// advisory finds who holds the claims' advisory locks, by key; hidden says why
// that cannot be seen.
func (t *tx) advisory(ctx context.Context, table inspect.Table, rows []read) (holders map[inspect.Key][]inspect.LockHolder, hidden string, err error) {
	switch {
	case !table.Mapping.Advisory.Mapped():
		return nil, "", nil
	case t.database.Standby:
		return nil, "a standby knows no locks of the primary", nil
	}
	holders, err = t.holding(ctx, rows, func(r *read) string { return r.advisory }, advisorySQL, advisoryNumbers(table))
	return holders, "", err
}

// ownKey: in an advisory lock the word key means the table's only key column,
// unless a column is called so.
func (b *binder) ownKey() {
	if _, ok := b.table.Column("key"); ok || len(b.m.Key) != 1 {
		return
	}
	b.m.Advisory = b.m.Advisory.InNames(func(name string) string {
		if name == "key" {
			return b.m.Key[0].Column
		}
		return name
	})
}

// advisory: the lock's id is made of columns that can make one.
func (b *binder) advisory() error {
	lock := &b.m.Advisory
	if !lock.Mapped() {
		return nil
	}
	integers := []string{"int2", "int4", "int8"}
	if lock.Class.OK {
		integers = integers[:2]
	}
	for _, p := range lock.From {
		c, ok := b.table.Column(p.Column)
		switch {
		case !ok:
		case lock.Hash == inspect.AdvisoryInt && !slices.Contains(integers, c.Base):
			return &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("column %s (advisory) is %s, not %s", c.Name, c.Type, strings.Join(integers, " or ")), Next: "for another type say how it is hashed: hashtext(" + c.Name + ")"}
		case lock.Hash != inspect.AdvisoryInt && c.Base == "bytea":
			return &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("column %s (advisory) is %s, whose text no application hashes", c.Name, c.Type), Next: "name a column of text, or leave advisory away"}
		}
	}
	return nil
}

// evidenceOfAdvisory is a statement for psql: who holds the claim's advisory
// lock, or all that are held where none is mapped.
func evidenceOfAdvisory(t inspect.Table, from string) string {
	list := "SELECT l.pid, a.application_name, a.state, now() - a.state_change AS in_state, l.classid, l.objid, l.objsubid" +
		" FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid) WHERE " + fmt.Sprintf(advisoryHeld, "l")
	if !t.Mapping.Advisory.Mapped() {
		return list + " ORDER BY a.application_name, l.pid"
	}
	return list + " AND l.objsubid = " + advisoryNumbers(t) + " AND " + fmt.Sprintf(advisoryNumber, "l") + " = (SELECT " + advisoryID(t) + from + ")"
}
