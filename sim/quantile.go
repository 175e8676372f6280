package sim

// knot says that a share of all draws, in 1/65536, lies below a value.
type knot struct {
	share uint64
	value int64
}

// quantiles is a distribution as a table of knots, interpolated in integers:
// floating point differs between processors, and a trace must not.
type quantiles []knot

// at returns the value at the draw's place in the distribution.
func (q quantiles) at(draw uint64) int64 {
	share := draw >> 48
	i := 1
	for q[i].share <= share {
		i++
	}
	low, high := q[i-1], q[i]
	// The place between two knots, in 1/2^16 of a 65536th: the draw's next bits.
	part := int64((share-low.share)<<16 | draw>>32&0xFFFF)
	return low.value + (high.value-low.value)*part/int64((high.share-low.share)<<16)
}

// The latencies. Pick-up and table are in nanoseconds; a charge is in
// thousandths of the scenario's charge time, whose median is 1000. All are
// skewed to the right, as latencies are: most are near the median, a few are
// far above it, none is far below.
var (
	pickUpTime = quantiles{
		{0, 10_000},
		{16384, 40_000},
		{32768, 60_000},
		{49152, 90_000},
		{58982, 160_000},
		{64881, 600_000},
		{65536, 2_200_000},
	}
	tableTime = quantiles{
		{0, 40_000},
		{32768, 80_000},
		{58982, 140_000},
		{64881, 300_000},
		{65536, 800_000},
	}
	ackTime = quantiles{
		{0, 20_000},
		{32768, 30_000},
		{65536, 60_000},
	}
	chargeTime = quantiles{
		{0, 750},
		{16384, 900},
		{32768, 1000},
		{49152, 1150},
		{58982, 1400},
		{62259, 1650},
		{64881, 2200},
		{65536, 4000},
	}
)
