package stamp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// derive makes one of the files that follow from a stamp's payload, byte for byte, and are not
// stored: the symbol and its text. Stamps of earlier versions have them in the blob store.
// They go with the stamped file.
func (s *Service) derive(st Stamp, k FileKind) (File, []byte, error) {
	none := fault.New(fault.NotFound, fault.CodeNotFound, "this stamp has no file %s", k)
	if st.Erased() || !slices.ContainsFunc(st.Files, func(f File) bool { return f.Kind == FileStamped }) {
		return File{}, nil, none
	}
	f := File{Kind: k, Of: st.ID}
	text := payload.EncodeText(st.Payload)
	data := []byte(text)
	switch k {
	case FilePayload:
		f.ContentType, f.FileName = "text/plain; charset=utf-8", st.Reference.String()+".txt"
	case FileBarcode:
		f.ContentType, f.FileName = "image/png", st.Reference.String()+".png"
		var err error
		if data, err = s.c.Stamper.BarcodePNG(text); err != nil {
			return File{}, nil, fmt.Errorf("draw barcode: %w", err)
		}
	default:
		return File{}, nil, none
	}
	sum := sha256.Sum256(data)
	f.SHA256, f.SizeBytes = hex.EncodeToString(sum[:]), int64(len(data))
	return f, data, nil
}

// Derived returns a file that is not stored, with its bytes. The fault is NotFound if the
// stamp has no such file, or has it in the blob store.
func (s *Service) Derived(ctx context.Context, tenantRef, id, kind string) (File, []byte, error) {
	st, err := s.Get(ctx, tenantRef, id)
	if err != nil {
		return File{}, nil, err
	}
	return s.derive(st, FileKind(kind))
}

// AllFiles returns the files of a stamp, stored or not, in the order of their kinds.
func (s *Service) AllFiles(st Stamp) (out []File) {
	for _, k := range fileKinds {
		if f, err := s.fileOf(string(k), func() (Stamp, error) { return st, nil }); err == nil {
			out = append(out, f)
		}
	}
	return out
}
