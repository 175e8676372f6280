package postgres

import (
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

// write is the guarded statement of one release mode on one table.
type write struct {
	table    inspect.Table
	mode     inspect.ReleaseMode
	override bool
	guarded  []string // the columns compared with what was read
	audited  []string // the columns returned before and after
	set      []assignment
	// keyAndState reduces the guard to key and state. No release does that:
	// the stress test shows with it that its own checks can fail.
	keyAndState bool
	// answers: the statement takes the result of each row, as r.
	answers bool
}

type assignment struct{ column, value string }

func newWrite(table inspect.Table, mode inspect.ReleaseMode, override bool, audited []string) write {
	w := write{table: table, mode: mode, override: override, guarded: table.Mapping.Columns(), audited: audited}
	m := table.Mapping
	put := func(column, value string) {
		if column != "" {
			w.set = append(w.set, assignment{column, value})
		}
	}
	if rule, ok := m.ReleaseRule(mode); ok {
		w.byRule(rule)
		return w
	}
	switch mode {
	case inspect.ReleaseDelete:
		return w
	case inspect.ReleaseRequeue:
		put(m.State.Column, literal(m.State.Values[inspect.StateFree][0]))
	case inspect.ReleaseFail:
		put(m.State.Column, literal(m.State.Values[inspect.StateFailed][0]))
		put(m.FailedAt, w.nowAs(m.FailedAt))
	case inspect.ReleaseClear:
		for _, rule := range m.State.Rules[inspect.StateProcessing] {
			if len(rule) == 1 && rule[0].Op == inspect.TestNotNull {
				put(rule[0].Column, "NULL")
			}
		}
	case inspect.ReleaseExpire:
		put(m.Lease.Column, w.nowAs(m.Lease.Column))
	}
	if mode != inspect.ReleaseExpire {
		w.clear(m.Owner)
		if m.Lease.Plain() {
			w.clear(m.Lease.Column)
		}
	}
	put(m.Token, w.bumped(m.Token))
	put(m.UpdatedAt, w.nowAs(m.UpdatedAt))
	return w
}

// clear sets a column to NULL where it may be NULL and is not set already.
func (w *write) clear(column string) {
	c, ok := w.table.Column(column)
	for _, a := range w.set {
		if a.column == column {
			return
		}
	}
	if ok && c.Nullable {
		w.set = append(w.set, assignment{column, "NULL"})
	}
}

// bumped is the next fencing token: from the column's sequence, and above the
// present one in any case; a uuid is drawn anew. "" leaves a token of another
// type as it is.
func (w write) bumped(column string) string {
	c, _ := w.table.Column(column)
	next := fmt.Sprintf("coalesce(%s, 0) + 1", col(c.Name))
	switch c.Base {
	case "int2", "int4", "int8", "numeric":
		if w.table.TokenSequence != "" && column == w.table.Mapping.Token {
			return fmt.Sprintf("greatest(nextval(%s::regclass), %s)", literal(w.table.TokenSequence), next)
		}
		return next
	case "uuid":
		return "gen_random_uuid()"
	case "text":
		return "gen_random_uuid()::text"
	}
	return col(c.Name)
}

// draws reports whether the statement takes a token from the sequence.
func (w write) draws() bool {
	token := w.table.Mapping.Token
	return w.table.TokenSequence != "" && slices.Contains(w.set, assignment{token, w.bumped(token)})
}

// nowAs is the database's clock in the form of a time column; in one that holds
// an end, the latest value that is past.
func (w write) nowAs(column string) string {
	c, ok := w.table.Column(column)
	if !ok {
		return ""
	}
	binding := w.table.Mapping.Times[column]
	zone := binding.Zone
	if zone == "" {
		zone = "UTC"
	}
	switch c.Base {
	case "timestamptz":
		return "now()"
	case "timestamp":
		return fmt.Sprintf("now() AT TIME ZONE %s", literal(zone))
	case "date":
		today := fmt.Sprintf("(now() AT TIME ZONE %s)::date", literal(zone))
		if w.table.Mapping.Ends(column) { // a date ends with its day
			return today + " - 1"
		}
		return today
	}
	per := map[inspect.EpochUnit]string{inspect.UnitSeconds: "1", inspect.UnitMillis: "1000", inspect.UnitMicros: "1000000", inspect.UnitNanos: "1000000000"}[binding.Unit]
	return fmt.Sprintf("floor(extract(epoch FROM now()) * %s)", per)
}

// setColumns are the columns that the statement writes.
func (w write) setColumns() []string {
	out := make([]string, len(w.set))
	for i, a := range w.set {
		out[i] = a.column
	}
	return out
}

// sql is the statement. Rows are locked first, skipping those that somebody
// else has locked, and only if every stored value is as it was read; the
// comparison stands on the target row itself, in the statement that writes,
// because after a wait only that is checked again. The lock is the strongest:
// one who merely refers to the row from another table is at work on it too.
func (w write) sql(nullKeys bool) string {
	if w.calls() {
		return w.lockSQL(nullKeys) + ";\n" + w.callSQL()
	}
	if w.mode == inspect.ReleaseMove {
		return w.moveSQL(nullKeys)
	}
	action, after := "DELETE FROM "+tableName(w.table)+" AS t USING locked AS l", ""
	if w.mode != inspect.ReleaseDelete {
		var set []string
		for _, a := range w.set {
			set = append(set, ident(a.column)+" = "+a.value)
		}
		action = "UPDATE " + tableName(w.table) + " AS t SET " + strings.Join(set, ", ") + " FROM locked AS l"
	}
	locked, was := w.carried(nullKeys), ""
	for i, from := range w.images() {
		// Before and after come as columns of their own: an array of them would
		// cost as much as the write.
		if from.before < 0 {
			locked += fmt.Sprintf(", %s::text AS b%d", col(w.audited[i]), i+1)
			was += fmt.Sprintf(", l.b%d", i+1)
		}
		if from.after == afterReturned {
			after += ", " + col(w.audited[i]) + "::text"
		}
	}
	place := ""
	if w.table.RowPlaces {
		locked, place = locked+", t.ctid AS place", "t.ctid = l.place AND "
	}
	return "WITH locked AS MATERIALIZED (\n SELECT " + locked + "\n FROM " + tableName(w.table) + " AS t JOIN " + w.planned() + " ON " + w.keyEquals("d", nullKeys) +
		"\n WHERE " + w.guard("d") + "\n FOR UPDATE OF t SKIP LOCKED)\n" +
		action + "\nWHERE " + place + w.keyEquals("l", nullKeys) + " AND " + w.again(nullKeys) + "\nRETURNING l.n" + was + after
}

// carried are the columns of the plan that the writing part needs again.
func (w write) carried(nullKeys bool) string {
	if w.guardsAgain(nullKeys) {
		return "d.*"
	}
	out := "d.n"
	for _, p := range w.parameters() {
		if p.again {
			out += ", d." + p.name
		}
	}
	return out
}

// planned are the planned rows as a table d, one array for each of its columns.
// The arrays stand in subqueries, so that the statement is planned alike
// whatever their length is: for a thousand rows at once the planner would rather
// read every claimed row of the table, for each batch anew.
func (w write) planned() string {
	var arrays, names []string
	for i, p := range w.parameters() {
		arrays, names = append(arrays, fmt.Sprintf("(SELECT $%d::%s[])", i+1, p.base)), append(names, p.name)
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") WITH ORDINALITY AS d(" + strings.Join(names, ", ") + ", n)"
}

func textArray(columns []string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = col(c) + "::text"
	}
	return "ARRAY[" + strings.Join(out, ", ") + "]::text[]"
}

// parameter is one column of the planned rows.
type parameter struct {
	name, base string
	again      bool // the writing part needs it whatever it compares
}

// parameters are key parts, values as read, the results of a settle, row
// version. What the key says already is no value of its own.
func (w write) parameters() []parameter {
	var out []parameter
	for i, k := range w.table.Mapping.Key {
		out = append(out, parameter{fmt.Sprintf("k%d", i+1), w.comparedAs(k.Column), true})
	}
	for i, c := range w.guarded {
		if w.keyPart(c) < 0 {
			out = append(out, parameter{fmt.Sprintf("g%d", i+1), w.comparedAs(c), false})
		}
	}
	if w.answers {
		out = append(out, parameter{"r", "text", true})
	}
	return append(out, parameter{"x", "xid", false})
}

// comparedAs is the type in which a column's values are compared.
func (w write) comparedAs(column string) string {
	if c, _ := w.table.Column(column); exact(c.Base) && c.Cast == ident("pg_catalog", c.Base) {
		return c.Base
	}
	return "text"
}

// keyPart is the place of a column in the key, -1 if it is not in it.
func (w write) keyPart(column string) int {
	return slices.IndexFunc(w.table.Mapping.Key, func(k inspect.KeyColumn) bool { return k.Column == column })
}

func (w write) keyEquals(from string, nullKeys bool) string {
	var out []string
	for i, k := range w.table.Mapping.Key {
		c, _ := w.table.Column(k.Column)
		operator := equals(c)
		if nullKeys {
			operator = "IS NOT DISTINCT FROM"
		}
		out = append(out, fmt.Sprintf("%s %s %s.k%d::%s", col(k.Column), operator, from, i+1, c.Cast))
	}
	return strings.Join(out, " AND ")
}

// guard holds for a row that is still claimed, that is in every mapped column
// what was read, and whose lease, heartbeat and age allow a release by the
// database's clock.
func (w write) guard(from string) string {
	conditions := []string{inState(w.table, inspect.StateProcessing)}
	if w.keyAndState {
		return conditions[0]
	}
	for i, c := range w.guarded {
		name := fmt.Sprintf("g%d", i+1)
		part := w.keyPart(c)
		if part >= 0 {
			name = fmt.Sprintf("k%d", part+1)
		}
		switch {
		case w.comparedAs(c) == "text": // byte for byte, whatever the column's collation takes for equal
			conditions = append(conditions, fmt.Sprintf(`%s::text COLLATE "C" IS NOT DISTINCT FROM %s.%s`, col(c), from, name))
		case part < 0:
			conditions = append(conditions, fmt.Sprintf("%s IS NOT DISTINCT FROM %s.%s", col(c), from, name))
		}
	}
	if w.table.RowVersions {
		conditions = append(conditions, fmt.Sprintf("(%[1]s.x IS NULL OR t.xmin = %[1]s.x)", from))
	}
	if rule, ok := w.table.Mapping.ReleaseRule(w.mode); ok {
		for _, e := range rule.Expect {
			conditions = append(conditions, ruleSQL(w.table, e))
		}
	}
	if free := advisoryFree(w.table); free != "" {
		conditions = append(conditions, free)
	}
	return strings.Join(append(conditions, w.clocks()...), "\n  AND ")
}

// again is what the writing part repeats: where the key is unique it can only
// meet the row that is locked, otherwise also others with the same key.
func (w write) again(nullKeys bool) string {
	if w.guardsAgain(nullKeys) {
		return w.guard("l")
	}
	return inState(w.table, inspect.StateProcessing)
}

func (w write) guardsAgain(nullKeys bool) bool { return !w.table.UniqueKey || nullKeys }

// clocks are the conditions on times. A running lease is lifted only by an
// override, a fresh heartbeat never; where there is neither, the claim must be
// older than the threshold.
func (w write) clocks() []string {
	m := w.table.Mapping
	var out []string
	if m.Lease.Mapped() && !w.override {
		out = append(out, fmt.Sprintf("(%s OR (%s) < now())", noLease(w.table), lease(w.table)))
	}
	var held []string // what makes age irrelevant: a lease or a heartbeat
	if m.Lease.Mapped() {
		held = append(held, "NOT ("+noLease(w.table)+")")
	}
	if h := m.Heartbeat.Column; h != "" {
		at := "(" + stamp(w.table, h) + ")"
		held = append(held, col(h)+" IS NOT NULL")
		out = append(out, fmt.Sprintf("(%s IS NULL OR %s < now() - %s OR %s > now() + %s)", at, at, interval(m.HeartbeatLimit()), at, interval(inspect.FutureSkew)))
	}
	if w.table.Joined != nil {
		out = append(out, silentOwner(w.table))
		if m.Heartbeat.Join.UnownedGone {
			held = append(held, "true")
		} else {
			held = append(held, ownerText(w.table)+" IS NOT NULL")
		}
	}
	if m.ClaimedAt != "" {
		at := "(" + stamp(w.table, m.ClaimedAt) + ")"
		old := fmt.Sprintf("%[1]s IS NULL OR NOT isfinite(%[1]s) OR %[1]s < now() - %[2]s OR %[1]s > now() + %[3]s", at, interval(m.Threshold()), interval(inspect.FutureSkew))
		out = append(out, "("+strings.Join(append(held, old), " OR ")+")")
	}
	return out
}

// types are those of the statement's arrays.
func (w write) types() []string {
	parameters := w.parameters()
	out := make([]string, len(parameters))
	for i, p := range parameters {
		out[i] = p.base
	}
	return out
}

// arrays are the parameters of the statement for a batch of rows, as texts.
func (w write) arrays(rows []inspect.PlannedRow) [][]*string {
	var out [][]*string
	add := func(value func(*inspect.PlannedRow) *string) {
		values := make([]*string, len(rows))
		for i := range rows {
			values[i] = value(&rows[i])
		}
		out = append(out, values)
	}
	for i := range w.table.Mapping.Key {
		add(func(r *inspect.PlannedRow) *string { return partText(r.Key.Parts()[i]) })
	}
	for i, c := range w.guarded {
		if w.keyPart(c) < 0 {
			add(func(r *inspect.PlannedRow) *string { return asRead(r, i, c) })
		}
	}
	if w.answers {
		out = append(out, results(rows))
	}
	add(func(r *inspect.PlannedRow) *string { return r.RowVersion })
	return out
}

// asRead is the value of the guarded column number i as the plan has it.
func asRead(row *inspect.PlannedRow, i int, column string) *string {
	if i < len(row.AsRead) && row.AsRead[i].Column == column {
		return row.AsRead[i].Value
	}
	return valueOf(row.AsRead, column)
}

func valueOf(columns []inspect.ColumnValue, name string) *string {
	for _, c := range columns {
		if c.Column == name {
			return c.Value
		}
	}
	return nil
}

// arguments are the arrays for a statement that is sent on its own.
func (w write) arguments(rows []inspect.PlannedRow) []any {
	var out []any
	for _, a := range w.arrays(rows) {
		out = append(out, a)
	}
	return out
}
