//go:build unix

package triage_test

import (
	"fmt"
	"strings"
	"testing"

	"idemtui/inspect/servertest"
)

func TestJourney_TheIncidentIsSeenAtOnce(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	db.Exec("DELETE FROM processed_messages")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
		SELECT 'out_' || i, 'PROCESSING', 'worker-3@h7', (date_trunc('day', now() AT TIME ZONE 'utc') - interval '1 day' + interval '2h10m3s') AT TIME ZONE 'utc', now() - interval '50m' FROM generate_series(1, 30) i
		UNION ALL SELECT 'old_' || i, 'PROCESSING', 'worker-1@h1', now() - interval '400 days', now() - interval '399 days' FROM generate_series(1, 3) i`)
	n := begin(t, db, 120, 36, "--refresh", "1s")
	n.Expect("it began at", "02:10:03, all of worker-3@h7", "z lists 3 stuck claims from long before")
	n.ExpectGone("old_1")
	n.Expect("finished in")
	n.Press(n.k.Triage.Group)
	n.Expect("OWNER", ">  worker-3@h7", "worker-1@h1")
	n.Press(n.k.Triage.Down, n.k.Triage.Open)
	n.Expect("only owner worker-1@h1", "old_1")
	n.Press(n.k.Triage.Incident)
	n.Expect("The incident, as of", "30 of worker-3@h7")
	n.closeAll()
	n.quit()
}

func TestJourney_AnEmptyListSaysWhy(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	db.Exec("DELETE FROM processed_messages WHERE message_id <> 'pay_3'; INSERT INTO processed_messages (message_id, state) VALUES ('f1', 'FAILED'), ('f2', 'FAILED')")
	n := begin(t, db, 100, 30, "--refresh", "1s")
	n.Expect("1 claim, all held; the first lease ends in", "2 rows FAILED that nobody has claimed again")
	n.quit()
}

func TestJourney_FourHundredKeysOfATicketAreLookedUp(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	var ticket strings.Builder
	for i := range 412 {
		fmt.Fprintf(&ticket, "pay_%d\r\n", i+1)
	}
	ticket.WriteString("\r\npay_1\r\n")
	n := begin(t, db, 100, 36, "--allow-release", "--refresh", "1h")
	n.Press(n.k.Triage.Lookup)
	n.Expect("Look keys up")
	n.Type("\x1b[200~" + ticket.String() + "\x1b[201~")
	n.Expect("lines above")
	n.Type("\t\r")
	n.Expect("412 keys: 2 stuck, 1 alive, 1 done, 408 no row; 1 repeated; 1 blank", "y release the stuck ones")
	n.Press(n.k.Dialog.Confirm)
	n.dialog("Release 2 claims?", "pay_1", "pay_2")
	n.Press(n.k.Dialog.Choose)
	n.ExpectGone("Release 2 claims?")
	if n.writes() != 0 {
		t.Errorf("%d writes", n.writes())
	}
	n.quit()
}

func TestJourney_HealthOfATableWithoutAUniqueKey(t *testing.T) {
	db := servertest.Postgres(t)
	newTable(t, db)
	db.Exec("ALTER TABLE processed_messages DROP CONSTRAINT processed_messages_pkey")
	n := begin(t, db, 110, 36, "--refresh", "1h", "--table", "processed_messages", "--map",
		"key=message_id,state=state,processing=PROCESSING,failed=FAILED,done=DONE,owner=owner,claimed_at=claimed_at,lease=lease_expires_at")
	n.Press(n.k.Triage.Health)
	n.Expect("> ✗ CRITICAL  no-unique-key", "both charge", "CREATE UNIQUE INDEX CONCURRENTLY")
	n.Press(n.k.Triage.Copy)
	n.Expect("the SQL was sent")
	n.Press(n.k.Triage.Stuck)
	n.Expect("pay_1")
	n.quit()
	if n.writes() != 0 {
		t.Errorf("%d writes", n.writes())
	}
}

func TestJourney_TwoDatabasesATableToChooseAndAClaimPlayed(t *testing.T) {
	one, two := servertest.Postgres(t), servertest.Postgres(t)
	newTable(t, one)
	newTable(t, two)
	two.Exec("UPDATE processed_messages SET message_id = 'there_' || message_id; ALTER TABLE processed_messages RENAME TO handled; CREATE TABLE other AS TABLE handled; ALTER TABLE other ADD PRIMARY KEY (message_id)")
	n := begin(t, one, 120, 36, "--dsn", two.DSN(), "--refresh", "1h")
	n.Expect("1 of 2", "pay_1", "d next database")
	n.Press(n.k.Triage.Database)
	n.Expect("Which of these tables holds the claims?", "public.handled", "public.other")
	n.Press(n.k.Triage.Open)
	n.Expect("2 of 2", "there_pay_1")
	n.Press(n.k.Triage.Database)
	n.Expect("1 of 2", "2 stuck of 3 claimed")
	n.ExpectGone("there_pay_1")
	n.Press(n.k.Triage.Explain)
	n.Expect("lesson 4 of 7", "Why pay_1 is stuck, played", "worker-7@h3", "b back to the claim")
	n.Press(n.k.Triage.Played)
	n.Expect("2 stuck of 3 claimed")
	n.quit()
	if n.writes() != 0 {
		t.Errorf("%d writes", n.writes())
	}
}

func TestJourney_AStandbyOffersNoReleaseButTheLineForThePrimary(t *testing.T) {
	primary := servertest.OwnPostgres(t)
	newTable(t, primary)
	standby := primary.Standby()
	n := begin(t, standby, 110, 36, "--refresh", "1s", "--allow-release")
	n.Expect("STANDBY", "pay_1")
	n.Press(n.k.Triage.Release)
	n.Expect("Nothing can be released on a standby", "idemtui inspect --dsn postgres://", "--table", "READ-ONLY (fixed)", "enter close")
	n.Press(n.k.Dialog.Choose)
	n.ExpectGone("Nothing can be released")
	n.Press(n.k.Triage.Dead)
	n.Expect("this is a standby")
	n.Press(n.k.Global.Quit)
	n.ExpectExit(0)
	n.ExpectRestored()
}
