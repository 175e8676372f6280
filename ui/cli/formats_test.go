package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The README says that 'help formats' has every field of the JSON.
func TestHelpFormatsHasEveryField(t *testing.T) {
	page, err := os.ReadFile("help/formats.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile(`[a-z0-9_]+`).FindAllString(string(page), -1)
	files, err := filepath.Glob("../../inspect/json*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of the documents found (%v)", err)
	}
	files = append(files, "../../inspect/follow.go", "../../inspect/lookup.go", "../../inspect/health.go", "../../inspect/check_print.go",
		"../../inspect/schema/schema.go", "../../retention/report.go", "../../retention/horizon.go", "../../sim/encode.go",
		"../../sim/explore/report.go", "../../sim/explore/config.go", "sim_run.go", "sim_plot.go")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range regexp.MustCompile(`json:"([a-z0-9_]+)`).FindAllStringSubmatch(string(source), -1) {
			if !slices.Contains(words, tag[1]) {
				t.Errorf("%s writes the field %s, which help/formats.txt does not name", filepath.Base(file), tag[1])
			}
		}
	}
}
