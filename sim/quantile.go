package sim

// knot says that a share of all draws, in 256ths, lies below a value.
type knot struct{ share, value int64 }

// quantiles is a distribution as the values at each 256th, between which is
// interpolated in integers: floating point differs between processors, and a
// trace must not.
type quantiles [257]int64

// newQuantiles fills in the values between the knots, which must begin at 0
// and end at 256.
func newQuantiles(knots ...knot) *quantiles {
	var q quantiles
	for i, high := range knots[1:] {
		low := knots[i]
		for share := low.share; share <= high.share; share++ {
			q[share] = low.value + (high.value-low.value)*(share-low.share)/(high.share-low.share)
		}
	}
	return &q
}

// at returns the value at the draw's place in the distribution.
func (q *quantiles) at(draw uint64) int64 {
	i := draw >> 56
	return q[i] + (q[i+1]-q[i])*int64(draw>>24&0xFFFFFFFF)>>32
}

// The latencies. Pick-up, table and ack are in nanoseconds; a charge is in
// thousandths of the scenario's charge time, whose median is 1000. All are
// skewed to the right, as latencies are: most are near the median, a few are
// far above it, none is far below.
var (
	pickUpTime = newQuantiles(
		knot{0, 10_000},
		knot{64, 40_000},
		knot{128, 60_000},
		knot{192, 90_000},
		knot{230, 160_000},
		knot{253, 550_000},
		knot{256, 1_900_000},
	)
	tableTime = newQuantiles(
		knot{0, 40_000},
		knot{128, 80_000},
		knot{230, 140_000},
		knot{253, 300_000},
		knot{256, 800_000},
	)
	ackTime = newQuantiles(
		knot{0, 20_000},
		knot{128, 30_000},
		knot{256, 60_000},
	)
	chargeTime = newQuantiles(
		knot{0, 750},
		knot{64, 900},
		knot{128, 1000},
		knot{192, 1150},
		knot{230, 1400},
		knot{243, 1650},
		knot{253, 2200},
		knot{256, 4000},
	)
)
