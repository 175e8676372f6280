package triage

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/inspect"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// mode is what the keyboard means at the moment.
type mode int

const (
	browsing    mode = iota // moving in the list
	filtering               // typing the filter
	reading                 // the detail has the keyboard
	plain                   // the selected claim as bare text
	diagnosing              // the health tab has the keyboard
	remembering             // the retention tab has it
)

// tab is a list of the screen.
type tab int

const (
	tabStuck  tab = iota // what the query asks for: the stuck claims, or those of one state
	tabClaims            // every claim
	tabs                 // how many there are
)

// toastFor is how long a note stays in the status line.
const toastFor = 8 * time.Second

// closeLimit is how long Close waits for what was cancelled: a release in its
// commit must still learn and record its outcome.
const closeLimit = 5 * time.Second

// Screen is the inspector. It implements [frame.Screen] and [frame.Closer].
type Screen struct {
	cfg     Config
	keys    keys.Triage
	buttons keys.Dialog
	dialogs *frame.Dialogs
	styles  theme.Styles

	ctx     context.Context
	cancel  context.CancelFunc
	closing sync.Mutex
	closed  bool
	running sync.WaitGroup

	width, height int
	mode          mode
	away          bool // another screen is in front
	session       inspect.Mode
	accepted      bool // the unverified profile was accepted
	tab           tab
	now           time.Time // local, as of the last message that told it

	load   loader
	looks  [tabs]look
	memory memory
	list   list
	filter field
	detail detail
	toast  toast

	looking  bool                   // keys are being looked up
	planning bool                   // a plan is being read
	writing  string                 // what is being written, in words; "" when nothing is
	left     map[inspect.Key]string // why rows left the list: this session released them
	last     *operation             // the last release or undo
	unseen   unseen
	beats    []beat // the counters of the looks of the last half minute
	pulse    inspect.Null[inspect.Pulse]
	health   health
	groups   grouped
	only     group
	paths    []string   // what was exported
	follow   *following // the release whose keys are read again; nil when none is
}

// look is the last snapshot of one tab and when it came, by the local clock.
type look struct {
	snapshot inspect.Snapshot
	at       time.Time
	ok       bool
}

// toast is a note in the status line.
type toast struct {
	text  string
	bad   bool
	until time.Time
}

// New makes the screen. It shares the stack of dialogs with the root model; the
// context ends every load and release.
func New(ctx context.Context, cfg Config, keyMap keys.Map, dialogs *frame.Dialogs) *Screen {
	if cfg.Refresh <= 0 {
		cfg.Refresh = DefaultRefresh
	}
	if cfg.Mode == "" {
		cfg.Mode = inspect.ModeReadOnly
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Screen{
		cfg: cfg, keys: keyMap.Triage, buttons: keyMap.Dialog, dialogs: dialogs,
		ctx: ctx, cancel: cancel,
		session:  cfg.Mode,
		accepted: cfg.AllowUnverified || cfg.Table.Mapping.Verified,
		list:     newList(),
		left:     map[inspect.Key]string{},
	}
	s.load.every = cfg.Refresh
	return s
}

// Init asks for the first look and starts the clock.
func (s *Screen) Init() tea.Cmd { return tea.Batch(s.loadClaims(), tickClock()) }

// Close cancels every question to the server and waits until none is left.
func (s *Screen) Close() {
	s.closing.Lock()
	again := s.closed
	s.closed = true
	s.closing.Unlock()
	if again {
		return
	}
	s.cancel()
	idle := make(chan struct{})
	go func() {
		s.running.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(closeLimit):
	}
	text := s.unseen.take()
	if text == "" && s.writing != "" {
		text = "it is not known how this ended: " + strings.TrimSuffix(s.writing, " …") + "; the next start of idemtui inspect says what the audit record has"
	}
	if text != "" && s.cfg.Unseen != nil {
		s.cfg.Unseen(text)
	}
	for _, path := range s.paths {
		if s.cfg.Unseen != nil {
			s.cfg.Unseen("exported: " + path)
		}
	}
	if s.follow != nil && s.cfg.Unseen != nil {
		s.cfg.Unseen(s.follow.follow.Summary() + ", audit id " + s.follow.follow.AuditID)
	}
}

// Title is the window title.
func (s *Screen) Title() string {
	return "idemtui inspect " + text.Sanitise(s.cfg.Table.Name)
}

// Typing reports that the filter has the keyboard.
func (s *Screen) Typing() bool { return s.mode == filtering }

// SetStyles gives the screen its theme.
func (s *Screen) SetStyles(styles theme.Styles) {
	s.styles = styles
	s.relayout()
}

// Update takes one message.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	cmd := s.take(msg)
	s.relayout()
	return cmd
}

func (s *Screen) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
		return s.wantDetail()
	case tea.KeyPressMsg:
		return s.pressed(msg)
	case tea.PasteMsg:
		if s.mode == filtering {
			s.filter.insert(msg.Content)
			s.list.setFilter(s.filter.String())
			return s.wantDetail()
		}
	case tickedMsg:
		s.ticked(msg.at)
		return tickClock()
	case refreshDueMsg:
		return s.refreshDue(msg)
	case claimsLoadedMsg:
		return s.claimsLoaded(msg)
	case detailDueMsg:
		return s.detailDue(msg)
	case detailLoadedMsg:
		s.detailLoaded(msg)
	case plannedMsg:
		return s.planned(msg)
	case armedMsg:
		return s.armed(msg)
	case releaseChosenMsg:
		return s.release(msg)
	case overrideChosenMsg:
		return s.plan(msg.request)
	case releasedMsg:
		return s.released(msg)
	case healthLoadedMsg:
		s.healthLoaded(msg)
	case lookupAskedMsg:
		return s.lookUp(msg)
	case lookedUpMsg:
		return s.lookedUp(msg)
	case lookupReleaseMsg:
		return s.wantPlan(inspect.PlanRequest{Keys: msg.keys, Bulk: true})
	case exportChosenMsg:
		return s.export(msg)
	case exportedMsg:
		return s.wasExported(msg)
	case answersPastedMsg:
		return s.wantSettleBy(msg)
	case answerChosenMsg:
		return s.planSettle(msg)
	case followChosenMsg:
		return s.startFollow()
	case followRowsMsg:
		return s.followRows(msg)
	case followDueMsg:
		return s.followDue(msg)
	case followedMsg:
		return s.followed(msg)
	case undoPlannedMsg:
		return s.undoPlanned(msg)
	case undoChosenMsg:
		return s.undo(msg)
	case undoneMsg:
		return s.undone(msg)
	}
	return nil
}

// tickedMsg says what time it is.
type tickedMsg struct{ at time.Time }

func tickClock() tea.Cmd {
	return tea.Tick(time.Second, func(at time.Time) tea.Msg { return tickedMsg{at} })
}

func (s *Screen) ticked(at time.Time) {
	s.now = at
	s.list.tick(at)
	if s.toast.text != "" && at.After(s.toast.until) {
		s.toast = toast{}
	}
}

// say puts a note into the status line; complain does the same for what went
// wrong.
func (s *Screen) say(format string, args ...any) {
	s.toast = toast{text: fmt.Sprintf(format, args...), until: s.now.Add(toastFor)}
}

func (s *Screen) complain(format string, args ...any) {
	s.say(format, args...)
	s.toast.bad = true
}

// ask runs a question to the server outside of Update. Close waits for it.
func (s *Screen) ask(question func(ctx context.Context) tea.Msg) tea.Cmd {
	return s.askWith(s.ctx, question)
}

func (s *Screen) askWith(ctx context.Context, question func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !s.begin() {
			return nil
		}
		defer s.running.Done()
		return question(ctx)
	}
}

// begin counts a question that starts, unless the screen is closed.
func (s *Screen) begin() bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return false
	}
	s.running.Add(1)
	return true
}

// ShortHelp lists the keys for the footer.
func (s *Screen) ShortHelp() []key.Binding {
	k := s.keys
	switch s.mode {
	case filtering:
		return []key.Binding{keep(k.Open, "keep the filter"), keep(k.Back, "clear it")}
	case diagnosing:
		return []key.Binding{keep(k.Back, "back to the list"), pair(k.Up, k.Down, "move"), keep(k.Copy, "copy the SQL"), keep(k.CopyRow, "copy all of it"), keep(k.Refresh, "look again")}
	case remembering:
		return []key.Binding{keep(k.Back, "back to the list"), keep(k.Copy, "copy the command"), pair(k.Up, k.Down, "scroll"), keep(k.Refresh, "look again"), k.NextTab}
	case reading, plain:
		return []key.Binding{k.Back, keep(k.Down, "scroll"), k.Release, keep(k.Copy, "copy"), keep(k.CopyRow, "as JSON"), keep(k.Plain, "plain")}
	}
	if s.groups.by != "" {
		return []key.Binding{keep(k.Open, "list the group"), keep(k.Group, "next grouping"), keep(k.Back, "back to the list"), k.Incident, k.NextTab}
	}
	shown := []key.Binding{
		k.Release, k.Mark, keep(k.Filter, "filter"), keep(k.Sort, "sort"), k.Open, keep(k.Copy, "copy"), keep(k.Group, "group"), keep(k.Incident, "incident"), k.Lookup, k.Export, k.Settle, keep(k.Pause, "pause"), k.NextTab,
	}
	if s.last != nil && s.last.undoable() {
		shown = append([]key.Binding{keep(k.Undo, "undo")}, shown...)
	}
	return shown
}

// keep is a binding under another description.
func keep(b key.Binding, does string) key.Binding {
	return key.NewBinding(key.WithKeys(b.Keys()...), key.WithHelp(b.Help().Key, does))
}

// pair shows two bindings as one line of help.
func pair(a, b key.Binding, does string) key.Binding {
	return key.NewBinding(key.WithKeys(append(a.Keys(), b.Keys()...)...), key.WithHelp(a.Help().Key+" "+b.Help().Key, does))
}

// FullHelp lists the groups of keys for the help overlay.
func (s *Screen) FullHelp() []frame.KeyGroup {
	k := s.keys
	return []frame.KeyGroup{
		{Title: "act: each asks first", Keys: []key.Binding{k.Release, k.Owner, k.Dead, k.Settle, k.Mark, k.MarkAll, k.Follow, k.Undo, k.Outcome, k.Disarm}},
		{Title: "look", Keys: []key.Binding{k.Open, k.Back, k.Stuck, k.Claims, k.Retention, k.Health, k.Database, k.Tables, k.Incident, k.Lookup, k.Explain, k.Copy, k.CopyRow, k.Plain, k.Export}},
		{Title: "arrange", Keys: []key.Binding{k.Filter, k.Group, k.Fold, pair(k.Sort, k.Unsort, "sort, flip; back")}},
		{Title: "move", Keys: []key.Binding{
			pair(k.Up, k.Down, "one"), pair(k.PageUp, k.PageDown, "a page"), pair(k.First, k.Last, "first, last"), pair(k.Left, k.Right, "long values"),
		}},
		{Title: "refresh", Keys: []key.Binding{k.Pause, k.Refresh, pair(k.Faster, k.Slower, "faster, slower")}},
	}
}
