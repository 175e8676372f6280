//go:build unix

package audit

import (
	"io/fs"
	"os"
	"syscall"
)

// distrust says why a folder or file must not take the record, "" if it may.
func distrust(info fs.FileInfo, folder bool) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "is a symbolic link"
	case folder && !info.IsDir():
		return "is not a folder"
	case !folder && !info.Mode().IsRegular():
		return "is not a regular file"
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int64(stat.Uid) != int64(os.Geteuid()) {
		return "belongs to another user"
	}
	switch {
	case folder && info.Mode().Perm()&0o022 != 0:
		return "can be written to by others (chmod 700 mends it)"
	case !folder && info.Mode().Perm()&0o077 != 0:
		return "can be read or written to by others (chmod 600 mends it)"
	}
	return ""
}

// lock waits for the exclusive lock of a file; closing the file gives it back.
func lock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			return err
		}
	}
}

// tryLock takes the exclusive lock of a file if nobody holds it.
func tryLock(file *os.File) (bool, error) {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case nil:
			return true, nil
		case syscall.EWOULDBLOCK:
			return false, nil
		case syscall.EINTR:
		default:
			return false, err
		}
	}
}

// syncDirectory puts a folder's entries on disk.
func syncDirectory(dir *os.File) error { return dir.Sync() }
