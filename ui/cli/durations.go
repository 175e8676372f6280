package cli

import (
	"time"

	"github.com/spf13/pflag"

	"idemtui/retention"
)

// durationFlag is a flag that takes a duration as the whole program writes
// them: 90s, 15m, 7d, 1d12h, P7D.
type durationFlag struct{ value *time.Duration }

func (d durationFlag) Set(text string) error {
	value, err := retention.ParseDuration(text)
	if err != nil {
		return err
	}
	*d.value = value
	return nil
}

func (d durationFlag) String() string {
	if d.value == nil || *d.value == 0 {
		return ""
	}
	return retention.FormatDuration(*d.value)
}

// Type is the word that help shows for the value.
func (d durationFlag) Type() string { return "duration" }

// addDuration adds a duration flag; the variable's present value is the
// default.
func addDuration(flags *pflag.FlagSet, value *time.Duration, name, usage string) {
	flags.Var(durationFlag{value}, name, usage)
}
