package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/litedb"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// Repaired reports that Open found the trust store damaged: it returns the name of
// the file that Open set aside in the same folder, and the reason. Open keeps the
// roots, gateway and remembered revocations that it could read; the device must fetch
// or import the documents again. Both results are empty if the store was intact.
func (c *Cache) Repaired() (aside, reason string) { return c.aside, c.reason }

// Open opens the trust store at path and creates it if it does not exist. It sets
// a damaged one aside ([Cache.Repaired]). Other errors are those of [litedb.Open].
func Open(ctx context.Context, path string) (*Cache, error) {
	c, err := openIntact(ctx, path)
	if err == nil || !damaged(err) {
		return c, err
	}
	reason := err.Error()
	file, err1 := os.ReadFile(path)
	log, err2 := os.ReadFile(path + "-wal")
	if errors.Is(err2, fs.ErrNotExist) {
		err2 = nil
	}
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("trust cache: %w", err)
	}
	aside := strings.TrimSuffix(path, ".db") + ".damaged-" + time.Now().UTC().Format("20060102T150405.000Z") + ".db"
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("trust cache: set aside: %w", err)
		}
	}
	if c, err = openIntact(ctx, path); err != nil {
		return nil, err
	}
	c.aside, c.reason = filepath.Base(aside), reason
	if err := c.restore(ctx, carve(file, log)); err != nil {
		return nil, errors.Join(fmt.Errorf("trust cache: %w", err), c.Close())
	}
	return c, nil
}

// openIntact opens the file, reads the state in it and verifies it.
func openIntact(ctx context.Context, path string) (*Cache, error) {
	c, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	return intact(ctx, c)
}

func intact(ctx context.Context, c *Cache) (*Cache, error) {
	s, err := c.Snapshot(ctx)
	if err == nil {
		_, err = s.Remembered(digest.SHA256{})
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func damaged(err error) bool {
	return litedb.IsDamaged(err) || litedb.IsInconsistent(err) || errors.Is(err, litedb.ErrForeign) || errors.Is(err, trustbook.ErrState)
}

// carve returns the content of the pages of a damaged store.
func carve(file, log []byte) trustbook.Salvaged {
	x := trustbook.Salvaged{Roots: map[int][]byte{}}
	remembered := map[digest.SHA256]bool{}
	litedb.Carve(file, log, func(r litedb.Row) {
		if len(r.Values) != 2 {
			return
		}
		raw, isBlob := r.Values[1].([]byte)
		core, isCore := r.Values[0].([]byte)
		text, isText := r.Values[1].(string)
		switch {
		case r.Values[0] == nil && isBlob:
			if _, _, err := trust.ReadRoot(raw); err == nil || r.ID > 1 {
				x.Roots[int(r.ID)] = raw
			}
		case isCore && len(core) == 32:
			remembered[digest.SHA256(core)] = true
		case isText && r.Values[0] == "gateway":
			if u, err := url.Parse(text); err == nil && u.Host != "" {
				x.Gateway = text
			}
		}
	})
	x.Remembered = slices.Collect(maps.Keys(remembered))
	return x
}

// restore keeps what is safe of the store that was set aside.
func (c *Cache) restore(ctx context.Context, x trustbook.Salvaged) error {
	return c.Restore(ctx, x, fmt.Sprintf("the trust documents were damaged and are kept as %s: refresh or import them", c.aside))
}
