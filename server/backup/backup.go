// Package backup writes a gateway's data to one file and reads it: a tar archive that any
// tar program can read. Call [Write] or [Read].
//
//	backup.json           Manifest, first
//	gateway.sqlite        a consistent copy of the database, or
//	gateway.rows          the rows of one on PostgreSQL
//	files/ab/abcd...      every file the database names, by its SHA-256
//	master.keyset.json    only on request: with it, the backup opens every key
//	end.json              counts: an archive without it was cut short
//
// A backup appears under its name only when it is complete: Write creates it under another
// name, syncs it, reads it again to check every hash, and then renames it.
package backup

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"tcode/server/platform/durable"
)

// Format is the version of the layout above.
const Format = 1

// formatRows is the version of a backup with rows of PostgreSQL.
const formatRows = 2

// Names of the entries in the archive.
const (
	manifestName = "backup.json"
	databaseName = "gateway.sqlite"
	rowsName     = "gateway.rows"
	keysetName   = "master.keyset.json"
	filesPrefix  = "files/"
	endName      = "end.json"
)

// The reasons why a backup cannot be written or read.
var (
	// ErrExists means that a file of that name already exists.
	ErrExists = errors.New("a file of that name already exists")
	// ErrUnreadable means that the file does not exist or cannot be read.
	ErrUnreadable = errors.New("read backup")
	// ErrDamaged means that the file is no backup, is incomplete, or holds other bytes than
	// Write wrote.
	ErrDamaged = errors.New("not a whole backup")
)

// A Manifest describes the gateway and the time of a backup.
type Manifest struct {
	Format         int       `json:"format"`
	CreatedAt      time.Time `json:"createdAt"`      // of the copy of the database
	TrustVersion   uint64    `json:"trustVersion"`   // last published version at that time
	RootPrint      string    `json:"root"`           // fingerprint of the trust root
	DatabaseSHA256 string    `json:"databaseSha256"` // hex
	DatabaseBytes  int64     `json:"databaseBytes"`
	Keyset         bool      `json:"keyset"`             // the master keyset is inside
	Postgres       bool      `json:"postgres,omitempty"` // the database is the rows of one on PostgreSQL
}

// Database returns the name of the database's entry.
func (m Manifest) Database() string {
	if m.Postgres {
		return rowsName
	}
	return databaseName
}

// An End counts the contents of a backup.
type End struct {
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`             // of those files
	Missing []string `json:"missing,omitempty"` // named by the database, but missing or damaged
}

// A File is a file that the database names.
type File struct {
	SHA256 string // hex
	Size   int64
}

// Blobs returns files by their SHA-256, after a check. Package blob implements it.
type Blobs interface {
	Get(ctx context.Context, sha256 string) ([]byte, error)
}

// A Source is the content of a backup.
type Source struct {
	Manifest        // without the fields that the copy of the database has
	Database string // path of the copy
	Work     string // folder of the unfinished backup, on the disk of the finished one; "": that one's folder
	// EachFile calls each once for every file that the copy names; there may be millions.
	// FileBytes is their total length.
	EachFile  func(ctx context.Context, each func(File) error) error
	FileBytes int64
	Blobs     Blobs
	Keyset    []byte // nil: left out
}

// Progress is called now and then with the number of bytes done, of how many.
type Progress func(done, total int64)

// Write writes a backup to path. It replaces an older one if replace is set, else it
// returns [ErrExists]. It continues if files are missing: the result names them, and the
// caller reports them.
func Write(ctx context.Context, path string, s Source, replace bool, p Progress) (m Manifest, e End, err error) {
	if _, err := os.Lstat(path); err == nil && !replace {
		return m, e, fmt.Errorf("%s: %w", path, ErrExists)
	}
	// Each name is unique: the remains of a killed backup stop no other backup.
	f, err := os.CreateTemp(cmp.Or(s.Work, filepath.Dir(path)), filepath.Base(path)+".*.part") // mode 0600
	if err != nil {
		return m, e, fmt.Errorf("write backup: %w", err)
	}
	part := f.Name()
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write backup: %w", err), os.Remove(part))
		}
	}()
	m, e, err = write(ctx, f, s, p)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return m, e, err
	}
	if _, _, err := Read(ctx, part, "", nil); err != nil {
		return m, e, fmt.Errorf("read it back: %w", err)
	}
	if err := os.Rename(part, path); err != nil {
		return m, e, err
	}
	return m, e, durable.SyncDir(filepath.Dir(path))
}

func write(ctx context.Context, f io.Writer, s Source, p Progress) (m Manifest, e End, err error) {
	m = s.Manifest
	m.Format, m.Keyset = Format, s.Keyset != nil
	if m.Postgres {
		m.Format = formatRows
	}
	if m.DatabaseSHA256, m.DatabaseBytes, err = hashFile(s.Database); err != nil {
		return m, e, err
	}
	w := &writer{tar: tar.NewWriter(f), at: m.CreatedAt, progress: p, total: m.DatabaseBytes + s.FileBytes}
	if err := w.json(manifestName, m); err != nil {
		return m, e, err
	}
	if err := w.database(m.Database(), s.Database, m.DatabaseBytes); err != nil {
		return m, e, err
	}
	err = s.EachFile(ctx, func(file File) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := s.Blobs.Get(ctx, file.SHA256)
		if err != nil {
			e.Missing = append(e.Missing, file.SHA256)
			return nil
		}
		e.Files++
		e.Bytes += int64(len(data))
		return w.bytes(filesPrefix+file.SHA256[:2]+"/"+file.SHA256, data)
	})
	if err != nil {
		return m, e, err
	}
	if s.Keyset != nil {
		if err := w.bytes(keysetName, s.Keyset); err != nil {
			return m, e, err
		}
	}
	if err := w.json(endName, e); err != nil {
		return m, e, err
	}
	return m, e, w.tar.Close()
}

// writer writes entries and reports progress.
type writer struct {
	tar         *tar.Writer
	at          time.Time
	progress    Progress
	done, total int64
}

func (w *writer) header(name string, size int64) error {
	return w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: w.at.Truncate(time.Second), Format: tar.FormatPAX})
}

func (w *writer) bytes(name string, data []byte) error {
	if err := w.header(name, int64(len(data))); err != nil {
		return err
	}
	_, err := w.tar.Write(data)
	w.step(int64(len(data)))
	return err
}

func (w *writer) json(name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return w.bytes(name, append(raw, '\n'))
}

func (w *writer) database(name, path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := w.header(name, size); err != nil {
		return err
	}
	_, err = io.Copy(w.tar, f)
	w.step(size)
	return err
}

func (w *writer) step(n int64) {
	w.done += n
	if w.progress != nil {
		w.progress(min(w.done, w.total), w.total)
	}
}

func hashFile(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}
