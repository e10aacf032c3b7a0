package mkvectors_test

import (
	"bytes"
	"crypto/rc4"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"tcode/offline/binding"
	"tcode/offline/payload"
)

// bindingVectors makes testdata/vectors/binding: each vector is one file and
// the symbol that a device has read. offline/binding/FORMAT.md explains the headers.
func bindingVectors() (files, error) {
	made := files{}
	for _, c := range bindingCases() {
		f := newStamped()
		c.change(f)
		raw, err := f.file()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		p := payload.Payload{Reference: f.ref, Fingerprint: f.fingerprint}
		got := binding.Check(raw, p, f.read)
		if got.Code != "binding_"+c.want || got.State != stateOf(c.want) {
			return nil, fmt.Errorf("%s: got %+v, want %s", c.name, got, c.want)
		}
		var modules strings.Builder
		for _, dark := range f.read.Dark {
			modules.WriteByte("01"[map[bool]int{true: 1}[dark]])
		}
		headers := []header{
			{"case", c.want},
			{"reference", f.ref.String()},
			{"fingerprint", hex.EncodeToString(f.fingerprint[:])},
			{"side", fmt.Sprint(f.read.Side)},
			{"modules", modules.String()},
			{"appended", fmt.Sprint(got.AppendedBytes)},
		}
		if err := made.add(c.name, vector(string(got.State), c.comment, headers, hexBody(raw))); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// stateOf is the state of a case.
func stateOf(word string) binding.State {
	switch word {
	case "match":
		return binding.Match
	case "appended", "signed", "stamped":
		return binding.Appended
	case "no_mark":
		return binding.NotChecked
	}
	return binding.Mismatch
}

// stamped is a stamped file that fits the symbol that was read, until a case changes it.
// Its fingerprint is made last, by its numbers as they are: a reader that takes a
// faulty mark finds that all else fits.
type stamped struct {
	ref    payload.Reference
	drawn  binding.Modules // in the hole
	read   binding.Modules // by the device
	cipher binding.Cipher

	before, between, behind string // text around mark and hole
	number                  func(m *binding.Mark)
	text                    func(mark string) string
	hole                    func(b []byte) []byte
	other                   payload.Reference // the fingerprint is made for this one, if it is not zero
	after                   func(raw []byte) []byte

	fingerprint [16]byte
}

func newStamped() *stamped {
	m := somePattern(10, 1)
	same := func(b []byte) []byte { return b }
	return &stamped{
		ref: payload.Reference{0x00, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF}, drawn: m, read: m,
		before: "%PDF-1.4\n", between: ">>\nstream\n", behind: "\nendstream\n%%EOF\n",
		number: func(*binding.Mark) {}, text: func(s string) string { return s }, hole: same, after: same,
	}
}

// somePattern is a symbol of that side; a binding looks at no symbology.
func somePattern(side, step int) binding.Modules {
	m := binding.Modules{Side: side, Dark: make([]bool, side*side)}
	for i := range m.Dark {
		m.Dark[i] = i%side == 0 || i/side == side-1 || (i*i*step/7)%3 == 0
	}
	return m
}

func (f *stamped) file() ([]byte, error) {
	m := binding.Mark{Reference: f.ref, Cipher: f.cipher}
	var head string
	for range 4 { // the length of a faulty mark may depend on its numbers
		head = f.before + f.text(string(m.Append(nil))) + f.between
		m.Start, m.Length = int64(len(head)), int64(f.cipher.HoleLen(f.drawn.Side))
		m.End = m.Start + m.Length + int64(len(f.behind))
		f.number(&m)
	}
	raw := append([]byte(head), make([]byte, m.Length)...)
	hole := binding.Hole(raw, m, f.drawn)
	if hole == nil {
		hole = binding.SymbolStream(f.drawn)
	}
	raw = append(append(raw[:len(head)], f.hole(hole)...), f.behind...)
	signed := m
	if f.other != (payload.Reference{}) {
		signed.Reference = f.other
	}
	f.fingerprint = loose(raw, signed)
	return f.after(raw), nil
}

// loose is the fingerprint that a reader computes which does not look at the range
// of the numbers.
func loose(raw []byte, m binding.Mark) [16]byte {
	at := func(n int64) int { return int(min(max(n, 0), int64(len(raw)))) }
	b := append([]byte("TCode/1"), m.Reference[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Start))
	b = binary.BigEndian.AppendUint64(b, uint64(m.Length))
	b = append(b, raw[:at(m.Start)]...)
	if from, to := at(m.Start+m.Length), at(m.End); from < to {
		b = append(b, raw[from:to]...)
	}
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

// mark is the text of a mark of reference ref that lies.
func mark(ref payload.Reference, at int64) string {
	return string(binding.Mark{Reference: ref, Start: at, Length: 1, End: 100}.Append(nil))
}

// bindingCase is one vector; want is the case of
// offline/binding/FORMAT.md, "The check".
type bindingCase struct {
	name, comment, want string
	change              func(f *stamped)
}

func bindingCases() []bindingCase {
	cases := append(boundCases(), appendedCases()...)
	return append(append(cases, mismatchCases()...), unmarkedCases()...)
}

// keyed encrypts the hole.
func keyed(method binding.Method, n int) func(f *stamped) {
	return func(f *stamped) {
		f.cipher = binding.Cipher{Method: method, Key: "0123456789\xABbcdefghijklmnopqrstuv"[:n]}
	}
}

func boundCases() []bindingCase {
	all := []bindingCase{
		{"match-raw", "10 modules a side, not encrypted", "match", func(*stamped) {}},
		{"match-side-12", "12 modules a side: rows of 6 bytes", "match", func(f *stamped) { f.drawn = somePattern(12, 2); f.read = f.drawn }},
		{"match-side-40", "40 modules a side: 3,200 bytes", "match", func(f *stamped) { f.drawn = somePattern(40, 3); f.read = f.drawn }},
		{"match-mark-first", "the mark is the first thing in the file", "match", func(f *stamped) { f.before = "" }},
		{"match-mark-behind", "bytes of another mark's beginning before the mark", "match", func(f *stamped) { f.before = "%PDF-1.4 /TCode<</V 1/R/TCR-" }},
		{"match-copies", "the same mark nine times: one mark", "match", func(f *stamped) { f.text = func(s string) string { return strings.Repeat(s, 9) } }},
		{"match-other-marks", "ten marks of other references before it", "match", func(f *stamped) {
			for i := range byte(10) {
				f.before += mark(payload.Reference{9, i}, 1)
			}
		}},
		{"match-eight-marks", "seven marks of this reference that lie, before the true one", "match", func(f *stamped) {
			for i := range int64(7) {
				f.before += mark(f.ref, i)
			}
		}},
		{"match-range", "a mark of this reference beyond the end, before the true one", "match", func(f *stamped) { f.before += mark(f.ref, 101) }},
	}
	for _, c := range []struct {
		name   string
		method binding.Method
		n      int
	}{{"rc4-40", binding.RC4, 10}, {"rc4-128", binding.RC4, 16}, {"aes-128", binding.AES, 16}, {"aes-256", binding.AES, 32}} {
		all = append(all, bindingCase{"match-" + c.name, "the hole encrypted as the file is", "match", keyed(c.method, c.n)})
	}
	return append(all, bindingCase{"match-aes-whole-blocks", "a symbol of whole blocks is padded by one more", "match", func(f *stamped) {
		keyed(binding.AES, 16)(f)
		f.drawn = somePattern(12, 2)
		f.read = f.drawn
	}})
}

func appendedCases() []bindingCase {
	behind := func(text string) func(f *stamped) {
		return func(f *stamped) { f.after = func(raw []byte) []byte { return append(raw, text...) } }
	}
	return []bindingCase{
		{"appended-byte", "one byte follows", "appended", behind("x")},
		{"appended-space", "a line end follows", "appended", behind("\n")},
		{"appended-byte-range", "/ByteRange follows, and no %%EOF", "appended", behind("/ByteRange[0 1 2 3]")},
		{"appended-eof", "%%EOF follows, and no /ByteRange", "appended", behind("1 0 obj\n%%EOF\n")},
		{"appended-signed", "both follow: it looks signed", "signed", behind("/ByteRange[0 1 2 3]\n%%EOF\n")},
		{"appended-stamped", "another mark follows", "stamped", behind(mark(payload.Reference{9}, 1))},
		{"appended-mark-begins", "the beginning of a mark follows, and no mark", "stamped", behind("/TCode<</V ")},
		{"appended-mark-begins-cut", "a byte less is no beginning", "appended", behind("/TCode<</V")},
		{"appended-signed-and-stamped", "signed comes first", "signed", behind("/TCode<</V /ByteRange %%EOF")},
		{"appended-copies", "the mark itself follows, twice", "stamped", func(f *stamped) {
			f.after = func(raw []byte) []byte {
				at := bytes.Index(raw, []byte("/TCode"))
				k := string(raw[at : at+binding.MarkLen])
				return append(raw, k+k...)
			}
		}},
	}
}

func mismatchCases() []bindingCase {
	edit := func(change func(raw []byte) []byte) func(f *stamped) { return func(f *stamped) { f.after = change } }
	flip := func(at func(raw []byte) int) func(f *stamped) {
		return edit(func(raw []byte) []byte { raw[at(raw)] ^= 1; return raw })
	}
	hole := func(change func(b []byte) []byte) func(f *stamped) { return func(f *stamped) { f.hole = change } }
	number := func(change func(m *binding.Mark)) func(f *stamped) { return func(f *stamped) { f.number = change } }
	encrypted := func(n int, method binding.Method, change func(b []byte) []byte) func(f *stamped) {
		return func(f *stamped) { keyed(method, n)(f); f.hole = change }
	}
	return []bindingCase{
		{"mismatch-before", "one bit before the mark changed", "fingerprint", flip(func([]byte) int { return 5 })},
		{"mismatch-between", "one bit between mark and hole changed", "fingerprint", flip(func(raw []byte) int { return bytes.Index(raw, []byte("stream")) })},
		{"mismatch-behind", "the last bit changed", "fingerprint", flip(func(raw []byte) int { return len(raw) - 1 })},
		{"mismatch-cut", "the last byte is missing", "fingerprint", edit(func(raw []byte) []byte { return raw[:len(raw)-1] })},
		{"mismatch-fingerprint", "one bit of the fingerprint changed", "fingerprint", func(f *stamped) {
			f.after = func(raw []byte) []byte { f.fingerprint[15] ^= 1; return raw }
		}},
		{"mismatch-other-reference", "the fingerprint is that of another reference", "fingerprint", func(f *stamped) { f.other = payload.Reference{9} }},
		{"mismatch-hole-empty", "L is 0", "fingerprint", number(func(m *binding.Mark) { m.Length = 0 })},
		{"mismatch-hole-beyond", "the hole ends behind E", "fingerprint", number(func(m *binding.Mark) { m.End = m.Start + m.Length - 1 })},
		{"mismatch-start-beyond", "the hole begins behind E", "fingerprint", number(func(m *binding.Mark) { m.End = m.Start - 1 })},
		{"mismatch-end-beyond", "E is a byte behind the file", "fingerprint", number(func(m *binding.Mark) { m.End++ })},
		{"repainted-bit", "one pixel of the hole is another", "repainted", hole(func(b []byte) []byte { b[17] ^= 4; return b })},
		{"repainted-inverted", "dark and light are exchanged", "repainted", hole(func(b []byte) []byte {
			for i := range b {
				b[i] = ^b[i]
			}
			return b
		})},
		{"repainted-other", "another symbol was read", "repainted", func(f *stamped) { f.read = somePattern(10, 5) }},
		{"repainted-larger", "a larger symbol was read", "repainted", func(f *stamped) { f.read = somePattern(12, 1) }},
		{"repainted-none", "no square symbol was read", "repainted", func(f *stamped) { f.read = binding.Modules{} }},
		{"repainted-short", "the hole is a row short", "repainted", number(func(m *binding.Mark) { m.Length -= 5 })},
		{"repainted-raw", "the mark has a key, the hole is not encrypted", "repainted", encrypted(16, binding.RC4, func([]byte) []byte { return binding.SymbolStream(somePattern(10, 1)) })},
		{"repainted-other-key", "encrypted by another key", "repainted", encrypted(16, binding.RC4, func([]byte) []byte {
			b := binding.SymbolStream(somePattern(10, 1))
			if c, err := rc4.NewCipher([]byte("another key 1234")); err == nil {
				c.XORKeyStream(b, b)
			}
			return b
		})},
		{"repainted-padding", "the last block of AES, which holds the padding, is another", "repainted", encrypted(16, binding.AES, func(b []byte) []byte { b[len(b)-1] ^= 1; return b })},
		{"many-marks", "eight marks of this reference that lie, before the true one", "marks", func(f *stamped) {
			for i := range int64(8) {
				f.before += mark(f.ref, i)
			}
		}},
	}
}

func unmarkedCases() []bindingCase {
	text := func(change func(mark string) string) func(f *stamped) { return func(f *stamped) { f.text = change } }
	replaced := func(from, to string) func(f *stamped) {
		return text(func(s string) string { return strings.Replace(s, from, to, 1) })
	}
	with := func(method binding.Method, n int, from, to string) func(f *stamped) {
		return func(f *stamped) { keyed(method, n)(f); replaced(from, to)(f) }
	}
	return []bindingCase{
		{"unmarked", "no mark", "no_mark", text(func(string) string { return "" })},
		{"unmarked-other-reference", "the mark of another reference", "no_mark", text(func(s string) string { return strings.Replace(s, "TCR-0123", "TCR-9123", 1) })},
		{"unmarked-version-3", "version 3", "no_mark", replaced("/V 1", "/V 3")},
		{"unmarked-space", "a space more", "no_mark", replaced("/V 1/R", "/V 1 /R")},
		{"unmarked-zeros", "numbers without leading zeros, as a program writes them that saves the file anew", "no_mark", text(func(s string) string {
			for _, name := range []string{"/S ", "/L ", "/E "} {
				head, rest, _ := strings.Cut(s, name)
				s = head + name + strings.TrimLeft(rest, "0")
			}
			return s
		})},
		{"unmarked-sign", "a sign before a number", "no_mark", replaced("/S 0", "/S +")},
		{"unmarked-digits", "a number of eleven digits", "no_mark", replaced("/S 0", "/S 00")},
		{"unmarked-order", "E before L", "no_mark", text(func(s string) string {
			l, e := strings.Index(s, "/L "), strings.Index(s, "/E ")
			return s[:l] + s[e:e+13] + s[l:e] + s[e+13:]
		})},
		{"unmarked-lower-case", "the reference in lower case", "no_mark", replaced("ABCDEF", "abcdef")},
		{"unmarked-alike", "O for 0 in the reference", "no_mark", replaced("TCR-0", "TCR-O")},
		{"unmarked-end", "no end of the dictionary", "no_mark", replaced(">>", "> ")},
		{"unmarked-string", "the reference as a string", "no_mark", replaced("/R/TCR-0123456789ABCDEF", "/R(TCR-0123456789ABCDEF)")},
		{"unmarked-no-key", "version 2 without a key", "no_mark", replaced("/V 1", "/V 2")},
		{"unmarked-key-in-1", "version 1 with a key", "no_mark", with(binding.RC4, 16, "/V 2", "/V 1")},
		{"unmarked-method", "another method", "no_mark", with(binding.RC4, 16, "/C/RC4", "/C/DES")},
		{"unmarked-key-lower-case", "the key in lower case", "no_mark", with(binding.RC4, 16, "39AB", "39ab")},
		{"unmarked-key-short", "an RC4 key of 9 bytes", "no_mark", with(binding.RC4, 10, "/K/30", "/K/")},
		{"unmarked-key-odd", "half a byte", "no_mark", with(binding.RC4, 16, "/K/30", "/K/3")},
		{"unmarked-key-long", "an RC4 key of 17 bytes", "no_mark", with(binding.RC4, 16, "/K/", "/K/30")},
		{"unmarked-key-24", "an AES key of 24 bytes", "no_mark", func(f *stamped) {
			keyed(binding.AES, 32)(f)
			f.text = func(s string) string { return s[:len(s)-2-16] + ">>" }
		}},
	}
}
