package cli

import "github.com/spf13/pflag"

// laterFlag is a flag that belongs to the contract and is not built yet: it
// says so, and what does its work now, rather than being unknown or ignored.
type laterFlag struct {
	name    string
	instead string
}

func (f laterFlag) Set(string) error {
	return usageError("--"+f.name+" is not available in this version", f.instead)
}

func (f laterFlag) String() string { return "" }

// Type is the word that help would show for the value.
func (f laterFlag) Type() string { return "value" }

// addLater adds flags that are not built yet, each with what does its work now.
// They are hidden, and take a value or none.
func addLater(flags *pflag.FlagSet, later map[string]string) {
	for name, instead := range later {
		flag := flags.VarPF(laterFlag{name, instead}, name, "", "")
		flag.Hidden = true
		flag.NoOptDefVal = "true"
	}
}
