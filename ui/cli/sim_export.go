package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"idemtui/sim"
)

// exportFlags are the flags of 'sim export'.
type exportFlags struct {
	scenarioFlags
	as   string
	out  string
	open string
}

// exportForms are the forms of --as.
var exportForms = []string{"svg", "perfetto", "cast", "json"}

func newSimExportCommand(a *app) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "A run as a picture, or as a trace for other programs",
		Long: `Write a run as a picture, or as a trace: every event with its virtual time, lane, payment and cause.

Without flags that change the workload it is one payment and its copy, as 'idemtui sim' shows it first.`,
		Example: `
# a picture of the race for a slide, light or dark as the viewer prefers
idemtui sim export --handler check --as svg --out race.svg
# every event of the race, as JSON
idemtui sim export --handler check --as json --out race.json
# the slow worker of lesson 4, by the token that its page shows
idemtui sim export --open l1.4.7 --as svg --out slow-worker.svg
# how long each step of the first payment took
idemtui sim export --payments 2000 | jq -c '.events[] | select(.payment == 1)'`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return a.runSimExport(f) },
	}
	f.register(cmd, sim.HandlerCheck.String())
	cmd.Flags().StringVar(&f.as, "as", "json", "the form: svg (a picture), perfetto (for ui.perfetto.dev and Chrome), cast (for asciinema) or json")
	cmd.Flags().StringVar(&f.open, "open", "", "the run, lesson's page or schedule of a token, such as s1.check.1 or l1.4.7")
	cmd.Flags().StringVarP(&f.out, "out", "o", "-", "the file to write; - is standard output")
	f.registerWorld(cmd)
	return cmd
}

func (a *app) runSimExport(f *exportFlags) error {
	if !slices.Contains(exportForms, f.as) {
		return usageError(fmt.Sprintf("--as: there is no form %q", shortName(f.as)), "use --as "+strings.Join(exportForms, ", "))
	}
	if f.out == "" {
		return usageError("--out is empty", "name a file, or - for standard output")
	}
	trace, err := a.exported(f)
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer) error{"svg": writeSVG(trace), "perfetto": trace.WritePerfetto, "cast": writeCast(trace), "json": trace.WriteJSON}[f.as]
	if f.out == "-" {
		return write(&a.out)
	}
	return writeFile(f.out, write)
}

// exported is the run of the flags, or of the token.
func (a *app) exported(f *exportFlags) (*sim.Trace, error) {
	if !f.flags.Changed("open") {
		return a.recordOne(&f.scenarioFlags)
	}
	if other, both := a.besidesOpen(f.flags, "as", "out"); both {
		return nil, usageError("--open and --"+other+" are both given", "a token says all of a run: leave one of them out")
	}
	return tokenTrace(strings.TrimSpace(f.open))
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

// writeTodo is what to do where a file cannot be written.
const writeTodo = "check the path and its permissions"

// writeFile writes a file whole or not at all: into a new file beside it that
// then takes its place. What is no file, such as a terminal, a pipe or
// /dev/stdout, is written to and stays what it is.
func writeFile(name string, write func(io.Writer) error) error {
	place, err := os.Stat(name)
	switch {
	case err == nil && place.IsDir():
		return failure(fmt.Errorf("write %s: it is a folder", name), "name a file in it")
	case err == nil && !place.Mode().IsRegular():
		return writeInto(name, write)
	case err == nil:
		// A link stays a link: what it leads to is replaced.
		target, err := filepath.EvalSymlinks(name)
		if err != nil {
			return failure(fmt.Errorf("write %s: %w", name, plainCause(err)), writeTodo)
		}
		return replaceFile(name, target, place.Mode().Perm(), write)
	case !errors.Is(err, fs.ErrNotExist):
		return failure(fmt.Errorf("write %s: %w", name, plainCause(err)), writeTodo)
	}
	return replaceFile(name, name, 0o644, write)
}

// writeInto writes to a device or a pipe.
func writeInto(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(write(file), file.Close())
	}
	if err != nil {
		return failure(fmt.Errorf("write %s: %w", name, plainCause(err)), writeTodo)
	}
	return nil
}

// replaceFile writes the target anew; name is what the person called it.
func replaceFile(name, target string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(target), "."+strings.TrimLeft(filepath.Base(target), ".")+".*")
	if err != nil {
		return failure(fmt.Errorf("write %s: %w", name, plainCause(err)), writeTodo)
	}
	defer func() {
		if err != nil {
			// What failed is said already; the half-written file must not stay.
			_ = os.Remove(file.Name())
		}
	}()
	err = errors.Join(write(file), file.Chmod(mode), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), target)
	}
	if err != nil {
		return failure(fmt.Errorf("write %s: %w", name, plainCause(err)), writeTodo)
	}
	return nil
}

// plainCause is an error of a file without the name of a file that the person
// never gave.
func plainCause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
