//go:build unix

package servertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// postgresFolders is where packages keep PostgreSQL's server programs, which
// Debian and others leave out of PATH.
var postgresFolders = []string{
	"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
}

// postgresPrograms finds the folder with PostgreSQL's server programs: that of
// PATH, else the newest of the usual places. It is empty when there is none.
func postgresPrograms() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			if folder := filepath.Dir(real); hasPrograms(folder, "initdb", "postgres") {
				return folder
			}
		}
	}
	var found []string
	for _, pattern := range postgresFolders {
		matches, _ := filepath.Glob(pattern)
		for _, folder := range matches {
			if hasPrograms(folder, "initdb", "postgres") {
				found = append(found, folder)
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return slices.MaxFunc(found, func(a, b string) int { return majorVersion(a) - majorVersion(b) })
}

// hasPrograms tells whether every named program is an executable file there.
func hasPrograms(folder string, names ...string) bool {
	for _, name := range names {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return false
		}
	}
	return true
}

// majorVersion reads the first number in a folder's path, 0 if there is none.
func majorVersion(folder string) int {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	start := strings.IndexFunc(folder, isDigit)
	if start < 0 {
		return 0
	}
	digits := folder[start:]
	if end := strings.IndexFunc(digits, func(r rune) bool { return !isDigit(r) }); end >= 0 {
		digits = digits[:end]
	}
	version, _ := strconv.Atoi(digits)
	return version
}
