package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// cutter passes bytes between clients and a server. Once armed it lets the
// next request through and cuts the connection instead of passing the answer.
type cutter struct {
	listener net.Listener
	server   string
	armed    atomic.Bool
	deaf     atomic.Bool // what comes from the server goes nowhere
	all      sync.WaitGroup
}

func newCutter(t *testing.T, db *servertest.DB) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: listener, server: fmt.Sprintf("%s:%d", db.Host(), db.Port())}
	c.all.Go(c.accept)
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		c.all.Wait()
	})
	return c
}

func (c *cutter) accept() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.server)
		if err != nil {
			_ = client.Close() // the client sees the refusal
			continue
		}
		var cut atomic.Bool
		c.all.Go(func() {
			c.forward(client, server, &cut)
		})
		c.all.Go(func() {
			buffer := make([]byte, 64<<10)
			for {
				n, err := server.Read(buffer)
				if err != nil || cut.Load() {
					break
				}
				if c.deaf.Load() {
					continue
				}
				if _, err := client.Write(buffer[:n]); err != nil {
					break
				}
			}
			_, _ = client.Close(), server.Close() // whichever end is still open
		})
	}
}

// forward passes requests on.
func (c *cutter) forward(client io.Reader, server net.Conn, cut *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			break
		}
		if c.armed.CompareAndSwap(true, false) {
			cut.Store(true)
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			break
		}
	}
	_ = server.Close() // ends the other direction too
}

func (c *cutter) dsn(db *servertest.DB) string {
	return strings.Replace(db.DSN(), fmt.Sprintf(":%d", db.Port()), fmt.Sprintf(":%d", c.listener.Addr().(*net.TCPAddr).Port), 1)
}

func TestACommitWhoseAnswerIsLostIsFoundByReadingAgain(t *testing.T) {
	for _, mode := range []inspect.ReleaseMode{inspect.ReleaseFail, inspect.ReleaseDelete} {
		t.Run(string(mode), func(t *testing.T) {
			db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
			c := newCutter(t, db)
			s := open(t, c.dsn(db))
			table := resolve(t, s, inspect.Target{})
			p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k"), Mode: mode})
			a := &memoryAuditor{onIntent: func() { c.armed.Store(true) }}
			r, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: a})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "released", names(r.Released), []string{"k"})
			if db.Int("SELECT count(*) FROM processed_messages WHERE state = 'PROCESSING'") != 0 {
				t.Error("the row is still claimed: the commit did not get through, and the test says nothing")
			}
			if len(a.outcomes) != 1 || a.outcomes[0].Status != inspect.OutcomeCommitted || !strings.Contains(a.outcomes[0].Error, "lost during the commit") {
				t.Errorf("outcome %+v", a.outcomes)
			}
		})
	}
}

func TestANetworkCutBetweenTwoLooksIsHealed(t *testing.T) {
	db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	c := newCutter(t, db)
	s := open(t, c.dsn(db))
	table := resolve(t, s, inspect.Target{})
	c.armed.Store(true)
	// The look that is cut fails with one line, or was tried again; the next works.
	if _, err := s.Snapshot(t.Context(), table, inspect.Query{}); err != nil {
		wantFault(t, err, inspect.FaultGone)
	}
	equal(t, "list", keysOf(snapshot(t, s, table, inspect.Query{}).Claims), []string{"k"})
}

// A network that swallows everything says nothing of it: no error comes by itself.
func TestANetworkThatFallsSilentIsNoticedAndHealed(t *testing.T) {
	db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	c := newCutter(t, db)
	s := open(t, c.dsn(db), Options{ConnectTimeout: time.Second})
	s.silence = 500 * time.Millisecond
	table := resolve(t, s, inspect.Target{})
	c.deaf.Store(true)
	start := time.Now()
	_, err := s.Snapshot(t.Context(), table, inspect.Query{})
	if took := time.Since(start); err == nil || took > 10*time.Second {
		t.Errorf("after %s: %v", took, err)
	}
	if text := fmt.Sprint(err); !strings.Contains(text, "no answer") || strings.Contains(text, "\n") {
		t.Errorf("error: %s", text)
	}
	c.deaf.Store(false)
	equal(t, "list", keysOf(snapshot(t, s, table, inspect.Query{}).Claims), []string{"k"})
}

// Silence of ours is none of the server's: whoever takes a list may rest.
func TestOnlyAnAnswerThatDoesNotComeIsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		l := &listener{Conn: ours, limit: time.Minute}
		go func() {
			time.Sleep(time.Hour + 59*time.Second)
			_, _ = theirs.Write([]byte("x")) // read below
		}()
		time.Sleep(time.Hour)
		if n, err := l.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("%d bytes (%v)", n, err)
		}
		asked := time.Now()
		if _, err := l.Read(make([]byte, 1)); !errors.Is(err, context.DeadlineExceeded) || time.Since(asked) != time.Minute {
			t.Errorf("after %s: %v", time.Since(asked), err)
		}
		if err := theirs.Close(); err != nil {
			t.Error(err)
		}
	})
}
