package sim

import "fmt"

// direct tells what is otherwise without a broker: callers call the workers, an
// ack is the answer to the caller, and nothing comes again but by another call.
// It says nothing of what is the same.
func (v *narrator) direct() string {
	p, w := v.payment, v.worker
	switch v.event.Kind {
	case EventArrive, EventReplay:
		if v.row().Deliveries == 0 {
			return fmt.Sprintf("A caller asks for %s to be paid.", p)
		}
		return fmt.Sprintf("A caller asks for %s to be paid once more.", p)
	case EventDeliver, EventRedeliver:
		if n := v.row().Deliveries; n > 1 {
			return fmt.Sprintf("%s gets the call for %s: try number %d.", w, p, n)
		}
		return fmt.Sprintf("%s gets the call for %s.", w, p)
	case EventBusy:
		return fmt.Sprintf("%s finds %s claimed, and the claim's lease is running. It does nothing now: the caller has to ask later.", w, p)
	case EventReturn:
		return fmt.Sprintf("%s gives up and tells its caller that %s is not done.", w, p)
	case EventCrash:
		return fmt.Sprintf("%s crashes with %s in its hands. Its caller gets no answer.", w, p)
	case EventAckLost:
		return fmt.Sprintf("The answer about %s gets lost on its way. %s believes that it is done; its caller does not know.", p, w)
	case EventStart:
		if v.trace.handler.Program[v.event.PC].Kind == OpAck {
			return fmt.Sprintf("%s tells its caller that %s is done.", w, p)
		}
	case EventEffect:
		if v.event.Label == LabelAck && v.row().Charges > 0 {
			return fmt.Sprintf("The caller knows that %s is done. The ledger says %s.", p, times(v.row().Charges))
		}
		if v.event.Label == LabelAck {
			return fmt.Sprintf("The caller believes that %s is done. It was never charged.", p)
		}
	}
	return ""
}
