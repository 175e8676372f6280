package postgres

import (
	"context"

	"idemtui/inspect"
)

var _ inspect.KeyReader = (*Store)(nil)

// Lookup reads keys by the index of the key, whatever the size of the table.
func (s *Store) Lookup(ctx context.Context, table inspect.Table, keys inspect.KeyList, before *inspect.Look) (inspect.Lookup, error) {
	var out inspect.Lookup
	err := s.look(ctx, "look up keys in "+table.FullName(), func(ctx context.Context, t *tx) error {
		l := looker{tx: t, table: table, reader: newReader(table)}
		l.facts = inspect.Facts{Now: t.now(), Mapping: table.Mapping, Standby: t.database.Standby, Pooler: t.database.Pooler, Before: before}
		rows, err := l.reader.byKeys(ctx, t, keys.Keys)
		if err != nil {
			return err
		}
		if err := s.amongOthers(ctx, &l); err != nil {
			return err
		}
		claims, err := l.judge(ctx, rows)
		if err != nil {
			return err
		}
		found := map[inspect.Key]inspect.Claim{}
		for _, c := range claims {
			found[sameKey(table, c.Key)] = c
		}
		out = inspect.Lookup{Database: t.database, Table: table, At: t.now(), Repeats: keys.Repeats, Blank: keys.Blank}
		for _, k := range keys.Keys {
			entry := inspect.LookedUp{Key: k, Class: inspect.ClassNoRow}
			if c, ok := found[sameKey(table, k)]; ok {
				entry.Class, entry.Claim = inspect.ClassOf(c), c
			}
			out.Keys = append(out.Keys, entry)
		}
		return nil
	})
	return out, err
}
