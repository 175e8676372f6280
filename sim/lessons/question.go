package lessons

import (
	"idemtui/sim"
)

// Question is the prediction that a viewer makes before the answer shows. That
// it is asked once, and not again on the way back, is the screen's to remember.
type Question struct {
	Before   int          // the page that shows the answer: the question comes first
	Scenario sim.Scenario // the run that answers it
	Text     string
	Choices  []Choice
	measure  Column
	because  string // why it is so, with {words} of the result
}

// Choice is one possible answer: a range of numbers, both ends included.
type Choice struct {
	Text      string
	Low, High int64
}

// exactly is the choice of one number.
func exactly(text string, n int64) Choice { return Choice{text, n, n} }

// Answer is what the run says: the number, and which choice it lies in. ok is
// false where it lies in none, as it may on a run that was changed.
func (q Question) Answer(r sim.Result) (choice int, number int64, ok bool) {
	number = q.measure.Of(r)
	for i, c := range q.Choices {
		if number >= c.Low && number <= c.High {
			return i, number, true
		}
	}
	return 0, number, false
}

// Explain answers whoever chose, and says why. A choice below 0 is none: the
// question was skipped.
func (q Question) Explain(r sim.Result, chosen int) string {
	right, number, ok := q.Answer(r)
	look := resultWords(r)
	if !ok {
		return "In the run as you have changed it the number is " + count(number) + "."
	}
	answer := fill(q.Choices[right].Text, look)
	switch {
	case chosen < 0:
		answer = "It is: " + answer + ". "
	case chosen == right:
		answer = "Right: " + answer + ". "
	default:
		answer = "Not quite. It is: " + answer + ". "
	}
	return answer + fill(q.because, look)
}
