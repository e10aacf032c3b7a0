package cache_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tcode/offline/digest"
	"tcode/offline/host/cache"
	"tcode/offline/host/litedb"
	"tcode/offline/trust/trusttest"
)

// TestRandomDamage damages a store at random. It opens every time, and holds
// either the signed state or nothing.
func TestRandomDamage(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, path := enrolled(t, a)
	core := digest.SHA256{1, 2, 3}
	if err := c.Remember(t.Context(), core); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, c).State().Save()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, repaired, enrolled := 30, 0, 0
	if s := os.Getenv("TCODE_DAMAGES"); s != "" {
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		raw := append([]byte(nil), intact...)
		switch at := r.IntN(len(raw)/4096) * 4096; r.IntN(4) {
		case 0:
			for range 1 + r.IntN(8) {
				raw[r.IntN(len(raw))] ^= 1 << r.IntN(8)
			}
		case 1:
			raw = raw[:r.IntN(len(raw))]
		case 2:
			clear(raw[at : at+4096])
		case 3:
			other := r.IntN(len(raw)/4096) * 4096
			for i := range 4096 {
				raw[at+i], raw[other+i] = raw[other+i], raw[at+i]
			}
		}
		path := filepath.Join(dir, strconv.Itoa(seed)+".db")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := cache.Open(t.Context(), path)
		if errors.Is(err, litedb.ErrNewerSchema) {
			continue // refused, with an error
		}
		if err != nil {
			t.Fatalf("damage %d: %v", seed, err)
		}
		if aside, _ := c.Repaired(); aside != "" {
			repaired++
		}
		if s := snapshot(t, c).State(); s != nil {
			enrolled++
			got := s.Save()
			if !bytes.Equal(got.Roots[0], want.Roots[0]) || got.Bundle != nil && !bytes.Equal(got.Bundle, want.Bundle) {
				t.Errorf("damage %d: another state", seed)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d damages, %d repaired, still enrolled after %d", n, repaired, enrolled)
	if repaired < n/4 || enrolled < n/4 {
		t.Error("the test proves too little")
	}
}
