package store_test

import (
	"errors"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"tcode/server/store"
)

// A turns counts round trips between a program and PostgreSQL: requests that follow an answer.
type turns struct {
	answered atomic.Bool // the server spoke last
	n        atomic.Int64
}

// through returns the address of a socket between the program and the server at address, a URL with a socket's folder.
func (k *turns) through(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	server, dir := q.Get("host"), t.TempDir()
	const name = ".s.PGSQL.5432"
	l, err := net.Listen("unix", filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", filepath.Join(server, name))
			if err != nil {
				t.Error(errors.Join(err, from.Close()))
				return
			}
			go k.copy(to, from, false)
			go k.copy(from, to, true)
		}
	}()
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	return u.String()
}

// copy passes on what one side says.
func (k *turns) copy(to, from net.Conn, server bool) {
	defer to.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if server {
			k.answered.Store(true)
		} else if n > 0 && k.answered.Swap(false) {
			k.n.Add(1)
		}
		if _, werr := to.Write(b[:n]); werr != nil || errors.Is(err, io.EOF) || err != nil {
			return
		}
	}
}

// TestRoundTrips: a stamp is stored in seven round trips to PostgreSQL.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	p := newInserter(t, "0", nil, 8)
	var k turns
	db, err := store.OpenRewriting(t.Context(), k.through(t, p.address), func(query string) string { return query })
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p.db = db
	for range 5 { // the statements are prepared
		if err := p.insert(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var each []int64
	for range 21 {
		before := k.n.Load()
		if err := p.insert(t.Context()); err != nil {
			t.Fatal(err)
		}
		each = append(each, k.n.Load()-before)
	}
	// The server may answer the first part of a long request before the rest comes, so some have more.
	slices.Sort(each)
	if got := each[len(each)/2]; got != 7 {
		t.Errorf("%d round trips for a stamp, want 7: %d", got, each)
	}
}
