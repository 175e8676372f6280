package keys

// Triage keys work on the inspector's screen.
type Triage struct{}

func defaultTriage() Triage { return Triage{} }
