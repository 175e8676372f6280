package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// spoolMemory is how much of a command's data is kept in memory. What is longer
// goes to a temporary file until the command has ended well.
const spoolMemory = 1 << 20

// spool holds data that may be long, in memory or in a temporary file. The file
// has no name where the system allows that, so that it ends with the process.
type spool struct {
	memory bytes.Buffer
	file   *os.File
	size   int64
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) > spoolMemory {
		file, err := os.CreateTemp("", "idemtui-*")
		if err != nil {
			return 0, fmt.Errorf("a temporary file for the output (TMPDIR says where): %w", err)
		}
		_ = os.Remove(file.Name()) // where an open file cannot lose its name, close removes it
		s.file = file
	}
	var n int
	var err error
	if s.file == nil {
		n, err = s.memory.Write(p)
	} else {
		if err = s.settle(); err == nil {
			n, err = s.file.Write(p)
		}
	}
	s.size += int64(n)
	return n, err
}

// settle moves what is in memory to the file, which is written from there on.
func (s *spool) settle() error {
	if s.memory.Len() == 0 {
		return nil
	}
	_, err := s.memory.WriteTo(s.file)
	s.memory = bytes.Buffer{}
	return err
}

// reader reads it all from the beginning, any number of times.
func (s *spool) reader() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.memory.Bytes())
	}
	return io.NewSectionReader(s.file, 0, s.size)
}

// reset forgets everything.
func (s *spool) reset() error {
	err := s.close()
	s.memory, s.size = bytes.Buffer{}, 0
	return err
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	_ = os.Remove(file.Name()) // usually gone already
	return file.Close()
}

// output is a command's data: what was written, and spools that stand between.
type output struct {
	parts []*spool
}

func (o *output) Write(p []byte) (int, error) {
	if len(o.parts) == 0 {
		o.parts = append(o.parts, &spool{})
	}
	return o.parts[len(o.parts)-1].Write(p)
}

// attach puts a spool after what was written so far; what is written later comes
// after it.
func (o *output) attach(s *spool) { o.parts = append(o.parts, s, &spool{}) }

// WriteTo writes everything.
func (o *output) WriteTo(w io.Writer) (int64, error) {
	var all int64
	for _, part := range o.parts {
		n, err := io.Copy(w, part.reader())
		all += n
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// String is everything as one text.
func (o *output) String() string {
	var b bytes.Buffer
	_, _ = o.WriteTo(&b) // a buffer takes everything
	return b.String()
}

// newSpool makes a spool that ends with the command.
func (a *app) newSpool() *spool {
	a.spooling.Lock()
	defer a.spooling.Unlock()
	s := &spool{}
	a.spools = append(a.spools, s)
	return s
}

// closeSpools ends the temporary files: nothing of them is needed any more.
func (a *app) closeSpools() {
	for _, s := range append(a.spools, a.out.parts...) {
		_ = s.close()
	}
}
