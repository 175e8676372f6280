//go:build unix

package triage_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"idemtui/inspect/servertest"
	"idemtui/ui/keys"
	"idemtui/ui/ptytest"
)

// beginIn opens the inspector on the database, started in a folder.
func beginIn(t *testing.T, db *servertest.DB, folder string, w, h int, args ...string) *night {
	t.Helper()
	args = append([]string{"inspect", "--dsn", db.DSN(), "--audit-dir", t.TempDir()}, args...)
	command := exec.Command(ptytest.Program(t, programFolder), args...)
	command.Dir = folder
	n := &night{Terminal: ptytest.Start(t, command, w, h), t: t, db: db, k: keys.Default()}
	n.Expect("as of", "q quit")
	return n
}

// moreClaims adds 12 dead claims of worker-5.
func moreClaims(db *servertest.DB) {
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
		SELECT 'many_' || to_char(i, 'FM00'), 'PROCESSING', 'worker-5@h2', now() - interval '1h', now() - interval '50m' FROM generate_series(1, 12) i; DELETE FROM writes`)
}

func TestJourney_OneIsTriedAndFollowedBeforeTheOthers(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	moreClaims(db)
	n := begin(t, db, 110, 36, "--allow-release", "--refresh", "1h")
	n.Expect("14 stuck of 15 claimed")
	n.Press(n.k.Triage.MarkAll, n.k.Triage.Release)
	n.dialog("Release 14 claims?", "Release one and follow it", "Release all 14")
	n.Press(n.k.Dialog.Confirm)
	n.Expect("say why first")
	n.Type("try one\r\r")
	n.Expect("> No")
	n.Press(n.k.Dialog.Confirm)
	n.Expect("What became of the release", "1 released: 1 not picked up")
	if n.writes() != 1 {
		t.Fatalf("%d writes", n.writes())
	}
	key := db.Text("SELECT message_id FROM processed_messages WHERE state = 'FAILED'")
	db.Exec("UPDATE processed_messages SET state = 'PROCESSING', owner = 'worker-9@h1', claimed_at = now(), lease_expires_at = now() + interval '1m', fencing_token = fencing_token + 1 WHERE message_id = $1", key)
	n.Expect("1 released: 1 at work", "claimed by worker-9@h1")
	db.Exec("UPDATE processed_messages SET state = 'DONE', completed_at = now(), lease_expires_at = NULL WHERE message_id = $1", key)
	n.Expect("1 released: 1 done", "nothing more to wait for", "y copy the line")
	n.Press(n.k.Dialog.Confirm)
	n.Expect("sent to the terminal")
	n.Press(n.k.Dialog.Choose)
	n.Expect("* 13 marked")
	n.quit()
	if !strings.Contains(n.Written(), "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte("1 released: 1 done"))) {
		t.Error("the line was not sent to the clipboard")
	}
	if !strings.Contains(n.Written(), "idemtui: 1 released: 1 done, audit id ") {
		t.Error("the line was not printed at the end")
	}
}

func TestJourney_AllOfAnOwnerAreReleased(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	n := begin(t, db, 110, 36, "--allow-release", "--refresh", "1h")
	n.Expect("2 stuck of 3 claimed")
	n.Press(n.k.Triage.Owner)
	n.dialog("Release 2 claims of worker-7@h3?", "pay_1", "pay_2")
	n.confirm("the host is gone", "worker-7@h3")
	n.Expect("2 of 2 released")
	if n.writes() != 2 {
		t.Errorf("%d writes, want 2", n.writes())
	}
	n.closed()
	n.quit()
}

func TestJourney_SettledAsChargedAndTakenBack(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	n := begin(t, db, 110, 36, "--allow-release", "--refresh", "1h")
	n.Expect("2 stuck of 3 claimed")
	n.Press(n.k.Triage.Settle)
	n.Expect("What did the provider answer?", "> No", "esc no, close")
	n.Press(n.k.Dialog.Confirm)
	n.Expect("move to what the provider answered")
	n.Type("\t\t\r")
	n.Expect("say where the provider has the answer")
	n.Type("ch_3P1\r\t\t\r")
	n.dialog("Settle 1 claim as charged?", "charged (ch_3P1)")
	if n.writes() != 0 {
		t.Fatalf("%d writes before the confirmation", n.writes())
	}
	n.confirm("seen in the dashboard")
	n.Expect("1 of 1 settled", "pay_1: settled")
	if got := db.Text("SELECT state FROM processed_messages WHERE message_id = 'pay_1'"); got != "DONE" {
		t.Errorf("the row is %s", got)
	}
	n.closed()
	n.Press(n.k.Triage.Undo)
	n.dialog("Put back 1 claim")
	n.confirm("it was another payment")
	n.Expect("1 of 1 put back")
	if got := db.Text("SELECT state FROM processed_messages WHERE message_id = 'pay_1'"); got != "PROCESSING" {
		t.Errorf("after the undo the row is %s", got)
	}
	n.closed()
	n.quit()
}

func TestJourney_ExportsAreNewFiles(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	folder := t.TempDir()
	n := beginIn(t, db, folder, 110, 36, "--refresh", "1h")
	n.Expect("2 stuck of 3 claimed")
	for _, choice := range []string{"\t\r", "\t\r", "\t\t\r", "\t\t\t\r"} {
		n.Press(n.k.Triage.Export)
		n.Expect("Export 2 claims?")
		n.Type(choice)
		n.Expect("Exported", folder)
		n.Type("\r")
		n.ExpectGone("Exported")
	}
	n.quit()
	files, err := filepath.Glob(filepath.Join(folder, "idemtui-processed_messages-*"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		if !strings.Contains(n.Written(), "exported: "+name) {
			t.Errorf("the path %s was not printed", name)
		}
		content, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(content), "pay_1") {
			t.Errorf("%s: %v\n%s", name, err, content)
		}
		if strings.HasSuffix(name, "-to-settle.csv") && !strings.HasPrefix(string(content), "key,provider_key,claimed_at,owner,outcome,reference\npay_1,,") {
			t.Errorf("the form is\n%s", content)
		}
	}
	if n.writes() != 0 {
		t.Errorf("%d writes", n.writes())
	}
}

func TestJourney_ALongReleaseIsStoppedAndEachClaimAccountedFor(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
		SELECT 'many_' || i, 'PROCESSING', 'worker-5@h2', now() - interval '1h', now() - interval '50m' FROM generate_series(1, 4000) i;
		DELETE FROM writes;
		CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.002); RETURN NULL; END $$;
		CREATE TRIGGER slows AFTER UPDATE ON processed_messages FOR EACH ROW EXECUTE FUNCTION slow()`)
	n := begin(t, db, 110, 36, "--allow-release", "--refresh", "1h")
	n.Press(n.k.Triage.Down, n.k.Triage.Down, n.k.Triage.Down, n.k.Triage.Owner)
	n.dialog("Release 4,000 claims of worker-5@h2?", "Release one and follow it", "Release all 4,000")
	n.Type("\t\t\r")
	n.Expect("say why first")
	n.Type("the host is gone\rworker-5@h2\r\t\t\r")
	n.Expect("Releasing 4,000 claims", "1,000 of 4,000 done with")
	n.Expect("> Go on", "move")
	n.Type("\t\r")
	n.Expect("What the release did", "interrupted", "audit")
	released := db.Int("SELECT count(*) FROM processed_messages WHERE owner IS NULL AND state = 'FAILED'")
	if released < 1000 || released >= 4000 || n.writes() != released {
		t.Errorf("%d were released, with %d writes", released, n.writes())
	}
	n.Expect(fmt.Sprintf("%s of 4,000 released", thousands(released)))
	n.closed()
	n.quit()
}

func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
