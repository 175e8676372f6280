package sim

// Form is how a consumer writes what a message says, where the writing itself
// is to be idempotent.
type Form uint8

// The forms.
const (
	FormSet         Form = iota // set the value, whatever it was
	FormConditional             // set it where it is what the message expects
	FormUpsert                  // insert or set, keyed by a business id
	FormIncrement               // add one to a count: not idempotent
)

var formNames = [...]string{"set a value", "conditional update", "upsert by business id", "increment"}

// String is the form in words.
func (f Form) String() string {
	if int(f) >= len(formNames) {
		return ""
	}
	return formNames[f]
}

// Update is a message that moves an order from one status to the next.
type Update struct {
	Name     string // such as m1
	From, To string
}

// Written is what an update did.
type Written struct {
	Update Update
	Rows   int    // how many rows it changed, as the database counts
	Status string // of the order, afterwards
	Count  int    // what increments have added up to
}

// ApplyUpdates applies the messages in the order in which they arrive to an
// order with the given status. A set or an upsert that comes late undoes what a
// newer message wrote; a conditional update changes no row then.
func ApplyUpdates(form Form, status string, updates []Update) []Written {
	written := make([]Written, 0, len(updates))
	count := 0
	for _, u := range updates {
		rows := 1
		switch form {
		case FormIncrement:
			count++
		case FormConditional:
			if status == u.From {
				status = u.To
			} else {
				rows = 0
			}
		default:
			status = u.To
		}
		written = append(written, Written{u, rows, status, count})
	}
	return written
}

// LateCopy is a sequence in which the copy of an older message arrives after a
// newer one: the order was packed, is shipped and delivered, and then the
// message that shipped it comes again.
func LateCopy() (status string, updates []Update) {
	shipped := Update{"m1", "PACKED", "SHIPPED"}
	return "PACKED", []Update{shipped, {"m2", "SHIPPED", "DELIVERED"}, shipped}
}

// KeyAt is what a hop does with the idempotency key of a request.
type KeyAt uint8

// What a hop can do.
const (
	KeyForwarded KeyAt = iota // it passes the key on
	KeyMade                   // it makes a key of its own with every try
	KeyDropped                // it sends none
)

var keyAtNames = [...]string{"passes the key on", "makes its own key", "sends no key"}

// String is what the hop does, in words.
func (k KeyAt) String() string {
	if int(k) >= len(keyAtNames) {
		return ""
	}
	return keyAtNames[k]
}

// ChargesThroughHops is how often a customer is charged when a request is tried
// so many times through a chain of hops to a provider that honours keys. One hop
// that does not pass the key on is enough: every try looks new behind it.
func ChargesThroughHops(tries int, hops ...KeyAt) int {
	for _, h := range hops {
		if h != KeyForwarded {
			return tries
		}
	}
	return min(tries, 1)
}
