// Package explore enumerates every interleaving of one to four deliveries of
// one payment under a handler and a set of fault budgets. Where a simulation
// shows that something can happen, an exhaustive search shows that it cannot.
//
// What a step does is defined in package sim alone; this package decides only
// which steps and faults are enabled, and in what order they are tried. The
// search is breadth first over packed states with full keys, so that a verdict
// is a proof and a counterexample is a shortest one. Interleavings are counted
// exactly in a second pass. The seen-set has a fixed number of shards, and what is
// found keeps the order of a search that takes one state after another: workers
// side by side change nothing but the time.
package explore
