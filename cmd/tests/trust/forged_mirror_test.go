package trust_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/sync/feed"
)

// whole returns the answer of packs/ for a pack: its shards as they are served
// one by one.
func (f forged) whole(number, n int) []byte {
	var all []*statuslist.Shard
	for i := range n {
		raw, ok := f.shards[uint16(number*trust.PackShards+i)]
		if !ok {
			continue
		}
		s, err := statuslist.Inflate(raw)
		if err != nil {
			return raw
		}
		all = append(all, s)
	}
	return statuslist.DeflateAll(all)
}

var deflations = map[digest.SHA256][]byte{}

// deflated returns the transit form of a shard.
func deflated(s *statuslist.Shard) []byte {
	deflationsLock.Lock()
	defer deflationsLock.Unlock()
	hash := s.Hash()
	if deflations[hash] == nil {
		deflations[hash] = s.Deflate()
	}
	return deflations[hash]
}

var deflationsLock sync.Mutex

// body returns the mirror's answer for a name below the trust store; nil: nothing.
func (f forged) body(name string) []byte {
	if n, ok := strings.CutPrefix(name, "root/"); ok {
		if v, err := strconv.Atoi(n); err == nil && v >= 1 && v <= len(f.roots) {
			return f.roots[v-1]
		}
		return nil
	}
	if name == "timestamp" {
		return f.timestamp
	}
	pack, whole := strings.CutPrefix(name, "packs/")
	what := f.names[pack]
	if n, err := strconv.Atoi(strings.TrimPrefix(what, "pack")); err == nil && strings.HasPrefix(what, "pack") {
		if whole {
			return f.wholes[n]
		}
		return f.packs[n]
	}
	switch what {
	case "bundle":
		return f.bundle
	case "status":
		return f.status
	case "delta":
		return f.delta
	default:
		n, err := strconv.Atoi(what)
		if err != nil {
			return nil
		}
		return f.shards[uint16(n)]
	}
}

// file returns the set as an export file.
func (f forged) file() []byte {
	var b bytes.Buffer
	entry := func(kind, name string, data []byte) {
		if data != nil {
			fmt.Fprintf(&b, "%s %s %d\n%s\n", kind, name, len(data), data)
		}
	}
	b.WriteString("tcode-trust-export/1\n")
	for i, raw := range f.roots {
		entry("root", strconv.Itoa(i+1), raw)
	}
	entry("timestamp", "-", f.timestamp)
	entry("bundle", "-", f.bundle)
	entry("status", "-", f.status)
	for _, number := range slices.Sorted(maps.Keys(f.wholes)) {
		entry("pack", strconv.Itoa(number), f.wholes[number])
	}
	b.WriteString("end\n")
	return b.Bytes()
}

// A forger is a mirror that serves a forged set.
type forger struct {
	url  string
	now  forged
	hook func(w http.ResponseWriter, name string) bool // answers instead of the forger
}

func newForger(t *testing.T) *forger {
	t.Helper()
	m := &forger{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, feed.Path)
		if m.hook != nil && m.hook(w, name) {
			return
		}
		if body := m.now.body(name); body != nil {
			w.Write(body)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(srv.Close)
	m.url = srv.URL
	return m
}
