package retention

import (
	"fmt"
	"strconv"
	"strings"
)

// Life is the longest age at which a source can still hand a message out. A
// broker's package makes it from the broker's settings; a person's flag makes
// it from one duration.
type Life struct {
	Parts     []Part // their sum is the life, unless it is unbounded
	Unbounded bool
	Cure      string // for an unbounded life: what would bound it

	Source     string // where the figures come from: a flag, a file, a live topic
	Arithmetic string // overrides the text made from the parts, where they are no plain sum
	Caveats    []string
	Warnings   []Warning

	// Assumed is a finite figure for an unbounded life, for the whole horizon,
	// and its assumption. It is shown beside the verdict and never is it.
	Assumed *Assumption
	// Guaranteed is the life that the settings promise, where that is shorter
	// than the longest: a message unread for longer may be lost. Nil: the life
	// itself.
	Guaranteed *Millis
}

// Part is one summand of a source's life, with the setting it comes from.
type Part struct {
	Name   string
	Length Millis
}

// Assumption is a finite figure that holds only if its text does.
type Assumption struct {
	Length Millis
	Text   string
}

// Replay says how far back a source is read again.
type Replay int

// The reaches of a replay.
const (
	ReplayFull      Replay = iota // anyone may seek to the start; the default for logs
	ReplayCommitted               // only work that was not committed comes back
	ReplayWindow                  // operators go back at most Reach before the crash
)

// kafkaCommitInterval is Kafka's default auto.commit.interval.ms. Other brokers
// commit each message, so that it is on the safe side.
const kafkaCommitInterval = 5 * Second

// ParseReplay reads full, committed or window:D, and gives the reach that goes
// with it.
func ParseReplay(text string) (Replay, Given, error) {
	switch text {
	case "full":
		return ReplayFull, Given{}, nil
	case "committed":
		return ReplayCommitted, Given{
			Length: kafkaCommitInterval, Known: true, Assumed: true, Source: "Kafka's default commit interval",
		}, nil
	}
	window, ok := strings.CutPrefix(text, "window:")
	if !ok {
		return 0, Given{}, fmt.Errorf("bad replay %s: it is full, committed or window:24h", quoteShort(text))
	}
	d, err := ParseDuration(window)
	if err != nil {
		return 0, Given{}, fmt.Errorf("bad replay: %w", err)
	}
	return ReplayWindow, Given{Length: MillisOf(d), Known: true, Source: "window of the replay"}, nil
}

// Given is a length that may be missing: then it counts as 0 and is named.
type Given struct {
	Length Millis
	Known  bool
	Source string // where it comes from; for an assumed value, why it is assumed
	// Assumed marks a default that nobody stated; reports name it.
	Assumed bool
}

// Redrives is how often a dead-letter queue or an archive is put back with a
// new clock. Each adds a whole cycle to the source's life.
type Redrives struct {
	Count     int64
	Unlimited bool
	Cycle     Millis
}

// Offsets is a log's memory of where a consumer group stood.
type Offsets struct {
	Retention Millis // after the group is empty
	Earliest  bool   // a group without an offset starts from the earliest message
}

// Path is one way by which a message reaches the consumer: a source with its
// replay, its retry chain and the consumer's own facts.
type Path struct {
	Name     string
	Life     Life
	Redrives Redrives
	Replay   Replay
	Reach    Given // X: the commit interval, or the window that operators go back
	Offsets  *Offsets
	Downtime Given // D: how long the consumer can be down before a replay; counted once
	Hold     Given // h: delivered but not yet checked against the table; counted per attempt
	Retries  []Retry
	// SleepLimit is the consumer's poll interval, where a retry waits by
	// sleeping in the consumer; nil otherwise.
	SleepLimit *Millis
}

// Margin is the user's safety margin: a length, or millionths of the rest.
type Margin struct {
	Length     Millis
	Millionths int64
}

// ParseMargin reads a margin: a duration, or a percentage with at most four
// decimals such as 10%.
func ParseMargin(text string) (Margin, error) {
	if n := len(text); n > 0 && text[n-1] == '%' {
		value, err := parseDecimal(text[:n-1], 4)
		if err != nil {
			return Margin{}, fmt.Errorf("bad margin %s: a percentage is a number from 0 to 1000 with at most four decimals", quoteShort(text))
		}
		return Margin{Millionths: value / 100}, nil
	}
	d, err := ParseDuration(text)
	if err != nil {
		return Margin{}, fmt.Errorf("bad margin: %w", err)
	}
	return Margin{Length: MillisOf(d)}, nil
}

// lifeSum adds the parts of a life and its redrives.
func (p Path) lifeSum() (total Millis, arithmetic string, unbounded bool, err error) {
	if p.Life.Unbounded || p.Redrives.Unlimited {
		return 0, "", true, nil
	}
	for i, part := range p.Life.Parts {
		if total, err = addMillis(total, part.Length); err != nil {
			return 0, "", false, err
		}
		if i > 0 {
			arithmetic += " + "
		}
		arithmetic += part.Length.Seconds()
	}
	summands := len(p.Life.Parts)
	if p.Life.Arithmetic != "" {
		arithmetic, summands = p.Life.Arithmetic, 1
	}
	if p.Redrives.Count > 0 {
		again, err := timesMillis(p.Redrives.Cycle, p.Redrives.Count)
		if err == nil {
			total, err = addMillis(total, again)
		}
		if err != nil {
			return 0, "", false, err
		}
		arithmetic = strconv.FormatInt(p.Redrives.Count, 10) + " x " + p.Redrives.Cycle.Seconds() + " + " + arithmetic
		summands++
	}
	if summands > 1 {
		arithmetic += " = " + total.Seconds()
	}
	return total, arithmetic, false, nil
}
