package retention

// Code names a warning; scripts may match it.
type Code string

// The codes of the warnings that the model itself raises. Those that follow
// from one broker's settings are named beside that broker's formula.
const (
	CodeMustBeStrictlyLonger   Code = "must-be-strictly-longer"
	CodeOffsetsExpire          Code = "offsets-expire"
	CodeDowntimeExceedsLife    Code = "downtime-exceeds-retention"
	CodeHopExpiresBeforeDelay  Code = "retry-hop-expires-before-delay"
	CodeHopShorterThanDowntime Code = "retry-hop-shorter-than-downtime"
	CodeDelayExceedsPoll       Code = "delay-exceeds-poll-interval"
	CodeRedriveResetsClock     Code = "redrive-resets-clock"
	CodePurgeAheadOfPolicy     Code = "purge-ahead-of-policy"
	CodePurgeStalled           Code = "purge-stalled"
	CodeNotYetProven           Code = "not-yet-proven"
	CodePurgeByEventTime       Code = "purge-by-event-time"
	CodeEvictionPossible       Code = "eviction-possible"
)

// Warning is something that the reader should know beside the verdict.
type Warning struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}
