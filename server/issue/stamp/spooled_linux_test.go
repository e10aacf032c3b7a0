package stamp_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/scanner/readback"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
)

// spooled returns the number of this process' descriptors of files in b's spool: two
// of each file, appended data included.
func spooled(t *testing.T, b *storetest.Bundle) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, filepath.Join(b.Dir, "spool")) {
			n++
		}
	}
	return n
}

// large is an upload of the largest size that is taken, and its first bytes.
func large() *spool.Upload {
	data := bytes.Repeat([]byte("0123456789abcde\n"), stamp.DefaultMaxPDF/16)
	copy(data, "%PDF-1.7\n")
	return spool.Bytes(data)
}

// TestLargeFile stamps a file of 25 MiB. The total of all allocations, and not only
// the live heap, is a small part of that size. The test drops the upload itself, so
// that no byte slice of its size is left.
func TestLargeFile(t *testing.T) {
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	b.Stamp(t, id, "warm")
	r := storetest.Request("large")
	r.PDF = large()
	defer r.PDF.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	st, err := b.Stamps.Create(t.Context(), id, r)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	const most = stamp.DefaultMaxPDF / 3
	if n := after.TotalAlloc - before.TotalAlloc; n > most {
		t.Errorf("%d bytes were allocated to stamp %d, want at most %d", n, r.PDF.Size(), most)
	}
	if n := int64(before.HeapAlloc) - int64(after.HeapAlloc); n < stamp.DefaultMaxPDF*9/10 {
		t.Errorf("the heap is %d bytes smaller after the stamping, want all of the %d that were sent", n, r.PDF.Size())
	}
	if st.Files[0].SizeBytes <= st.Files[1].SizeBytes || st.Files[1].SizeBytes != stamp.DefaultMaxPDF {
		t.Errorf("files of %d and %d bytes", st.Files[0].SizeBytes, st.Files[1].SizeBytes)
	}
	for _, f := range st.Files {
		data, err := b.Blobs.Get(t.Context(), f.SHA256) // reads it against its name
		if err != nil || int64(len(data)) != f.SizeBytes {
			t.Errorf("%s: %d bytes, %v; want %d", f.Kind, len(data), err, f.SizeBytes)
		}
	}
}

// TestDescriptors: however a stamping ends, no file of it stays open.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	old := b.Stamp(t, id, "old")
	least := 2.0
	wide := &placement.Spec{ScanSafety: &placement.ScanSafety{MinModuleMM: &least}}
	unread := storetest.Readback{Sees: func(_ readback.Request, at readback.Target) (readback.Reading, error) {
		return readback.Reading{Page: at.Page, Reason: "not read"}, nil
	}}
	tests := []struct {
		name   string
		change func(*stamp.Config)
		call   func(s *stamp.Service, pdf *spool.Upload) error
		code   string
	}{
		{"made", nil, func(s *stamp.Service, pdf *spool.Upload) error {
			r := storetest.Request("made")
			r.PDF = pdf
			_, err := s.Create(t.Context(), id, r)
			return err
		}, ""},
		{"replaced", nil, func(s *stamp.Service, pdf *spool.Upload) error {
			_, err := s.Replace(t.Context(), id, old.ID, stamp.Replacement{PDF: pdf})
			return err
		}, ""},
		{"refused by the stamper", func(c *stamp.Config) {
			c.Stamper = storetest.Stamper{Fault: fault.New(fault.Invalid, fault.CodeInvalidPDF, "no")}
		}, func(s *stamp.Service, pdf *spool.Upload) error {
			r := storetest.Request("refused")
			r.PDF = pdf
			_, err := s.Create(t.Context(), id, r)
			return err
		}, fault.CodeInvalidPDF},
		{"not read", func(c *stamp.Config) { c.Readback = unread }, func(s *stamp.Service, pdf *spool.Upload) error {
			r := storetest.Request("unread")
			r.PDF = pdf
			_, err := s.Create(t.Context(), id, r)
			return err
		}, fault.CodeStampUnreadable},
		{"found bad first", nil, func(s *stamp.Service, pdf *spool.Upload) error {
			_, err := s.Create(t.Context(), id, stamp.Request{PDF: pdf})
			return err
		}, fault.CodeValidationFailed},
		{"shown", nil, func(s *stamp.Service, pdf *spool.Upload) error {
			_, err := s.Preview(t.Context(), id, stamp.PreviewRequest{PDF: pdf})
			return err
		}, ""},
		{"shown as refused", nil, func(s *stamp.Service, pdf *spool.Upload) error {
			_, err := s.Preview(t.Context(), id, stamp.PreviewRequest{PDF: pdf, Placement: wide})
			return err
		}, ""},
		{"shown with fields of no template", nil, func(s *stamp.Service, pdf *spool.Upload) error {
			_, err := s.Preview(t.Context(), id, stamp.PreviewRequest{PDF: pdf, Fields: []payload.Field{{Key: "a", Value: "b"}}})
			return err
		}, fault.CodeFieldSchemaMismatch},
	}
	for _, tt := range tests {
		c := b.StampConfig
		if tt.change != nil {
			tt.change(&c)
		}
		pdf := storetest.PDF("% " + tt.name)
		err := tt.call(stamp.New(c), pdf)
		if (err == nil) != (tt.code == "") || err != nil && fault.As(err).Code != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
		if n := spooled(t, b); n > 4 { // of the upload, and of that of the stamp made first, which is still open
			t.Errorf("%s: %d descriptors are open", tt.name, n)
		}
		if err := pdf.Close(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if n := spooled(t, b); n > 2 {
			t.Errorf("%s: %d descriptors are open after it was closed", tt.name, n)
		}
	}
}
