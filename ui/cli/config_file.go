package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"idemtui/retention"
)

// configVersion is the only version of the config file so far.
const configVersion = 1

// configFile is the config file; 'idemtui config' documents each key.
type configFile struct {
	Version     int                   `yaml:"version"`
	Connections map[string]connection `yaml:"connections"`
	Groups      map[string][]string   `yaml:"groups"`
	Profiles    []string              `yaml:"profiles"`
	Theme       string                `yaml:"theme"`
}

// connection is one named database with its table.
type connection struct {
	DSN        string   `yaml:"dsn"`
	Service    string   `yaml:"service"`
	Replica    string   `yaml:"replica"`
	Table      string   `yaml:"table"`
	Profile    string   `yaml:"profile"`
	Map        string   `yaml:"map"`
	StaleAfter string   `yaml:"stale_after"`
	ReadOnly   bool     `yaml:"read_only"`
	Hide       []string `yaml:"hide"`
	Brokers    []string `yaml:"brokers"`
}

// configPath is where the config file is looked for. It is empty where the
// environment names no home.
func (a *app) configPath() string {
	if dir := a.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "idemtui", "config.yaml")
	}
	if home := a.getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "idemtui", "config.yaml")
	}
	return ""
}

// config reads the config file once. Without a file it is empty. A password in
// a file that others may read draws a warning.
func (a *app) config() (*configFile, error) {
	if !a.configRead {
		a.configRead = true
		a.configFile, a.configError = a.readConfig(a.configPath())
	}
	return a.configFile, a.configError
}

func (a *app) readConfig(path string) (*configFile, error) {
	if path == "" {
		return &configFile{}, nil
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &configFile{}, nil
	}
	if err != nil {
		return nil, usageError("the config file cannot be read: "+err.Error(), "correct its permissions or move it away")
	}
	config, err := parseConfig(content)
	if err != nil {
		return nil, usageError("config file "+path+": "+err.Error(), "compare it with 'idemtui config'")
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 && config.holdsPassword() {
		a.notef("warning: %s holds a password and others may read it; chmod 600 it, or use a passfile", path)
	}
	if unused := config.unused(); len(unused) > 0 {
		a.notef("warning: %s sets what this version does not use yet: %s", path, strings.Join(unused, ", "))
	}
	return config, nil
}

// parseConfig decodes strictly: a misspelt read_only must not be ignored.
func parseConfig(content []byte) (*configFile, error) {
	config := &configFile{}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(config); err != nil && !errors.Is(err, io.EOF) {
		return nil, yamlError(err)
	}
	if config.Version != configVersion && len(bytes.TrimSpace(content)) > 0 {
		return nil, fmt.Errorf("version is %d, and this program reads version: %d", config.Version, configVersion)
	}
	if !slices.Contains([]string{"", "auto", "dark", "light"}, config.Theme) {
		return nil, fmt.Errorf("theme is %q, and must be auto, dark or light", config.Theme)
	}
	for _, name := range slices.Sorted(maps.Keys(config.Connections)) {
		if err := config.Connections[name].validate(); err != nil {
			return nil, fmt.Errorf("connection %q: %w", name, err)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(config.Groups)) {
		for _, name := range config.Groups[group] {
			if _, known := config.Connections[name]; !known {
				return nil, fmt.Errorf("group %q names the unknown connection %q", group, name)
			}
		}
	}
	return config, nil
}

func (c connection) validate() error {
	switch {
	case c.DSN == "" && c.Service == "":
		return errors.New("it needs dsn or service")
	case c.DSN != "" && c.Service != "":
		return errors.New("dsn and service exclude each other")
	case c.Map != "" && c.Profile != "":
		return errors.New("map and profile exclude each other")
	}
	if c.StaleAfter == "" {
		return nil
	}
	if _, err := retention.ParseDuration(c.StaleAfter); err != nil {
		return fmt.Errorf("stale_after: %w", err)
	}
	return nil
}

// yamlError drops the library's prefix and Go type names, which say nothing to
// a person.
func yamlError(err error) error {
	var typeError *yaml.TypeError
	if errors.As(err, &typeError) {
		text := strings.Join(typeError.Errors, "; ")
		for _, goType := range []string{" in type cli.configFile", " in type cli.connection"} {
			text = strings.ReplaceAll(text, goType, "")
		}
		return errors.New(strings.ReplaceAll(text, "field ", "unknown key "))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}

// unused names what is set and has no effect in this version: a setting must
// not be ignored in silence.
func (c *configFile) unused() []string {
	var unused []string
	for _, name := range slices.Sorted(maps.Keys(c.Connections)) {
		if len(c.Connections[name].Brokers) > 0 {
			unused = append(unused, "brokers of "+name)
		}
	}
	return unused
}

// holdsPassword says whether any connection string carries a password.
func (c *configFile) holdsPassword() bool {
	for _, connection := range c.Connections {
		for _, dsn := range append([]string{connection.DSN, connection.Replica}, connection.Brokers...) {
			if urlPassword.MatchString(dsn) || wordPassword.MatchString(dsn) {
				return true
			}
		}
	}
	return false
}
