// Package schema holds the table of claims we recommend and its statements:
// what idemtui inspect schema prints, and what the simulator runs for real.
//
// Every statement is one round trip, judges time by the database's clock, and
// is guarded by the state and the fencing token of the row it writes.
package schema

import (
	"embed"
	"errors"
	"fmt"
	"strings"

	"idemtui/inspect/dsn"
)

// Format is the name of the JSON form.
const Format = "idemtui.schema/v1"

// Table is the name of the recommended table.
const Table = "processed_messages"

// The answers of the claim statement.
const (
	AnswerNew      = "new"
	AnswerTakeover = "takeover"
	AnswerRetry    = "retry"
	AnswerBusy     = "busy"
	AnswerDone     = "done"
)

// ErrNotReady says that an engine has no schema yet.
var ErrNotReady = errors.New("the recommended table is not ready for this engine yet; use postgres")

// Schema is the recommended table for one engine. Its JSON is Format.
type Schema struct {
	Format     string      `json:"schema"`
	Engine     dsn.Engine  `json:"engine"`
	Table      string      `json:"table"`
	DDL        []Statement `json:"ddl"`
	Statements []Statement `json:"statements"`
}

// Statement is one part of the schema: SQL, and what to know about it.
type Statement struct {
	Name string `json:"name"`
	// Comment is plain text, with its line breaks.
	Comment    string      `json:"comment"`
	SQL        string      `json:"sql"`
	Parameters []Parameter `json:"parameters,omitempty"`
	// Returns are the columns of the result; a statement whose claim was lost
	// returns no row.
	Returns []string `json:"returns,omitempty"`
}

// Parameter is what a statement needs, in the order of its placeholders.
type Parameter struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Meaning string `json:"meaning"`
}

// The parameters that several statements share.
var (
	messageID = Parameter{"message_id", "text", "the message's id; the payment's id, if the producer's retries have new message ids"}
	token     = Parameter{"fencing_token", "bigint", "the token that the claim returned"}
	lease     = Parameter{"lease_ms", "bigint", "how long the lease runs from now, in milliseconds"}
)

// statements lists the statements' names, parameters and results; their SQL is
// the file of the same name in the engine's folder.
var statements = []Statement{
	{
		Name:       "claim",
		Parameters: []Parameter{messageID, {"owner", "text", "the worker: host, process and start, so that no two are alike"}, lease},
		Returns:    []string{"answer", "fencing_token", "lease_expires_at", "attempts", "result"},
	},
	{Name: "renew", Parameters: []Parameter{messageID, token, lease}, Returns: []string{"lease_expires_at"}},
	{
		Name:       "complete",
		Parameters: []Parameter{messageID, token, {"result", "jsonb", "what a later duplicate gets back; may be NULL"}},
		Returns:    []string{"completed_at"},
	},
	{Name: "fail", Parameters: []Parameter{messageID, token}, Returns: []string{"updated_at"}},
	{
		Name: "purge",
		Parameters: []Parameter{
			{"retention_s", "bigint", "how long ids are remembered, in seconds"},
			{"batch", "bigint", "how many rows at most; 1000 keeps the transaction short"},
		},
	},
}

// ddlNames are the parts of the table, in the order in which they are made.
var ddlNames = []string{"table", "index_processing", "index_done"}

//go:embed postgres/*.sql
var files embed.FS

// For returns the recommended table for an engine, or an error that wraps
// ErrNotReady.
func For(engine dsn.Engine) (Schema, error) {
	if engine != dsn.Postgres {
		return Schema{}, fmt.Errorf("%s: %w", engine, ErrNotReady)
	}
	s := Schema{Format: Format, Engine: engine, Table: Table}
	for _, name := range ddlNames {
		s.DDL = append(s.DDL, Statement{Name: name}.filled(engine))
	}
	for _, statement := range statements {
		s.Statements = append(s.Statements, statement.filled(engine))
	}
	return s, nil
}

// Statement returns a statement by its name: claim, renew, complete, fail or
// purge. Another name is a mistake of the program and panics.
func (s Schema) Statement(name string) Statement {
	for _, statement := range s.Statements {
		if statement.Name == name {
			return statement
		}
	}
	panic("schema: no statement " + name)
}

// CreateSQL is the whole DDL as one script.
func (s Schema) CreateSQL() string {
	var parts []string
	for _, part := range s.DDL {
		parts = append(parts, part.SQL)
	}
	return strings.Join(parts, "\n\n")
}

// filled reads the statement's file: a comment, then the SQL.
func (s Statement) filled(engine dsn.Engine) Statement {
	content, err := files.ReadFile(string(engine) + "/" + s.Name + ".sql")
	if err != nil {
		panic("schema: " + err.Error()) // the files are part of the program
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	var comment []string
	for len(lines) > 0 && strings.HasPrefix(lines[0], "--") {
		comment = append(comment, strings.TrimPrefix(strings.TrimPrefix(lines[0], "--"), " "))
		lines = lines[1:]
	}
	s.Comment = strings.Join(comment, "\n")
	s.SQL = strings.Join(lines, "\n")
	return s
}

// Text is the schema as a commented SQL script. The statements in it have
// placeholders, so it is to be read and copied from; the DDL can be run.
func (s Schema) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- The table %s for %s\n", s.Table, s.Engine)
	for _, part := range s.DDL {
		b.WriteString("\n")
		writeComment(&b, part.Comment)
		b.WriteString(part.SQL + "\n")
	}
	for _, statement := range s.Statements {
		fmt.Fprintf(&b, "\n-- %s\n--\n", strings.ToUpper(statement.Name))
		writeComment(&b, statement.Comment)
		b.WriteString("--\n")
		for i, p := range statement.Parameters {
			fmt.Fprintf(&b, "-- $%d %s %s: %s\n", i+1, p.Name, p.Type, p.Meaning)
		}
		b.WriteString(statement.SQL + "\n")
	}
	return b.String()
}

// writeComment writes plain text as lines of an SQL comment.
func writeComment(b *strings.Builder, comment string) {
	for line := range strings.SplitSeq(comment, "\n") {
		b.WriteString(strings.TrimRight("-- "+line, " ") + "\n")
	}
}
