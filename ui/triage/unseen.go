package triage

import (
	"fmt"
	"sync"
)

// unseen keeps the outcome of a write until the screen has shown it. A write
// that is under way when the program is interrupted still ends one way or the
// other, and whoever began it must learn how.
type unseen struct {
	mu   sync.Mutex
	text string
}

// note keeps an outcome. It is called outside of Update.
func (u *unseen) note(what, id string, done int, word string, err error) {
	text := fmt.Sprintf("%s was under way when the screen closed: %s %s, audit id %s", what, claims(done), word, id)
	if err != nil {
		text += " (" + errText(err) + ")"
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.text = text
}

// seen forgets the outcome: it is on screen.
func (u *unseen) seen() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.text = ""
}

// take is what nobody has seen; "" when everything was shown.
func (u *unseen) take() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	text := u.text
	u.text = ""
	return text
}
