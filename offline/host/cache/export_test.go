package cache

import "context"

// Tamper changes the file without the cache.
func Tamper(ctx context.Context, c *Cache, query string) error {
	_, err := c.store.db.Writer().ExecContext(ctx, query)
	return err
}
