package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tcode/server/backup"
)

// blobs is a store of files in memory.
type blobs map[string][]byte

func (b blobs) Get(_ context.Context, name string) ([]byte, error) {
	data, ok := b[name]
	if !ok {
		return nil, os.ErrNotExist
	}
	return data, nil
}

func (b blobs) put(data string) backup.File {
	sum := sha256.Sum256([]byte(data))
	name := hex.EncodeToString(sum[:])
	b[name] = []byte(data)
	return backup.File{SHA256: name, Size: int64(len(data))}
}

// source returns a small backup's content.
func source(t *testing.T) (backup.Source, blobs) {
	t.Helper()
	b := blobs{}
	database := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(database, bytes.Repeat([]byte("rows"), 4000), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []backup.File{b.put("one"), b.put("two"), b.put("")}
	return backup.Source{
		Manifest: backup.Manifest{CreatedAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), TrustVersion: 7},
		Database: database, FileBytes: 6, Blobs: b, Keyset: []byte("keyset"),
		EachFile: func(_ context.Context, each func(backup.File) error) error {
			for _, f := range files {
				if err := each(f); err != nil {
					return err
				}
			}
			return nil
		},
	}, b
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	s, b := source(t)
	path := filepath.Join(t.TempDir(), "b.tar")
	var done, total int64
	m, e, err := backup.Write(t.Context(), path, s, false, func(d, n int64) { done, total = d, n })
	if err != nil || m.TrustVersion != 7 || !m.Keyset || e.Files != 3 || len(e.Missing) != 0 {
		t.Fatalf("Write = %+v, %+v, %v", m, e, err)
	}
	if done != total || total == 0 {
		t.Errorf("progress ends at %d of %d", done, total)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	dir := t.TempDir()
	if m2, e2, err := backup.Read(t.Context(), path, dir, nil); err != nil || m2 != m || e2.Files != e.Files {
		t.Fatalf("Read = %+v, %+v, %v", m2, e2, err)
	}
	want, err := os.ReadFile(s.Database)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "gateway.sqlite")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("database: %d bytes, %v", len(got), err)
	}
	for name, data := range b {
		if got, err := os.ReadFile(filepath.Join(dir, "files", name[:2], name)); err != nil || !bytes.Equal(got, data) {
			t.Errorf("file %s: %q, %v", name, got, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "master.keyset.json")); err != nil || string(got) != "keyset" {
		t.Errorf("keyset %q, %v", got, err)
	}
	if _, _, err := backup.Write(t.Context(), path, s, false, nil); !errors.Is(err, backup.ErrExists) {
		t.Errorf("over an existing file: %v, want ErrExists", err)
	}
	if _, _, err := backup.Write(t.Context(), path, s, true, nil); err != nil {
		t.Errorf("replace: %v", err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// TestMissingFile: the backup names a missing file and includes the rest.
func TestMissingFile(t *testing.T) {
	t.Parallel()
	s, b := source(t)
	gone := b.put("two").SHA256
	delete(b, gone)
	path := filepath.Join(t.TempDir(), "b.tar")
	_, e, err := backup.Write(t.Context(), path, s, false, nil)
	if err != nil || e.Files != 2 || len(e.Missing) != 1 || e.Missing[0] != gone {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestDamage: Read finds any changed or missing byte of content, and refuses a part of a
// backup.
func TestDamage(t *testing.T) {
	t.Parallel()
	s, _ := source(t)
	s.Keyset = nil
	path := filepath.Join(t.TempDir(), "b.tar")
	if _, _, err := backup.Write(t.Context(), path, s, false, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "d.tar")
	read := func(raw []byte) error {
		t.Helper()
		if err := os.WriteFile(damaged, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := backup.Read(t.Context(), damaged, "", nil)
		return err
	}
	end := bytes.LastIndex(whole, []byte("}\n"))
	for n := 0; n < end; n += 97 {
		if err := read(whole[:n]); !errors.Is(err, backup.ErrDamaged) {
			t.Fatalf("cut to %d bytes: %v, want ErrDamaged", n, err)
		}
	}
	for _, word := range []string{"rowsrows", "two"} {
		raw := bytes.Clone(whole)
		raw[bytes.LastIndex(raw, []byte(word))] ^= 1
		if err := read(raw); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("a bit of %q flipped: %v, want ErrDamaged", word, err)
		}
	}
	if err := read([]byte("no archive at all")); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("text: %v", err)
	}
}
