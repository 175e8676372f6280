package cli

import "unsafe"

// blank overwrites an argument of this process in place. On Linux the strings
// of os.Args are the kernel's own copy, which is writable and which
// /proc/PID/cmdline shows (runtime.goargs makes them without copying).
func blank(arg string) {
	if arg == "" {
		return
	}
	bytes := unsafe.Slice(unsafe.StringData(arg), len(arg))
	for i := range bytes {
		bytes[i] = '*'
	}
}
