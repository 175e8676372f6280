package sim

// concern separates the streams of random numbers. A draw is keyed by (seed,
// concern, payment, delivery ordinal), so that neither the handler nor the
// order of events can shift anybody else's numbers.
type concern uint64

const (
	concernDuplicate concern                      = iota + 1 // which payments are delivered twice
	concernFail                                              // which first deliveries the provider refuses
	concernCrash                                             // which first deliveries meet a crash
	concernTimeout                                           // which first charges lose their answer
	concernSlow                                              // which first deliveries meet a pause
	concernPickUp                                            // from the broker's hand to the first step
	concernCharge                                            // how long the provider takes
	concernCrashAt                                           // between which two steps the crash comes
	concernSlowAt                                            // between which two steps the pause comes
	concernTable                                             // how long the table takes; one stream for each step
	concernAckLost   = concernTable + ProgramSize            // which first acks do not arrive
	concernRebalance = concernAckLost + 1                    // which first deliveries meet a rebalance
	concernCount     = concernRebalance + 1
)

// golden is 2^64 divided by the golden ratio, the increment of splitmix64
// (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014).
const golden = 0x9E3779B97F4A7C15

// mix is the finaliser of splitmix64: a bijection that scatters neighbours.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// streams holds the start of each concern's stream for one seed.
type streams [concernCount]uint64

func newStreams(seed uint64) streams {
	var s streams
	for c := range s {
		s[c] = mix(mix(seed+golden) + uint64(c)*golden)
	}
	return s
}

// draw is the number of one delivery of one payment for one concern.
func (s *streams) draw(c concern, payment int64, ordinal uint32) uint64 {
	return mix(s[c] + uint64(payment)*golden + uint64(ordinal)*0xD1B54A32D192ED03)
}

// below scales a draw to 0..n-1.
func below(draw uint64, n int64) int64 {
	// The top 32 bits are enough for a choice among few, and keep the product in range.
	if n < 1<<31 {
		return int64((draw >> 32) * uint64(n) >> 32)
	}
	return int64(draw % uint64(n))
}
