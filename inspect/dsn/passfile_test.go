package dsn

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestAPassfileThatOthersMayReadIsNotRead(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "it's a folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "pass")
	if err := os.WriteFile(path, []byte("db-1:*:*:ann:s3cr3t-pw\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGPASSFILE", path)
	t.Setenv("PGHOST", "db-1")
	t.Setenv("PGUSER", "ann")
	for form, text := range map[string]string{
		"variables":      "",
		"keywords":       "host=db-1 user=ann",
		"keywords, file": "user=ann host=db-1 passfile='" + strings.ReplaceAll(path, "'", `\'`) + "'",
		"url":            "postgres://ann@db-1/x",
		"url, query":     "postgres://ann@db-1/x?sslmode=disable",
		"url, file":      "postgresql://ann@db-1/x?passfile=" + url.PathEscape(path) + "&sslmode=disable",
	} {
		d, err := Find(text, os.Getenv)
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		for mode, want := range map[os.FileMode]string{0o600: "s3cr3t-pw", 0o400: "s3cr3t-pw", 0o640: "", 0o604: "", 0o610: ""} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			kept, warning := d.WithoutOpenPassfile(os.Getenv)
			config, err := pgx.ParseConfig(kept.Secret())
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			if config.Password != want || config.Host != "db-1" || config.User != "ann" || (warning == "") != (want != "") || kept.String() != d.String() {
				t.Errorf("%s, %o: password %q, want %q; %s@%s, warning %q, shown as %s", form, mode, config.Password, want, config.User, config.Host, warning, kept)
			}
		}
	}
	// A password that is given is taken, and the file is no matter.
	d, err := Find("postgres://ann:other-pw@db-1/x", os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	kept, warning := d.WithoutOpenPassfile(os.Getenv)
	if config, err := pgx.ParseConfig(kept.Secret()); err != nil || config.Password != "other-pw" || warning != "" || kept.Scrub("other-pw") != hidden {
		t.Errorf("a given password: %v, warning %q", err, warning)
	}
	t.Setenv("PGPASSFILE", folder)
	d, err = Find("postgres://ann@db-1/x", os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if _, warning := d.WithoutOpenPassfile(os.Getenv); !strings.Contains(warning, "is no plain file") {
		t.Errorf("a folder: %q", warning)
	}
}
