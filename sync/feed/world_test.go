//go:build !js

package feed_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/cache"
	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
	"tcode/sync/feed"
	"tcode/sync/transport/nethttp"
)

// A server serves one set as a gateway does; hook, if not nil, is called first
// and reports whether it has answered.
type server struct {
	*trusttest.Authority
	url     string
	set     trust.Update
	objects map[string][]byte
	asked   []string
	hook    func(w http.ResponseWriter, name string) bool
}

func serve(t *testing.T, a *trusttest.Authority) *server {
	t.Helper()
	s := &server{Authority: a}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	s.publish(10, 0)
	return s
}

func (s *server) publish(version uint64, hours int) {
	s.set = s.Authority.Set(version, hours)
	s.objects = map[string][]byte{}
	put := func(hash digest.SHA256, data []byte) { s.objects[hash.String()] = data }
	put(trust.RefTo(0, s.set.Bundle).SHA256, s.set.Bundle)
	put(trust.RefTo(0, s.set.Status).SHA256, s.set.Status)
	for _, shard := range s.Shards {
		put(shard.Hash(), shard.Deflate())
	}
	all := make([]*statuslist.Shard, len(s.Shards))
	for number, shard := range s.Shards {
		all[number] = shard
	}
	for number, pack := range s.set.Packs {
		put(sha256.Sum256(pack), pack)
		from := int(number) * trust.PackShards
		name := fmt.Sprintf("packs/%x", sha256.Sum256(pack))
		s.objects[name] = statuslist.DeflateAll(all[from:min(from+trust.PackShards, len(all))])
	}
	delta := s.Delta.Bytes()
	put(sha256.Sum256(delta), delta)
	if s.List != nil {
		put(s.List.Hash(), s.List.Bytes())
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, feed.Path)
	if !ok || r.Method != http.MethodGet {
		http.Error(w, "not here", http.StatusTeapot)
		return
	}
	s.asked = append(s.asked, name)
	if s.hook != nil && s.hook(w, name) {
		return
	}
	var root int
	if n, _ := fmt.Sscanf(name, "root/%d", &root); n == 1 && root >= 1 && root <= len(s.Roots) {
		w.Write(s.Roots[root-1])
		return
	}
	if name == "timestamp" {
		w.Write(s.set.Timestamp)
		return
	}
	if data, ok := s.objects[name]; ok {
		w.Write(data)
		return
	}
	http.NotFound(w, r)
}

// packName returns the address of the first pack.
func (s *server) packName() string { return fmt.Sprintf("%x", sha256.Sum256(s.set.Packs[0])) }

type device struct {
	*feed.Feed
	book *trustbook.Book
	path string // of SQLite
}

// newDevice returns a device that is not enrolled, with its trust state in SQLite.
func newDevice(t *testing.T, gateway string) device {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trust.db")
	c, err := cache.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return over(t, gateway, c.Book, path)
}

// onJournal is newDevice with the trust state in a journal, as in a browser.
func onJournal(t *testing.T, gateway string) device {
	t.Helper()
	var disk journal.Disk
	c, err := trustjournal.Open(t.Context(), func(context.Context) (journal.Journal, error) { return disk.Open() }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return over(t, gateway, c.Book, "")
}

func over(t *testing.T, gateway string, book *trustbook.Book, path string) device {
	t.Helper()
	t.Cleanup(func() { book.Close() })
	start, runs := time.Now(), time.Duration(0)
	now := func() time.Time { runs++; return start.Add(runs * time.Second) } // runs may end in the same millisecond
	f, err := feed.New(feed.Config{Book: book, Transport: nethttp.New(nil), Gateway: gateway, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return device{f, book, path}
}

// enrolled returns a device that has pinned s and holds its first set.
func enrolled(t *testing.T, s *server) device {
	t.Helper()
	return enrol(t, s, newDevice(t, s.url))
}

func enrol(t *testing.T, s *server, d device) device {
	t.Helper()
	if _, err := d.Enrol(t.Context(), &s.Fingerprint); err != nil {
		t.Fatal(err)
	}
	s.asked = nil
	return d
}

func (d device) state(t *testing.T) *trust.State {
	t.Helper()
	s, err := d.book.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.State()
}
