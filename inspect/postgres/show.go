package postgres

import (
	"context"
	"fmt"
	"strings"

	"idemtui/inspect"
)

// Show is everything about one claim.
func (s *Store) Show(ctx context.Context, table inspect.Table, key inspect.Key, options inspect.ShowOptions) (inspect.Detail, error) {
	var out inspect.Detail
	err := s.look(ctx, "show a claim of "+table.FullName(), func(ctx context.Context, t *tx) error {
		r := newReader(table)
		rows, err := r.byKeys(ctx, t, []inspect.Key{key})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return &inspect.Fault{Kind: inspect.FaultNoRow, What: fmt.Sprintf("no row with key %s in %s", key, table.FullName()), Next: "check the key; a message that was never seen, or is forgotten, has no row"}
		}
		l := looker{tx: t, table: table, reader: r}
		l.facts = inspect.Facts{
			Now: t.now(), Mapping: table.Mapping, Standby: t.database.Standby, Pooler: t.database.Pooler, Before: options.Before,
			Query: func(k inspect.Key, rung inspect.Rung) string { return r.evidenceSQL(k, rung) },
		}
		pages, err := t.pages(ctx, table)
		if err != nil {
			return err
		}
		if pages <= s.large && !s.uncountable(table.OID) {
			if l.facts.Finished, err = t.finished(ctx, table); err != nil {
				return err
			}
		}
		if err := s.amongOthers(ctx, &l); err != nil {
			return err
		}
		judged, err := l.judge(ctx, rows[:1])
		if err != nil {
			return err
		}
		claim := judged[0]
		out = inspect.Detail{Database: t.database, Table: table, At: t.now(), Claim: claim, SQL: uniqueQueries(claim.Evidence), Seen: inspect.Remember(t.now(), judged).WithSessions(l.facts.Sessions)}
		if len(out.SQL) == 0 {
			out.SQL = []string{r.evidenceSQL(key, inspect.RungLease)}
		}
		out.Columns, err = r.columnsOf(ctx, t, key, options.AllColumns)
		out.IfReleased = ifReleased(claim, table, t)
		return err
	})
	return out, err
}

func uniqueQueries(evidence []inspect.Evidence) []string {
	var out []string
	seen := map[string]bool{}
	for _, e := range evidence {
		if e.Query != "" && !seen[e.Query] {
			seen[e.Query] = true
			out = append(out, e.Query)
		}
	}
	return out
}

// columnsOf reads one row's columns as text: the mapped ones, or all that the
// role may read.
func (r reader) columnsOf(ctx context.Context, t *tx, key inspect.Key, all bool) ([]inspect.ColumnValue, error) {
	names := r.columns
	if all {
		names = readableColumns(r.table)
	}
	where, args := r.exactKey(key)
	var out []inspect.ColumnValue
	err := t.texts(ctx, func(v []*string) error {
		out = columnValues(names, v)
		return nil
	}, fmt.Sprintf("SELECT %s FROM %s AS t WHERE %s LIMIT 1", columnTexts(names), tableName(r.table), where), args...)
	return out, err
}

func columnValues(names []string, v []*string) []inspect.ColumnValue {
	out := make([]inspect.ColumnValue, len(names))
	for i, n := range names {
		out[i] = inspect.ColumnValue{Column: n, Value: v[i]}
	}
	return out
}

func readableColumns(t inspect.Table) []string {
	var out []string
	for _, c := range t.Columns {
		if c.Readable {
			out = append(out, c.Name)
		}
	}
	return out
}

// evidenceSQL is a statement that can be pasted into psql.
func (r reader) evidenceSQL(key inspect.Key, rung inspect.Rung) string {
	var where []string
	for _, p := range key.Parts() {
		if p.IsNull {
			where = append(where, col(p.Column)+" IS NULL")
			continue
		}
		where = append(where, fmt.Sprintf("%s = %s", col(p.Column), pasted(*partText(p))))
	}
	m := r.table.Mapping
	from := fmt.Sprintf(" FROM %s AS t WHERE %s", tableName(r.table), strings.Join(where, " AND "))
	switch rung {
	case inspect.RungRowLock:
		if !r.table.RowVersions {
			return ""
		}
		return "SELECT l.pid, a.application_name, a.state, now() - a.state_change AS in_state" +
			" FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'transactionid' AND l.granted AND l.mode = 'ExclusiveLock'" +
			" AND l.transactionid = (SELECT t.xmax" + from + ")"
	case inspect.RungAdvisoryLock:
		return evidenceOfAdvisory(r.table, from)
	case inspect.RungHeartbeat:
		if w := r.table.Joined; w != nil {
			return "SELECT now(), n.* FROM " + tableName(*w) + " AS n WHERE n." + ident(m.Heartbeat.Join.Key) + "::text = (SELECT " + ownerText(r.table) + from + ")"
		}
		return "SELECT now(), " + col(m.Heartbeat.Column) + from
	case inspect.RungSession:
		return "SELECT pid, application_name, client_addr, backend_start, state FROM pg_stat_activity WHERE datname = current_database() ORDER BY application_name"
	default:
		list := []string{"now()"}
		for _, c := range m.Columns() {
			list = append(list, col(c))
		}
		return "SELECT " + strings.Join(list, ", ") + from
	}
}

// pasted is a literal that stays one whatever standard_conforming_strings is,
// and that holds no control characters.
func pasted(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == '\\' || s[i] == 0x7f {
			plain = false
		}
	}
	if plain {
		return literal(s)
	}
	var b strings.Builder
	b.WriteString("E'")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
			b.WriteString("''")
		case c == '\\':
			b.WriteString(`\\`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteString("'")
	return b.String()
}

// ifReleased says what a release of this claim would do, or why it is refused.
func ifReleased(c inspect.Claim, table inspect.Table, t *tx) []string {
	mode, err := inspect.ResolveReleaseMode(table.Mapping, inspect.ReleaseAuto)
	if err != nil {
		return []string{err.Error()}
	}
	if t.database.Standby {
		return []string{"refused: this is a standby; connect to the primary"}
	}
	if skip, refused := inspect.Refuse(c, table.Mapping, false, false, t.now()); refused {
		return []string{fmt.Sprintf("refused (%s): %s", skip.Reason, skip.Text)}
	}
	return append([]string{inspect.UnknownOutcome(c, table.Mapping, t.now())}, inspect.Consequences(table, mode, false)...)
}

// columnTexts is a select list of columns as text.
func columnTexts(columns []string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = col(c) + "::text"
	}
	return strings.Join(out, ", ")
}
