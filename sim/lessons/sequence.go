package lessons

// Sequence is a small run that the timeline of one payment cannot carry, such
// as of two messages about one row, or of a call that goes through two hops. It
// is told instant by instant, in lanes of its own.
type Sequence struct {
	Title    string
	Lanes    []string
	Instants []Instant // in the order of their times
}

// Instant is what happens at one time.
type Instant struct {
	At    int64  // in nanoseconds since the beginning
	Marks []Mark // one for each lane
	Told  string // what happens, in a sentence or two
	Lines []Line // what is executed or sent, and what comes of it
}

// Mark is what is new in a lane. The zero Mark is nothing new: what the lane
// said before still holds.
type Mark struct {
	Text  string
	Note  string // what came of it
	Wrong bool   // it went wrong here
}

// Line is a statement or a call, and its result.
type Line struct{ Who, Code, Result string }
