package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// question is a query whose columns are all text, with its parameters.
type question struct {
	sql  string
	args []any
}

func (q question) id() string { return fmt.Sprintf("%s %q", q.sql, q.args) }

// ahead asks several questions in one round trip, before their turn: texts finds
// the answers. It is for questions that will be asked whatever the answers are.
func (t *tx) ahead(ctx context.Context, questions ...question) error {
	if t.answers == nil {
		t.answers = map[string][][]*string{}
	}
	var batch pgx.Batch
	for _, q := range questions {
		id := q.id()
		batch.Queue(q.sql, q.args...).Query(func(rows pgx.Rows) error {
			t.answers[id] = [][]*string{}
			return eachText(rows, func(v []*string) error {
				t.answers[id] = append(t.answers[id], append([]*string(nil), v...))
				return nil
			})
		})
	}
	return t.conn.SendBatch(ctx, &batch).Close()
}

// answered gives the rows of a question that was asked ahead, once.
func (t *tx) answered(q question, f func([]*string) error) (bool, error) {
	if len(t.answers) == 0 {
		return false, nil
	}
	id := q.id()
	rows, ok := t.answers[id]
	delete(t.answers, id)
	for _, v := range rows {
		if err := f(v); err != nil {
			return ok, err
		}
	}
	return ok, nil
}
