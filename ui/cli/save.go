package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"idemtui/inspect"
	"idemtui/retention"
)

// save writes where a table was found and how it is read into the config file,
// under the name that --save gives. Comments and other settings stay; a password
// is never written.
func (a *app) save(o opened, flags *inspectFlags) error {
	path := a.configPath()
	if path == "" {
		return usageError("--save: there is no place for the config file", "set HOME or XDG_CONFIG_HOME")
	}
	settings, err := a.settingsOf(o, flags)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = []byte(defaultConfig), nil
	}
	if err != nil {
		return failure(fmt.Errorf("read the config file: %w", err), "correct its permissions or move it away")
	}
	content, err = withConnection(content, flags.save, settings)
	if err == nil {
		_, err = parseConfig(content) // what could not be read again must not be written
	}
	if err != nil {
		return usageError("config file "+path+": "+err.Error(), "compare it with 'idemtui config'")
	}
	if err := writeWhole(path, content); err != nil {
		return failure(fmt.Errorf("write the config file: %w", err), "")
	}
	a.notef("connection %s is saved in %s; use it with --connection %s", flags.save, path, flags.save)
	return nil
}

// setting is one line of a connection in the config file.
type setting struct{ name, value string }

// settingsOf are the lines of a connection; an empty value removes the line.
func (a *app) settingsOf(o opened, flags *inspectFlags) ([]setting, error) {
	place := o.place
	address, service := "", place.dsn.Service
	if service == "" || place.dsn.Host != "" || place.dsn.Database != "" {
		kept, dropped := place.dsn.WithoutPassword()
		if dropped {
			a.notef("the password is not saved; put it into a passfile (~/.pgpass) or PGPASSWORD")
		}
		address, service = kept, ""
	}
	settings := []setting{{"dsn", address}, {"service", service}, {"table", o.table.FullName()}, {"map", ""}, {"profile", ""}}
	m := o.table.Mapping
	if m.Profile != "" && m.Profile != inspect.GuessedProfile {
		settings[4].value = m.Profile
	} else if text, whole := inspect.FormatMap(m); whole {
		settings[3].value = text
	} else {
		return nil, usageError("--save: this mapping does not fit into --map", "write a profile file, and name it under profiles: in the config file")
	}
	// Without these the lines of another database would stay under the name.
	replica, staleAfter := "", ""
	if place.replica != nil {
		replica, _ = place.replica.WithoutPassword()
	}
	if place.target.StaleAfter > 0 {
		staleAfter = retention.FormatDuration(place.target.StaleAfter)
	}
	settings = append(settings, setting{"replica", replica}, setting{"stale_after", staleAfter})
	if flags.readOnly {
		settings = append(settings, setting{"read_only", "true"})
	}
	return settings, nil
}

// withConnection sets the lines of one connection in a config file.
func withConnection(content []byte, name string, settings []setting) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, yamlError(err)
	}
	if document.Kind == 0 { // an empty file
		document = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}}}
		setIn(document.Content[0], "version", scalar(fmt.Sprint(configVersion), "!!int"))
	}
	connections := child(document.Content[0], "connections")
	connection := child(connections, name)
	for _, s := range settings {
		tag := "!!str"
		if s.name == "read_only" {
			tag = "!!bool"
		}
		setIn(connection, s.name, scalar(s.value, tag))
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&document); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return out.Bytes(), encoder.Close()
}

func scalar(value, tag string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// child is the mapping under a name, made where there is none.
func child(parent *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(parent.Content); i += 2 {
		if parent.Content[i].Value == name {
			node := parent.Content[i+1]
			node.Kind, node.Tag, node.Value, node.Style = yaml.MappingNode, "!!map", "", 0
			return node
		}
	}
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	parent.Content = append(parent.Content, scalar(name, "!!str"), node)
	return node
}

// setIn sets a line; an empty value removes it.
func setIn(parent *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i+1 < len(parent.Content); i += 2 {
		if parent.Content[i].Value == name {
			if value.Value == "" {
				parent.Content = append(parent.Content[:i], parent.Content[i+2:]...)
			} else {
				parent.Content[i+1] = value
			}
			return
		}
	}
	if value.Value != "" {
		parent.Content = append(parent.Content, scalar(name, "!!str"), value)
	}
}

// writeWhole replaces a file at once, so that it is never half written. A new
// one may be read by its owner only.
func writeWhole(path string, content []byte) error {
	mode := fs.FileMode(0o600)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".config-*.yaml")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Chmod(mode), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
