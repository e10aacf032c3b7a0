package intake

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Sizes of the end records of APPNOTE 4.3.14 to 4.3.16.
const (
	endLen        = 22
	end64Len      = 56
	locator64Len  = 20
	maxCommentLen = 1<<16 - 1
	entryLen      = 46 // of the directory, without name, extra field and comment
)

var (
	endSignature       = []byte("PK\x05\x06")
	end64Signature     = []byte("PK\x06\x06")
	locator64Signature = []byte("PK\x06\x07")
)

// checkEnd checks the end records before the directory is parsed: a directory
// of 65,535 entries costs tens of megabytes in memory.
func checkEnd(r io.ReaderAt, size int64, entries int) error {
	tail := make([]byte, min(size, locator64Len+endLen+maxCommentLen))
	if err := readAt(r, tail, size-int64(len(tail))); err != nil {
		return err
	}
	i := bytes.LastIndex(tail[:max(0, len(tail)-endLen+len(endSignature))], endSignature)
	if i < 0 {
		return ErrNotZIP
	}
	end := tail[i:]
	short := func(at int) uint64 { return uint64(binary.LittleEndian.Uint16(end[at:])) }
	long := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(end[at:])) }
	here, total, length, offset := short(8), short(10), long(12), long(16)
	if i >= locator64Len && bytes.HasPrefix(tail[i-locator64Len:], locator64Signature) {
		err := checkEnd64(r, size, tail[i-locator64Len:i], entries)
		if err != nil || total == math.MaxUint16 || length == math.MaxUint32 || offset == math.MaxUint32 {
			return err
		}
	}
	if short(4) != 0 || short(6) != 0 || here != total {
		return ErrParts
	}
	return checkDirectory(total, length, uint64(size), entries)
}

// checkEnd64 checks the end record of the ZIP64 form, which archives of more than 65,534
// entries or 4 GiB need, and which some programs always write.
func checkEnd64(r io.ReaderAt, size int64, locator []byte, entries int) error {
	at := binary.LittleEndian.Uint64(locator[8:])
	end := make([]byte, end64Len)
	if at > uint64(max(0, size-end64Len)) {
		return ErrNotZIP
	}
	if err := readAt(r, end, int64(at)); err != nil {
		return err
	}
	if !bytes.HasPrefix(end, end64Signature) {
		return ErrNotZIP
	}
	parts := binary.LittleEndian.Uint32(end[16:]) | binary.LittleEndian.Uint32(end[20:])
	here, total := binary.LittleEndian.Uint64(end[24:]), binary.LittleEndian.Uint64(end[32:])
	if parts != 0 || here != total {
		return ErrParts
	}
	return checkDirectory(total, binary.LittleEndian.Uint64(end[40:]), uint64(size), entries)
}

// checkDirectory checks the number of entries and the length that the directory of an
// archive of size bytes has.
func checkDirectory(total, length, size uint64, entries int) error {
	switch {
	case total > uint64(entries):
		return ErrTooMany.of(entries)
	case length > size, length < total*entryLen, length > uint64(entries)*(entryLen+maxNameLen):
		return ErrNotZIP
	}
	return nil
}

// readAt fills b with the bytes of r from an offset on. At the end of r the rest of b stays zero.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	if _, err := r.ReadAt(b, offset); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the ZIP archive: %w", err)
	}
	return nil
}

// maxNameLen is the limit on the average size of name, extra field and comment of a
// directory entry. File systems allow names of 255 bytes.
const maxNameLen = 1024
