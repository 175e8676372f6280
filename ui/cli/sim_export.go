package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"idemtui/sim"
)

// exportFlags are the flags of 'sim export'.
type exportFlags struct {
	scenarioFlags
	as  string
	out string
}

// exportForms are the forms of the contract; those without a writer are not
// built yet.
var exportForms = []string{"svg", "perfetto", "cast", "json"}

func newSimExportCommand(a *app) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "A run as a trace for other programs",
		Long: `Write a run as a trace: every event with its virtual time, lane, payment and cause.

Without flags that change the workload it is one payment and its copy, as 'idemtui sim' shows it first.`,
		Example: `
# every event of the race, as JSON
idemtui sim export --handler check --as json --out race.json
# how long each step of the first payment took
idemtui sim export --payments 2000 | jq -c '.events[] | select(.payment == 1)'`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return a.runSimExport(f) },
	}
	f.register(cmd, sim.HandlerCheck.String())
	cmd.Flags().StringVar(&f.as, "as", "json", "the form: json")
	cmd.Flags().StringVarP(&f.out, "out", "o", "-", "the file to write; - is standard output")
	return cmd
}

func (a *app) runSimExport(f *exportFlags) error {
	if f.as != "json" {
		for _, form := range exportForms {
			if f.as == form {
				return usageError("--as "+form+" is not available in this version", "use --as json")
			}
		}
		return usageError(fmt.Sprintf("--as: there is no form %q", shortName(f.as)), "use --as json")
	}
	trace, err := a.recordOne(&f.scenarioFlags)
	if err != nil {
		return err
	}
	if f.out == "-" {
		return trace.WriteJSON(&a.out)
	}
	return writeFile(f.out, trace.WriteJSON)
}

// recordOne records the run of the one handler that the flags name.
func (a *app) recordOne(f *scenarioFlags) (*sim.Trace, error) {
	scenarios, err := a.readScenarios(f)
	if err != nil {
		return nil, err
	}
	scenario := scenarios[0]
	if !f.changed() {
		scenario = sim.DemoOf(scenario)
	}
	trace, err := sim.Record(scenario)
	if err != nil {
		return nil, rangeError(err)
	}
	return trace, nil
}

// writeFile writes a file whole or not at all: into a new file beside it that
// then takes its place.
func writeFile(name string, write func(io.Writer) error) (err error) {
	todo := "check the path and its permissions"
	file, err := os.CreateTemp(filepath.Dir(name), "."+strings.TrimLeft(filepath.Base(name), ".")+".*")
	if err != nil {
		return failure(fmt.Errorf("write %s: %w", name, errors.Unwrap(err)), todo)
	}
	defer func() {
		if err != nil {
			// What failed is said already; the half-written file must not stay.
			_ = os.Remove(file.Name())
		}
	}()
	err = errors.Join(write(file), file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return failure(fmt.Errorf("write %s: %w", name, err), todo)
	}
	return nil
}
