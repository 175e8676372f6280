package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"idemtui/inspect"
	"idemtui/ui/text"
	"idemtui/ui/triage"
)

// exporter writes what the screen exports into the folder that the program was
// started in, by the printers of the headless list.
func (a *app) exporter(mode inspect.Mode) func(triage.ExportKind, inspect.Snapshot) (string, error) {
	return func(kind triage.ExportKind, s inspect.Snapshot) (string, error) {
		var content bytes.Buffer
		what, ending := "", "csv"
		var err error
		switch kind {
		case triage.ExportJSON:
			ending = "json"
			err = inspect.EncodeClaims(&content, mode, []inspect.Snapshot{s})
		case triage.ExportAnswers:
			what = "-to-settle"
			err = inspect.WriteAnswerForm(&content, s.Claims, text.Sanitise)
		default:
			err = (&listing{living: []inspect.Snapshot{s}}).printCSV(&content)
		}
		if err != nil {
			return "", err
		}
		stem := fmt.Sprintf("idemtui-%s-%s%s", fileWord(s.Table.Name), a.now().UTC().Format("20060102T150405Z"), what)
		return writeNew(stem, ending, content.Bytes())
	}
}

// writeNew writes a file that did not exist before, and returns its full path.
// It is readable by its owner alone: it names payments.
func writeNew(stem, ending string, content []byte) (string, error) {
	const tries = 100
	for i := 1; i <= tries; i++ {
		name := stem + "." + ending
		if i > 1 {
			name = fmt.Sprintf("%s-%d.%s", stem, i, ending)
		}
		path, err := filepath.Abs(name)
		if err != nil {
			return "", fmt.Errorf("export: %w", err)
		}
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return "", fmt.Errorf("export: %w; start idemtui in a folder that you may write to", err)
		}
		_, err = file.Write(content)
		if err := errors.Join(err, file.Close()); err != nil {
			return "", fmt.Errorf("export, %s is not whole: %w", path, err)
		}
		return path, nil
	}
	return "", fmt.Errorf("export: %s.%s and %d more exist already", stem, ending, tries-1)
}

// fileWord keeps of a name what is safe in the name of a file.
func fileWord(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}
