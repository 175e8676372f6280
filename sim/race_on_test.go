//go:build race

package sim

// raceDetector says that the race detector slows the tests down tenfold.
const raceDetector = true
