package postgres

import (
	"context"
	"fmt"

	"idemtui/inspect"
)

var _ inspect.Rereader = (*Store)(nil)

// Reread reads the recorded columns of rows as they are now, in one read-only
// transaction. A column that the table no longer has is a fault.
func (s *Store) Reread(ctx context.Context, table inspect.Table, rows []inspect.AuditRow) (out map[inspect.Key][]inspect.ColumnValue, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	columns := columnNames(rows[0].Before)
	if rows[0].Before == nil {
		columns = columnNames(rows[0].After)
	}
	for _, name := range columns {
		if c, ok := table.Column(name); !ok || !c.Readable {
			return nil, &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("column %s of %s cannot be read any more", name, table.FullName()), Next: "look at the rows by hand"}
		}
	}
	keys := make([]inspect.Key, len(rows))
	for i, row := range rows {
		keys[i] = row.Key
	}
	err = s.look(ctx, "read the recorded rows again", func(ctx context.Context, t *tx) error {
		out, err = t.images(ctx, table, columns, keys)
		return err
	})
	return out, err
}
