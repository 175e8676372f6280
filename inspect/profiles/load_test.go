package profiles

import (
	"strings"
	"testing"

	"idemtui/inspect"
)

func TestBuiltInProfilesLoad(t *testing.T) {
	for _, p := range BuiltIn() {
		if !p.Verified || p.Name != "processed-messages" && !strings.Contains(p.Source, "tested on the ") {
			t.Errorf("%s: verified %v, by %s: say on which table of its maker it was tested", p.Name, p.Verified, p.Source)
		}
		if p.Source == "" || p.Title == "" {
			t.Errorf("%s: no source or no title", p.Name)
		}
	}
}

func TestAProfileFileIsReadStrictly(t *testing.T) {
	good, err := files.ReadFile("river.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct{ from, to, want string }{
		"unknown key":          {"claimed_at: attempted_at", "claimd_at: attempted_at", "line 22: unknown key claimd_at"},
		"unknown key deeper":   {"mode: fail", "mod: fail", "line 36: unknown key mod"},
		"wrong schema":         {"profile/v1", "profile/v2", "line 1: schema: want idemtui.profile/v1"},
		"unknown kind":         {"kind: K2", "kind: K9", "line 4: kind: want K1 to K8"},
		"no duration":          {"stale_after: 1h", "stale_after: soon", "line 23: stale_after:"},
		"column not required":  {"col: id, role", "col: uid, role", "line 15: key: uid is not in match.require"},
		"two preferred":        {"runs_next: nobody", "runs_next: nobody\n    preferred: true", "line 28: release: 2 are preferred"},
		"release without sets": {"    set: {state: discarded, finalized_at: now}\n", "", "line 28: release: number 2: set: mode fail needs"},
		"value twice":          {"failed: discarded", "failed: completed", `line 16: state: "completed" stands for both done and failed`},
		"bad owner element":    {"attempted_by[last]", "attempted_by[middle]", "line 24: owner: want COL, COL[first] or COL[last]"},
		"no advisory lock":     {"claimed_at: attempted_at", "advisory: crc32(id)\nclaimed_at: attempted_at", "line 22: advisory: \"crc32(id)\": want [CLASS:]HASH(COL)"},
		"lock of no column":    {"claimed_at: attempted_at", "advisory: hashtext('job-'||uid)\nclaimed_at: attempted_at", "line 22: advisory: uid is not in match.require"},
		"repeated key":         {"kind: K2", "kind: K2\nkind: K2", "line 5: mapping key \"kind\" already defined at line 4"},
	} {
		if !strings.Contains(string(good), x.from) {
			t.Fatalf("%s: the file has no %q", name, x.from)
		}
		_, err := Load([]byte(strings.Replace(string(good), x.from, x.to, 1)))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", name, err, x.want)
		}
	}
	p, err := Load([]byte(strings.Replace(string(good), "claimed_at: attempted_at", "advisory: 7:hashtext('job-'||Max_Attempts)\nclaimed_at: attempted_at", 1)))
	if err != nil || p.Mapping.Advisory.String() != "7:hashtext('job-'||maxattempts)" {
		t.Errorf("an advisory lock is read as %s (%v)", p.Mapping.Advisory, err)
	}
	if _, err := Load(nil); err == nil {
		t.Error("an empty file is no profile")
	}
	if !IsProfile(good) || !IsProfile([]byte("# ours\nschema: idemtui.profile/v1\n\tname: x")) || IsProfile([]byte("key=id\nstate=st\n")) {
		t.Error("a profile is told from a mapping by its schema")
	}
}

// FuzzLoad: no file makes the loader panic, and what loads is usable.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"river.yaml", "shedlock.yaml", "wolverine.yaml", "masstransit.yaml", "nservicebus.yaml", "graphile-worker.yaml"} {
		content, err := files.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
	}
	f.Fuzz(func(t *testing.T, content string) {
		p, err := Load([]byte(content))
		if err != nil {
			return
		}
		if p.Name == "" || len(p.Match.Require) == 0 || len(p.Mapping.Key) == 0 {
			t.Errorf("loaded without what it needs: %+v", p)
		}
		for _, m := range []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseDelete, inspect.ReleaseCall} {
			_, _ = inspect.ResolveReleaseMode(p.Mapping, m) // either is fine, a panic is not
		}
	})
}
