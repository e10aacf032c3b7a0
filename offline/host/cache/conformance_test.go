package cache_test

import (
	"path/filepath"
	"testing"

	"tcode/offline/host/cache"
	"tcode/offline/trustbook"
	"tcode/offline/trustbook/booktest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	booktest.Run(t, func(t *testing.T) booktest.Place {
		path := filepath.Join(t.TempDir(), "trust.db")
		return booktest.Place{Shared: true, Open: func(tb testing.TB) trustbook.Store {
			c, err := cache.Open(tb.Context(), path)
			if err != nil {
				tb.Fatal(err)
			}
			if aside, reason := c.Repaired(); aside != "" {
				tb.Errorf("set aside: %s", reason)
			}
			return cache.StoreOf(c)
		}}
	})
}
