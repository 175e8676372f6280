package postgres

import (
	"context"

	"idemtui/inspect"
)

// Undo puts back what a release changed.
func (s *Store) Undo(ctx context.Context, table inspect.Table, request inspect.UndoRequest) (inspect.UndoResult, error) {
	return inspect.UndoResult{}, nil
}
