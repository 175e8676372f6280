package keys

// Player keys work on the simulator's screen.
type Player struct{}

func defaultPlayer() Player { return Player{} }
