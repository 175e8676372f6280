//go:build !race

package explore

// raceDetector says that the race detector slows the tests down tenfold.
const raceDetector = false
