package intake

import (
	"archive/zip"
	"cmp"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
)

// An entry is the record on one file of an archive, kept for the whole job: a sixth
// of the size of that of archive/zip.
type entry struct {
	start         int64 // of its data
	packed, size  uint64
	sum           uint32 // CRC-32
	flags, method uint16
}

// sideBySide finds the data of files, and checks that no two share bytes: a few
// kilobytes that many entries point at inflate to petabytes.
func sideBySide(files []*zip.File, size int64) ([]entry, error) {
	out := make([]entry, 0, len(files))
	for _, f := range files {
		start, err := f.DataOffset()
		if err != nil {
			return nil, ErrNotZIP
		}
		if start > size || f.CompressedSize64 > uint64(size-start) {
			return nil, ErrNotZIP // it reaches beyond the end
		}
		out = append(out, entry{start, f.CompressedSize64, f.UncompressedSize64, f.CRC32, f.Flags, f.Method})
	}
	inOrder := slices.SortedFunc(slices.Values(out), func(a, b entry) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(inOrder); i++ {
		// There is at least a local header between the data of two entries.
		if before := inOrder[i-1]; inOrder[i].start < before.start+int64(before.packed)+localHeaderLen {
			return nil, ErrOverlap
		}
	}
	return out, nil
}

const localHeaderLen = 30

// encrypted is a bit of an entry's flags.
const encrypted = 1

// check returns the problem that the directory shows against reading e.
func (e entry) check(l Limits) error {
	switch {
	case e.flags&encrypted != 0:
		return ErrEncrypted
	case e.method != zip.Store && e.method != zip.Deflate:
		return ErrMethod
	case e.size > uint64(l.FileBytes):
		return ErrFileLength.of(l.FileBytes >> 20)
	case e.size > max(1<<20, e.packed*uint64(l.Ratio)):
		return ErrRatio.of(l.Ratio)
	}
	return nil
}

// read returns the bytes of e. The directory's size is only a claim: read inflates no
// byte beyond it.
func (e entry) read(r io.ReaderAt) ([]byte, error) {
	var in io.Reader = io.NewSectionReader(r, e.start, int64(e.packed))
	if e.method == zip.Deflate {
		inflater, done := inflate(in)
		defer done()
		in = inflater
	}
	data := make([]byte, e.size)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if n, err := io.ReadFull(in, make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it does not end where it is to: %w", ErrDamaged, cmp.Or(err, zip.ErrFormat))
	}
	if crc32.ChecksumIEEE(data) != e.sum {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, zip.ErrChecksum)
	}
	return data, nil
}

// inflaters are kept for the next file: each is 40 KiB.
var inflaters sync.Pool

// inflate returns a reader of the inflated bytes of in; done gives it back.
func inflate(in io.Reader) (out io.Reader, done func()) {
	kept := inflaters.Get()
	if kept == nil {
		kept = flate.NewReader(in)
	} else if err := kept.(flate.Resetter).Reset(in, nil); err != nil {
		kept = flate.NewReader(in)
	}
	return kept.(io.Reader), func() { inflaters.Put(kept) }
}
