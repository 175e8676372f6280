package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"idemtui/inspect/dsn"
	"idemtui/inspect/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

func postgres(t *testing.T) Schema {
	t.Helper()
	s, err := For(dsn.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEnginesThatAreNotReadySaySo(t *testing.T) {
	for _, engine := range []dsn.Engine{dsn.MySQL, dsn.SQLite, "oracle"} {
		_, err := For(engine)
		if !errors.Is(err, ErrNotReady) || !strings.Contains(err.Error(), string(engine)) {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

func TestFailSaysWhenNotToUseIt(t *testing.T) {
	comment := postgres(t).Statement("fail").Comment
	for _, want := range []string{"NOT when the outcome is unknown", "idempotency key"} {
		if !strings.Contains(comment, want) {
			t.Errorf("the comment above fail lacks %q", want)
		}
	}
}

func TestTextAndJSONHoldEveryPart(t *testing.T) {
	s := postgres(t)
	text := s.Text()
	content, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(content), `{"schema":"idemtui.schema/v1","engine":"postgres","table":"processed_messages",`) {
		t.Errorf("JSON begins %.120s", content)
	}
	for _, part := range append(append([]Statement{}, s.DDL...), s.Statements...) {
		if part.Comment == "" || part.SQL == "" || strings.HasPrefix(part.SQL, "--") {
			t.Errorf("%s: comment %q, SQL %.40q", part.Name, part.Comment, part.SQL)
		}
		if !strings.Contains(text, part.SQL) {
			t.Errorf("the text lacks %s", part.Name)
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimRight(line, " ") != line || len(line) > 140 {
			t.Errorf("line %d of the text: %q", i+1, line)
		}
	}
}

func TestParametersAreThePlaceholders(t *testing.T) {
	for _, statement := range postgres(t).Statements {
		for i, p := range statement.Parameters {
			if placeholder := "$" + string(rune('1'+i)) + "::" + p.Type; !strings.Contains(statement.SQL, placeholder) {
				t.Errorf("%s does not use %s", statement.Name, placeholder)
			}
		}
		if beyond := "$" + string(rune('1'+len(statement.Parameters))); strings.Contains(statement.SQL, beyond) {
			t.Errorf("%s uses %s, which is not described", statement.Name, beyond)
		}
	}
}
