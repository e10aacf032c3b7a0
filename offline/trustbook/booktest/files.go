package booktest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

func file(raw []byte) io.Reader { return bytes.NewReader(raw) }

func exportImport(t *testing.T, c *device) {
	a, b := trusttest.New(t, "a"), trusttest.New(t, "b")
	a.List = statuslist.NewSurvivors([]statuslist.Mark{{1}})
	a.Shards[0].Set(7, statuslist.Revoked)
	c.enrol(t, a)
	c.apply(t, trust.Update{}, a.List.Bytes())
	old := c.export(t)
	a.Rotate("")
	a.Shards[1] = &statuslist.Shard{}
	u := a.Set(11, 1)
	u.Roots = a.Roots
	c.apply(t, u)
	now := c.export(t)

	// This device never had a network.
	d := c.other(t)
	if _, err := d.Import(t.Context(), file(now), &b.Fingerprint); !errors.Is(err, trust.ErrFingerprint) {
		t.Errorf("wrong fingerprint: %v, want ErrFingerprint", err)
	}
	changes, err := d.Import(t.Context(), file(now), &a.Fingerprint)
	if err != nil || changes.Roots != 2 || len(changes.Shards) != 2 {
		t.Fatalf("Import = %+v, %v", changes, err)
	}
	d.restart(t)
	if again := d.export(t); !bytes.Equal(now, again) {
		t.Error("the imported set is not the exported one")
	}
	if changes, err = d.Import(t.Context(), file(now), nil); err != nil || changes.Roots != 0 || changes.Timestamp {
		t.Errorf("second Import = %+v, %v", changes, err)
	}
	if _, err := d.Import(t.Context(), file(old), nil); !errors.Is(err, trust.ErrRollback) {
		t.Errorf("older file: %v, want ErrRollback", err)
	}
	e := c.other(t)
	e.enrol(t, b)
	if _, err := e.Import(t.Context(), file(now), nil); !errors.Is(err, trustbook.ErrOtherRoot) {
		t.Errorf("file of another root: %v, want ErrOtherRoot", err)
	}
	if got := d.version(t); got != 11 {
		t.Errorf("version %d is held, want 11", got)
	}
	// A new root in a file that is refused is kept: it may end the trust in a stolen key.
	a.Rotate("new-online")
	with := strings.Replace(string(now), "timestamp - ", fmt.Sprintf("root 3 %d\n%s\ntimestamp - ", len(a.Roots[2]), a.Roots[2]), 1)
	if _, err := d.Import(t.Context(), strings.NewReader(with), nil); !errors.Is(err, trust.ErrForeignKey) {
		t.Errorf("documents of the old key: %v, want ErrForeignKey", err)
	}
	d.restart(t)
	if s := d.snapshot(t).State(); s.Root.Version != 3 || s.Complete() {
		t.Errorf("root %d, complete %v", s.Root.Version, s.Complete())
	}
}

func importRefuses(t *testing.T, c *device) {
	a := trusttest.New(t, "a")
	c.enrol(t, a)
	file := string(c.export(t))
	pack := strings.LastIndex(file, "\npack 0 ") + 1 // the entry, not the line of the status
	d := c.other(t)
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
		if _, err := d.Import(t.Context(), strings.NewReader(bad), nil); !errors.Is(err, trustbook.ErrExport) {
			t.Errorf("%s: Import = %v, want ErrExport", name, err)
		}
		if d.snapshot(t).State() != nil {
			t.Errorf("%s: pinned by a bad file", name)
		}
	}
}

// Import refuses packs that the status does not name, or names with another
// hash, one by one: a file with many of them costs no more than one.
func importRefusesPacks(t *testing.T, c *device) {
	a := trusttest.New(t, "a")
	c.enrol(t, a)
	file := string(c.export(t))
	pack := strings.LastIndex(file, "\npack 0 ") + 1
	bomb := string(statuslist.DeflateAll(slices.Repeat([]*statuslist.Shard{{}}, trust.PackShards)))
	var many strings.Builder
	many.WriteString(file[:pack])
	for i := range 512 {
		fmt.Fprintf(&many, "pack %d %d\n%s\n", i, len(bomb), bomb)
	}
	for name, tt := range map[string]struct {
		file string
		want error
	}{
		"no pack":   {file[:pack] + "end\n", trustbook.ErrExport},
		"too many":  {many.String() + "end\n", trustbook.ErrExport},
		"no zlib":   {file[:pack] + "pack 0 3\nabc\nend\n", trust.ErrHash},
		"empty":     {file[:pack] + "pack 0 0\n\nend\n", trust.ErrHash},
		"too large": {file[:pack] + fmt.Sprintf("pack 0 %d\n%s\nend\n", len(bomb), bomb), trust.ErrHash},
	} {
		d := c.other(t)
		if _, err := d.Import(t.Context(), strings.NewReader(tt.file), nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: Import = %v, want %v", name, err, tt.want)
		}
		if s := d.snapshot(t).State(); s.Complete() {
			t.Errorf("%s: accepted", name)
		}
	}
}
