package explore

import (
	"encoding/csv"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"idemtui/sim"
)

// row is one line of testdata/explore.tsv: an independent enumerator and a
// model checker agree on each of them.
type row map[string]string

func (r row) number(t *testing.T, column string) int {
	t.Helper()
	n, err := strconv.Atoi(r[column])
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return n
}

func (r row) config(t *testing.T) Config {
	t.Helper()
	h, ok := sim.ByName(r["handler"])
	if !ok {
		t.Fatalf("no handler %q", r["handler"])
	}
	return Config{Handler: h, Deliveries: r.number(t, "n"), Budgets: Budgets{
		Fail: r.number(t, "fail"), Timeout: r.number(t, "timeout"), Crash: r.number(t, "crash"),
		Slow: r.number(t, "slow"), Forget: r.number(t, "forget"),
	}}
}

func (r row) name() string {
	return strings.Join([]string{r["handler"], r["n"], "fail" + r["fail"], "timeout" + r["timeout"], "crash" + r["crash"], "slow" + r["slow"], "forget" + r["forget"]}, "_")
}

func readRows(t *testing.T) []row {
	t.Helper()
	file, err := os.Open("testdata/explore.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = '\t'
	lines, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, line := range lines[1:] {
		r := row{}
		for i, cell := range line {
			r[lines[0][i]] = cell
		}
		rows = append(rows, r)
	}
	return rows
}

// numbers are the columns of explore.tsv, as text, from a result.
func numbers(r Result) row {
	length := func(p *Path) string {
		if p == nil {
			return "-"
		}
		return strconv.Itoa(p.Len())
	}
	count := func(n *big.Int) string {
		if n == nil {
			return "null"
		}
		return n.String()
	}
	depth := "null"
	if r.MaxDepth != nil {
		depth = strconv.Itoa(*r.MaxDepth)
	}
	return row{
		"states": fmt.Sprint(r.States), "edges": fmt.Sprint(r.Edges), "canon": fmt.Sprint(r.Canonical),
		"terminal": fmt.Sprint(r.Terminal), "maxdepth": depth, "interleavings": count(r.Interleavings),
		"double": count(r.Double), "triple": count(r.Triple), "lost": count(r.Lost),
		"bfs_double": length(r.ShortestDouble), "bfs_lost": length(r.ShortestLost),
	}
}

// No goroutine outlives a search.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestExploreTSV(t *testing.T) {
	for _, want := range readRows(t) {
		t.Run(want.name(), func(t *testing.T) {
			result, err := Run(t.Context(), want.config(t))
			if err != nil {
				t.Fatal(err)
			}
			for column, got := range numbers(result) {
				if got != want[column] {
					t.Errorf("%s is %s, want %s", column, got, want[column])
				}
			}
		})
	}
}
