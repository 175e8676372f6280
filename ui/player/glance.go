package player

// glance is how the viewer looks at a run, apart from the place in it: two equal
// glances at one place are one picture. The zero value shows everything that
// there is, and nothing stands out.
type glance struct {
	zoom      zoom
	peek      int64 // how far the page lies before the cursor's, while the viewer looks back
	following bool
	followed  int32  // the payment, while following
	lane      int    // the picked lane, from 1 at the top; 0: none
	filter    string // of the event log
	filtering bool   // the filter is being typed
	statement bool   // the step's SQL is shown
	rivals    int    // so many other handlers are shown beneath the first
	picked    int    // of the handlers that are compared, the one whose key for the next handler turns; 0 the first
	arrived   int    // grows with every run of a rival
	veiled    bool   // what went wrong later than the cursor ever was is not told
	reached   int    // the farthest event that the cursor has passed in this run
}
