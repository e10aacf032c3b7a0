package intake

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Sizes of the end record of APPNOTE 4.3.16.
const (
	endLen        = 22
	maxCommentLen = 1<<16 - 1
	entryLen      = 46 // of the directory, without name, extra field and comment
)

var endSignature = []byte("PK\x05\x06")

// checkEnd checks the end record before the directory is parsed: a directory
// of 65,535 entries costs tens of megabytes in memory.
func checkEnd(r io.ReaderAt, size int64, entries int) error {
	tail := make([]byte, min(size, endLen+maxCommentLen))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the ZIP archive: %w", err)
	}
	i := bytes.LastIndex(tail[:max(0, len(tail)-endLen+len(endSignature))], endSignature)
	if i < 0 {
		return ErrNotZIP
	}
	end := tail[i:]
	short := func(at int) uint16 { return binary.LittleEndian.Uint16(end[at:]) }
	long := func(at int) uint32 { return binary.LittleEndian.Uint32(end[at:]) }
	here, total, length, offset := short(8), short(10), long(12), long(16)
	switch {
	case total == 0xFFFF || length == 0xFFFFFFFF || offset == 0xFFFFFFFF:
		if int(total) > entries {
			return ErrTooMany
		}
		return ErrZIP64
	case short(4) != 0 || short(6) != 0 || here != total:
		return ErrParts
	case int(total) > entries:
		return ErrTooMany
	case int64(length) > size:
		return fmt.Errorf("%w: its directory is longer than the file", ErrNotZIP)
	case int64(length) < int64(total)*entryLen:
		return fmt.Errorf("%w: its directory is too short", ErrNotZIP)
	case int64(length) > int64(entries)*(entryLen+maxNameLen):
		return fmt.Errorf("%w: its directory is too long", ErrNotZIP)
	}
	return nil
}

// maxNameLen is the limit on the average size of name, extra field and comment of a
// directory entry. File systems allow names of 255 bytes.
const maxNameLen = 1024
