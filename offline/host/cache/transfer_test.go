package cache_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tcode/offline/host/cache"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

func export(t *testing.T, c *cache.Cache) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := c.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestExportImport(t *testing.T) {
	t.Parallel()
	a, b := trusttest.New(t, "a"), trusttest.New(t, "b")
	a.List = statuslist.NewSurvivors([]statuslist.Mark{{1}})
	a.Shards[0].Set(7, statuslist.Revoked)
	c, _ := enrolled(t, a)
	apply(t, c, trust.Update{}, a.List.Bytes())
	old := export(t, c)
	a.Rotate("")
	a.Shards[1] = &statuslist.Shard{}
	u := a.Set(11, 1)
	u.Roots = a.Roots
	apply(t, c, u)
	file := export(t, c)

	// This device never had a network.
	d := open(t, filepath.Join(t.TempDir(), "trust.db"))
	if _, err := d.Import(t.Context(), bytes.NewReader(file), &b.Fingerprint); !errors.Is(err, trust.ErrFingerprint) {
		t.Errorf("wrong fingerprint: %v, want ErrFingerprint", err)
	}
	changes, err := d.Import(t.Context(), bytes.NewReader(file), &a.Fingerprint)
	if err != nil || changes.Roots != 2 || len(changes.Shards) != 2 {
		t.Fatalf("Import = %+v, %v", changes, err)
	}
	if again := export(t, d); !bytes.Equal(file, again) {
		t.Error("the imported set is not the exported one")
	}
	if changes, err = d.Import(t.Context(), bytes.NewReader(file), nil); err != nil || changes.Roots != 0 || changes.Timestamp {
		t.Errorf("second Import = %+v, %v", changes, err)
	}
	if _, err := d.Import(t.Context(), bytes.NewReader(old), nil); !errors.Is(err, trust.ErrRollback) {
		t.Errorf("older file: %v, want ErrRollback", err)
	}
	e, _ := enrolled(t, b)
	if _, err := e.Import(t.Context(), bytes.NewReader(file), nil); !errors.Is(err, trustbook.ErrOtherRoot) {
		t.Errorf("file of another root: %v, want ErrOtherRoot", err)
	}
	if got := version(t, d); got != 11 {
		t.Errorf("version %d is held, want 11", got)
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, _ := enrolled(t, a)
	file := string(export(t, c))
	pack := strings.LastIndex(file, "\npack 0 ") + 1 // the entry, not the line of the status
	for name, bad := range map[string]string{
		"empty":           "",
		"something else":  "PK\x03\x04",
		"cut short":       file[:len(file)-5],
		"more behind":     file + "x",
		"no bundle":       strings.Replace(file, "bundle - ", "survivors - ", 1),
		"unknown entry":   strings.Replace(file, "bundle - ", "bundel - ", 1),
		"timestamp twice": strings.Replace(file, "end\n", "timestamp - 0\n\nend\n", 1),
		"long line":       strings.Replace(file, "end\n", strings.Repeat("e", 1000)+"\n", 1),
		"huge entry":      strings.Replace(file, "end\n", "pack 1 999999999\n", 1),
		"negative entry":  strings.Replace(file, "end\n", "pack 1 -5\n", 1),
		"pack twice":      strings.Replace(file, "end\n", file[pack:], 1),
		"pack 1 first":    file[:pack] + "pack 1" + file[pack+6:],
		"single shard":    file[:pack] + "shard 0" + file[pack+6:],
	} {
		d := open(t, filepath.Join(t.TempDir(), "trust.db"))
		if _, err := d.Import(t.Context(), strings.NewReader(bad), nil); !errors.Is(err, trustbook.ErrExport) {
			t.Errorf("%s: Import = %v, want ErrExport", name, err)
		}
		if snapshot(t, d).State() != nil {
			t.Errorf("%s: pinned by a bad file", name)
		}
	}
}

// Import refuses packs that the status does not name, or names with another
// hash, one by one: a file with many of them costs no more than one.
func TestImportRefusesPacks(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, _ := enrolled(t, a)
	file := string(export(t, c))
	pack := strings.LastIndex(file, "\npack 0 ") + 1
	bomb := string(statuslist.DeflateAll(slices.Repeat([]*statuslist.Shard{{}}, trust.PackShards)))
	many := file[:pack]
	for i := range 512 {
		many += fmt.Sprintf("pack %d %d\n%s\n", i, len(bomb), bomb)
	}
	for name, tt := range map[string]struct {
		file string
		want error
	}{
		"no pack":   {file[:pack] + "end\n", trustbook.ErrExport},
		"too many":  {many + "end\n", trustbook.ErrExport},
		"no zlib":   {file[:pack] + "pack 0 3\nabc\nend\n", trust.ErrHash},
		"empty":     {file[:pack] + "pack 0 0\n\nend\n", trust.ErrHash},
		"too large": {file[:pack] + fmt.Sprintf("pack 0 %d\n%s\nend\n", len(bomb), bomb), trust.ErrHash},
	} {
		d := open(t, filepath.Join(t.TempDir(), "trust.db"))
		if _, err := d.Import(t.Context(), strings.NewReader(tt.file), nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: Import = %v, want %v", name, err, tt.want)
		}
		if s := snapshot(t, d).State(); s.Complete() {
			t.Errorf("%s: accepted", name)
		}
	}
}

// FuzzImport: after any file a device has a state that verifies, with a version
// not below its floor.
func FuzzImport(f *testing.F) {
	a := trusttest.New(f, "a")
	dir := f.TempDir()
	c, err := cache.Open(f.Context(), filepath.Join(dir, "seed.db"))
	if err != nil {
		f.Fatal(err)
	}
	defer c.Close()
	s, err := trust.Pin(a.Roots, nil)
	if err != nil {
		f.Fatal(err)
	}
	if err := c.Pin(f.Context(), s); err != nil {
		f.Fatal(err)
	}
	if _, err := c.Apply(f.Context(), a.Set(10, 0)); err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if err := c.Export(f.Context(), &file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte("tcode-trust-export/1\nend\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, err := c.Import(t.Context(), bytes.NewReader(raw), nil)
		_, refused := errors.AsType[*trust.DocumentError](err)
		known := refused || errors.Is(err, trustbook.ErrExport) || errors.Is(err, trustbook.ErrOtherRoot) || errors.Is(err, statuslist.ErrSurvivors)
		if err != nil && !known {
			t.Fatalf("Import: %v", err)
		}
		s, err := c.Snapshot(t.Context())
		if err != nil || s.State().Timestamp.Version != 10 {
			t.Fatal(fmt.Sprintf("state after %q", raw), err)
		}
	})
}
