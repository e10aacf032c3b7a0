package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tcode/offline/host/openfile"
	"tcode/server/platform/durable"
)

// Bounds of the data that is read into memory. Files have at most the size of an upload,
// or twice that with a stamp.
const (
	maxJSON   = 64 << 20 // end.json may name many missing files
	maxKeyset = 1 << 20
)

// Read reads a backup and checks every hash in it. If dir is set, it must be an empty
// folder: Read writes the database, the files and the keyset to it durably. If dir is "",
// Read discards them. The error is [ErrDamaged] unless the backup is complete; dir then
// holds a part of it.
func Read(ctx context.Context, path, dir string, p Progress) (Manifest, End, error) {
	f, err := openfile.Open(ctx, path)
	if err != nil {
		return Manifest{}, End{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Manifest{}, End{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	r := &reader{tar: tar.NewReader(f), dir: dir}
	for {
		if err := ctx.Err(); err != nil {
			return r.m, r.e, err
		}
		h, err := r.tar.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r.m, r.e, fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
		}
		if err := r.entry(h); err != nil {
			return r.m, r.e, fmt.Errorf("%s: %s: %w", path, h.Name, err)
		}
		if p != nil {
			if at, err := f.Seek(0, io.SeekCurrent); err == nil {
				p(at, info.Size())
			}
		}
	}
	if err := r.whole(); err != nil {
		return r.m, r.e, fmt.Errorf("%s: %w", path, err)
	}
	return r.m, r.e, r.sync()
}

type reader struct {
	tar *tar.Reader
	dir string

	m            Manifest
	e            End
	begun, ended bool
	database     bool
	keyset       bool
	files        int
	bytes        int64
	folders      map[string]bool
}

// entry reads one entry. The order is part of the format: an entry may only follow certain
// others.
func (r *reader) entry(h *tar.Header) error {
	name, isFile := fileName(h.Name)
	switch {
	case r.ended || h.Typeflag != tar.TypeReg || h.Size < 0:
		return ErrDamaged
	case !r.begun:
		r.begun = true
		if h.Name != manifestName {
			return ErrDamaged
		}
		if err := r.json(&r.m); err != nil {
			return err
		}
		if want := map[bool]int{false: Format, true: formatRows}[r.m.Postgres]; r.m.Format != want {
			return fmt.Errorf("%w: format %d, want %d", ErrDamaged, r.m.Format, want)
		}
		return nil
	case h.Name == r.m.Database() && !r.database:
		r.database = true
		return r.take(h.Name, r.m.DatabaseSHA256)
	case isFile && r.database && !r.keyset:
		r.files++
		r.bytes += h.Size
		return r.take(h.Name, name)
	case h.Name == keysetName && r.m.Keyset && !r.keyset && h.Size <= maxKeyset:
		r.keyset = true
		return r.take(keysetName, "")
	case h.Name == endName:
		r.ended = true
		return r.json(&r.e)
	}
	return ErrDamaged
}

// fileName returns the SHA-256 in the name of an entry for a file. No other part of an
// entry's name reaches the file system.
func fileName(entry string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(entry, filesPrefix)
	if !ok || len(rest) != 3+64 || rest[2] != '/' || rest[:2] != rest[3:5] {
		return "", false
	}
	name = rest[3:]
	return name, strings.Trim(name, "0123456789abcdef") == ""
}

func (r *reader) json(v any) error {
	raw, err := io.ReadAll(io.LimitReader(r.tar, maxJSON))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// take reads an entry's bytes, writes them to their place if there is a folder, and checks
// their hash unless want is "".
func (r *reader) take(name, want string) (err error) {
	h := sha256.New()
	to := io.Writer(h)
	if r.dir != "" {
		path := filepath.Join(r.dir, filepath.FromSlash(name))
		if err := r.folder(filepath.Dir(path)); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Sync(), f.Close()) }()
		to = io.MultiWriter(h, f)
	}
	if _, err := io.Copy(to, r.tar); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); want != "" && got != want {
		return fmt.Errorf("%w: it has other bytes than were written", ErrDamaged)
	}
	return nil
}

func (r *reader) folder(dir string) error {
	if r.folders == nil {
		r.folders = map[string]bool{}
	}
	if r.folders[dir] {
		return nil
	}
	r.folders[dir] = true
	return os.MkdirAll(dir, 0o700)
}

// whole reports missing entries at the archive's end.
func (r *reader) whole() error {
	switch {
	case !r.begun || !r.database || !r.ended:
		return fmt.Errorf("%w: it was cut short", ErrDamaged)
	case r.files != r.e.Files || r.bytes != r.e.Bytes:
		return fmt.Errorf("%w: it holds %d files, want %d", ErrDamaged, r.files, r.e.Files)
	case r.keyset != r.m.Keyset:
		return fmt.Errorf("%w: the master keyset is missing", ErrDamaged)
	}
	return nil
}

// sync makes the names of all written files survive a power cut.
func (r *reader) sync() error {
	if r.dir == "" {
		return nil
	}
	for dir := range r.folders {
		if err := durable.SyncDir(dir); err != nil {
			return err
		}
	}
	return durable.SyncDir(r.dir)
}
