// Package retention computes how long message ids must be remembered: the
// longest time after which a duplicate can still arrive (the horizon), term by
// term, and whether a dedup table keeps its rows longer than that.
//
// The package is pure: settings, policy and table facts go in, a [Report] comes
// out. It reads no clock, no broker and no database.
package retention
