package mkvectors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/adler32"
	"strings"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// statusVectors makes testdata/vectors/status: one object of the status list a
// file, as [trust.ObjectVector] in JSON, each with one fault at most. Each
// expected answer is written next to it.
func statusVectors() (files, error) {
	made := files{}
	for _, c := range statusCases() {
		v, err := trust.ObjectVector{Comment: c.comment, Object: c.object, Most: c.most, Raw: hex.EncodeToString(c.raw)}.Run()
		if err != nil {
			return nil, err
		}
		set := strings.ReplaceAll(strings.TrimPrefix(fmt.Sprint(v.Set), "map"), "map", "")
		if v.Want != c.want || c.set != "" && set != c.set {
			return nil, fmt.Errorf("%s: got %s %s; want %s %s", c.name, v.Want, set, c.want, c.set)
		}
		file, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, err
		}
		prefix := "bad-"
		if c.want == "ok" {
			prefix = "ok-"
		}
		if err := made.add(prefix+c.object+"-"+c.name+".json", append(bytes.TrimSpace(file), '\n')); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// statusCase is one vector: the answer and the entries, written by hand.
type statusCase struct {
	object, name, comment string
	most                  int
	raw                   []byte
	want, set             string
}

// stored is a zlib stream of stored blocks, which no release of a compressor
// changes.
func stored(content []byte) []byte {
	b := []byte{0x78, 0x01}
	for rest := content; ; {
		n := min(len(rest), 65535)
		last := byte(0)
		if n == len(rest) {
			last = 1
		}
		b = append(b, last)
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
		b = binary.LittleEndian.AppendUint16(b, ^uint16(n))
		b, rest = append(b, rest[:n]...), rest[n:]
		if last == 1 {
			return binary.BigEndian.AppendUint32(b, adler32.Checksum(content))
		}
	}
}

// denseShard has 4,096 entries that are set, and more if you ask for them.
func denseShard(more int) []byte {
	b := []byte{0xFF, 0xFF}
	b = append(b, bytes.Repeat([]byte{0x55}, statuslist.MaxListed/4)...)
	for i := range more {
		b = append(b, 1<<(2*(i%4)))
	}
	return append(b, make([]byte, 2+statuslist.Size-len(b))...)
}

func statusCases() []statusCase {
	var all []statusCase
	shard := func(name, comment, want, set string, compact ...byte) {
		all = append(all, statusCase{"shard", name, comment, 0, stored(compact), want, set})
	}
	shard("empty", "no entry is set", "ok", "[]", 0, 0)
	shard("first", "entry 0 is revoked", "ok", "[0:[0:1]]", 0, 1, 0, 1)
	shard("last", "entry 65535 is replaced", "ok", "[0:[65535:3]]", 0, 1, 0xFF, 0xFF, 3, 3)
	shard("neighbours", "entries 7 and 8", "ok", "[0:[7:1 8:2]]", 0, 2, 7, 0, 9)
	shard("five", "five values take two bytes", "ok", "[0:[0:1 1:1 2:1 3:1 4:2]]", 0, 5, 0, 0, 0, 0, 0, 0x55, 2)
	shard("gap-127", "the greatest gap of one byte", "ok", "[0:[127:1]]", 0, 1, 127, 1)
	shard("gap-128", "the least gap of two bytes", "ok", "[0:[128:1]]", 0, 1, 0x80, 1, 1)
	shard("gap-16384", "the least gap of three bytes", "ok", "[0:[16384:1]]", 0, 1, 0x80, 0x80, 1, 1)
	shard("dense", "4,097 entries are set", "ok", "", denseShard(1)...)
	shard("nothing", "a stream of no bytes", "compact", "")
	shard("half-count", "the count is cut", "compact", "", 0)
	shard("no-gap", "a gap is missing", "compact", "", 0, 1)
	shard("no-value", "the values are missing", "compact", "", 0, 1, 7)
	shard("gap-cut", "the gap goes on, and the value is missing", "compact", "", 0, 1, 0x80, 1)
	shard("gap-long", "a gap in one byte too many", "compact", "", 0, 1, 0x87, 0, 1)
	shard("gap-65536", "the entry is beyond the last", "compact", "", 0, 1, 0x80, 0x80, 4, 1)
	shard("gaps-65536", "the second entry is beyond the last", "compact", "", 0, 2, 0xFF, 0xFF, 3, 0, 5)
	shard("gap-64-bits", "a gap that overflows 64 bits", "compact", "", 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 1)
	shard("value-0", "an entry is listed and not set", "compact", "", 0, 2, 7, 0, 1)
	shard("value-more", "a value without an entry", "compact", "", 0, 1, 7, 5)
	shard("count-4097", "more entries than are listed", "compact", "", append(append([]byte{0x10, 0x01}, make([]byte, 4097)...), bytes.Repeat([]byte{0x55}, 1025)...)...)
	shard("byte-more", "a byte follows the shard", "compact", "", 0, 0, 0)
	shard("shard-more", "a shard follows the shard", "compact", "", 0, 0, 0, 0)
	shard("dense-4096", "4,096 entries that are not listed", "compact", "", denseShard(0)...)
	shard("dense-short", "a dense shard is a byte short", "compact", "", denseShard(1)[:statuslist.Size+1]...)
	shard("dense-long", "a dense shard is a byte long", "size", "", append(denseShard(1), 0)...)
	shard("as-it-is", "the 16,384 bytes without a count", "compact", "", make([]byte, statuslist.Size)...)

	one := stored([]byte{0, 1, 7, 1})
	stream := func(name, comment, want string, raw []byte) {
		all = append(all, statusCase{"shard", name, comment, 0, raw, want, ""})
	}
	stream("zlib-none", "no bytes at all", "deflate", nil)
	stream("zlib-header", "the header's check bits are wrong", "deflate", append([]byte{0x78, 0x02}, one[2:]...))
	stream("zlib-checksum", "the checksum is wrong", "deflate", append(bytes.Clone(one[:len(one)-1]), one[len(one)-1]^1))
	stream("zlib-cut", "the checksum is cut", "deflate", one[:len(one)-1])
	stream("zlib-more", "a byte follows the stream", "deflate", append(bytes.Clone(one), 0))
	stream("zlib-twice", "a stream follows the stream", "deflate", append(bytes.Clone(one), one...))
	stream("zlib-long", "17,409 bytes in transit", "size", append(bytes.Clone(one), make([]byte, statuslist.MaxDeflated+1-len(one))...))

	shards := func(name, comment string, limit int, want, set string, compact ...byte) {
		all = append(all, statusCase{"shards", name, comment, limit, stored(compact), want, set})
	}
	shards("one", "a pack of one shard", 1, "ok", "[0:[7:1]]", 0, 1, 7, 1)
	shards("three", "one after the other", 3, "ok", "[0:[7:1] 2:[9:2]]", 0, 1, 7, 1, 0, 0, 0, 1, 9, 2)
	shards("fewer", "fewer than there may be: that the pack has another name shows it", 3, "ok", "[0:[7:1]]", 0, 1, 7, 1, 0, 0)
	shards("dense", "a dense shard before a listed one", 2, "ok", "", append(denseShard(1), 0, 1, 7, 1)...)
	shards("none", "no shard at all", 3, "compact", "")
	shards("more", "one more than there may be", 2, "compact", "", 0, 0, 0, 0, 0, 0)
	shards("cut", "the last is cut", 3, "compact", "", 0, 0, 0, 1, 9)
	shards("byte-more", "a byte follows the last", 3, "compact", "", 0, 0, 0, 0, 0)
	return append(append(all, packCases()...), deltaCases()...)
}

func packCases() []statusCase {
	head := "tcode-pack/1\n"
	hashes := func(n int) string { return strings.Repeat(strings.Repeat("\xA5", 31)+"\x01", n) }
	var all []statusCase
	for _, c := range []struct{ name, comment, raw, want string }{
		{"one", "one shard", head + hashes(1), "ok"},
		{"two", "two shards that are alike", head + hashes(2), "ok"},
		{"full", "128 shards", head + hashes(trust.PackShards), "ok"},
		{"empty", "no bytes", "", "syntax"},
		{"no-shards", "no shards", head, "syntax"},
		{"no-head", "hashes alone", hashes(2), "syntax"},
		{"version", "another version", "tcode-pack/2\n" + hashes(1), "syntax"},
		{"delta", "the head of a delta", "tcode-delta/1\n" + hashes(1), "syntax"},
		{"return", "a carriage return", "tcode-pack/1\r\n" + hashes(1), "syntax"},
		{"upper-case", "a head in upper case", "TCODE-PACK/1\n" + hashes(1), "syntax"},
		{"hash-cut", "a byte of a hash is missing", head + hashes(2)[1:], "syntax"},
		{"byte-more", "a byte follows", head + hashes(2) + "\n", "syntax"},
		{"129", "129 shards", head + hashes(trust.PackShards+1), "too_large"},
	} {
		all = append(all, statusCase{"pack", c.name, c.comment, 0, []byte(c.raw), c.want, ""})
	}
	return all
}

func deltaCases() []statusCase {
	head := "tcode-delta/1\n"
	full := head
	for i := range trust.MaxDelta {
		full += string([]byte{0, 3, byte(i >> 8), byte(i), 1})
	}
	var all []statusCase
	for _, c := range []struct{ name, comment, raw, want, set string }{
		{"none", "nothing has changed", head, "ok", "[]"},
		{"one", "entry 258 of shard 3 is revoked", head + "\x00\x03\x01\x02\x01", "ok", "[3:[258:1]]"},
		{"values", "every value", head + "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x02\x02\x00\x00\x00\x03\x03", "ok", "[0:[0:0 1:1 2:2 3:3]]"},
		{"last", "the last entry of the last shard", head + "\xFF\xFF\xFF\xFF\x03", "ok", "[65535:[65535:3]]"},
		{"full", "4,096 entries", full, "ok", ""},
		{"empty", "no bytes", "", "syntax", ""},
		{"no-head", "entries alone", "\x00\x03\x01\x02\x01", "syntax", ""},
		{"version", "another version", "tcode-delta/2\n\x00\x03\x01\x02\x01", "syntax", ""},
		{"pack", "the head of a pack", "tcode-pack/1\n\x00\x03\x01\x02\x01", "syntax", ""},
		{"cut", "a byte is missing", head + "\x00\x03\x01\x02", "syntax", ""},
		{"byte-more", "a byte follows", head + "\x00\x03\x01\x02\x01\n", "syntax", ""},
		{"value-4", "a value of three bits", head + "\x00\x03\x01\x02\x04", "syntax", ""},
		{"twice", "an entry is there twice", head + "\x00\x03\x01\x02\x01\x00\x03\x01\x02\x02", "syntax", ""},
		{"entries-order", "entries descend", head + "\x00\x03\x01\x03\x01\x00\x03\x01\x02\x01", "syntax", ""},
		{"shards-order", "shards descend", head + "\x00\x03\x01\x02\x01\x00\x02\x01\x03\x01", "syntax", ""},
		{"4097", "4,097 entries", full + "\x00\x04\x00\x00\x01", "too_large", ""},
	} {
		all = append(all, statusCase{"delta", c.name, c.comment, 0, []byte(c.raw), c.want, c.set})
	}
	return all
}
