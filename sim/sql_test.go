package sim

import (
	"strings"
	"testing"
)

func TestEveryStepHasItsStatement(t *testing.T) {
	for _, h := range Handlers() {
		for pc := range uint8(ProgramSize) {
			s, ok := h.Statement(pc)
			if ok != (int(pc) < h.Steps) {
				t.Errorf("%s, step %d: ok is %v", h.Name, pc, ok)
			}
			if ok && (s.Text == "" || s.Note == "" || strings.ContainsAny(s.Text+s.Note, "\t\r")) {
				t.Errorf("%s, step %d: %+v", h.Name, pc, s)
			}
		}
	}
}

func TestTheStatementFollowsGuardAndKeys(t *testing.T) {
	s := DefaultScenario()
	s.Handler = HandlerKey
	for _, tt := range []struct {
		guard   Guard
		newKeys bool
		pc      uint8
		want    string
	}{
		{GuardToken, false, 2, "token = $2"},
		{GuardName, false, 2, "owner = $2"},
		{GuardName, true, 4, "owner = $2"},
		{GuardName, false, 0, "SET state = 'PROCESSING', owner = $3,"},
		{GuardToken, false, 0, "SET state = 'PROCESSING', token ="},
		{GuardToken, false, 1, "Idempotency-Key: $1"},
		{GuardToken, true, 1, "gen_random_uuid()"},
	} {
		s.Guard, s.NewKeys = tt.guard, tt.newKeys
		if got, _ := s.handler().Statement(tt.pc); !strings.Contains(got.Text, tt.want) {
			t.Errorf("guard %v, new keys %v: %q, want %q", tt.guard, tt.newKeys, got.Text, tt.want)
		}
	}
}
