package pdfstamp

import "io"

// An lzw reads LZWDecode (ISO 32000-1, 7.4.4): most significant bit first,
// codes of 9 to 12 bits. compress/lzw cannot: PDF widens the code one entry
// early.
type lzw struct {
	data  []byte
	bits  uint32
	have  int // valid low bits of bits
	width int
	early int // 1 if codes widen one entry early

	table [4096]struct {
		prefix int16 // code of all but the last byte, -1 for none
		length int16
		last   byte
	}
	next, previous int // next free code; code before, -1 after a clear
	out            []byte
}

const (
	lzwClear = 256
	lzwEnd   = 257
)

func newLZW(data []byte, early bool) *lzw {
	l := &lzw{data: data}
	if early {
		l.early = 1
	}
	for i := range 256 {
		l.table[i].prefix, l.table[i].length, l.table[i].last = -1, 1, byte(i)
	}
	l.clear()
	return l
}

func (l *lzw) clear() { l.width, l.next, l.previous = 9, 258, -1 }

func (l *lzw) Read(p []byte) (int, error) {
	for len(l.out) == 0 {
		code, err := l.code()
		if err != nil {
			return 0, err
		}
		if err := l.expand(code); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	return n, nil
}

func (l *lzw) code() (int, error) {
	for l.have < l.width {
		if len(l.data) == 0 {
			return 0, io.EOF
		}
		l.bits = l.bits<<8 | uint32(l.data[0])
		l.data = l.data[1:]
		l.have += 8
	}
	l.have -= l.width
	return int(l.bits>>l.have) & (1<<l.width - 1), nil
}

// expand puts the bytes of code into out and enters the new string.
func (l *lzw) expand(code int) error {
	switch {
	case code == lzwClear:
		l.clear()
		return nil
	case code == lzwEnd:
		return io.EOF
	case l.previous < 0 && code > lzwEnd, code > l.next, code == l.next && l.next >= len(l.table):
		return io.ErrUnexpectedEOF
	}
	if code < l.next {
		l.out = l.text(code)
	} else { // the string being defined: the one before and its own first byte
		before := l.text(l.previous)
		l.out = append(before, before[0])
	}
	if l.previous >= 0 && l.next < len(l.table) {
		e := &l.table[l.next]
		e.prefix, e.length, e.last = int16(l.previous), l.table[l.previous].length+1, l.out[0]
		l.next++
		if l.next+l.early >= 1<<l.width && l.width < 12 {
			l.width++
		}
	}
	l.previous = code
	return nil
}

func (l *lzw) text(code int) []byte {
	out := make([]byte, l.table[code].length)
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = l.table[code].last
		code = int(l.table[code].prefix)
	}
	return out
}
