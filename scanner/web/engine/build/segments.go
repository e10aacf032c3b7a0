package build

import (
	"encoding/binary"
	"errors"
	"slices"
)

// The numbers of a WebAssembly module that joinSegments reads (WebAssembly Core Specification, 5.4.1,
// 5.4.9 and 5.5).
const (
	moduleHead  = 8 // bytes of magic and version
	dataSection = 11
	opConst     = 0x41 // i32.const
	opEnd       = 0x0b
)

// maxGap is the largest number of zero bytes that are written rather than begin a new segment.
const maxGap = 4 << 10

var errModule = errors.New("the go command wrote a WebAssembly module of an unknown form")

// joinSegments joins neighbours of the data segments of a WebAssembly module. Go's linker makes
// 100,000 of them, one for each few bytes that are not zero; their addresses take 0.7 MB, and
// a twentieth of the compressed module.
func joinSegments(module []byte) ([]byte, error) {
	r := reader{b: module}
	out := slices.Clone(r.take(moduleHead))
	for len(r.b) > 0 && !r.failed {
		kind := r.take(1)
		content := r.take(r.number())
		if r.failed {
			break
		}
		if kind[0] == dataSection {
			joined, err := joinData(content)
			if err != nil {
				return nil, err
			}
			content = joined
		}
		out = append(out, kind[0])
		out = binary.AppendUvarint(out, uint64(len(content)))
		out = append(out, content...)
	}
	if r.failed {
		return nil, errModule
	}
	return out, nil
}

// A segment is bytes from an address of the memory on.
type segment struct {
	address int
	data    []byte
}

// joinData joins the segments of a data section. They are written in their order, which stays.
func joinData(section []byte) ([]byte, error) {
	r := reader{b: section}
	var all []segment
	for range r.number() {
		s, ok := r.segment()
		if !ok {
			return nil, errModule
		}
		if last := len(all) - 1; last >= 0 {
			gap := s.address - all[last].address - len(all[last].data)
			if gap >= 0 && gap <= maxGap {
				all[last].data = append(append(all[last].data, make([]byte, gap)...), s.data...)
				continue
			}
		}
		s.data = slices.Clone(s.data)
		all = append(all, s)
	}
	if r.failed || len(r.b) > 0 {
		return nil, errModule
	}
	out := binary.AppendUvarint(nil, uint64(len(all)))
	for _, s := range all {
		out = appendSigned(append(out, 0, opConst), s.address)
		out = binary.AppendUvarint(append(out, opEnd), uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out, nil
}

// A reader takes values from the start of b. failed is true once one is missing.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.failed = true
		return nil
	}
	taken := r.b[:n:n]
	r.b = r.b[n:]
	return taken
}

// number returns the next unsigned number.
func (r *reader) number() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<31 {
		r.failed = true
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// segment returns the next active segment of memory 0.
func (r *reader) segment() (s segment, ok bool) {
	head := r.take(2)
	if r.failed || head[0] != 0 || head[1] != opConst {
		return s, false
	}
	s.address = r.number() // signed, but no address has the sign's bit
	if end := r.take(1); r.failed || end[0] != opEnd {
		return s, false
	}
	s.data = r.take(r.number())
	return s, !r.failed
}

// appendSigned appends a number that is not negative in the form of signed ones: the highest of the 7
// bits of its last byte is the sign.
func appendSigned(out []byte, n int) []byte {
	for ; n >= 0x40; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}
