// Package lessons teaches idempotency in seven lessons: each is a few pages of
// plain sentences tied to moments of small runs, one prediction, and a table of
// results at full size. Lessons are data; what a page says of a run is looked up
// in the run's trace, what it says of every order is counted by the explorer,
// and the right answer to a question is what the run came to. Like package sim
// it is pure and has no floating point.
package lessons
