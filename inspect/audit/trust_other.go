//go:build !unix

package audit

import (
	"errors"
	"io/fs"
	"os"
)

// distrust says why a folder or file must not take the record, "" if it may.
// Owners and permissions are not modes here and are not looked at.
func distrust(info fs.FileInfo, folder bool) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "is a symbolic link"
	case folder && !info.IsDir():
		return "is not a folder"
	case !folder && !info.Mode().IsRegular():
		return "is not a regular file"
	}
	return ""
}

// lock does nothing: a line is one write to a file opened for appending.
func lock(*os.File) error { return nil }

// tryLock: there are no locks here.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// syncDirectory does nothing: directories cannot be synced here.
func syncDirectory(*os.File) error { return nil }
