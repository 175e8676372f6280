// Package profiles has the shapes of claim tables that are known: one YAML file
// for each framework, and the loader of such files. A profile holds no SQL.
package profiles

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"idemtui/inspect"
)

//go:embed *.yaml
var files embed.FS

var builtIn = sync.OnceValue(func() []inspect.Profile {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		panic(fmt.Sprintf("profiles: %v", err))
	}
	var out []inspect.Profile
	for _, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			panic(fmt.Sprintf("profiles: %v", err))
		}
		p, err := Load(content)
		if err != nil {
			panic(fmt.Sprintf("profiles: %s: %v", name, err))
		}
		p.BuiltIn = true
		out = append(out, p)
	}
	return out
})

// BuiltIn are the profiles that came with the program, by name.
func BuiltIn() []inspect.Profile { return slices.Clone(builtIn()) }

// With adds profiles of the person's own to the built-in ones; one of the same
// name takes the place of the built-in one.
func With(own []inspect.Profile) []inspect.Profile {
	out := BuiltIn()
	for _, p := range own {
		if i := slices.IndexFunc(out, func(q inspect.Profile) bool { return q.Name == p.Name }); i >= 0 {
			out[i] = p
			continue
		}
		out = append(out, p)
	}
	return out
}
