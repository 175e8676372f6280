//go:build unix

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSimExportKeepsWhatIsNoFile writes into a pipe, through a link, and over a
// private file: each stays what it was.
func TestSimExportKeepsWhatIsNoFile(t *testing.T) {
	printed := mustSim(t, "export --handler check")
	folder := t.TempDir()
	pipe, file, link := filepath.Join(folder, "pipe"), filepath.Join(folder, "private.json"), filepath.Join(folder, "link.json")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, nil, 0o600), os.Symlink("private.json", link)); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		content, _ := os.ReadFile(pipe)
		read <- string(content)
	}()
	mustSim(t, "export --handler check --out "+pipe)
	if got := <-read; got != printed {
		t.Errorf("the pipe got %d bytes of %d", len(got), len(printed))
	}
	mustSim(t, "export --handler check --out "+link)
	for name, mode := range map[string]os.FileMode{pipe: os.ModeNamedPipe | 0o600, file: 0o600, link: os.ModeSymlink | 0o777} {
		if info, err := os.Lstat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != printed {
		t.Errorf("through the link: %v", err)
	}
	for line, want := range map[string]string{
		"export --out " + folder: "write " + folder + ": it is a folder; name a file in it",
		"export --out=":          "--out is empty",
	} {
		if code, out, errs := runSimLine(t, line); code == 0 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %q", line, code, errs)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 3 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
