package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"idemtui/inspect"
)

var _ inspect.Rereader = (*Store)(nil)

// Reread asks for the transaction first: once it has ended, the rows that are
// read after it show the end. A column that the table no longer has is a fault.
func (s *Store) Reread(ctx context.Context, table inspect.Table, batch inspect.Intent) (status inspect.TransactionStatus, now map[inspect.Key][]inspect.ColumnValue, err error) {
	if len(batch.Rows) == 0 {
		return inspect.TransactionUnknown, nil, nil
	}
	columns := recordedColumns(batch.Rows[0])
	for _, name := range columns {
		if c, ok := table.Column(name); !ok || !c.Readable {
			return "", nil, &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("column %s of %s cannot be read any more", name, table.FullName()), Next: "look at the rows by hand"}
		}
	}
	status, err = transactionStatus(batch.Transaction, func(f func(context.Context, *tx) error) error {
		return s.look(ctx, "ask what became of a transaction", f)
	})
	if err != nil {
		return "", nil, err
	}
	err = s.look(ctx, "read the recorded rows again", func(ctx context.Context, t *tx) error {
		now, err = t.images(ctx, table, columns, recordedKeys(batch.Rows))
		return err
	})
	return status, now, err
}

// recordedColumns are the columns that a record holds of a row.
func recordedColumns(row inspect.AuditRow) []string {
	if row.Before == nil {
		return columnNames(row.After)
	}
	return columnNames(row.Before)
}

func recordedKeys(rows []inspect.AuditRow) []inspect.Key {
	keys := make([]inspect.Key, len(rows))
	for i, row := range rows {
		keys[i] = row.Key
	}
	return keys
}

// transactionStatus asks the server what became of a transaction, which
// PostgreSQL tells of the recent ones (since 10: txid_status). An id that it
// never gave out is one of another server, as before a failover that lost it.
func transactionStatus(id string, look func(func(context.Context, *tx) error) error) (inspect.TransactionStatus, error) {
	status := inspect.TransactionUnknown
	if id == "" {
		return status, nil
	}
	err := look(func(ctx context.Context, t *tx) error {
		err := t.texts(ctx, func(v []*string) error {
			if v[0] != nil {
				status = inspect.TransactionStatus(*v[0])
			}
			return nil
		}, "SELECT txid_status($1::text::bigint)", id)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "22023" { // in the future
			return errNotThisServer
		}
		return err
	})
	if errors.Is(err, errNotThisServer) {
		return inspect.TransactionUnknown, nil
	}
	return status, err
}

var errNotThisServer = &inspect.Fault{Kind: inspect.FaultServer, What: "the server never gave out this transaction's id"}
