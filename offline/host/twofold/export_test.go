package twofold

import (
	"encoding/binary"
	"hash/crc32"
	"reflect"
)

// Marked decodes a mark without its checksum, and reports whether it is one, and whether it is the same after it was encoded.
func Marked(b []byte) (ok, same bool) {
	m, ok := decodeMark(binary.BigEndian.AppendUint32(b[:len(b):len(b)], crc32.Checksum(b, castagnoli)))
	if !ok {
		return false, false
	}
	again, ok := decodeMark(m.encode())
	return true, ok && reflect.DeepEqual(m, again)
}

// Numbered returns the number and the value of what Numbered encodes.
func Numbered(number uint64, value []byte) (uint64, []byte) { return plain(numbered(number, value)) }

// SetBatch sets the bytes of a commit while a copy is rebuilt.
func SetBatch(n int) { batch = n }
