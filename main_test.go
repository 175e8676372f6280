package main

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"

	"idemtui/inspect/servertest"
)

func TestMain(m *testing.M) {
	testscript.Main(withServers{m}, map[string]func(){"idemtui": main})
}

// withServers stops the servers of the scripts after the last one.
type withServers struct{ m *testing.M }

func (w withServers) Run() int { return servertest.Run(w.m) }

// TestScripts runs the contract of the command line that needs no server.
func TestScripts(t *testing.T) {
	testscript.Run(t, scripts(filepath.Join("testdata", "script", "*.txtar"), nil))
}

// TestScriptsOnPostgres runs the scripts that need a server, each with a
// database of its own.
func TestScriptsOnPostgres(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "postgres", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, scripts(file, servertest.Postgres(t)))
		})
	}
}

// scripts are the parameters of the script files that match a pattern.
func scripts(pattern string, db *servertest.DB) testscript.Params {
	files, _ := filepath.Glob(pattern) // the patterns are written here and well formed
	return testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// The race detector sleeps for a second at the end of each process.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("TERM", "xterm-256color")
			if db != nil {
				return describe(env, db)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			// role NAME GRANT... makes a login role; $NAME_DSN connects as it.
			"role": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Setenv(strings.ToUpper(args[0])+"_DSN", db.Role(args[0], args[1:]...).DSN)
			},
			// state KEY STATE compares what the recommended table holds.
			"state": func(ts *testscript.TestScript, neg bool, args []string) {
				stored := db.Text("SELECT state FROM processed_messages WHERE message_id = $1", args[0])
				if (stored == args[1]) == neg {
					ts.Fatalf("%s is %s", args[0], stored)
				}
			},
			"auditid": func(ts *testscript.TestScript, _ bool, _ []string) { keepField(ts, "audit_id", "AUDIT") },
			"planid":  func(ts *testscript.TestScript, _ bool, _ []string) { keepField(ts, "id", "PLAN") },
			// session OWNER connects under the owner's name until the test ends.
			"session": func(ts *testscript.TestScript, _ bool, args []string) {
				_, err := db.Conn().Exec(context.Background(), "SELECT set_config('application_name', $1, false)", args[0])
				ts.Check(err)
			},
			// sql FILE runs statements as the superuser.
			"sql": func(ts *testscript.TestScript, _ bool, args []string) {
				db.Exec(ts.ReadFile(args[0]))
			},
		},
	}
}

// waiting starts a command that waits for a server which never answers, with a
// password on its command line.
func waiting(t *testing.T) (command *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	command = exec.Command("idemtui", "inspect", "list", "--dsn", "postgres://me:hunter2@"+listener.Addr().String()+"/x?sslmode=disable")
	command.Stdout, command.Stderr = stdout, stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it has ended already, as a rule
		_ = command.Wait()
	})
	connection, err := listener.Accept() // by now the command line was read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return command, stdout, stderr
}

func TestPasswordLeavesTheProcessList(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("arguments are blanked on Linux only")
	}
	command, _, _ := waiting(t)
	line, err := os.ReadFile("/proc/" + strconv.Itoa(command.Process.Pid) + "/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(line, []byte("hunter2")) || !bytes.Contains(line, []byte("://me:*******@")) {
		t.Errorf("the process list shows %q", line)
	}
}

func TestSignalsInterruptWith130(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		command, stdout, stderr := waiting(t)
		if err := command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait()
		if code := command.ProcessState.ExitCode(); code != 130 || stdout.String() != "" || stderr.String() != "idemtui: interrupted\n" {
			t.Errorf("%v: exit %d, %q, %q", signal, code, stdout, stderr)
		}
	}
}

// keepField puts the first string field of that name in the JSON on standard
// output into an environment variable.
func keepField(ts *testscript.TestScript, field, variable string) {
	found := regexp.MustCompile(`"` + field + `": "([^"]+)"`).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("standard output has no field %s", field)
	}
	ts.Setenv(variable, found[1])
}

// describe tells a script where its database is.
func describe(env *testscript.Env, db *servertest.DB) error {
	dsn, err := url.Parse(db.DSN())
	if err != nil {
		return err
	}
	password, _ := dsn.User.Password()
	env.Setenv("DSN", db.DSN())
	env.Setenv("HOST", db.Host())
	env.Setenv("PORT", strconv.Itoa(db.Port()))
	env.Setenv("DBNAME", db.Name())
	env.Setenv("PASSWORD", password)
	dsn.Path = "/nowhere"
	env.Setenv("UNKNOWN_DSN", dsn.String())
	return nil
}

// exits CODE COMMAND... runs a command and wants its exit code, and what holds
// for every command: no control character in the output; for a failure one
// line on standard error and nothing on standard output; no password. CODE
// with a + is a failure beside data.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	digits, besideData := strings.CutSuffix(args[0], "+")
	want, err := strconv.Atoi(digits)
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	stdout, stderr := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
	for _, r := range stdout + stderr {
		if r != '\n' && !unicode.IsPrint(r) {
			ts.Fatalf("the output holds the control character %q", r)
		}
	}
	if failed := want == 1 || want == 2; failed && !besideData {
		if stdout != "" {
			ts.Fatalf("failed, and yet printed on standard output")
		}
		if strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "idemtui: ") {
			ts.Fatalf("a failure is one line, idemtui: what failed; what to do next")
		}
	}
	if strings.Contains(stdout+stderr, "hunter2") {
		ts.Fatalf("the output holds a password")
	}
}

// house is every non-test Go file of the module, by package folder ("." is the
// top level).
type house map[string][]sourceFile

type sourceFile struct {
	name   string // slash-separated, from the top level
	lines  int
	syntax *ast.File
	set    *token.FileSet
}

func readHouse(t *testing.T) house {
	t.Helper()
	packages := house{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, content, parser.ParseComments)
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(name)
		packages[path.Dir(slash)] = append(packages[path.Dir(slash)],
			sourceFile{name: slash, lines: bytes.Count(content, []byte("\n")), syntax: syntax, set: set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// imports of a folder's files: the packages of the module as folders, and the
// others as they are written.
func (h house) imports(folder string) (own, foreign []string) {
	for _, file := range h[folder] {
		for _, spec := range file.syntax.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if inside, isOwn := strings.CutPrefix(name, "idemtui/"); isOwn {
				own = append(own, inside)
			} else {
				foreign = append(foreign, name)
			}
		}
	}
	return own, foreign
}

// reach follows the imports of a folder through the module's own packages and
// returns, for each package found, the folder that imports it.
func (h house) reach(folder string) map[string]string {
	found := map[string]string{}
	seen := map[string]bool{folder: true}
	for queue := []string{folder}; len(queue) > 0; queue = queue[1:] {
		own, foreign := h.imports(queue[0])
		for _, name := range foreign {
			found[name] = queue[0]
		}
		for _, next := range own {
			found["idemtui/"+next] = queue[0]
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return found
}

// pure are the packages that know no screen, no clock and no outside world.
var pure = []string{"sim", "sim/explore", "inspect", "retention"}

// impure says what is wrong with a pure package importing name; "" is fine.
func impure(name string) string {
	switch {
	case name == "idemtui/ui" || strings.HasPrefix(name, "idemtui/ui/"):
		return "a screen"
	case strings.HasPrefix(name, "charm.land/") || strings.HasPrefix(name, "github.com/charmbracelet/"):
		return "a Charm module"
	case name == "os" || strings.HasPrefix(name, "os/") || name == "io/ioutil" || name == "syscall":
		return "the operating system"
	case name == "net" || strings.HasPrefix(name, "net/http"):
		return "the network"
	case name == "database/sql" || strings.HasPrefix(name, "database/sql/"):
		return "a database"
	case strings.HasPrefix(name, "github.com/jackc/") || strings.HasPrefix(name, "github.com/go-sql-driver/") || strings.HasPrefix(name, "modernc.org/sqlite"):
		return "a driver"
	}
	return ""
}

func TestHouse_PurePackagesImportNothingOutside(t *testing.T) {
	packages := readHouse(t)
	for _, folder := range pure {
		for name, by := range packages.reach(folder) {
			if why := impure(name); why != "" {
				t.Errorf("%s reaches %s (%s), imported by %s", folder, name, why, by)
			}
		}
	}
}

// clockCalls are the functions of package time that read or wait for a clock.
var clockCalls = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

func TestHouse_PurePackagesReadNoClock(t *testing.T) {
	packages := readHouse(t)
	for _, folder := range pure {
		for _, file := range packages[folder] {
			ast.Inspect(file.syntax, func(node ast.Node) bool {
				selector, ok := node.(*ast.SelectorExpr)
				if !ok || !slices.Contains(clockCalls, selector.Sel.Name) {
					return true
				}
				if name, ok := selector.X.(*ast.Ident); ok && name.Name == "time" {
					t.Errorf("%s reads the clock: time.%s", file.set.Position(node.Pos()), selector.Sel.Name)
				}
				return true
			})
		}
	}
}

func TestHouse_TheSimulatorHasNoFloatingPoint(t *testing.T) {
	packages := readHouse(t)
	for _, file := range packages["sim"] {
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			name, isName := node.(*ast.Ident)
			literal, isLiteral := node.(*ast.BasicLit)
			if isName && strings.HasPrefix(name.Name, "float") || isLiteral && literal.Kind == token.FLOAT {
				t.Errorf("%s: floating point differs between processors", file.set.Position(node.Pos()))
			}
			return true
		})
	}
}

func TestHouse_NamesAndDirections(t *testing.T) {
	packages := readHouse(t)
	for folder := range packages {
		own, _ := packages.imports(folder)
		top, _, _ := strings.Cut(folder, "/")
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "manager"}, path.Base(folder)) {
			t.Errorf("%s: the name says nothing", folder)
		}
		for _, name := range own {
			switch {
			case name == "ui" && folder != "ui/cli":
				t.Errorf("%s imports the root of ui: only ui/cli may", folder)
			case (name == "ui" || strings.HasPrefix(name, "ui/")) && slices.Contains([]string{"sim", "inspect", "retention"}, top):
				t.Errorf("%s imports %s: nothing below %s may know a screen", folder, name, top)
			}
		}
	}
}

// sqlStatement finds a statement in a string; prose says "select from" in
// lower case.
var sqlStatement = regexp.MustCompile(`\b(SELECT\s[\s\S]*\sFROM|UPDATE\s+\S+\s+SET|DELETE\s+FROM|INSERT\s+INTO|CREATE\s+(TABLE|INDEX))\b`)

func TestHouse_TheScreensHoldNoSQL(t *testing.T) {
	packages := readHouse(t)
	for folder, files := range packages {
		if folder != "ui" && !strings.HasPrefix(folder, "ui/") {
			continue
		}
		for name := range packages.reach(folder) {
			if strings.HasPrefix(name, "database/sql") || strings.HasPrefix(name, "github.com/jackc/") {
				t.Errorf("%s reaches %s: screens get a Store from main", folder, name)
			}
		}
		for _, file := range files {
			ast.Inspect(file.syntax, func(node ast.Node) bool {
				if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING && sqlStatement.MatchString(literal.Value) {
					t.Errorf("%s: SQL belongs to a Store", file.set.Position(node.Pos()))
				}
				return true
			})
		}
	}
}

// The limits keep a reader's head free; main.go only wires.
const (
	maxFileLines     = 500
	maxMainLines     = 200
	maxFunctionLines = 80
)

func TestHouse_FilesAndFunctionsAreShort(t *testing.T) {
	for _, files := range readHouse(t) {
		for _, file := range files {
			limit := maxFileLines
			if file.name == "main.go" {
				limit = maxMainLines
			}
			if file.lines > limit {
				t.Errorf("%s has %d lines, more than %d", file.name, file.lines, limit)
			}
			for _, declaration := range file.syntax.Decls {
				function, ok := declaration.(*ast.FuncDecl)
				if !ok {
					continue
				}
				lines := file.set.Position(function.End()).Line - file.set.Position(function.Pos()).Line + 1
				if lines > maxFunctionLines {
					t.Errorf("%s: %s has %d lines, more than %d", file.set.Position(function.Pos()), function.Name.Name, lines, maxFunctionLines)
				}
			}
		}
	}
}

// agreedNames are the names of the top level; dot-files are free.
var agreedNames = []string{
	"go.mod", "go.sum", "main.go", "main_test.go", "ui", "sim", "inspect", "retention", "README.md", "LICENSE", "Makefile", "testdata",
}

func TestHouse_TheTopLevelHasOnlyTheAgreedNames(t *testing.T) {
	tracked, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Skip("not a git checkout, so what belongs to the tree is not known")
	}
	for name := range strings.FieldsSeq(string(tracked)) {
		top, _, _ := strings.Cut(name, "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(agreedNames, top) {
			t.Errorf("%s: the top level has %q, which is not agreed", name, top)
		}
	}
}

func TestHouse_TheReadmeNamesEachDirectDependency(t *testing.T) {
	content, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	module, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, required := range module.Require {
		if !required.Indirect && !bytes.Contains(readme, []byte("`"+required.Mod.Path+"`")) {
			t.Errorf("README.md gives no reason for %s", required.Mod.Path)
		}
	}
}

func TestHouse_NoCharmModuleOfVersion1(t *testing.T) {
	packages := readHouse(t)
	for folder := range packages {
		_, foreign := packages.imports(folder)
		for _, name := range foreign {
			switch strings.TrimPrefix(name, "github.com/charmbracelet/") {
			case "bubbletea", "lipgloss", "bubbles", "glamour", "huh":
				t.Errorf("%s imports %s, which is version 1", folder, name)
			}
		}
	}
}
