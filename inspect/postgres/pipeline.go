package postgres

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pipeline is several statements that are sent together and answered in one
// round trip. The first that fails ends the others.
type pipeline struct {
	batch pgconn.Batch
	read  []func(pgx.Rows) error
}

// add appends a statement and its parameters, as texts. read gets its rows and
// may be nil.
func (p *pipeline) add(sql string, read func(pgx.Rows) error, parameters ...string) {
	values := make([][]byte, len(parameters))
	for i, v := range parameters {
		values[i] = []byte(v)
	}
	p.batch.ExecParams(sql, values, nil, nil, nil)
	p.read = append(p.read, read)
}

// addArrays appends a statement whose parameters are encoded arrays.
func (p *pipeline) addArrays(sql string, read func(pgx.Rows) error, arrays [][]byte, formats []int16) {
	p.batch.ExecParams(sql, arrays, nil, formats, nil)
	p.read = append(p.read, read)
}

// run sends the statements and reads the answers.
func (p *pipeline) run(ctx context.Context, conn *pgx.Conn) error {
	results := conn.PgConn().ExecBatch(ctx, &p.batch)
	var failed error
	for i := 0; results.NextResult(); i++ {
		rows := pgx.RowsFromResultReader(conn.TypeMap(), results.ResultReader())
		if read := p.read[i]; read != nil && failed == nil {
			failed = read(rows)
		}
		rows.Close()
		if failed == nil {
			failed = rows.Err()
		}
	}
	return cmp.Or(failed, results.Close())
}

// scanOne reads a result of one row.
func scanOne(rows pgx.Rows, to ...any) error {
	if !rows.Next() {
		return cmp.Or(rows.Err(), pgx.ErrNoRows)
	}
	return rows.Scan(to...)
}
