package logjournal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

const (
	version   = 1
	headSize  = 1024 // of a slot: two copies of the header
	copySize  = 512  // of one copy, so that they lie in different sectors
	headBytes = 64   // of a copy; the rest is zero
	nonceSize = 16

	frameHead = 28
	frameMax  = 64 << 20 // bytes of a frame's body
	numberMax = 1 << 53  // of generations, commits and sizes

	kindSnapshot = 1
	kindCommit   = 2
)

var (
	headMagic  = [8]byte{'T', 'C', 'O', 'D', 'E', 'L', 'O', 'G'}
	frameMagic = [4]byte{0xf6, 'T', 'C', 'f'}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// ErrNewer means that a later version of this package wrote the files.
var ErrNewer = errors.New("the log has a later version")

// header is what a slot says about itself.
type header struct {
	generation uint64
	nonce      [nonceSize]byte
	base       uint64 // number of the last commit that the snapshot contains
	frames     uint64 // of the snapshot
	size       uint64 // bytes of the snapshot
}

// encode returns both copies.
func (h *header) encode() []byte {
	b := append(make([]byte, 0, headSize), headMagic[:]...)
	b = binary.BigEndian.AppendUint32(b, version)
	b = binary.BigEndian.AppendUint64(b, h.generation)
	b = append(b, h.nonce[:]...)
	b = binary.BigEndian.AppendUint64(b, h.base)
	b = binary.BigEndian.AppendUint64(b, h.frames)
	b = binary.BigEndian.AppendUint64(b, h.size)
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	one := b[:copySize]
	return append(one, one...)
}

// decodeHeader reads one copy. The error is ErrNewer if it is whole and of a later version.
func decodeHeader(b []byte) (h header, ok bool, err error) {
	if len(b) < headBytes || [8]byte(b) != headMagic || binary.BigEndian.Uint32(b[60:]) != crc32.Checksum(b[:60], castagnoli) {
		return h, false, nil
	}
	if binary.BigEndian.Uint32(b[8:]) != version {
		return h, false, ErrNewer
	}
	h = header{
		generation: binary.BigEndian.Uint64(b[12:]), nonce: [nonceSize]byte(b[20:]), base: binary.BigEndian.Uint64(b[36:]),
		frames: binary.BigEndian.Uint64(b[44:]), size: binary.BigEndian.Uint64(b[52:]),
	}
	return h, max(h.generation, h.base, h.frames, h.size) < numberMax, nil
}

// sum is the checksum of b in the slot of this header.
func (h *header) sum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(h.nonce[:], castagnoli), castagnoli, b)
}

// frame is the head of a frame.
type frame struct {
	kind   byte
	length int // of the body
	number uint64
	sum    uint32 // of the body
}

// seal writes the head of a frame into its first bytes; the body follows them.
func (h *header) seal(b []byte, kind byte, number uint64) {
	copy(b, frameMagic[:])
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-frameHead))
	binary.BigEndian.PutUint64(b[8:], number)
	binary.BigEndian.PutUint32(b[16:], uint32(kind))
	binary.BigEndian.PutUint32(b[20:], h.sum(b[frameHead:]))
	binary.BigEndian.PutUint32(b[24:], h.sum(b[:24]))
}

// open reads the head of a frame.
func (h *header) open(b []byte) (f frame, ok bool) {
	if len(b) < frameHead || [4]byte(b) != frameMagic || binary.BigEndian.Uint32(b[24:]) != h.sum(b[:24]) {
		return f, false
	}
	length, kind := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[16:])
	f = frame{kind: byte(kind), length: int(length), number: binary.BigEndian.Uint64(b[8:]), sum: binary.BigEndian.Uint32(b[20:])}
	return f, length <= frameMax && f.number < numberMax && (kind == kindSnapshot || kind == kindCommit)
}

// appendEntry adds the change of one key; a nil value removes it.
func appendEntry(b []byte, key string, value []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(key)))
	b = append(b, key...)
	if value == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(value))+1)
	return append(b, value...)
}

// entry is a change in the body of a frame: n bytes at at of the body are the value.
type entry struct {
	key     []byte
	at, n   int
	removed bool
}

// entries calls each with the entries of a body, and reports whether all of it has the form of one.
func entries(body []byte, each func(entry)) bool {
	for at := 0; at < len(body); {
		n, size := binary.Uvarint(body[at:])
		if size <= 0 || n == 0 || n > uint64(len(body)-at-size) {
			return false
		}
		e := entry{key: body[at+size : at+size+int(n)]}
		at += size + int(n)
		n, size = binary.Uvarint(body[at:])
		e.removed = n == 0
		if !e.removed {
			n--
		}
		if size <= 0 || n > uint64(len(body)-at-size) {
			return false
		}
		e.at, e.n = at+size, int(n)
		at = e.at + e.n
		each(e)
	}
	return true
}
