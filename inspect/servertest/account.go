//go:build unix

package servertest

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is whom a server runs as. Database servers refuse to run as root, so
// root's tests run them as somebody else.
type account struct {
	switched bool
	uid, gid uint32
}

// errNoAccount says that root has no unprivileged account to run a server as.
var errNoAccount = errors.New("running as root, and neither the user postgres nor nobody exists to run a server as")

// serverAccount finds the account for servers: the caller, unless it is root.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(found.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(found.Gid, 10, 32)
		if errUID == nil && errGID == nil && uid != 0 {
			return account{switched: true, uid: uint32(uid), gid: uint32(gid)}, nil
		}
	}
	return account{}, errNoAccount
}

// attributes makes a command run as the account.
func (a account) attributes() *syscall.SysProcAttr {
	if !a.switched {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.uid, Gid: a.gid}}
}

// own gives a file or folder to the account.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	if err := os.Chown(path, int(a.uid), int(a.gid)); err != nil {
		return fmt.Errorf("give %s to the server's account: %w", path, err)
	}
	return nil
}
