package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ownProfile = `schema: idemtui.profile/v1
name: ours
kind: K3
engines: [postgres]
support: verified
match: {require: [claimed_on, msg]}
key: [{col: msg}]
state: {when: {processing: claimed_on!null, free: claimed_on=null}}
claimed_at: claimed_on
`

func TestAProfileMayStandInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ours.yaml")
	if err := os.WriteFile(file, []byte(ownProfile), 0o600); err != nil {
		t.Fatal(err)
	}
	var p place
	if err := p.readMapping(file); err != nil || p.target.Profile != "ours" || p.target.Map != nil || len(p.profiles) != 1 {
		t.Errorf("%+v: %v", p, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(ownProfile, "claimed_at", "claimedat", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := new(place).readMapping(file); err == nil || !strings.Contains(err.Error(), "line 9: unknown key claimedat") {
		t.Errorf("a misspelt key gives %v", err)
	}
}

func TestProfilesOfTheConfigFileAreListedWithTheBuiltIn(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, "idemtui")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"config.yaml": "version: 1\nprofiles: [ours.yaml]\n", "ours.yaml": ownProfile} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{getenv: func(name string) string { return map[string]string{"XDG_CONFIG_HOME": home}[name] }}
	cmd := newInspectProfilesCommand(a)
	cmd.SetArgs(nil)
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	out := a.out.String()
	for _, want := range []string{"ours                K3    verified  auto", "river               K2    verified  requeue, fail", "processed-messages  K1    verified"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestAMappingInAFileKeepsWhatABackslashKeeps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "map")
	if err := os.WriteFile(file, []byte("# ours\r\nkey=\\ id\\ ,\r\n\tstate=st , \nprocessing=a\\,\n\ndone=D,advisory=hashtext('pay-'||\\ id\\ )\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var p place
	if err := p.readMapping(file); err != nil {
		t.Fatal(err)
	}
	m := p.target.Map
	if m.Key[0].Column != " id " || m.State.Column != "st" || m.State.Values["processing"][0] != "a," || m.Advisory.Columns()[0] != " id " {
		t.Errorf("read as %+v", m)
	}
}
