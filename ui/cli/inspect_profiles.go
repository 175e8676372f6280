package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/inspect/profiles"
)

// newInspectProfilesCommand lists the known frameworks. It needs no database.
func newInspectProfilesCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "The known frameworks' tables, verified or unverified",
		Long: `List the tables of frameworks that are recognised without flags.

A verified profile was tested on tables that the framework itself made. An unverified one was written from the framework's
source: its tables may be looked at, and a release needs --allow-unverified.
Profiles of your own: 'profiles:' in the config file, or --map FILE. See 'idemtui help formats'.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			own, err := a.ownProfiles()
			if err != nil {
				return err
			}
			known := profiles.With(own)
			if format == formatJSON {
				return inspect.EncodeProfiles(&a.out, known)
			}
			table := newTextTable("PROFILE", "KIND", "SUPPORT", "RELEASE", "WHAT IT IS")
			for _, p := range known {
				table.add(p.Name, string(p.Mapping.Kind), p.Support(), modesOf(p.Mapping), p.Title)
			}
			a.printf("%s", table)
			return nil
		},
	}
	addFormat(cmd, &format, formatTable, formatJSON)
	return cmd
}

// modesOf are the release modes of a profile, the advised one first.
func modesOf(m inspect.Mapping) string {
	if len(m.Releases) == 0 {
		return string(inspect.ReleaseAuto)
	}
	var modes []string
	for _, r := range m.Releases {
		if r.Preferred {
			modes = append([]string{string(r.Mode)}, modes...)
			continue
		}
		modes = append(modes, string(r.Mode))
	}
	return strings.Join(modes, ", ")
}

// ownProfiles reads the profile files that the config file names. Relative
// names are relative to it.
func (a *app) ownProfiles() ([]inspect.Profile, error) {
	config, err := a.config()
	if err != nil {
		return nil, err
	}
	var own []inspect.Profile
	for _, name := range config.Profiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(a.configPath()), name)
		}
		p, err := readProfile(name)
		if err != nil {
			return nil, usageError(err.Error(), "correct it, or take it out of profiles: in the config file")
		}
		own = append(own, p)
	}
	return own, nil
}

// readProfile reads one profile file.
func readProfile(name string) (inspect.Profile, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return inspect.Profile{}, fmt.Errorf("profile file: %w", err)
	}
	p, err := profiles.Load(content)
	if err != nil {
		return p, fmt.Errorf("profile file %s: %w", name, err)
	}
	return p, nil
}
