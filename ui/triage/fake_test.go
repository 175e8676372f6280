package triage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"idemtui/inspect"
	"idemtui/ui"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/triage"
)

// serverTime is the database's clock in the tests without a server.
var serverTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// memoryStore is a claim table in memory, for the states of the screen that
// no server can be brought to at will. What a real one does is tested against
// a real one.
type memoryStore struct {
	limit           int  // the most claims of a look, 0: all
	deafToLeftovers bool // the limit leaves the incident out

	mu       sync.Mutex
	claims   []inspect.Claim
	table    inspect.Table
	notes    []string
	err      error // of every look
	wrote    []string
	planned  []inspect.PlanRequest
	looks    int
	release  func(inspect.Plan) (inspect.Result, error)
	database inspect.Database
	unmapped map[string]inspect.Count
	hangs    bool            // a look ends only when it is cancelled
	deaf     bool            // a look answers although it was cancelled
	later    []inspect.Claim // what became of released rows
	lookups  int
	findings []inspect.Finding
	facts    inspect.TableFacts
	counters inspect.Null[inspect.Counters]
	slow     func(ctx context.Context, told func(settled, total int)) error // in place of a release
}

var errUnused = errors.New("not used by the screen")

func (m *memoryStore) Identity(context.Context) (inspect.Database, error) { return m.database, nil }
func (m *memoryStore) Tables(context.Context) ([]inspect.Table, error)    { return nil, errUnused }
func (m *memoryStore) Resolve(context.Context, inspect.Target) (inspect.Table, error) {
	return m.table, nil
}
func (m *memoryStore) Close() error { return nil }

// judged are the claims as the domain judges them, but for the evidence: that
// is fixed, so that pictures change only when the screen does.
func (m *memoryStore) judged() []inspect.Claim {
	claims := inspect.JudgeAll(m.claims, inspect.Facts{
		Now: serverTime, Mapping: m.table.Mapping,
		Locks: map[inspect.Key][]inspect.LockHolder{inspect.TextKey("message_id", "pay_88419"): {{PID: 4711, State: "idle in transaction", InState: 12 * time.Minute}}},
	})
	for i := range claims {
		fixEvidence(&claims[i])
	}
	return claims
}

func fixEvidence(c *inspect.Claim) {
	lock := inspect.Evidence{Rung: inspect.RungRowLock, For: inspect.ForNeither, Text: "no live session holds a lock on the row", Query: "SELECT * FROM pg_locks"}
	lease := inspect.Evidence{Rung: inspect.RungLease, For: inspect.ForDead, Text: "lease lapsed " + text.Age(c.Lapsed.V) + " ago", Query: "SELECT now(), lease_expires_at\nFROM processed_messages"}
	age := inspect.Evidence{Rung: inspect.RungAge, For: inspect.ForNeither, Text: "claimed " + text.Age(c.Age.V) + " ago; the longest of 2,000 finished took 4.1s", Query: "SELECT now(), claimed_at\nFROM processed_messages"}
	session := inspect.Evidence{Rung: inspect.RungSession, For: inspect.ForNeither, Text: "no session of this owner was looked for"}
	switch {
	case c.State != inspect.StateProcessing:
		return
	case c.Verdict == inspect.VerdictAlive && c.Condition == inspect.ConditionHeld:
		lease.For, lease.Text = inspect.ForAlive, "the lease runs"
	case c.Verdict == inspect.VerdictAlive:
		lock.For, lock.Text = inspect.ForAlive, "row locked by pid 4711, idle in transaction 12m"
	case strings.Contains(c.Owner.V, "worker-7"):
		c.Verdict = inspect.VerdictLikelyDead
		session.For, session.Text = inspect.ForDead, "its session is gone at two looks, while 6 of 7 others are connected"
	case c.LeaseUntil.None():
		lease.For, lease.Text = inspect.ForNeither, "no lease on this row"
	}
	c.Evidence = []inspect.Evidence{lock, session, lease, age}
}

// consequence is what a release would cause, as the store words it.
func consequence(override bool) []string {
	lines := []string{
		"the claim becomes FAILED: the next delivery claims it again",
		"runs next: a redelivery by the broker; if the message was acked, nothing runs until somebody replays it",
		"the charge may have happened: ask the provider before the message runs again",
	}
	if override {
		lines = append(lines, "the lease still runs: the worker may be alive and at work right now")
	}
	return lines
}

func (m *memoryStore) Snapshot(ctx context.Context, table inspect.Table, query inspect.Query) (inspect.Snapshot, error) {
	if m.hangs {
		<-ctx.Done()
		return inspect.Snapshot{}, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.looks++
	if m.err != nil {
		return inspect.Snapshot{}, m.err
	}
	all := m.judged()
	s := inspect.Snapshot{Database: m.database, Table: table, At: serverTime, Query: query, Summary: inspect.Summarise(all), Notes: m.notes}
	s.Summary.Unmapped = m.unmapped
	s.Seen = &inspect.Look{At: serverTime.Add(time.Duration(m.looks) * 10 * time.Second), Claims: map[inspect.Key]inspect.Claim{}, Counters: m.counters}
	s.Incident = inspect.IncidentOf(serverTime, all, nil)
	s.Groups = map[inspect.Grouping][]inspect.Group{}
	for _, by := range inspect.Groupings {
		s.Groups[by] = inspect.GroupClaims(all, by)
	}
	for _, c := range all {
		s.Seen.Claims[c.Key] = c
		if query.All || c.Condition != inspect.ConditionHeld {
			s.Claims = append(s.Claims, c)
		}
	}
	s.Matching = inspect.Count{Rows: int64(len(s.Claims)), Exact: true}
	if excess := len(s.Claims) - m.limit; m.limit > 0 && excess > 0 {
		s.Claims = slices.DeleteFunc(s.Claims, func(c inspect.Claim) bool {
			leave := excess > 0 && s.Incident.Folded(c) == (query.LeftoversLast && !m.deafToLeftovers)
			if leave {
				excess--
			}
			return leave
		})
	}
	if m.deaf {
		return s, nil
	}
	return s, ctx.Err()
}

func (m *memoryStore) Show(ctx context.Context, table inspect.Table, key inspect.Key, _ inspect.ShowOptions) (inspect.Detail, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.judged() {
		if c.Key == key {
			return inspect.Detail{
				Database: m.database, Table: table, At: serverTime, Claim: c, SQL: []string{"SELECT * FROM " + table.FullName()},
				IfReleased: consequence(false),
			}, ctx.Err()
		}
	}
	return inspect.Detail{}, &inspect.Fault{Kind: inspect.FaultNoRow, What: "no row has this key"}
}

func (m *memoryStore) Plan(_ context.Context, table inspect.Table, request inspect.PlanRequest) (inspect.Plan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planned = append(m.planned, request)
	plan := inspect.Plan{
		Database: m.database.ID, Table: table.FullName(), Mode: inspect.ReleaseFail, OverrideLease: request.OverrideLease, ReadAt: serverTime,
		SQL:         `UPDATE public.processed_messages SET state = 'FAILED', owner = NULL, lease_expires_at = NULL, fencing_token = nextval('processed_messages_token') WHERE message_id = $1 AND state = $2 AND owner IS NOT DISTINCT FROM $3 AND lease_expires_at < now()`,
		Consequence: consequence(request.OverrideLease), RunsNext: table.Mapping.RunsNext,
	}
	for _, c := range m.judged() {
		switch {
		case request.Owner.OK && c.Owner != request.Owner, request.AllLikelyDead && c.Verdict != inspect.VerdictLikelyDead,
			len(request.Keys) > 0 && !slices.Contains(request.Keys, c.Key):
			continue
		}
		if skip, refused := inspect.Refuse(c, table.Mapping, request.OverrideLease, len(request.Keys) == 0, serverTime); refused {
			plan.Refused = append(plan.Refused, skip)
		} else {
			plan.Rows = append(plan.Rows, inspect.PlannedFrom(c))
		}
	}
	plan.ID = inspect.PlanID(plan)
	return plan, nil
}

func (m *memoryStore) PlanSettle(_ context.Context, table inspect.Table, request inspect.SettleRequest) (inspect.Plan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	plan := inspect.Plan{
		Database: m.database.ID, Table: table.FullName(), Mode: inspect.ReleaseComplete, ReadAt: serverTime, SQL: "UPDATE public.processed_messages SET state = 'DONE'",
		Consequence: inspect.SettleConsequences(table, inspect.ReleaseFail, len(request.Answers), 0), Answers: request.Answers, RunsNext: inspect.RunsNextBroker,
	}
	for _, answer := range request.Answers {
		for _, c := range m.judged() {
			if c.Key == answer.Key {
				row := inspect.PlannedFrom(c)
				row.Settlement = &answer.Settlement
				plan.Rows = append(plan.Rows, row)
			}
		}
	}
	plan.ID = inspect.PlanID(plan)
	return plan, nil
}

// Health is as the test put it.
func (m *memoryStore) Health(_ context.Context, table inspect.Table, _ inspect.HealthPolicy) (inspect.Health, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return inspect.Health{Database: m.database, Table: table, At: serverTime, Findings: m.findings, Facts: m.facts}, m.err
}

// Lookup says of each key what the test put there, else that there is no row.
func (m *memoryStore) Lookup(ctx context.Context, table inspect.Table, keys inspect.KeyList, _ *inspect.Look) (inspect.Lookup, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lookups++
	look := inspect.Lookup{Database: m.database, Table: table, At: serverTime, Repeats: keys.Repeats, Blank: keys.Blank}
	rows := map[inspect.Key]inspect.Claim{}
	for _, c := range append(m.judged(), m.later...) {
		rows[c.Key] = c
	}
	for _, k := range keys.Keys {
		found := inspect.LookedUp{Key: k, Class: inspect.ClassNoRow}
		if c, ok := rows[k]; ok {
			found.Class, found.Claim = inspect.ClassOf(c), c
		}
		look.Keys = append(look.Keys, found)
	}
	return look, m.err
}

func (m *memoryStore) Release(ctx context.Context, _ inspect.Table, plan inspect.Plan, options inspect.ReleaseOptions) (inspect.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrote = append(m.wrote, "release: "+options.Reason)
	if m.release != nil {
		return m.release(plan)
	}
	r := inspect.Result{Plan: plan, Executed: true, AuditID: options.Auditor.ID()}
	if m.slow != nil {
		return r, m.slow(ctx, options.Progress)
	}
	if options.Progress != nil {
		options.Progress(len(plan.Rows), len(plan.Rows))
	}
	for _, row := range plan.Rows {
		r.Released = append(r.Released, row.Key)
		m.drop(row.Key)
	}
	return r, nil
}

func (m *memoryStore) drop(key inspect.Key) {
	var rest []inspect.Claim
	for _, c := range m.claims {
		if c.Key != key {
			rest = append(rest, c)
		}
	}
	m.claims = rest
}

func (m *memoryStore) Undo(_ context.Context, _ inspect.Table, request inspect.UndoRequest) (inspect.UndoResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := inspect.UndoResult{Executed: !request.DryRun}
	for _, row := range request.Rows {
		r.Restored = append(r.Restored, row.Key)
	}
	if !request.DryRun {
		m.wrote = append(m.wrote, "undo: "+request.Reason)
		r.AuditID = request.Auditor.ID()
	}
	return r, nil
}

// memoryAudit keeps records in memory.
type memoryAudit struct {
	n    int
	rows []inspect.AuditRow
}

func (a *memoryAudit) Begin() (inspect.Auditor, error) {
	a.n++
	return auditID(fmt.Sprintf("20260301-1200-%06d", a.n)), nil
}
func (a *memoryAudit) Rows(string) ([]inspect.AuditRow, error) { return a.rows, nil }

type auditID string

func (a auditID) ID() string                                   { return string(a) }
func (a auditID) Intent(context.Context, inspect.Intent) error { return nil }
func (a auditID) Outcome(context.Context, inspect.Outcome) error {
	return nil
}

func ago(d time.Duration) inspect.Stamp { return inspect.At(serverTime.Add(-d)) }

// claimed is a PROCESSING row of the recommended table.
func claimed(key, owner string, age, lapsed time.Duration, tries int64) inspect.Claim {
	c := inspect.Claim{
		Database: "payments@db-1:5432", Key: inspect.TextKey("message_id", key),
		State: inspect.StateProcessing, RawState: "PROCESSING",
		Owner: inspect.Null[string]{V: owner, OK: owner != ""}, Token: inspect.Some("8841207"), Attempts: inspect.Some(tries),
		ClaimedAt: ago(age), LeaseUntil: ago(lapsed),
	}
	return c
}

// incident is the night of the tests: a worker that died, one that waits on a
// lock, one that lives.
func incident() []inspect.Claim {
	claims := []inspect.Claim{
		claimed("pay_88412", "worker-7@h3", 3*time.Hour+12*time.Minute, 3*time.Hour+11*time.Minute, 1),
		claimed("pay_88419", "worker-2@h1", 12*time.Minute, 11*time.Minute, 3),
		claimed("注文-42-ですとろいやー", "worker-7@h3", 2*time.Hour, 119*time.Minute+30*time.Second, 1),
		claimed("ok\x1b]0;PWNED\x07.txt", "worker-7@h3\r\n", time.Hour, 59*time.Minute+30*time.Second, 2),
		claimed("refund:2026-03-01:merchant-00017:0123456789abcdef0123456789abcdef", "billing-consumer-blue-7f9c@node-12", 41*time.Minute, 40*time.Minute, 1),
		claimed("pay_90001", "worker-1@h1", 8*time.Second, -22*time.Second, 1),
		claimed("pay_90002", "worker-2@h1", 19*time.Second, -11*time.Second, 1),
	}
	noLease := claimed("pay_70001", "", 47*time.Minute+30*time.Second, 0, 1)
	noLease.LeaseUntil = inspect.Stamp{}
	noLease.ExpiresAt = ago(-(23*time.Hour + 12*time.Minute + 30*time.Second))
	return append(claims, noLease)
}

func recommended() inspect.Table {
	return inspect.Table{
		Database: "payments@db-1:5432", Schema: "public", Name: "processed_messages", UniqueKey: true, CanUpdate: true, CanDelete: true, RowVersions: true,
		Mapping: inspect.Mapping{
			Profile: "recommended", Verified: true, Kind: inspect.KindStateLease,
			Key:   []inspect.KeyColumn{{Column: "message_id", Kind: inspect.PartText, Role: inspect.RoleMessage}},
			Owner: "owner", Token: "fencing_token", Attempts: "attempts", ClaimedAt: "claimed_at", RunsNext: inspect.RunsNextBroker,
			Lease: inspect.LeaseBinding{Column: "lease_expires_at"},
			State: inspect.StateBinding{Column: "state", Values: map[inspect.State][]string{inspect.StateProcessing: {"PROCESSING"}, inspect.StateFailed: {"FAILED"}}},
		},
	}
}

// desk is a screen under test with the root model around it.
type desk struct {
	t       testing.TB
	store   *memoryStore
	audit   *memoryAudit
	screen  *triage.Screen
	dialogs *frame.Dialogs
	app     *ui.App
	said    []tea.Msg
	w, h    int
}

func newDesk(t testing.TB, w, h int, claims []inspect.Claim, change ...func(*triage.Config, *memoryStore)) *desk {
	t.Helper()
	d := &desk{t: t, w: w, h: h, dialogs: &frame.Dialogs{}, audit: &memoryAudit{}}
	d.store = &memoryStore{claims: claims, table: recommended(), database: inspect.Database{ID: "payments@db-1:5432", Engine: "postgres", User: "oncall"}}
	cfg := triage.Config{Store: d.store, Database: d.store.database, Table: d.store.table, Audit: d.audit}
	for _, c := range change {
		c(&cfg, d.store)
	}
	d.screen = triage.New(context.Background(), cfg, keys.Default(), d.dialogs)
	d.app = ui.NewApp(d.screen, d.dialogs, keys.Default())
	t.Cleanup(d.screen.Close)
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	d.run(d.screen.Load())
	return d
}

// run carries out a command and what follows from it, at once: the tests run
// in a bubble where waiting takes no time. The clock's ticks and the refresh
// are left out, for they would never end; a test brings them itself.
func (d *desk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, triage.TickedMsg, triage.RefreshDueMsg, triage.FollowDueMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	default:
		d.said = append(d.said, msg)
		d.send(msg)
	}
}

func (d *desk) send(msg tea.Msg) {
	_, cmd := d.app.Update(msg)
	d.run(cmd)
}

// named are the keys that are no characters.
var named = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
	"space": {Code: tea.KeySpace, Text: " "}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
}

// press presses keys one after the other.
func (d *desk) press(names ...string) {
	for _, name := range names {
		if k, ok := named[name]; ok {
			d.send(k)
			continue
		}
		d.send(tea.KeyPressMsg{Code: []rune(name)[0], Text: name})
	}
}

// write types a text.
func (d *desk) write(s string) {
	for _, r := range s {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// view is the frame as text.
func (d *desk) view() string { return ansi.Strip(d.app.View().Content) }

func (d *desk) expect(texts ...string) {
	d.t.Helper()
	view := d.view()
	for _, text := range texts {
		if !strings.Contains(view, text) {
			d.t.Fatalf("the screen does not show %q:\n%s", text, view)
		}
	}
}

func (d *desk) expectNot(texts ...string) {
	d.t.Helper()
	view := d.view()
	for _, text := range texts {
		if strings.Contains(view, text) {
			d.t.Fatalf("the screen shows %q:\n%s", text, view)
		}
	}
}
