package retention

import "fmt"

// Term is one summand of a horizon.
type Term struct {
	Name       string   `json:"name"` // source-life, replay-reach, hold, retry-chain, downtime or margin
	Seconds    *Millis  `json:"seconds"`
	Unbounded  bool     `json:"unbounded"`
	Source     string   `json:"source"`
	Arithmetic string   `json:"arithmetic"`
	Caveats    []string `json:"caveats,omitempty"`
}

// The names of the terms.
const (
	TermSourceLife  = "source-life"
	TermReplayReach = "replay-reach"
	TermHold        = "hold"
	TermRetryChain  = "retry-chain"
	TermDowntime    = "downtime"
	TermMargin      = "margin"
)

// What Report.Missing can name: the two flags that were not given, or that the
// store promises to keep no row at all.
const (
	MissingDowntime  = "max-downtime"
	MissingRetention = "dedup-retention"
	MissingGuarantee = "guarantee-of-the-store"
)

// horizon is what one path asks for.
type horizon struct {
	path      Path
	unbounded bool
	why       string // for an unbounded one: what never ends, and what would bound it
	required  Millis // the rule: the sum of everything, rounded up to a second
	reachable Millis // the tight bound, rounded up to a second
	terms     []Term
	warnings  []Warning
}

// sums collects the lengths of a path while its terms are written.
type sums struct {
	life, hold, downtime Millis
	chain                chain
	unbounded            bool
}

// newHorizon applies the model to one path.
func newHorizon(p Path, m Margin) (horizon, error) {
	h := horizon{path: p}
	c, err := newChain(p.Retries)
	if err != nil {
		return horizon{}, err
	}
	s := sums{chain: c, downtime: p.Downtime.Length}
	h.path.Replay = h.replay()
	if err := h.addLife(&s); err != nil {
		return horizon{}, err
	}
	if err := h.addHold(&s); err != nil {
		return horizon{}, err
	}
	h.addChain(&s)
	if h.path.Replay == ReplayFull {
		h.addTerm(TermDowntime, s.downtime, p.Downtime.Source, s.downtime.Seconds())
	}
	h.warnHops(s)
	h.unbounded = s.unbounded
	if h.unbounded {
		return h, nil
	}
	return h, h.total(s, m)
}

// replay is how far back the path is really read: a group whose offsets were
// forgotten while it was down starts from the beginning.
func (h *horizon) replay() Replay {
	p := h.path
	o := p.Offsets
	if o == nil || !p.Downtime.Known || p.Downtime.Length < o.Retention {
		return p.Replay
	}
	if !o.Earliest {
		h.warn(CodeOffsetsExpire, "offsets are forgotten after %s and the consumer can be down %s: it then starts at the latest message, and what came between is lost", o.Retention, p.Downtime.Length)
		return p.Replay
	}
	if p.Replay == ReplayFull {
		return p.Replay
	}
	h.warn(CodeOffsetsExpire, "offsets are forgotten after %s and the consumer can be down %s: it then starts at the earliest message, and the whole log comes again", o.Retention, p.Downtime.Length)
	return ReplayFull
}

// addLife writes the term that says how old a message can be when it is handed
// out again.
func (h *horizon) addLife(s *sums) error {
	p := h.path
	total, arithmetic, unbounded, err := p.lifeSum()
	if err != nil {
		return err
	}
	h.warnings = append(h.warnings, p.Life.Warnings...)
	guaranteed := p.Life.Guaranteed
	if guaranteed == nil && !unbounded {
		guaranteed = &total
	}
	if guaranteed != nil && p.Downtime.Length > *guaranteed {
		h.warn(CodeDowntimeExceedsLife, "the consumer can be down %s and the source keeps a message %s: unread messages are lost", p.Downtime.Length, *guaranteed)
	}
	if p.Redrives.Count > 0 || p.Redrives.Unlimited {
		h.warn(CodeRedriveResetsClock, "a redrive puts the message back with a new clock: each adds a whole cycle of %s", p.Redrives.Cycle)
	}
	if h.path.Replay == ReplayFull {
		s.life = total
		term := Term{Name: TermSourceLife, Source: p.Life.Source, Arithmetic: arithmetic, Caveats: p.Life.Caveats}
		if unbounded {
			s.unbounded, term.Unbounded = true, true
			term.Arithmetic = "unbounded"
			h.why = "the source keeps its messages without a limit of time"
			if p.Redrives.Unlimited {
				h.why = "redrives without a limit put a message back again and again"
			}
			h.addCure()
		} else {
			term.Seconds = &total
		}
		h.terms = append(h.terms, term)
		return nil
	}
	reach, err := addMillis(p.Reach.Length, p.Downtime.Length)
	if err != nil {
		return err
	}
	s.life = reach
	life := "unbounded"
	if !unbounded {
		s.life, life = min(reach, total), total.Seconds()
	}
	what := "what was not committed comes back"
	if p.Replay == ReplayWindow {
		what = "operators go back so far before a crash"
	}
	h.terms = append(h.terms, Term{
		Name: TermReplayReach, Seconds: &s.life, Source: p.Reach.Source,
		Arithmetic: fmt.Sprintf("min(%s, %s + %s) = %s", life, p.Reach.Length.Seconds(), p.Downtime.Length.Seconds(), s.life.Seconds()),
		Caveats:    append([]string{"the lesser of the source's life and reach + downtime: " + what}, p.Life.Caveats...),
	})
	return nil
}

// addCure says what would bound the source.
func (h *horizon) addCure() {
	if h.path.Life.Cure != "" && !h.path.Redrives.Unlimited {
		h.why += "; " + h.path.Life.Cure
	}
}

// addHold writes the term for what is delivered and not yet checked: each
// attempt can hold the message that long.
func (h *horizon) addHold(s *sums) error {
	hold := h.path.Hold
	total, err := timesMillis(hold.Length, s.chain.hops+1)
	if err != nil {
		return err
	}
	s.hold = total
	arithmetic := hold.Length.Seconds()
	if s.chain.hops > 0 {
		arithmetic = fmt.Sprintf("%d x %s = %s", s.chain.hops+1, hold.Length.Seconds(), total.Seconds())
	}
	h.addTerm(TermHold, total, hold.Source, arithmetic)
	return nil
}

// addChain writes the term for the retries that copy the message elsewhere.
func (h *horizon) addChain(s *sums) {
	if s.chain.unbounded {
		s.unbounded = true
		h.terms = append(h.terms, Term{Name: TermRetryChain, Unbounded: true, Source: "retry policy", Arithmetic: s.chain.arithmetic})
		if h.why == "" {
			h.why = "a retry policy without a limit of attempts copies a message for ever; attempts=N would bound it"
		}
		return
	}
	source, arithmetic := "retry policy", s.chain.arithmetic
	if len(h.path.Retries) == 0 {
		source = "no retry chain given"
	}
	switch {
	case arithmetic == "":
		arithmetic = "0"
	case arithmetic != s.chain.total.Seconds():
		arithmetic += " = " + s.chain.total.Seconds()
	}
	h.addTerm(TermRetryChain, s.chain.total, source, arithmetic)
}

// total sums the terms and adds the margin.
func (h *horizon) total(s sums, m Margin) error {
	full := h.path.Replay == ReplayFull
	sum, err := addMillis(s.life, s.hold, s.chain.total)
	if err == nil && full {
		sum, err = addMillis(sum, s.downtime)
	}
	if err != nil {
		return err
	}
	margin, arithmetic, err := m.of(sum)
	if err != nil {
		return err
	}
	h.addTerm(TermMargin, margin, "flag --margin", arithmetic)
	if h.required, err = addMillis(sum, margin); err != nil {
		return err
	}
	if h.required, err = h.required.upToSecond(); err != nil {
		return err
	}
	h.reachable = sum
	if full && s.chain.hops == 0 {
		// Without a copy the record cannot outlive its own log: the
		// downtime lies inside the source's life.
		h.reachable = sum - s.downtime
	}
	h.reachable, err = h.reachable.upToSecond()
	return err
}

// of is the margin on top of a sum, rounded up to a millisecond.
func (m Margin) of(sum Millis) (Millis, string, error) {
	if m.Millionths == 0 {
		return m.Length, m.Length.Seconds(), nil
	}
	whole, err := timesMillis(sum/million, m.Millionths)
	if err != nil {
		return 0, "", err
	}
	rest := (sum%million)*Millis(m.Millionths) + million - 1
	total, err := addMillis(whole, rest/million)
	percent := formatMillionths(m.Millionths * 100)
	return total, fmt.Sprintf("%s%% of %s = %s", percent, sum.Seconds(), total.Seconds()), err
}

// addTerm adds a bounded term.
func (h *horizon) addTerm(name string, length Millis, source, arithmetic string) {
	h.terms = append(h.terms, Term{Name: name, Seconds: &length, Source: source, Arithmetic: arithmetic})
}

func (h *horizon) warn(code Code, format string, args ...any) {
	h.warnings = append(h.warnings, Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// warnHops compares each retry policy's waits with what keeps the message
// meanwhile.
func (h *horizon) warnHops(s sums) {
	for _, r := range h.path.Retries {
		waits, err := r.waits()
		if err != nil || len(waits) == 0 {
			continue
		}
		longest := waits[0]
		for _, w := range waits {
			if w.worst > longest.worst {
				longest = w
			}
		}
		if kept := r.HopRetention; kept != nil {
			if *kept < longest.worst {
				h.warn(CodeHopExpiresBeforeDelay, "a retry waits up to %s and its topic keeps a message %s: it can be deleted before it is due", longest.worst, *kept)
			}
			if *kept-longest.base < s.downtime {
				h.warn(CodeHopShorterThanDowntime, "a retry topic keeps a message %s, shorter than the wait of %s and the downtime of %s: a long outage loses retries", *kept, longest.base, s.downtime)
			}
		}
		if limit := h.path.SleepLimit; limit != nil && *limit < longest.worst {
			h.warn(CodeDelayExceedsPoll, "a retry sleeps up to %s in a consumer that must poll every %s: the group rebalances for ever", longest.worst, *limit)
		}
	}
}
