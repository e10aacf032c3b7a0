package logjournal

import (
	"encoding/binary"
	"hash/crc32"
)

// SetVersion makes both headers of a slot those of another version.
func SetVersion(slot []byte, v uint32) {
	for _, h := range [][]byte{slot[:copySize], slot[copySize:headSize]} {
		binary.BigEndian.PutUint32(h[8:], v)
		binary.BigEndian.PutUint32(h[60:], crc32.Checksum(h[:60], castagnoli))
	}
}
