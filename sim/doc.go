// Package sim is the model behind the explainer: handlers as data, the one
// definition of what a step does, and a deterministic simulation of many
// deliveries over virtual time. It is pure: no clock, no I/O, no screen and no
// floating point, so that the same scenario and seed give the same trace, byte
// for byte, on every machine.
package sim
