package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/litedb"
	"tcode/offline/trust"
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
	return litedb.IsDamaged(err) || litedb.IsInconsistent(err) || errors.Is(err, litedb.ErrForeign) || errors.Is(err, ErrState)
}

// carved is the content of the pages of a damaged store.
type carved struct {
	roots      map[int64][]byte
	remembered map[digest.SHA256]bool
	gateway    string
}

func carve(file, log []byte) carved {
	x := carved{roots: map[int64][]byte{}, remembered: map[digest.SHA256]bool{}}
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
				x.roots[r.ID] = raw
			}
		case isCore && len(core) == 32:
			x.remembered[digest.SHA256(core)] = true
		case isText && r.Values[0] == "gateway":
			if u, err := url.Parse(text); err == nil && u.Host != "" {
				x.gateway = text
			}
		}
	})
	return x
}

// restore pins the roots again, verifying them, and keeps the rest. If the
// roots do not verify, the device is not enrolled.
func (c *Cache) restore(ctx context.Context, x carved) error {
	var roots [][]byte
	for n := int64(1); x.roots[n] != nil; n++ {
		roots = append(roots, x.roots[n])
	}
	for ; len(roots) > 0; roots = roots[:len(roots)-1] { // the chain up to the first damaged one
		first, err := trust.Pin(roots[:min(len(roots), trust.MaxRootRun+1)], nil)
		if err != nil {
			continue
		}
		err = c.db.Write(ctx, func(tx *sql.Tx) error {
			if err := pin(ctx, tx, first, time.Now()); err != nil {
				return err
			}
			return applyRoots(ctx, tx, roots[len(first.Roots):])
		})
		if err == nil {
			break
		}
	}
	if len(roots) > 0 && x.gateway != "" {
		if err := c.SetGateway(ctx, x.gateway); err != nil {
			return err
		}
	}
	cores := make([]digest.SHA256, 0, len(x.remembered))
	for core := range x.remembered {
		cores = append(cores, core)
	}
	if err := c.Remember(ctx, cores...); err != nil {
		return err
	}
	return c.NoteAttempt(ctx, time.Now(), fmt.Errorf("the trust documents were damaged and are kept as %s: refresh or import them", c.aside))
}
