package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tcode/server/backup"
	"tcode/server/platform/blob"
	"tcode/server/platform/durable"
	"tcode/server/platform/keyring"
	"tcode/server/publish"
	"tcode/server/store"
	"tcode/server/tenant"
)

// BackupOptions are the options of a backup.
type BackupOptions struct {
	Replace  bool // an older backup under that name
	Keyset   bool // include the master keyset: a person with the file then has every key
	Progress backup.Progress
}

// Backup writes the gateway's data to one file during normal operation. The copy of the database
// is of one moment; files are named by hash and never change, so they are copied after it.
func (g *Gateway) Backup(ctx context.Context, path string, o BackupOptions) (m backup.Manifest, e backup.End, err error) {
	if _, err := os.Lstat(path); err == nil && !o.Replace {
		return m, e, fmt.Errorf("%s: %w", path, backup.ErrExists)
	}
	// The copy is as secret as the database, so only its owner can read the folder.
	work, remove, err := durable.Scratch(path)
	if errors.Is(err, fs.ErrPermission) {
		return m, e, fmt.Errorf("this user may not write into the folder %s", filepath.Dir(path))
	}
	if err != nil {
		return m, e, fmt.Errorf("write backup: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	src := backup.Source{Database: filepath.Join(work, "database"), Work: work, Blobs: g.files}
	if o.Keyset {
		if src.Keyset, err = g.keyset(); err != nil {
			return m, e, err
		}
	}
	src.CreatedAt = g.c.Now().UTC()
	src.RootPrint = g.Publisher.Fingerprint().String()
	done, err := g.copyDatabase(ctx, &src)
	if err != nil {
		return m, e, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return backup.Write(ctx, path, src, o.Replace, o.Progress)
}

// copyDatabase copies the database to src.Database, with the names of its files.
func (g *Gateway) copyDatabase(ctx context.Context, src *backup.Source) (done func() error, err error) {
	named := func(of func(ctx context.Context, each func(store.NamedFile) error) error) {
		src.EachFile = func(ctx context.Context, each func(backup.File) error) error {
			return of(ctx, func(f store.NamedFile) error { return each(backup.File(f)) })
		}
	}
	if g.db.IsPostgres() {
		c, err := g.db.Dump(ctx, src.Database)
		src.Postgres, src.TrustVersion, src.FileBytes = true, c.TrustVersion, c.FileBytes
		named(c.EachFile)
		return func() error { return nil }, err
	}
	if err := g.db.Snapshot(ctx, src.Database); err != nil {
		return nil, err
	}
	// Opening the copy is part of the proof that it is good. From here on it is only read, so
	// that its bytes do not change.
	db, err := store.Open(ctx, store.Config{Path: src.Database, Readers: 1})
	if err != nil {
		return nil, fmt.Errorf("look into the copy: %w", err)
	}
	head, err := db.Head(ctx)
	if err == nil {
		src.TrustVersion = head.Version
		src.FileBytes, err = db.NamedBytes(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	named(db.NamedFiles)
	return db.Close, nil
}

// removed removes a file, which may not exist.
func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// keyset returns the master keyset's text.
func (g *Gateway) keyset() ([]byte, error) {
	if g.c.MasterKeyset != "" {
		return []byte(g.c.MasterKeyset), nil
	}
	raw, err := os.ReadFile(filepath.Join(g.c.Data, keyring.FileName))
	if err != nil {
		return nil, fmt.Errorf("master keyset: %w", err)
	}
	return raw, nil
}

// The reasons why a backup cannot be restored, other than damage.
var (
	ErrNotEmpty      = errors.New("the data folder is not empty: a backup is restored into a new one")
	ErrRestoring     = errors.New("another restore into it is under way")
	ErrFilesNotEmpty = errors.New("the store of files belongs to a gateway: a backup is restored into a new one")
	ErrWantsPostgres = errors.New("the backup is of a gateway on PostgreSQL: give a new, empty database with --database-url")
	ErrWantsSQLite   = errors.New("the backup is of a gateway on SQLite: restore it without --database-url")
	ErrNoKeyset      = errors.New("the backup holds no master keyset, and only the keyset of that time opens its keys")
)

// Restore makes c.Data, which must be missing or empty, from a backup, and, for a backup of
// a gateway on PostgreSQL, the empty database of c. With c.BlobURL the files go to that store,
// which must be empty. keyset is the master keyset if neither the backup nor c has it. The
// folder appears when it is complete and its keys open; nothing is published from it until
// [Gateway.Fsck] has repeated lost revocations and an operator has confirmed it. A killed restore leaves a folder with the
// suffix ".restoring", which the next one empties and uses, and perhaps files in the store,
// which the next one uses.
func Restore(ctx context.Context, c Config, path string, keyset []byte, p backup.Progress) (m backup.Manifest, e backup.End, err error) {
	c = c.withDefaults()
	if entries, err := os.ReadDir(c.Data); err == nil && len(entries) > 0 {
		return m, e, fmt.Errorf("%s: %w", c.Data, ErrNotEmpty)
	}
	part := filepath.Clean(c.Data) + ".restoring"
	unlock, err := beginRestore(part)
	if err != nil {
		return m, e, fmt.Errorf("restore: %s: %w", c.Data, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("restore: %w", err), os.RemoveAll(part))
		}
		err = errors.Join(err, unlock())
	}()
	if m, e, err = backup.Read(ctx, path, part, p); err != nil {
		return m, e, err
	}
	switch {
	case m.Postgres && c.DatabaseURL == "":
		return m, e, ErrWantsPostgres
	case !m.Postgres && c.DatabaseURL != "":
		return m, e, ErrWantsSQLite
	}
	if err := putKeyset(part, c.MasterKeyset, keyset); err != nil {
		return m, e, err
	}
	if err := prepare(ctx, c, part, m); err != nil {
		return m, e, err
	}
	if err := removed(c.Data); err != nil { // empty, or missing
		return m, e, err
	}
	if err := os.Rename(part, c.Data); err != nil {
		return m, e, err
	}
	return m, e, durable.SyncDir(filepath.Dir(part))
}

// beginRestore makes the folder part, empty and locked. The process with the lock owns the
// folder, including one from a killed restore.
func beginRestore(part string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(part), 0o700); err != nil {
		return nil, err
	}
	err = os.Mkdir(part, 0o700)
	left := errors.Is(err, fs.ErrExist)
	if err != nil && !left {
		return nil, err
	}
	unlock, err = durable.LockDir(part)
	switch {
	case errors.Is(err, durable.ErrLocked):
		return nil, ErrRestoring
	case errors.Is(err, errors.ErrUnsupported):
		if left {
			return nil, fmt.Errorf("%w, or one was cut short: if none is, remove %s", ErrRestoring, part)
		}
		return func() error { return nil }, nil
	case err != nil:
		return nil, err
	}
	entries, err := os.ReadDir(part)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(part, entry.Name())))
	}
	if err == nil {
		err = os.Chmod(part, 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

// putKeyset makes sure that the folder has the keyset that opens its keys.
func putKeyset(dir, env string, given []byte) error {
	path := filepath.Join(dir, keyring.FileName)
	if given != nil {
		return durable.WriteFile(path, given)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && env == "" {
		return ErrNoKeyset
	}
	return nil
}

// prepare fills the stores of c from the folder of a restore, marks the database as restored
// and proves that its keys open.
func prepare(ctx context.Context, c Config, dir string, m backup.Manifest) (err error) {
	ring, err := keyring.Open(dir, c.MasterKeyset)
	if err != nil {
		return err
	}
	files, err := restoreFiles(ctx, c, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	now := c.Now().UTC()
	audit := tenant.NewEntry(ctx, "", "database.restore", "backup", now).With("backupAt", m.CreatedAt.UTC().Format(time.RFC3339))
	of := store.Config{Path: filepath.Join(dir, store.FileName)}
	if m.Postgres {
		of = store.Config{DatabaseURL: c.DatabaseURL}
		rows := filepath.Join(dir, m.Database())
		if err := store.Load(ctx, of, rows, m.CreatedAt, now, audit); err != nil {
			return err
		}
		if err := os.Remove(rows); err != nil {
			return err
		}
	}
	db, err := store.Open(ctx, of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := publish.New(ctx, publish.Config{Store: db, Ring: ring, Now: c.Now}); err != nil {
		return err
	}
	if !m.Postgres {
		if err := db.MarkRestored(ctx, m.CreatedAt, now, audit); err != nil {
			return err
		}
	}
	g := &Gateway{c: c, db: db, files: files} // which names the new store
	g.c.AdoptFiles = true
	return g.identifyFiles(ctx)
}

// restoreFiles returns the store of a restored gateway, with the files in dir.
func restoreFiles(ctx context.Context, c Config, dir string) (*blob.Store, error) {
	files, err := blob.Open(filepath.Join(dir, "files"))
	if err != nil || c.BlobURL == "" {
		return files, err
	}
	defer files.Close() // only read from
	to, err := blob.OpenURL(ctx, c.BlobURL)
	if err != nil {
		return nil, err
	}
	if _, version, err := to.Note(ctx, storeNote); err != nil || version != "" {
		if err == nil {
			err = fmt.Errorf("%s: %w", to.Place(), ErrFilesNotEmpty)
		}
		return nil, errors.Join(err, to.Close())
	}
	for item, err := range files.All(ctx) {
		if err == nil {
			err = moveFile(ctx, files, to, item.Name)
		}
		if err != nil {
			return nil, errors.Join(err, to.Close())
		}
	}
	return to, os.RemoveAll(filepath.Join(dir, "files"))
}

// moveFile copies a file, whose bytes were checked, from a folder to another store.
func moveFile(ctx context.Context, from, to *blob.Store, name string) (err error) {
	r, err := from.Open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	_, err = to.PutFrom(ctx, r)
	return err
}
