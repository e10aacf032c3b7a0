package trustbook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

// FuzzImport: after any file a device has a state that verifies, with a version
// not below its floor.
func FuzzImport(f *testing.F) {
	a := trusttest.New(f, "a")
	var disk journal.Disk
	open := func(context.Context) (journal.Journal, error) { return disk.Open() }
	c, err := trustjournal.Open(f.Context(), open, nil)
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
