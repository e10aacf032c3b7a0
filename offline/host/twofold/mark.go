package twofold

import (
	"encoding/binary"
	"hash/crc32"
)

// Keys in a copy: the mark comes first, so that reading it is cheap.
const (
	markKey     = "0"
	recordKey   = 'k'     // and the owner's key
	asideKey    = 'x'     // the id of a store, and the owner's key in it
	numberMax   = 1 << 52 // no store makes as many commits: such a number was made up
	markVersion = 1
	idSize      = 16
	tagSize     = 8
)

// mark is the record of a copy that says what the copy contains.
type mark struct {
	filling bool // the copy is being rebuilt: it does not contain everything
	id      [idSize]byte
	counts  [3]uint64     // commits to both copies, to the first alone, to the second alone
	tag     [tagSize]byte // of the opening that made the last commit
	removed []string      // keys that the last commit removed
}

// total is the number of the last commit.
func (m *mark) total() uint64 { return m.counts[0] + m.counts[1] + m.counts[2] }

func (m *mark) encode() []byte {
	b := []byte{markVersion, 0}
	if m.filling {
		b[1] = 1
	}
	b = append(b, m.id[:]...)
	for _, n := range m.counts {
		b = binary.AppendUvarint(b, n)
	}
	b = append(b, m.tag[:]...)
	b = binary.AppendUvarint(b, uint64(len(m.removed)))
	for _, key := range m.removed {
		b = binary.AppendUvarint(b, uint64(len(key)))
		b = append(b, key...)
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// decodeMark reads a mark, and reports whether b is one.
func decodeMark(b []byte) (m mark, ok bool) {
	n := len(b) - 4
	if n < 2+idSize || crc32.Checksum(b[:n], castagnoli) != binary.BigEndian.Uint32(b[n:]) || b[0] != markVersion || b[1] > 1 {
		return m, false
	}
	m.filling = b[1] == 1
	m.id = [idSize]byte(b[2:])
	b = b[2+idSize : n]
	number := func() uint64 {
		v, size := binary.Uvarint(b)
		if size <= 0 || v >= numberMax {
			ok, b = false, nil
			return 0
		}
		b = b[size:]
		return v
	}
	ok = true
	for i := range m.counts {
		m.counts[i] = number()
	}
	if len(b) < tagSize || m.total() >= numberMax {
		return m, false
	}
	m.tag = [tagSize]byte(b)
	b = b[tagSize:]
	keys := number()
	if keys > uint64(len(b)) {
		return m, false
	}
	for range keys {
		size := number()
		if size > uint64(len(b)) {
			return m, false
		}
		m.removed = append(m.removed, string(b[:size]))
		b = b[size:]
	}
	return m, ok && len(b) == 0
}

// relation of one mark to another.
type relation int

const (
	same  relation = iota
	newer          // it contains all commits of the other, and more
	older
	apart // each has commits that the other does not have
)

func (m *mark) relation(other *mark) relation {
	if m.id != other.id {
		return apart
	}
	more, less := false, false
	for i, n := range m.counts {
		more = more || n > other.counts[i]
		less = less || n < other.counts[i]
	}
	switch {
	case more && less:
		return apart
	case more:
		return newer
	case less:
		return older
	case m.tag != other.tag:
		return apart
	}
	return same
}

// join returns a mark that is newer than both.
func (m *mark) join(other *mark) mark {
	j := mark{id: m.id}
	for i, n := range m.counts {
		j.counts[i] = max(n, other.counts[i])
	}
	j.counts[0]++
	return j
}

// numbered returns a value as a copy has it: behind the number of its commit.
func numbered(number uint64, value []byte) []byte {
	return append(binary.AppendUvarint(make([]byte, 0, len(value)+5), number), value...)
}

// plain returns the number and the value. A value without a number is not from here: it counts as old, and its owner judges it.
func plain(b []byte) (number uint64, value []byte) {
	number, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, b
	}
	return number, b[n:]
}
