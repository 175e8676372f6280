package cli

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// listSink takes the claims of one database as they are read, and keeps them as
// the format needs them: JSON and CSV as they are printed, tables as cells.
type listSink struct {
	listing *listing
	format  string
	at      time.Time // of the look
	taken   int64
	newest  int64 // the latest foldTime taken
	kept    *spool
}

func (l *listing) newSink(a *app) *listSink {
	return &listSink{listing: l, format: l.flags.format, newest: math.MinInt64, kept: a.newSpool()}
}

// sinkOf is the sink that took the claims of a snapshot, nil where it has them.
func sinkOf(s inspect.Snapshot) *listSink {
	sink, _ := s.Query.Sink.(*listSink)
	return sink
}

// Reset forgets what was taken: the look begins anew.
func (s *listSink) Reset(at time.Time) error {
	s.at, s.taken, s.newest = at, 0, math.MinInt64
	return s.kept.reset()
}

// Take takes the next claim.
func (s *listSink) Take(c inspect.Claim) error {
	s.taken++
	s.newest = max(s.newest, foldTime(c))
	switch s.format {
	case formatJSON:
		return inspect.EncodeListedClaim(s.kept, c, s.taken == 1)
	case formatCSV:
		w := csv.NewWriter(s.kept)
		if err := w.Write(claimRecord(c)); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
		w.Flush()
		return w.Error()
	}
	_, err := s.kept.Write(encodeRow(foldTime(c), s.listing.cells(c, s.at)))
	return err
}

// foldTime is the claim time by which a claim is folded away among older ones, in
// microseconds; the end of time where it never is. See inspect.Incident.Folded.
func foldTime(c inspect.Claim) int64 {
	if c.Condition != inspect.ConditionStuck || !c.ClaimedAt.Valid() {
		return math.MaxInt64
	}
	return c.ClaimedAt.Time.UnixMicro()
}

// folds reports whether a claim of this foldTime folds away.
func folds(incident inspect.Incident, fold int64) bool {
	return incident.Older.Claims > 0 && fold <= incident.Older.Newest.UnixMicro()
}

// encodeRow writes a row of cells, made printable, each after its length.
func encodeRow(fold int64, cells []string) []byte {
	row := binary.AppendVarint(nil, fold)
	for _, cell := range cells {
		cell = text.Sanitise(cell)
		row = append(binary.AppendUvarint(row, uint64(len(cell))), cell...)
	}
	return row
}

// eachRow gives the cells of each claim that an incident does not fold away, until
// f returns false.
func (s *listSink) eachRow(incident inspect.Incident, columns int, f func([]string) bool) error {
	in := bufio.NewReader(s.kept.reader())
	cells := make([]string, columns)
	for {
		fold, err := binary.ReadVarint(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		for i := range cells {
			var size uint64
			if err == nil {
				size, err = binary.ReadUvarint(in)
			}
			if err != nil {
				return fmt.Errorf("read the list back: %w", err)
			}
			cell := make([]byte, size)
			_, err = io.ReadFull(in, cell)
			cells[i] = string(cell)
		}
		if err != nil {
			return fmt.Errorf("read the list back: %w", err)
		}
		if folds(incident, fold) {
			continue
		}
		if !f(cells) {
			return nil
		}
	}
}
