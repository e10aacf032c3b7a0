// Package cache keeps the trust state of a device in one SQLite file. Start
// with [Open]; the rules and all methods are those of [trustbook.Book]:
//
//	trustbook.Book ──View, Update──▶ Cache's store ──▶ SQLite file
//
// Several processes may have one file open. A damaged or edited file is set aside,
// and the parts of it that verify alone are kept ([Cache.Repaired]).
package cache

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"tcode/offline/host/litedb"
	"tcode/offline/trustbook"
)

// ApplicationID marks a trust cache in its file header: "TCTC".
const ApplicationID = 0x54435443

//go:embed migrations/*.sql
var migrations embed.FS

// A Cache is an open trust store. It is safe for concurrent use, also by
// several processes on one file.
type Cache struct {
	*trustbook.Book
	store store

	aside, reason string // see Repaired
}

func over(db *litedb.DB) *Cache {
	s := store{db}
	return &Cache{Book: trustbook.New(s, nil), store: s}
}

// open opens the trust store at path and creates it if it does not exist.
// Errors are those of [litedb.Open].
func open(ctx context.Context, path string) (*Cache, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	db, err := litedb.Open(ctx, path, litedb.Options{
		ApplicationID: ApplicationID, Migrations: files, QuickCheck: true,
	})
	if err != nil {
		return nil, fmt.Errorf("trust cache: %w", err)
	}
	return over(db), nil
}
