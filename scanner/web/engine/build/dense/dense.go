// Package dense compresses with gzip in fewer bytes than compress/gzip, and in much more time: for
// files that are built once and fetched often. Call [Gzip].
//
//	data ─▶ parse: roughly ─▶ split: blocks of like statistics ─▶ parse each again, for its own codes ─▶ encode
//
// A parse is a shortest path: each byte can be a literal, or the start of one of its repetitions, and
// each has a cost in bits. Codes follow from the parse and costs from the codes, so that a block is parsed
// several times.
package dense

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	window   = 1 << 15
	minMatch = 3
	maxMatch = 258
	piece    = 1 << 18 // bytes that are parsed together before there are blocks
	rounds   = 3       // of a block
)

// Gzip returns data as one gzip member without a name or a time (RFC 1952). It needs about 30 bytes
// of memory for each byte.
func Gzip(data []byte) []byte {
	out := bitWriter{out: []byte{0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF}}
	r := repetitionsOf(data)
	var rough []token
	for at := 0; at < len(data); at += piece {
		p := newPath(r, at, min(at+piece, len(data)))
		rough = append(rough, p.walk(costsOf(count(p.walk(guess()))))...)
	}
	at, blocks := 0, split(rough)
	for i, b := range blocks {
		end := at
		for _, t := range b {
			end += t.length()
		}
		out.block(best(r, at, end, b), i == len(blocks)-1)
		at = end
	}
	out.align()
	raw := binary.LittleEndian.AppendUint32(out.out, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(raw, uint32(len(data)))
}

// best returns the shortest parse of data[at:end] that is found from the parse start.
func best(r *repetitions, at, end int, start []token) []token {
	least, tokens := sizeOf(count(start)), start
	p := newPath(r, at, end)
	for range rounds {
		next := p.walk(costsOf(count(start)))
		if n := sizeOf(count(next)); n < least {
			least, tokens = n, next
		}
		start = next
	}
	return tokens
}

// A token is a literal byte, or a repetition: its distance shifted by 16, and its length.
type token uint32

func (t token) literal() bool { return t>>16 == 0 }

func (t token) length() int {
	if t.literal() {
		return 1
	}
	return int(t & 0xFFFF)
}

func (t token) distance() int { return int(t >> 16) }
