package cli

import (
	"math"
	"runtime/debug"
)

// inspectMemory is what an inspector may use before it collects garbage more
// eagerly: it often runs on the database's own host.
const inspectMemory = 44 << 20

// staySmall sets that limit, unless GOMEMLIMIT or something else has set one.
func staySmall() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(inspectMemory)
	}
}
