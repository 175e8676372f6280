package sim

// Label names one transition: what a delivery's step did, or what the
// environment did. The strings are those of the `idemtui.explore/v1` JSON.
type Label uint8

// The labels, in the order of the JSON contract. NoLabel is the zero value: the
// transition was not enabled.
const (
	NoLabel Label = iota
	LabelCheckNew
	LabelCheckSeen
	LabelCharge
	LabelChargeFail
	LabelChargeTimeout
	LabelFenced
	LabelRemember
	LabelClaimWon
	LabelClaimLost
	LabelClaimRetry
	LabelClaimTakeover
	LabelClaimDone
	LabelComplete
	LabelCompleteStale
	LabelMarkFailed
	LabelMarkFailedStale
	LabelRelease
	LabelCommit
	LabelRollback
	LabelAck
	LabelCrash
	LabelExpire
	LabelExpireSlow
	LabelForget
	labelCount
)

var labelNames = [labelCount]string{
	"", "check-new", "check-seen", "charge", "charge-fail", "charge-timeout", "fenced", "remember",
	"claim-won", "claim-lost", "claim-retry", "claim-takeover", "claim-done",
	"complete", "complete-stale", "mark-failed", "mark-failed-stale", "release",
	"commit", "rollback", "ack", "crash", "expire", "expire-slow", "forget",
}

// String is the label's name in the JSON contract, empty for NoLabel.
func (l Label) String() string {
	if l >= labelCount {
		return ""
	}
	return labelNames[l]
}
