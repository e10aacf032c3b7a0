package cache

import (
	"context"

	"tcode/offline/trustbook"
)

// StoreOf returns the store below c.
func StoreOf(c *Cache) trustbook.Store { return c.store }

// Tamper changes the file without the cache.
func Tamper(ctx context.Context, c *Cache, query string) error {
	_, err := c.store.db.Writer().ExecContext(ctx, query)
	return err
}
