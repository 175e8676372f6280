// Package servertest gives tests real database servers: private ones, on
// loopback, in temporary folders, with ports found free. They are started at
// first use, shared by the tests of one binary, and never outlive it.
//
// A package that uses it hands its TestMain over:
//
//	func TestMain(m *testing.M) { servertest.Main(m) }
//
// Where a server's programs are not installed the test is skipped with the
// reason; with IDEMTUI_TEST_REQUIRE=1, as under make test, it fails instead.
package servertest

import (
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// RequireVariable is the environment variable that, set to 1, turns every
// skip for want of a server into a failure.
const RequireVariable = "IDEMTUI_TEST_REQUIRE"

// Main runs the tests of a package, stops the servers they shared, fails if
// goroutines are left behind, and exits the process.
func Main(m *testing.M, options ...goleak.Option) {
	goleak.VerifyTestMain(stopping{m}, options...)
}

// Run runs the tests of a package whose TestMain does more than [Main], stops
// the servers they shared, and returns the exit code.
func Run(m *testing.M) int { return stopping{m}.Run() }

// stopping stops the shared servers between the last test and goleak's look.
type stopping struct{ m *testing.M }

// Run runs the tests, then stops what they shared.
func (s stopping) Run() int {
	code := s.m.Run()
	stopShared()
	return code
}

// stops holds what ends the servers shared by this process, in the order in
// which they were started.
var stops struct {
	sync.Mutex
	list []func()
}

// stopAtEnd has stop called when the tests of this process are over.
func stopAtEnd(stop func()) {
	stops.Lock()
	defer stops.Unlock()
	stops.list = append(stops.list, stop)
}

// stopShared ends the shared servers, the last started first.
func stopShared() {
	stops.Lock()
	defer stops.Unlock()
	for i := len(stops.list) - 1; i >= 0; i-- {
		stops.list[i]()
	}
	stops.list = nil
}

// unavailable ends the test: skipped with the reason, or failed where
// RequireVariable asks for every server.
func unavailable(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(RequireVariable) == "1" {
		t.Fatalf("%s (and %s=1 forbids skipping)", reason, RequireVariable)
	}
	t.Skip(reason)
}
