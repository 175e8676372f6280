//go:build unix

package triage_test

import (
	"encoding/base64"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/key"

	"idemtui/inspect/dsn"
	"idemtui/inspect/schema"
	"idemtui/inspect/servertest"
	"idemtui/ui/keys"
	"idemtui/ui/ptytest"
)

// night is a real program in a real terminal on a real table.
type night struct {
	*ptytest.Terminal
	t  *testing.T
	db *servertest.DB
	k  keys.Map

	filters int
}

// escape is the escape key as terminals with the kitty protocol send it: it
// cannot be mistaken for the beginning of a chord.
const escape = "\x1b[27u"

// newTable makes the recommended table with two dead claims, a held one and a
// finished one, and a trigger that counts every write from then on.
func newTable(t *testing.T, db *servertest.DB) {
	t.Helper()
	recommended, err := schema.For(dsn.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	db.Exec(recommended.CreateSQL())
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, completed_at) VALUES
		('pay_1', 'PROCESSING', 'worker-7@h3', now() - interval '3h12m', now() - interval '3h11m', NULL),
		('pay_2', 'PROCESSING', 'worker-7@h3', now() - interval '2h', now() - interval '119m', NULL),
		('pay_3', 'PROCESSING', 'worker-1@h1', now() - interval '8s', now() + interval '10m', NULL),
		('pay_4', 'DONE', 'worker-1@h1', now() - interval '1h', NULL, now() - interval '1h' + interval '4s')`)
	db.Exec(`CREATE TABLE public.writes (what text);
		CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.writes VALUES (tg_op); RETURN NULL; END $$;
		CREATE TRIGGER note_writes AFTER INSERT OR UPDATE OR DELETE ON processed_messages FOR EACH ROW EXECUTE FUNCTION note_write();
		ANALYZE`)
}

// begin opens the inspector on the database.
func begin(t *testing.T, db *servertest.DB, w, h int, args ...string) *night {
	t.Helper()
	args = append([]string{"inspect", "--dsn", db.DSN(), "--audit-dir", t.TempDir()}, args...)
	command := exec.Command(ptytest.Program(t, programFolder), args...)
	n := &night{Terminal: ptytest.Start(t, command, w, h), t: t, db: db, k: keys.Default()}
	n.Expect("as of", "q quit")
	return n
}

// writes counts the writes to the table.
func (n *night) writes() int { return n.db.Int("SELECT count(*) FROM writes") }

// quit ends the program with q, and looks that nothing is left behind.
func (n *night) quit() {
	n.t.Helper()
	n.Press(n.k.Global.Quit)
	n.ExpectExit(0)
	n.ExpectRestored()
	n.noSessions()
}

// noSessions waits until the server has no session of idemtui.
func (n *night) noSessions() {
	n.t.Helper()
	const query = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'idemtui%' AND datname = current_database()"
	for deadline := time.Now().Add(ptytest.Patience); n.db.Int(query) > 0; {
		if time.Now().After(deadline) {
			n.t.Fatal("a session is left behind")
		}
	}
}

// dialog waits for a dialog with these texts, past its grace period: then its
// keys are in the footer.
func (n *night) dialog(texts ...string) {
	n.t.Helper()
	n.Expect(append(texts, "> No", "esc no, close")...)
}

// closed closes a dialog that only tells something.
func (n *night) closed() {
	n.t.Helper()
	n.Expect("> Close", "enter close")
	n.Press(n.k.Dialog.Choose)
	n.ExpectGone("> Close")
}

// pressUntil types a sequence again and again, and gives the screen the time
// to follow, until it passes.
func (n *night) pressUntil(what, sequence string, passes func(screen string) bool) {
	n.t.Helper()
	tick := time.NewTicker(60 * time.Millisecond)
	defer tick.Stop()
	n.Until(what, func(screen string) bool {
		if passes(screen) {
			return true
		}
		n.Type(sequence)
		<-tick.C
		return false
	})
}

// confirm gives a reason, and answers yes.
func (n *night) confirm(reason string, more ...string) {
	n.t.Helper()
	n.Press(n.k.Dialog.Confirm)
	n.Expect("say why first")
	n.Type(reason + "\r")
	for _, typed := range more {
		n.Type(typed + "\r")
	}
	n.Expect("> No")
	n.Press(n.k.Dialog.Confirm)
}

// arm types the table's name into the arming dialog.
func (n *night) arm() {
	n.t.Helper()
	n.Expect("Arm it?")
	n.Expect("enter next")
	n.Type("processed_messages\r")
	n.Expect("ARMED")
}

func TestJourney_FromTheListToAReleaseAndBack(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	n := begin(t, db, 100, 30)
	k := n.k.Triage
	n.Expect("READ-ONLY", "2 stuck of 3 claimed", "> ", "pay_1", "pay_2", "CANNOT TELL")
	n.Press(k.Open)
	n.Expect("if you release", "the charge may have happened", "evidence")
	n.Type(escape)
	n.Press(k.Release)
	n.arm()
	n.dialog("Release 1 claim?", "public.processed_messages", "pay_1")
	n.Press(n.k.Dialog.Choose)
	n.ExpectGone("Release 1 claim?")
	if n.writes() != 0 {
		t.Fatal("enter on No wrote")
	}
	n.Press(k.Release)
	n.dialog("Release 1 claim?")
	n.confirm("worker-7 was shut down")
	n.Expect("1 of 1 released", "pay_1: released")
	if got := db.Text("SELECT state || ' ' || coalesce(owner, 'none') FROM processed_messages WHERE message_id = 'pay_1'"); got != "FAILED none" {
		t.Errorf("the row is %q", got)
	}
	n.closed()
	n.Expect("→ released, audit", "1 stuck of 2 claimed")
	n.Press(k.Undo)
	n.dialog("Put back 1 claim")
	n.confirm("it was the wrong worker")
	n.Expect("1 of 1 put back")
	if got := db.Text("SELECT state || ' ' || owner FROM processed_messages WHERE message_id = 'pay_1'"); got != "PROCESSING worker-7@h3" {
		t.Errorf("after the undo the row is %q", got)
	}
	if n.writes() != 2 {
		t.Errorf("%d writes, want the release and the undo", n.writes())
	}
	n.closed()
	n.Expect("2 stuck of 3 claimed")
	n.quit()
}

func TestJourney_R11_FinishedBetweenListAndRelease(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	n := begin(t, db, 100, 40, "--allow-release", "--refresh", "1h")
	n.Expect("2 stuck of 3 claimed")
	n.Press(n.k.Triage.MarkAll, n.k.Triage.Release)
	n.dialog("Release 2 claims?", "type the count, 2")
	db.Exec("UPDATE processed_messages SET state = 'DONE', completed_at = '2026-03-01T12:00:05Z', result = '{\"charge\": 17}' WHERE message_id = 'pay_1'; DELETE FROM writes")
	before := db.Text("SELECT processed_messages::text FROM processed_messages WHERE message_id = 'pay_1'")
	n.confirm("worker-7 was shut down", "2")
	n.Expect("1 of 2 released", "pay_2: released", "pay_1: done since 2026-03-01T12:00:05", "(done)")
	if after := db.Text("SELECT processed_messages::text FROM processed_messages WHERE message_id = 'pay_1'"); after != before {
		t.Errorf("the finished row changed from %s to %s", before, after)
	}
	if n.writes() != 1 {
		t.Errorf("%d writes, want 1", n.writes())
	}
	n.closed()
	n.quit()
}

func TestJourney_R42_HostileKeysAreShownAndReleasedExactly(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	db.Exec("DELETE FROM processed_messages")
	hostile := []string{"ok\x1b]0;PWNED\x07.txt", "\x1b]52;c;Zm9v\x07", "\x1b[2Jcleared", "a\rb", "a\nb", "a\tb", "\x7fdel", "\u009b31m", "a\u202eb", "\x1bPdcs\x1b\\"}
	for i, name := range hostile {
		db.Exec("INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at) VALUES ($1, 'PROCESSING', $1, now() - interval '1h', now() - $2 * interval '1m')", name, 30-i)
	}
	db.Exec("DELETE FROM writes")
	n := begin(t, db, 200, 50, "--allow-release")
	n.Expect(`text:ok\x1b]0;PWNED\x07.txt`, `text:\x1b]52;c;Zm9v\x07`, `text:a\x0db`, `text:\u{9b}31m`)
	n.Press(n.k.Triage.Release)
	n.dialog("Release 1 claim?", `text:ok\x1b]0;PWNED\x07.txt`)
	n.confirm("hostile")
	n.Expect("1 of 1 released")
	if got := db.Int("SELECT count(*) FROM processed_messages WHERE message_id = $1 AND state = 'FAILED'", hostile[0]); got != 1 || n.writes() != 1 {
		t.Errorf("released %d of the exact key, %d writes", got, n.writes())
	}
	n.closed()
	for range hostile {
		n.Type("p" + escape + "j")
	}
	n.quit()
	for _, name := range hostile {
		if strings.Contains(n.Written(), name) {
			t.Errorf("%q reached the terminal", name)
		}
	}
	for _, bad := range []string{"PWNED\x07", "\u009b", "\u202e", "\x1bPdcs"} {
		if strings.Contains(n.Written(), bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
}

func TestJourney_R48_NoSingleKeyWrites(t *testing.T) {
	for _, mode := range []string{"--allow-release=false", "--allow-release"} {
		t.Run(mode, func(t *testing.T) {
			db := servertest.Postgres(t)
			newTable(t, db)
			n := begin(t, db, 120, 40, mode, "--refresh", "1s")
			var pressed []string
			for r := rune(' '); r <= '~'; r++ {
				pressed = append(pressed, string(r), fmt.Sprintf("\x1b[%d;3u", r))
			}
			for r := 'a'; r <= 'z'; r++ {
				pressed = append(pressed, fmt.Sprintf("\x1b[%d;5u", r))
			}
			for _, b := range []key.Binding{n.k.Triage.Up, n.k.Triage.PageDown, n.k.Triage.First, n.k.Triage.Left} {
				pressed = append(pressed, b.Keys()...)
			}
			pressed = append(pressed, "\r", "\x7f", "\x1b[3~", "\x1b[200~y\ny\nyes\n\x1b[201~", "\x1b[200~r\ny\nyes\n\x1b[201~")
			for _, sequence := range pressed {
				switch sequence {
				case "q", "\x1b[99;5u", "\x1b[122;5u": // they end or suspend the program
					continue
				}
				n.Type(sequence + "\ry" + escape + escape + escape + "b") // b comes back from the lesson that w opens
				if strings.ContainsAny(sequence, "rUOWDcfeoiwt4") {
					n.closeAll()
				}
			}
			n.closeAll()
			if n.writes() != 0 {
				t.Fatalf("%d writes", n.writes())
			}
			n.quit()
		})
	}
}

// closeAll presses escape until the list has the keyboard again, which a filter
// shows: every key before it has been taken by then.
func (n *night) closeAll() {
	n.t.Helper()
	n.filters++
	marker := fmt.Sprintf("#%d#", n.filters)
	shown := "/" + marker + "  · 0 of"
	n.pressUntil("the list has the keyboard", escape+escape+escape+"/"+marker, func(screen string) bool { return strings.Contains(screen, shown) })
	n.Type(escape)
	n.ExpectGone(marker)
}

func TestJourney_TheServerStopsAndComesBack(t *testing.T) {
	db := servertest.OwnPostgres(t)
	newTable(t, db)
	n := begin(t, db, 120, 36, "--refresh", "1s")
	n.Expect("pay_1", "↻ 1s")
	db.Stop(false)
	n.Expect("✗ failing", "refresh failed", "pay_1", "old")
	db.Start()
	n.Expect("↻ 1s")
	n.ExpectGone("refresh failed")
	n.quit()
}

func TestJourney_QuittingWhileAQueryHangsLeavesNoSession(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	n := begin(t, db, 80, 24, "--refresh", "1s")
	conn := db.Conn()
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE processed_messages IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	n.Expect("old", "pay_1")
	n.Press(n.k.Global.Quit)
	n.ExpectExit(0)
	if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	n.noSessions()
}

func TestJourney_NoColourIsAsked(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	command := exec.Command(ptytest.Program(t, programFolder), "inspect", "--dsn", db.DSN(), "--audit-dir", t.TempDir())
	n := &night{Terminal: ptytest.Start(t, command, 100, 30, "NO_COLOR=1"), t: t, db: db, k: keys.Default()}
	n.Expect("CANNOT TELL", "READ-ONLY")
	n.Press(n.k.Triage.Release)
	n.Expect("Arm it?")
	n.closeAll()
	n.quit()
	for _, part := range strings.Split(n.Written(), "\x1b[")[1:] {
		if i := strings.IndexAny(part, "mABCDEFGHJKSTfhlsu"); i >= 0 && part[i] == 'm' {
			for _, code := range strings.Split(part[:i], ";") {
				if len(code) == 2 && (code[0] == '3' || code[0] == '4' || code[0] == '9') && code != "39" && code != "49" {
					t.Fatalf("a colour was sent: %q", part[:i+1])
				}
			}
		}
	}
}

func TestJourney_R39_ResizedWithADialogOpen(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	n := begin(t, db, 80, 24, "--allow-release")
	n.Press(n.k.Triage.Down, n.k.Triage.Release)
	n.dialog("Release 1 claim?", "pay_2")
	for _, size := range sizes[1:] {
		n.Resize(size.w, size.h)
	}
	n.Resize(10, 3)
	n.Expect("60x15")
	n.Resize(80, 24)
	n.Expect("Release 1 claim?", "pay_2", "> No")
	n.closeAll()
	n.quit()
	if n.writes() != 0 {
		t.Errorf("%d writes", n.writes())
	}
}

func TestJourney_R41_InterruptedInTheMiddleOfARelease(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	db.Exec(`CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
		CREATE TRIGGER hangs AFTER UPDATE ON processed_messages FOR EACH ROW EXECUTE FUNCTION hang()`)
	n := begin(t, db, 100, 30, "--allow-release", "--statement-timeout", "30s")
	n.Press(n.k.Triage.Release)
	n.dialog("Release 1 claim?")
	n.confirm("worker-7 was shut down")
	n.Expect("releasing 1 claim")
	n.PressKey("ctrl+c")
	n.ExpectExit(130)
	n.ExpectRestored()
	if !strings.Contains(n.Written(), "the release was under way when the screen closed: 0 claims released") {
		t.Error("nothing was said about the release")
	}
	if n.writes() != 0 || db.Text("SELECT state FROM processed_messages WHERE message_id = 'pay_1'") != "PROCESSING" {
		t.Error("the release was not rolled back")
	}
	n.noSessions()
}

func TestJourney_R44_CopyingNeedsNoMouseMode(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	long := strings.Repeat("0123456789abcdef", 4)
	db.Exec("INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at) VALUES ($1, 'PROCESSING', 'w', now() - interval '9h', now() - interval '8h')", long)
	n := begin(t, db, 80, 24)
	n.Expect("0123456789abcdef0123…")
	n.Press(n.k.Triage.Copy)
	n.Expect("sent to the terminal")
	n.Press(n.k.Triage.Plain)
	n.Expect(long, "lease until")
	n.Type(escape)
	n.Expect("longest lapsed first")
	n.quit()
	if !strings.Contains(n.Written(), "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(long))) {
		t.Error("the whole key was not sent to the clipboard")
	}
	for _, mouse := range []string{"\x1b[?1000h", "\x1b[?1002h", "\x1b[?1003h"} {
		if strings.Contains(n.Written(), mouse) {
			t.Errorf("a mouse mode was asked for: %q", mouse)
		}
	}
}

func TestJourney_InterruptedIs130(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	n := begin(t, db, 80, 24)
	n.PressKey("ctrl+c")
	n.ExpectExit(130)
	n.ExpectRestored()
	n.noSessions()
}
