package cli

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"idemtui/sim/explore"
)

// leastDefaultMemory is what a search may use by default even where the machine
// says that less is free.
const leastDefaultMemory = 64 << 20

// besideSearch is what a search with a memory limit may take beside what it
// stores.
func besideSearch(limit int64) int64 { return limit/8 + leastDefaultMemory }

// exploreWorkers is a worker for each core, as long as their memory is small
// beside the search's.
func exploreWorkers(limit int64) int {
	return min(runtime.GOMAXPROCS(0), int(besideSearch(limit)/explore.BytesPerWorker))
}

// defaultSearchMemory is --max-memory where nobody gave it: the explorer's own
// default, and no more than three quarters of what the machine has free, so
// that a search stops with what it found rather than being killed.
func defaultSearchMemory(readFile func(string) ([]byte, error)) int64 {
	limit := int64(explore.DefaultMaxMemory)
	for _, free := range []int64{freeMemory(readFile), freeInGroup(readFile)} {
		if free >= 0 {
			limit = min(limit, free/4*3)
		}
	}
	return max(limit, leastDefaultMemory)
}

// freeMemory is what Linux says is available, or -1 where it says nothing.
func freeMemory(readFile func(string) ([]byte, error)) int64 {
	data, err := readFile("/proc/meminfo")
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "MemAvailable:" {
			if kibibytes, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				return kibibytes << 10
			}
		}
	}
	return -1
}

// freeInGroup is what the container's limit leaves, or -1 where there is none.
func freeInGroup(readFile func(string) ([]byte, error)) int64 {
	limit, used := readNumber(readFile, "/sys/fs/cgroup/memory.max"), readNumber(readFile, "/sys/fs/cgroup/memory.current")
	if limit < 0 || used < 0 {
		return -1
	}
	return max(limit-used, 0)
}

// readNumber reads a file that holds one number, or gives -1.
func readNumber(readFile func(string) ([]byte, error), name string) int64 {
	data, err := readFile(name)
	if err != nil {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// machineMemory is the default on this machine.
func machineMemory() int64 { return defaultSearchMemory(os.ReadFile) }
