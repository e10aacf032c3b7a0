package stamp_test

import (
	"context"
	"io"
	"testing"

	"tcode/offline/contain"
	"tcode/scanner/readback"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// A faultyReader panics when it looks for caveats.
type faultyReader struct{ storetest.Readback }

func (faultyReader) Caveats(context.Context, *io.SectionReader) ([]string, error) { panic("seeded") }

// A faultyDisk panics when it stores a file.
type faultyDisk struct{ stamp.Blobs }

func (faultyDisk) PutNamed(context.Context, string, *io.SectionReader) error { panic("seeded") }

// TestFaultyParts: if a part of the work on a stamp panics, its request has an error, and the next one
// a stamp.
//
//race:on the parts run concurrently
func TestFaultyParts(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	for name, seed := range map[string]func(*stamp.Config){
		"caveats": func(c *stamp.Config) { c.Readback = faultyReader{} },
		"proof": func(c *stamp.Config) {
			c.Readback = storetest.Readback{Sees: func(readback.Request, readback.Target) (readback.Reading, error) { panic("seeded") }}
		},
		"comparison": func(c *stamp.Config) {
			c.Readback = storetest.Readback{Compares: func(readback.Comparison) (readback.Compared, error) { panic("seeded") }}
		},
		"files": func(c *stamp.Config) { c.Blobs = faultyDisk{b.Blobs} },
	} {
		c := b.StampConfig
		seed(&c)
		if _, err := stamp.New(c).Create(t.Context(), id, storetest.Request(name)); !contain.Fault(err) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := b.Stamps.Create(t.Context(), id, storetest.Request(name)); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
}
