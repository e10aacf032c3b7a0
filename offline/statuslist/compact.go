package statuslist

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// MaxListed is the largest number of set entries that a shard's compact form
// lists. With more, the form is the shard itself.
const MaxListed = 4096

// maxCompact is the length of the longest compact form in bytes: that of a
// shard with more than [MaxListed] set entries. A list of 4,096 is shorter.
const maxCompact = 2 + Size

// dense is in place of the count of entries before the shard itself.
const dense = 0xFFFF

// ErrCompact says that bytes are not the compact form of a shard.
var ErrCompact = errors.New("malformed compact form of a status shard")

// appendCompact appends the compact form of s. A shard has exactly one:
//
//	count, 2 bytes ‖ count gaps, uvarint ‖ count values, 2 bits each
//	0xFFFF ‖ the 16,384 bytes of the shard
//
// A gap is the number of entries of value None before a set entry. The second
// form is for shards with more than MaxListed set entries.
func (s *Shard) appendCompact(b []byte) []byte {
	start := len(b)
	b = append(b, 0, 0)
	var values []byte
	count, next := 0, 0
	for i, octet := range s {
		for j := 0; octet != 0; j, octet = j+1, octet>>2 {
			if octet&3 == 0 {
				continue
			}
			if count == MaxListed {
				return append(binary.BigEndian.AppendUint16(b[:start], dense), s[:]...)
			}
			entry := 4*i + j
			b = binary.AppendUvarint(b, uint64(entry-next))
			if count%4 == 0 {
				values = append(values, 0)
			}
			values[count/4] |= octet & 3 << (count % 4 * 2)
			count, next = count+1, entry+1
		}
	}
	binary.BigEndian.PutUint16(b[start:], uint16(count))
	return append(b, values...)
}

// readCompact reads the compact form of one shard and returns the bytes after
// it. The error wraps ErrCompact.
func readCompact(raw []byte) (s *Shard, rest []byte, err error) {
	if len(raw) < 2 {
		return nil, nil, fmt.Errorf("%w: %d bytes", ErrCompact, len(raw))
	}
	count, raw := int(binary.BigEndian.Uint16(raw)), raw[2:]
	s = new(Shard)
	if count == dense {
		return s.readDense(raw)
	}
	// A gap takes at least one byte, and four values take one more.
	if count > MaxListed || len(raw) < count+(count+3)/4 {
		return nil, nil, fmt.Errorf("%w: %d entries in %d bytes", ErrCompact, count, len(raw))
	}
	var entries [MaxListed]uint16
	next := uint64(0)
	for i := range count {
		gap, n := binary.Uvarint(raw)
		if n <= 0 || n > 1 && raw[n-1] == 0 || gap >= Entries || next+gap >= Entries {
			return nil, nil, fmt.Errorf("%w: gap %d", ErrCompact, i)
		}
		entries[i] = uint16(next + gap)
		next, raw = next+gap+1, raw[n:]
	}
	values := (count + 3) / 4
	if len(raw) < values {
		return nil, nil, fmt.Errorf("%w: %d bytes of values for %d entries", ErrCompact, len(raw), count)
	}
	for i, entry := range entries[:count] {
		v := Value(raw[i/4]>>(i%4*2)) & 3
		if v == None {
			return nil, nil, fmt.Errorf("%w: entry %d is listed but not set", ErrCompact, entry)
		}
		s.Set(entry, v)
	}
	if used := count % 4 * 2; used != 0 && raw[values-1]>>used != 0 {
		return nil, nil, fmt.Errorf("%w: values beyond the last entry", ErrCompact)
	}
	return s, raw[values:], nil
}

// readDense reads the 16,384 bytes of a shard with too many entries for a list.
func (s *Shard) readDense(raw []byte) (*Shard, []byte, error) {
	if len(raw) < Size {
		return nil, nil, fmt.Errorf("%w: %d bytes of a shard", ErrCompact, len(raw))
	}
	copy(s[:], raw)
	if n := s.set(); n <= MaxListed {
		return nil, nil, fmt.Errorf("%w: %d entries are too few for this form", ErrCompact, n)
	}
	return s, raw[Size:], nil
}

// set counts the entries that are not None.
func (s *Shard) set() (n int) {
	for _, octet := range s {
		for ; octet != 0; octet >>= 2 {
			if octet&3 != 0 {
				n++
			}
		}
	}
	return n
}
