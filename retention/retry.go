package retention

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// maxAttempts bounds the attempts of one retry policy; a real chain has dozens.
const maxAttempts = 10_000

// million is the denominator of the exact parts-per-million numbers.
const million = 1_000_000

// Retry is one retry policy whose hops copy the message elsewhere (a retry
// topic, a dead-letter queue with a time to live, a delayed publish), so that
// each hop starts a new clock. Retries inside the same queue are not hops: they
// lie inside the source's life.
type Retry struct {
	First      time.Duration // the wait of the first hop
	Multiplier int64         // of each next hop, in parts per million; 1000000 is fixed
	Max        time.Duration // the cap on one hop's wait; 0 for none
	Attempts   int64         // attempts with the first, so Attempts-1 hops
	Unlimited  bool          // the attempts never end
	Jitter     int64         // added at most, after the cap, in parts per million of the wait

	// HopRetention is how long the place that a hop copies to keeps the
	// message; nil where it is not known. It only raises warnings: what a
	// record waits for is the hop's delay.
	HopRetention *Millis
}

// Hops is the number of times the message is copied.
func (r Retry) Hops() int64 {
	if r.Unlimited {
		return 0
	}
	return r.Attempts - 1
}

// ParseRetry reads retry policies, several joined by a semicolon:
//
//	fixed:10m,attempts=5
//	exponential:1s,x2,max=1h,attempts=8,jitter=0.1
//
// attempts counts the first attempt too (attempts=5 is 4 hops) and may be
// unlimited. jitter is the fraction added at most. Several policies are chains
// run one after the other: their hops add up. A multiplier has at most three
// decimals, a jitter at most six.
func ParseRetry(text string) ([]Retry, error) {
	var all []Retry
	for part := range strings.SplitSeq(text, ";") {
		r, err := parseRetry(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("bad retry policy %s: %w", quoteShort(part), err)
		}
		all = append(all, r)
	}
	return all, nil
}

func parseRetry(text string) (Retry, error) {
	kind, rest, _ := strings.Cut(text, ":")
	exponential := kind == "exponential"
	if kind != "fixed" && !exponential {
		return Retry{}, errors.New("it is fixed:10m,attempts=5 or exponential:1s,x2,max=1h,attempts=8,jitter=0.1")
	}
	fields := strings.Split(rest, ",")
	first, err := ParseDuration(fields[0])
	if err != nil {
		return Retry{}, err
	}
	r := Retry{First: first, Multiplier: million}
	seen := map[string]bool{}
	for _, field := range fields[1:] {
		name, err := r.setOption(strings.TrimSpace(field), exponential)
		if err != nil {
			return Retry{}, err
		}
		if seen[name] {
			return Retry{}, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
	}
	if exponential && !seen["x"] {
		return Retry{}, errors.New("the multiplier is missing: add x2, for example")
	}
	if !seen["attempts"] {
		return Retry{}, errors.New("the attempts are missing: add attempts=5 (the first one counts) or attempts=unlimited")
	}
	return r, nil
}

// setOption sets one option of a policy and returns its name.
func (r *Retry) setOption(field string, exponential bool) (name string, err error) {
	if factor, ok := strings.CutPrefix(field, "x"); ok {
		if !exponential {
			return "", errors.New("a fixed delay has no multiplier: write it as exponential")
		}
		r.Multiplier, err = parseDecimal(factor, 3)
		if err != nil || r.Multiplier < million {
			return "", fmt.Errorf("the multiplier %q is not a number of at least 1 with at most three decimals", factor)
		}
		return "x", nil
	}
	name, value, _ := strings.Cut(field, "=")
	switch name {
	case "max":
		if !exponential {
			return "", errors.New("a fixed delay has no max: write it as exponential")
		}
		r.Max, err = ParseDuration(value)
		if err == nil && r.Max == 0 {
			err = errors.New("max must be longer than 0")
		}
	case "attempts":
		if value == "unlimited" {
			r.Unlimited = true
			return name, nil
		}
		r.Attempts, err = strconv.ParseInt(value, 10, 64)
		if err != nil || r.Attempts < 1 || r.Attempts > maxAttempts {
			err = fmt.Errorf("attempts=%s: it is a number from 1 to %d, or unlimited", value, maxAttempts)
		}
	case "jitter":
		r.Jitter, err = parseDecimal(value, 6)
		if err != nil {
			err = fmt.Errorf("jitter=%s: it is a fraction such as 0.1, with at most six decimals", value)
		}
	default:
		err = fmt.Errorf("unknown part %q: the parts are x2, max=1h, attempts=8, jitter=0.1", field)
	}
	return name, err
}

// parseDecimal reads a decimal number of at most this many decimals, up to 1000,
// in parts per million.
func parseDecimal(text string, decimals int) (int64, error) {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if hasPoint && fraction == "" || len(fraction) > decimals || len(whole) > 4 {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 63)
	if err != nil || whole == "" || n > 1000*million {
		return 0, strconv.ErrSyntax
	}
	return int64(n), nil
}

// formatMillionths writes parts per million as an exact decimal number.
func formatMillionths(n int64) string {
	text := strconv.FormatInt(n/million, 10)
	if n%million == 0 {
		return text
	}
	return text + "." + strings.TrimRight(strconv.FormatInt(n%million+million, 10)[1:], "0")
}

// wait is a run of hops that wait equally long.
type wait struct {
	base  Millis // before jitter
	worst Millis // with the largest jitter
	hops  int64
}

// waits lists the hops in order, equal ones together, each rounded up to a
// millisecond.
func (r Retry) waits() ([]wait, error) {
	hops := r.Hops()
	var all []wait
	nanos, scale := big.NewInt(int64(r.First)), big.NewInt(1)
	growing := r.Multiplier != million && r.First != 0
	for hops > 0 {
		base := ceilDiv(nanos, scale)
		if r.Max > 0 && base.Cmp(big.NewInt(int64(r.Max))) >= 0 {
			base.SetInt64(int64(r.Max))
			growing = false
		}
		w, err := r.newWait(base)
		if err != nil {
			return nil, err
		}
		w.hops = 1
		if !growing {
			w.hops = hops
		}
		hops -= w.hops
		if last := len(all) - 1; last >= 0 && all[last].base == w.base && all[last].worst == w.worst {
			all[last].hops += w.hops
		} else {
			all = append(all, w)
		}
		nanos.Mul(nanos, big.NewInt(r.Multiplier))
		scale.Mul(scale, big.NewInt(million))
	}
	return all, nil
}

// newWait rounds a wait in nanoseconds up to milliseconds, without and with its
// largest jitter.
func (r Retry) newWait(nanos *big.Int) (wait, error) {
	milli := big.NewInt(int64(time.Millisecond))
	base := ceilDiv(nanos, milli)
	jittered := new(big.Int).Mul(nanos, big.NewInt(million+r.Jitter))
	worst := ceilDiv(jittered, milli.Mul(milli, big.NewInt(million)))
	if !base.IsInt64() || !worst.IsInt64() {
		return wait{}, fmt.Errorf("a retry waits longer than can be counted: add max=1h, for example: %w", ErrTooLong)
	}
	return wait{base: Millis(base.Int64()), worst: Millis(worst.Int64())}, nil
}

func ceilDiv(a, b *big.Int) *big.Int {
	q, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// chain is all the retry policies of a source together.
type chain struct {
	hops       int64
	total      Millis
	unbounded  bool
	arithmetic string
	waits      []wait
}

// newChain sums the policies: the longest wait of each hop.
func newChain(policies []Retry) (chain, error) {
	var c chain
	var parts []string
	for _, r := range policies {
		if r.Unlimited {
			c.unbounded = true
			parts = append(parts, "unlimited attempts")
			continue
		}
		waits, err := r.waits()
		if err != nil {
			return chain{}, err
		}
		c.hops += r.Hops()
		c.waits = append(c.waits, waits...)
		text, err := c.addWaits(waits, r.Jitter)
		if err != nil {
			return chain{}, err
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	c.arithmetic = strings.Join(parts, " + ")
	return c, nil
}

// maxTermsShown is how many hops an arithmetic text writes out.
const maxTermsShown = 12

// addWaits adds the waits to the total and returns their sum as text.
func (c *chain) addWaits(waits []wait, jitter int64) (string, error) {
	var terms []string
	for _, w := range waits {
		sum, err := timesMillis(w.worst, w.hops)
		if err == nil {
			c.total, err = addMillis(c.total, sum)
		}
		if err != nil {
			return "", err
		}
		term := w.base.Seconds()
		if w.hops > 1 {
			term += " x " + strconv.FormatInt(w.hops, 10)
		}
		terms = append(terms, term)
	}
	if len(terms) > maxTermsShown {
		hidden := len(terms) - maxTermsShown
		terms = append(terms[:maxTermsShown-1], fmt.Sprintf("... (%d more)", hidden), terms[len(terms)-1])
	}
	text := strings.Join(terms, " + ")
	if jitter == 0 || text == "" {
		return text, nil
	}
	if len(terms) > 1 {
		text = "(" + text + ")"
	}
	return text + " x " + formatMillionths(million+jitter), nil
}

// SingleRetry is one retry that copies the message and waits this long.
func SingleRetry(delay time.Duration) Retry {
	return Retry{First: delay, Multiplier: million, Attempts: 2}
}
