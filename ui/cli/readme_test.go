package cli

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"idemtui/ui/keys"
)

var update = flag.Bool("update", false, "rewrite the table of keys in README.md")

// The table of keys stands between these lines of README.md.
const (
	keysBegin = "<!-- keys: made from ui/keys by 'go test ./ui/cli -run Readme -update' -->\n"
	keysEnd   = "<!-- end of keys -->\n"
)

// keyPlaces say where each group of the key map works, where its name does not.
var keyPlaces = map[string]string{
	"Global": "everywhere", "Dialog": "in a dialog", "Start": "start page", "Player": "sim", "Lesson": "sim, in a lesson", "Triage": "inspect",
}

// keyTables writes every binding of the key map in Markdown.
func keyTables(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	all := reflect.ValueOf(keys.Default())
	for i := range all.NumField() {
		name := all.Type().Field(i).Name
		fmt.Fprintf(&out, "| %s | |\n|---|---|\n", cmp.Or(keyPlaces[name], strings.ToLower(name)))
		group := all.Field(i)
		for j := range group.NumField() {
			binding, ok := group.Field(j).Interface().(key.Binding)
			if !ok {
				t.Fatalf("%s.%s is no binding", name, group.Type().Field(j).Name)
			}
			fmt.Fprintf(&out, "| `%s` | %s |\n", strings.Join(binding.Keys(), "` `"), binding.Help().Desc)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func TestReadmeHasTheKeysOfTheKeyMap(t *testing.T) {
	const file = "../../README.md"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), keysBegin)
	table, after, ended := strings.Cut(rest, keysEnd)
	if !found || !ended {
		t.Fatalf("README.md has no %q", keysBegin)
	}
	want := keyTables(t)
	if *update {
		if err := os.WriteFile(file, []byte(before+keysBegin+want+keysEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want {
		t.Errorf("the keys in README.md are not those of ui/keys; run 'go test ./ui/cli -run Readme -update'\ngot\n%swant\n%s", table, want)
	}
}
