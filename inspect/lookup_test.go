package inspect

import "testing"

func TestReadKeysToleratesWhatPeoplePaste(t *testing.T) {
	for name, text := range map[string]string{
		"a key a line": "a\r\nb\r\n\r\n  c \n a\n",
		"csv":          "a,1,x\r\nb,2,y\n\n\"c\",3,\"z, z\"\na,4,w",
		"old mac":      "a\rb\r\rc\ra",
	} {
		l := ReadKeys(text, textColumns(1))
		var got []string
		for _, k := range l.Keys {
			got = append(got, k.String())
		}
		if len(got) != 3 || got[0] != "a" || got[1] != "b" || got[2] != "c" || l.Repeats != 1 || l.Blank != 1 || len(l.Bad) != 0 {
			t.Errorf("%s: %q, %d repeats, %d blank, bad %v", name, got, l.Repeats, l.Blank, l.Bad)
		}
	}
	if l := ReadKeys("a,b\nc\n", textColumns(1)); len(l.Keys) != 2 || l.Keys[0].String() != "a,b" {
		t.Errorf("a comma in a key: %v", l.Keys)
	}
	if l := ReadKeys("hex:00\n1/2", textColumns(1)); len(l.Bad) != 1 || l.Bad[0].Line != 1 || len(l.Keys) != 1 {
		t.Errorf("bad keys: %+v", l)
	}
	if l := ReadKeys("", textColumns(1)); len(l.Keys)+l.Blank != 0 {
		t.Errorf("nothing: %+v", l)
	}
}

func TestEachKeyHasOneClass(t *testing.T) {
	for _, c := range []struct {
		claim Claim
		want  Class
	}{
		{Claim{State: StateDone}, ClassDone},
		{Claim{State: StateFailed}, ClassFailed},
		{Claim{State: StateFree}, ClassFree},
		{Claim{State: StateUnmapped}, ClassUnmapped},
		{Claim{State: StateProcessing, Condition: ConditionStuck, Verdict: VerdictAlive}, ClassAlive},
		{Claim{State: StateProcessing, Condition: ConditionHeld, Verdict: VerdictCannotTell}, ClassHeld},
		{Claim{State: StateProcessing, Condition: ConditionStuck, Verdict: VerdictLikelyDead}, ClassStuck},
		{Claim{State: StateProcessing, Condition: ConditionNoLease}, ClassUnclear},
	} {
		if got := ClassOf(c.claim); got != c.want {
			t.Errorf("%+v is %s, want %s", c.claim, got, c.want)
		}
	}
}

func TestSummaryOfOneKey(t *testing.T) {
	l := Lookup{Keys: []LookedUp{{Class: ClassStuck}}}
	if got := l.Summary(); got != "1 key: 1 stuck" {
		t.Errorf("summary %q", got)
	}
}
