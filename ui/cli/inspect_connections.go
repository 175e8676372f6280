package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/profiles"
	"idemtui/retention"
)

// place is one database that a command was asked to look at, and the table in
// it.
type place struct {
	dsn      dsn.DSN
	replica  *dsn.DSN // takes the searches and counts, nil without one
	name     string   // of the connection, "" for a bare DSN
	target   inspect.Target
	readOnly bool
	hide     []string
	profiles []inspect.Profile // of the person's own
}

// places resolves --dsn, --connection, the environment and the config file, in
// this order; what is typed beats what is in the environment.
func (a *app) places(cmd *cobra.Command, flags *inspectFlags) ([]place, error) {
	if err := flags.check(cmd); err != nil {
		return nil, err
	}
	connection := flags.connection
	texts := flags.dsns
	if len(texts) == 0 && connection == "" {
		texts = strings.FieldsFunc(a.getenv(dsn.Variable), func(r rune) bool { return r == '\n' })
	}
	if len(texts) == 0 && connection == "" {
		connection = a.getenv(environmentName("connection"))
	}
	var found []place
	if connection != "" {
		named, err := a.connections(connection)
		if err != nil {
			return nil, err
		}
		found = named
	} else {
		given, err := a.given(texts)
		if err != nil {
			return nil, err
		}
		found = given
	}
	own, err := a.ownProfiles()
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].profiles = slices.Concat(own, found[i].profiles)
		a.secrets = append(a.secrets, found[i].dsn)
		if err := flags.apply(cmd, &found[i]); err != nil {
			return nil, err
		}
		if flags.replica != "" {
			read, err := dsn.Find(flags.replica, a.getenv)
			if err != nil {
				return nil, usageError(strings.ReplaceAll(err.Error(), "--dsn", "--replica"), "")
			}
			found[i].replica = &read
		}
		if found[i].replica != nil {
			a.secrets = append(a.secrets, *found[i].replica)
		}
	}
	if flags.save != "" && len(found) > 1 {
		return nil, usageError("--save keeps one connection, and several are named", "save them one at a time")
	}
	if flags.replica != "" && len(found) > 1 {
		return nil, usageError("--replica is that of one database, and several are named", "set replica in the config file")
	}
	a.reportUnfinished(flags)
	return found, nil
}

// check finds what is wrong with the flags themselves.
func (f *inspectFlags) check(cmd *cobra.Command) error {
	what := ""
	switch {
	case f.auditRow != auditRowAll && f.auditRow != auditRowMapped:
		what = fmt.Sprintf("--audit-row %q is neither all nor mapped", f.auditRow)
	case f.profile != "" && f.mapping != "":
		what = "--profile and --map exclude each other"
	case f.readOnly && f.allowRelease:
		what = "--read-only and --allow-release exclude each other"
	case len(f.dsns) > 0 && f.connection != "":
		what = "--dsn and --connection exclude each other"
	case f.providerMemory > 0 && f.providerKey == "":
		what = "--provider-memory needs --provider-key"
	case f.timeout <= 0:
		what = "--statement-timeout must be longer than 0"
	default:
		return nil
	}
	return usageError(what, seeHelp(cmd.CommandPath()))
}

// given reads connection strings; without any, the PG* variables count.
func (a *app) given(texts []string) ([]place, error) {
	if len(texts) == 0 {
		texts = []string{""}
	}
	found := make([]place, len(texts))
	for i, text := range texts {
		read, err := dsn.Find(text, a.getenv)
		if err != nil {
			return nil, usageError(err.Error(), "")
		}
		found[i].dsn = read
	}
	return found, nil
}

// apply lays the flags over what the config file says of a place.
func (f *inspectFlags) apply(cmd *cobra.Command, p *place) error {
	p.readOnly = p.readOnly || f.readOnly
	p.target.AssumeTZ = f.assumeTZ
	p.target.ProviderKey, p.target.ProviderMemory = f.providerKey, f.providerMemory
	if f.table != "" {
		p.target.Table = f.table
	}
	if cmd.Flags().Changed("stale-after") {
		p.target.StaleAfter = f.staleAfter
	}
	if f.profile != "" {
		p.target.Profile, p.target.Map = f.profile, nil
	}
	if f.mapping == "" {
		return nil
	}
	p.target.Profile = ""
	if err := p.readMapping(f.mapping); err != nil {
		return usageError(err.Error(), "see 'idemtui help formats'")
	}
	return nil
}

// readMapping reads a mapping as typed, or a mapping or profile from the file
// that is named.
func (p *place) readMapping(text string) error {
	if !strings.Contains(text, "=") {
		content, err := os.ReadFile(text)
		if err != nil {
			return fmt.Errorf("--map: it is neither a mapping (key=COL,...) nor a file that can be read: %w", err)
		}
		if profiles.IsProfile(content) {
			profile, err := readProfile(text)
			p.profiles, p.target.Profile, p.target.Map = append(p.profiles, profile), profile.Name, nil
			return err
		}
		text = joinMapping(string(content))
	}
	mapping, err := inspect.ParseMap(text)
	p.target.Map = &mapping
	return err
}

// joinMapping makes one mapping of a file's lines; # begins a comment line.
func joinMapping(content string) string {
	var parts []string
	for line := range strings.Lines(content) {
		line = strings.TrimLeft(strings.TrimRight(line, "\r\n"), ", \t")
		for line != "" && strings.ContainsAny(line[len(line)-1:], ", \t") && !strings.HasSuffix(line[:len(line)-1], `\`) {
			line = line[:len(line)-1] // a backslash keeps what comes after it
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, ",")
}

// connections finds a connection, or the connections of a group.
func (a *app) connections(name string) ([]place, error) {
	config, err := a.config()
	if err != nil {
		return nil, err
	}
	names, isGroup := config.Groups[name]
	if !isGroup {
		names = []string{name}
	}
	var found []place
	for _, name := range names {
		connection, known := config.Connections[name]
		if !known {
			return nil, usageError(fmt.Sprintf("the config file has no connection or group %q", name), knownConnections(config))
		}
		p, err := a.place(name, connection)
		if err != nil {
			return nil, usageError(fmt.Sprintf("connection %q: %s", name, err), "correct the config file")
		}
		found = append(found, p)
	}
	return found, nil
}

// knownConnections says what could have been meant.
func knownConnections(config *configFile) string {
	names := append(slices.Collect(maps.Keys(config.Connections)), slices.Collect(maps.Keys(config.Groups))...)
	if len(names) == 0 {
		return "see 'idemtui config' for how to write one"
	}
	slices.Sort(names)
	return "it has " + strings.Join(names, ", ")
}

// place reads what the config file says of one connection.
func (a *app) place(name string, c connection) (place, error) {
	p := place{dsn: dsn.OfService(c.Service), name: name, readOnly: c.ReadOnly, hide: c.Hide}
	p.target.Hide = c.Hide
	if c.DSN != "" {
		read, err := dsn.Find(c.DSN, a.getenv)
		if err != nil {
			return p, errors.New(strings.TrimPrefix(err.Error(), "--"))
		}
		p.dsn = read
	}
	if c.Replica != "" {
		read, err := dsn.Find(c.Replica, a.getenv)
		if err != nil {
			return p, fmt.Errorf("replica: %s", strings.TrimPrefix(err.Error(), "--dsn: "))
		}
		p.replica = &read
	}
	p.target.Table, p.target.Profile = c.Table, c.Profile
	if c.StaleAfter != "" {
		after, err := retention.ParseDuration(c.StaleAfter)
		if err != nil {
			return p, fmt.Errorf("stale_after: %w", err)
		}
		p.target.StaleAfter = after
	}
	if c.Map != "" {
		if err := p.readMapping(c.Map); err != nil {
			return p, err
		}
	}
	return p, nil
}
