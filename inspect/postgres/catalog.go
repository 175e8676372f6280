package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"idemtui/inspect"
)

// relation is a row of the catalog before it is known to be a claim table.
type relation struct {
	table  inspect.Table
	kind   string     // pg_class.relkind
	unique [][]string // the columns of each valid, total unique index
	usable bool       // USAGE on the schema
	// inherited: other tables may hold rows of it too, which its unique indexes do
	// not cover.
	inherited bool
}

// relationSQL reads relations by condition. It takes no lock on them: sizes
// are those of the last vacuum or analyze. xmin and xmax are named by their
// numbers, -2 and -4, as ctid by -1, because a view has none and the names would
// fail.
const relationSQL = `SELECT c.oid::text, n.nspname::text, c.relname::text, c.relkind::text,
 (CASE WHEN c.reltuples < 0 THEN NULL ELSE c.reltuples::bigint END)::text, c.relpages::text, row_security_active(c.oid)::text,
 (EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal) OR c.relkind = 'p' AND
  EXISTS (SELECT FROM pg_partition_tree(c.oid) p JOIN pg_trigger g ON g.tgrelid = p.relid WHERE NOT g.tgisinternal))::text,
 has_schema_privilege(n.oid, 'USAGE')::text,
 has_table_privilege(c.oid, 'DELETE')::text,
 coalesce(has_column_privilege(c.oid, (-2)::int2, 'SELECT') AND has_column_privilege(c.oid, (-4)::int2, 'SELECT'), false)::text,
 coalesce(c.relkind = 'r' AND NOT c.relhassubclass AND c.relam = 2 AND has_column_privilege(c.oid, (-1)::int2, 'SELECT'), false)::text, ` + plainTable + `, (c.relkind = 'r' AND c.relhassubclass)::text
 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%' AND `

// plainTable is Table.Plain of pg_class c, as text.
const plainTable = `(c.relkind = 'r' AND NOT c.relhastriggers AND NOT c.relhasrules AND NOT c.relhassubclass
 AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attgenerated <> '' AND NOT a.attisdropped))::text`

const columnSQL = `SELECT a.attrelid::text, a.attname::text, format_type(a.atttypid, a.atttypmod), (NOT a.attnotnull)::text,
 has_column_privilege(a.attrelid, a.attnum, 'SELECT')::text, has_column_privilege(a.attrelid, a.attnum, 'UPDATE')::text,
 (a.attgenerated <> '')::text, (a.attidentity <> '')::text, bn.nspname::text, b.typname::text,
 (SELECT string_agg(e.enumlabel, E'\n' ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = b.oid),
 CASE WHEN bn.nspname <> 'pg_catalog' THEN (SELECT format('OPERATOR(%I.%s)', s.nspname, o.oprname) FROM pg_opclass k JOIN pg_am m ON m.oid = k.opcmethod
  JOIN pg_amop p ON p.amopfamily = k.opcfamily AND p.amopstrategy = 3 AND p.amoplefttype = k.opcintype AND p.amoprighttype = k.opcintype
  JOIN pg_operator o ON o.oid = p.amopopr JOIN pg_namespace s ON s.oid = o.oprnamespace WHERE m.amname = 'btree' AND k.opcdefault AND k.opcintype = b.oid) END
 FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
 JOIN pg_type b ON b.oid = CASE WHEN y.typtype = 'd' THEN y.typbasetype ELSE y.oid END JOIN pg_namespace bn ON bn.oid = b.typnamespace
 WHERE a.attrelid = ANY($1::text[]::oid[]) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum`

const uniqueSQL = `SELECT x.indrelid::text, (SELECT string_agg(a.attname, E'\n' ORDER BY k) FROM generate_series(0, x.indnkeyatts - 1) k
 JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[k])
 FROM pg_index x WHERE x.indrelid = ANY($1::text[]::oid[]) AND x.indisunique AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL`

// relations reads the relations that a condition on pg_class c and
// pg_namespace n selects, with their columns and unique keys.
func (t *tx) relations(ctx context.Context, condition string, args ...any) ([]relation, error) {
	var out []relation
	at := map[string]int{}
	var oids []string
	err := t.texts(ctx, func(v []*string) error {
		r := relation{kind: *v[3], usable: *v[8] == "true", inherited: *v[13] == "true", table: inspect.Table{
			Database: t.database.ID, Schema: *v[1], Name: *v[2], Partitioned: *v[3] == "p", RowSecurity: *v[6] == "true",
			HasTriggers: *v[7] == "true", CanDelete: *v[9] == "true", RowVersions: *v[10] == "true",
			RowPlaces: *v[11] == "true", Plain: *v[12] == "true",
		}}
		oid, err := strconv.ParseUint(*v[0], 10, 32)
		if err != nil {
			return fmt.Errorf("oid %s: %w", *v[0], err)
		}
		r.table.OID = uint32(oid)
		if v[4] != nil {
			n, err := strconv.ParseInt(*v[4], 10, 64)
			if err != nil {
				return fmt.Errorf("reltuples %s: %w", *v[4], err)
			}
			r.table.EstimatedRows = inspect.Some(n)
		}
		if r.table.Pages, err = strconv.ParseInt(*v[5], 10, 64); err != nil {
			return fmt.Errorf("relpages %s: %w", *v[5], err)
		}
		at[*v[0]] = len(out)
		oids = append(oids, *v[0])
		out = append(out, r)
		return nil
	}, relationSQL+condition+" ORDER BY n.nspname, c.relname", args...)
	if err != nil || len(out) == 0 {
		return out, err
	}
	if err := t.ahead(ctx, question{columnSQL, []any{oids}}, question{uniqueSQL, []any{oids}}); err != nil {
		return nil, err
	}
	err = t.texts(ctx, func(v []*string) error {
		r := &out[at[*v[0]]]
		c := inspect.Column{
			Name: *v[1], Type: *v[2], Nullable: *v[3] == "true", Readable: *v[4] == "true", Writable: *v[5] == "true",
			Generated: *v[6] == "true", Identity: *v[7] == "true", Cast: ident(*v[8], *v[9]), Base: *v[9], Equal: textOf(v[11]).V,
		}
		if v[10] != nil {
			c.Labels = strings.Split(*v[10], "\n")
		}
		r.table.Columns = append(r.table.Columns, c)
		r.table.CanUpdate = r.table.CanUpdate || c.Writable
		return nil
	}, columnSQL, oids)
	if err != nil {
		return nil, err
	}
	return out, t.texts(ctx, func(v []*string) error {
		if v[1] != nil {
			r := &out[at[*v[0]]]
			r.unique = append(r.unique, strings.Split(*v[1], "\n"))
		}
		return nil
	}, uniqueSQL, oids)
}

// tokenSequence finds the sequence that a column's values are drawn from: one
// that its default names, else one that the column owns, else one that is
// called as PostgreSQL would call it.
// usable says whether the role may draw from it.
func (t *tx) tokenSequence(ctx context.Context, table inspect.Table, column string) (name string, usable bool, err error) {
	err = t.texts(ctx, func(v []*string) error {
		if name == "" {
			name, usable = ident(*v[0], *v[1]), *v[2] == "true"
		}
		return nil
	}, `SELECT n.nspname::text, s.relname::text, (has_schema_privilege(n.oid, 'USAGE') AND has_sequence_privilege(s.oid, 'USAGE, UPDATE'))::text FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
 JOIN pg_attribute a ON a.attrelid = $1::text::oid AND a.attname = $2::text
 LEFT JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
 WHERE s.relkind = 'S' AND (
  EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid)
  OR EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.refclassid = 'pg_class'::regclass
     AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum AND d.deptype IN ('a', 'i'))
  OR (n.nspname = $3::text AND s.relname IN ($4::text || '_' || $2::text || '_seq', $4::text || '_' || $2::text)))
 ORDER BY f.oid IS NULL, n.nspname = $3::text DESC, s.relname`, strconv.FormatUint(uint64(table.OID), 10), column, table.Schema, table.Name)
	return name, usable, err
}

// coveredBy reports whether a unique index lies within the key columns.
func (r relation) coveredBy(key []string) bool {
	return slices.ContainsFunc(r.unique, func(columns []string) bool {
		for _, c := range columns {
			if !slices.Contains(key, c) {
				return false
			}
		}
		return true
	})
}

// near returns up to three names that a typing error may have meant.
func near(wanted string, names []string) []string {
	type scored struct {
		name string
		d    int
	}
	var hits []scored
	w := fold(wanted)
	for _, n := range names {
		f := fold(n)
		d := distance(w, f)
		if d <= 1+len(w)/4 || (len(w) >= 4 && (strings.Contains(f, w) || strings.Contains(w, f) && len(f) >= 4)) {
			hits = append(hits, scored{n, d})
		}
	}
	slices.SortFunc(hits, func(a, b scored) int {
		if a.d != b.d {
			return a.d - b.d
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, h := range hits[:min(3, len(hits))] {
		out = append(out, h.name)
	}
	return out
}

func fold(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "") }

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
