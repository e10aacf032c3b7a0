// Package cache keeps the trust state of a device in one SQLite file. Start
// with [Open], [Cache.Pin] and [Cache.Apply]; [Cache.Snapshot] is for
// verifying.
//
//	feed, import file ──trust.Update──▶ Apply ──┐ one write transaction:
//	                                            │   read state ─▶ trust.State.Apply ─▶ write state
//	                                            ▼
//	                                       SQLite file ──Snapshot──▶ offline.Verifier
//	                                            ▲
//	         revoked once, revoked permanently ─Remember
//
// The rules are those of [trust.State.Apply]. They run inside the write
// transaction, on the state that this transaction has read, so two processes
// cannot interleave to a lower version: set and floors change together or not
// at all. Reading checks every signature again, so it detects an edited file.
//
// FORMAT.md here describes the export file.
package cache

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/litedb"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// ApplicationID marks a trust cache in its file header: "TCTC".
const ApplicationID = 0x54435443

//go:embed migrations/*.sql
var migrations embed.FS

var (
	// ErrNotEnrolled means that no root is pinned yet.
	ErrNotEnrolled = errors.New("no trust root pinned: this device is not enrolled")
	// ErrOtherRoot means that another root is pinned already. To change it,
	// give up the trust state with [Cache.Unpin].
	ErrOtherRoot = errors.New("another trust root is pinned")
	// ErrState means that the stored state does not verify: the file was
	// damaged or edited.
	ErrState = errors.New("stored trust state does not verify")
)

// A Cache is an open trust store. It is safe for concurrent use, also by
// several processes on one file.
type Cache struct {
	db *litedb.DB

	// mu guards latest, so that a long-running scanner does not verify the same
	// stored documents for each scan.
	mu     sync.Mutex
	latest *Snapshot

	aside, reason string // see Repaired
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
	return &Cache{db: db}, nil
}

// Close closes the file. Earlier snapshots remain usable, except for remembered
// revocations.
func (c *Cache) Close() error { return c.db.Close() }

// Pin starts the trust state with s, which [trust.Pin] made of a chain of
// roots. If the same root is pinned already, Pin adds the newer roots of s; if
// another root is pinned, it returns [ErrOtherRoot].
func (c *Cache) Pin(ctx context.Context, s trust.State) error {
	if len(s.Roots) == 0 {
		return fmt.Errorf("pin: %w", trust.ErrNoRoot)
	}
	err := c.db.Write(ctx, func(tx *sql.Tx) error { return pin(ctx, tx, s, time.Now()) })
	if err != nil {
		return fmt.Errorf("pin: %w", err)
	}
	return nil
}

func pin(ctx context.Context, tx *sql.Tx, s trust.State, now time.Time) error {
	held, err := load(ctx, tx)
	if err != nil {
		return err
	}
	if held == nil {
		if err := setFact(ctx, tx, "pinned_at", now.UnixMilli()); err != nil {
			return err
		}
		return store(ctx, tx, s, trust.Changes{Roots: len(s.Roots)}, trust.Update{})
	}
	if held.Fingerprint != s.Fingerprint {
		return fmt.Errorf("%w: %s", ErrOtherRoot, held.Fingerprint)
	}
	return applyRoots(ctx, tx, s.Roots)
}

// Unpin forgets the root and everything that came with it, also remembered
// revocations: the device is as new. Call it only when a person asks for it.
func (c *Cache) Unpin(ctx context.Context) error {
	err := c.db.Write(ctx, func(tx *sql.Tx) error {
		if err := forget(ctx, tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM roots`)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM facts WHERE name <> 'generation'`)
		return errors.Join(err, bump(ctx, tx))
	})
	if err != nil {
		return fmt.Errorf("unpin: %w", err)
	}
	return nil
}

// Apply accepts u or refuses it as a whole, by the rules of [trust.State.Apply],
// and returns the errors of that. survivors are raw lists; Apply keeps those
// that the newest bundle names. On an error nothing has changed.
func (c *Cache) Apply(ctx context.Context, u trust.Update, survivors ...[]byte) (trust.Changes, error) {
	var changes trust.Changes
	err := c.db.Write(ctx, func(tx *sql.Tx) (err error) {
		changes, err = apply(ctx, tx, u, survivors)
		return err
	})
	if err != nil {
		return trust.Changes{}, fmt.Errorf("apply trust documents: %w", err)
	}
	return changes, nil
}

func apply(ctx context.Context, tx *sql.Tx, u trust.Update, survivors [][]byte) (trust.Changes, error) {
	held, err := load(ctx, tx)
	if err != nil {
		return trust.Changes{}, err
	}
	if held == nil {
		return trust.Changes{}, ErrNotEnrolled
	}
	next, changes, err := held.Apply(u)
	if err != nil {
		return trust.Changes{}, err
	}
	if changes.Any() {
		if err := store(ctx, tx, next, changes, u); err != nil {
			return trust.Changes{}, err
		}
	}
	return changes, keepSurvivors(ctx, tx, next, survivors)
}

// applyRoots follows a chain of any length, MaxRootRun roots at a time.
func applyRoots(ctx context.Context, tx *sql.Tx, roots [][]byte) error {
	for len(roots) > 0 {
		n := min(len(roots), trust.MaxRootRun)
		if _, err := apply(ctx, tx, trust.Update{Roots: roots[:n]}, nil); err != nil {
			return err
		}
		roots = roots[n:]
	}
	return nil
}

// Remember marks stamps as revoked permanently. Each core is the SHA-256 of a
// payload's core (offline.Result.CoreHash). Remember must succeed before the
// verdict is shown, so that no older trust state can turn it green later.
func (c *Cache) Remember(ctx context.Context, cores ...digest.SHA256) error {
	if len(cores) == 0 {
		return nil
	}
	err := c.db.Write(ctx, func(tx *sql.Tx) error {
		for _, core := range cores {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO remembered (core, seen_at) VALUES ($1, $2) ON CONFLICT (core) DO NOTHING`,
				core[:], time.Now().UnixMilli())
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("remember revocation: %w", err)
	}
	return nil
}

// store writes next over the state that tx has read. changes says where they differ.
func store(ctx context.Context, tx *sql.Tx, next trust.State, changes trust.Changes, u trust.Update) error {
	if changes.Reset {
		// The holder of the old online key may have invented these revocations.
		if err := forget(ctx, tx); err != nil {
			return err
		}
	}
	for i, raw := range next.Roots {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO roots (version, note) VALUES ($1, $2) ON CONFLICT (version) DO NOTHING`, i+1, raw)
		if err != nil {
			return err
		}
	}
	saved := next.Save()
	if saved.Timestamp != nil {
		for kind, raw := range map[string][]byte{"timestamp": saved.Timestamp, "bundle": saved.Bundle, "status": saved.Status} {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO documents (kind, note) VALUES ($1, $2)
				ON CONFLICT (kind) DO UPDATE SET note = excluded.note`, kind, raw)
			if err != nil {
				return err
			}
		}
		if err := setFact(ctx, tx, "floor", saved.Floor.Unix()); err != nil {
			return err
		}
	}
	if err := storeStatus(ctx, tx, changes, u); err != nil {
		return err
	}
	return bump(ctx, tx)
}

// storeStatus writes the packs and shards that an accepted update has brought.
func storeStatus(ctx context.Context, tx *sql.Tx, changes trust.Changes, u trust.Update) error {
	for _, number := range changes.Packs {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO packs (number, data) VALUES ($1, $2)
			ON CONFLICT (number) DO UPDATE SET data = excluded.data`, int(number), u.Packs[number])
		if err != nil {
			return err
		}
	}
	for _, number := range changes.Shards {
		shard, err := statuslist.Inflate(u.Shards[number])
		if err != nil {
			return err
		}
		hash := shard.Hash()
		_, err = tx.ExecContext(ctx, `
			INSERT INTO shards (number, sha256, deflated) VALUES ($1, $2, $3)
			ON CONFLICT (number) DO UPDATE SET sha256 = excluded.sha256, deflated = excluded.deflated`,
			int(number), hash[:], shard.Deflate()) // compressed again: another encoder may do worse
		if err != nil {
			return err
		}
	}
	return nil
}

// forget deletes everything that came under an online key.
func forget(ctx context.Context, tx *sql.Tx) error {
	for _, q := range []string{
		`DELETE FROM documents`, `DELETE FROM packs`, `DELETE FROM shards`, `DELETE FROM survivors`, `DELETE FROM remembered`,
		`DELETE FROM facts WHERE name IN ('floor', 'ahead', 'proof')`,
	} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// keepSurvivors stores the lists that the bundle names and deletes the others.
func keepSurvivors(ctx context.Context, tx *sql.Tx, s trust.State, lists [][]byte) error {
	if s.Bundle == nil {
		return nil
	}
	named := map[string]bool{}
	for _, hash := range s.Bundle.SurvivorLists() {
		named[hash] = true
	}
	changed := false
	for _, raw := range lists {
		hash := digest.Of(raw).String()
		if !named[hash] {
			continue
		}
		if _, err := statuslist.ParseSurvivors(raw); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `
			INSERT INTO survivors (sha256, marks) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING`, hash, raw)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		changed = changed || n > 0
	}
	stored, err := survivorHashes(ctx, tx)
	if err != nil {
		return err
	}
	for _, hash := range stored {
		if named[hash] {
			continue
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM survivors WHERE sha256 = $1`, hash); err != nil {
			return err
		}
		changed = true
	}
	if changed {
		return bump(ctx, tx)
	}
	return nil
}
