package explorer

import (
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// stepWords say in plain words what a transition does; the subject, a delivery
// or none, stands before them.
var stepWords = map[sim.Label]string{
	sim.LabelCheckNew:        "asks: not processed yet",
	sim.LabelCheckSeen:       "asks: already processed",
	sim.LabelCharge:          "charges the customer",
	sim.LabelChargeFail:      "charges: refused",
	sim.LabelChargeTimeout:   "charges, the answer is lost",
	sim.LabelFenced:          "charges: token too old",
	sim.LabelRemember:        "writes: processed",
	sim.LabelClaimWon:        "claims it",
	sim.LabelClaimLost:       "finds it claimed",
	sim.LabelClaimRetry:      "claims the failed one",
	sim.LabelClaimTakeover:   "takes over the claim",
	sim.LabelClaimDone:       "finds it DONE",
	sim.LabelComplete:        "marks it DONE",
	sim.LabelCompleteStale:   "is too late to mark it",
	sim.LabelMarkFailed:      "marks it FAILED",
	sim.LabelMarkFailedStale: "is too late to mark it",
	sim.LabelRelease:         "deletes its claim",
	sim.LabelCommit:          "commits",
	sim.LabelRollback:        "rolls back",
	sim.LabelAck:             "acknowledges",
	sim.LabelCrash:           "crashes",
	sim.LabelExpire:          "lease lapses, worker gone",
	sim.LabelExpireSlow:      "lease lapses, worker slow",
	sim.LabelForget:          "the table forgets it",
}

// said is a step in plain words, given the states before and after it.
func said(label sim.Label, before, after explore.State) string {
	again, charged := before.Cell.Charges > 0, after.Cell.Charges > before.Cell.Charges
	switch {
	case label != sim.LabelCharge && label != sim.LabelChargeTimeout, !again:
		return stepWords[label]
	case charged && label == sim.LabelChargeTimeout:
		return "charges AGAIN, answer lost"
	case charged:
		return "charges AGAIN"
	case label == sim.LabelChargeTimeout:
		return "calls, no charge, answer lost"
	}
	return "calls again, no new charge"
}

// verdict is how a cell of the matrix looks: word, glyph and style, so that no
// state is told by colour alone.
type verdict struct {
	glyph, short, long string
	style              lipgloss.Style
}

func verdictOf(v explore.Verdict, s theme.Styles) verdict {
	switch v {
	case explore.Safe:
		return verdict{"●", "safe", "safe", s.OK}
	case explore.ChargesTwice:
		return verdict{"✗", "twice", "charges twice", s.Bad}
	case explore.Loses:
		return verdict{"✗", "loses", "loses", s.Warn}
	case explore.Both:
		return verdict{"✗", "both", "twice and loses", s.Bad}
	}
	return verdict{"?", "open", "undecided", s.Muted}
}

// deliveriesText is "2 deliveries".
func deliveriesText(n int) string { return text.Plural(int64(n), "delivery", "deliveries") }

// budgetsText names the faults, or says that there is none.
func budgetsText(b explore.Budgets) string {
	if (b == explore.Budgets{}) {
		return "no faults"
	}
	return b.String()
}

// steps is "1 step", "4 steps".
func steps(n int) string { return text.Plural(int64(n), "step", "steps") }

// faultLegend explains the columns for the help overlay.
func faultLegend() []key.Binding {
	all := make([]key.Binding, 0, len(faults))
	for _, f := range faults {
		all = append(all, key.NewBinding(key.WithHelp(f.name, f.brief)))
	}
	return all
}
