package cache_test

//race:off SQLite is Go here: the detector would watch its memory

import (
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/host/cache"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

func open(t *testing.T, path string) *cache.Cache {
	t.Helper()
	c, err := cache.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// enrolled returns a cache with a pinned root and set 10.
func enrolled(t *testing.T, a *trusttest.Authority) (*cache.Cache, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trust.db")
	c := open(t, path)
	pin(t, c, a)
	apply(t, c, a.Set(10, 0))
	return c, path
}

func pin(t *testing.T, c *cache.Cache, a *trusttest.Authority) {
	t.Helper()
	s, err := trust.Pin(a.Roots, &a.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Pin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

func apply(t *testing.T, c *cache.Cache, u trust.Update, lists ...[]byte) trust.Changes {
	t.Helper()
	changes, err := c.Apply(t.Context(), u, lists...)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func snapshot(t *testing.T, c *cache.Cache) *trustbook.Snapshot {
	t.Helper()
	s, err := c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A store that does not verify is set aside: only the parts that verify alone
// are used.
func TestEditedStoreIsSetAside(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	for name, query := range map[string]string{
		"bundle":    `UPDATE documents SET note = CAST(replace(CAST(note AS TEXT), 'Acme', 'Evil') AS BLOB) WHERE kind = 'bundle'`,
		"timestamp": `DELETE FROM documents WHERE kind = 'timestamp'`,
		"root":      `UPDATE roots SET note = CAST(replace(CAST(note AS TEXT), '2027', '2099') AS BLOB)`,
	} {
		c, path := enrolled(t, a)
		pinned := snapshot(t, c).State().Fingerprint
		if err := cache.Tamper(t.Context(), c, query); err != nil {
			t.Fatal(err)
		}
		again := open(t, path)
		if aside, reason := again.Repaired(); aside == "" || !strings.Contains(reason, trustbook.ErrState.Error()) {
			t.Errorf("%s: Repaired = %q, %q", name, aside, reason)
		}
		if s := snapshot(t, again).State(); s != nil && (s.Complete() || s.Fingerprint != pinned) {
			t.Errorf("%s: state %+v after the repair", name, s)
		}
	}
}
