package triage_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"idemtui/inspect/servertest"
)

// programFolder is where the journeys build the program, once.
var programFolder string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "idemtui-triage")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programFolder = folder
	code := servertest.Run(m)
	os.RemoveAll(folder)
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
