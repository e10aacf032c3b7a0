package pdfobj

import (
	"bytes"
)

// A File reads single objects of a PDF at the places that its cross-reference names. It is
// not safe for concurrent use.
type File struct {
	data         []byte
	chain        *chain
	opened       *crypt           // of an encryption dictionary anywhere in the file
	crypt        *crypt           // of the encryption dictionary that the trailer names
	sealed       bool             // the trailer names one that cannot be opened
	lex, inflate int              // bytes that may still be read, and inflated
	kept         map[Ref]Object   // the objects that were read last
	keeping      int              // bytes of the file that they take
	packed       map[int][]Object // the object streams that were opened last
}

// Open reads the cross-reference of file, which must not change afterwards.
func Open(file []byte) *File {
	f := &File{data: file, lex: maxLooked*len(file) + moreLooked, kept: map[Ref]Object{}, inflate: min(maxInflated, minInflated+maxGrowth*len(file))}
	f.chain = chainOf(f)
	f.opened = encryption(file)
	if f.Trailer().Has("Encrypt") {
		f.crypt, f.sealed = f.opened, f.opened == nil
	}
	return f
}

// Wrong says why programs may read the cross-reference differently, as a clause whose
// subject is the file. It returns an empty string if nothing is wrong.
func (f *File) Wrong() string { return f.chain.wrong }

// Hybrid returns the numbers of the objects that only programs that read the
// cross-reference stream next to a table find (ISO 32000-2, 7.5.8.4). Callers must not
// change the map.
func (f *File) Hybrid() map[int]bool { return f.chain.hybrid }

// Trailer returns the newest trailer, or nil if there is none.
func (f *File) Trailer() Dict {
	if len(f.chain.trailers) == 0 {
		return nil
	}
	return f.chain.trailers[0]
}

// Object returns the object that the cross-reference names num, with its strings
// decrypted. It returns false if there is none, if the cross-reference is wrong, if the
// strings cannot be decrypted, or if the limit of bytes to read is reached.
func (f *File) Object(num Ref) (Object, bool) {
	e, ok := f.chain.entries[int(num)]
	if !ok || f.chain.wrong != "" || f.sealed {
		return Object{}, false
	}
	if e.stream != 0 {
		holder, ok := f.chain.entries[e.stream]
		if !ok || holder.at == 0 {
			return Object{}, false
		}
		all := f.unpacked(e.stream, holder.at)
		if e.index >= len(all) || all[e.index].Num != int(num) {
			return Object{}, false
		}
		return all[e.index], true
	}
	if e.at == 0 {
		return Object{}, false
	}
	if o, ok := f.kept[num]; ok {
		return o, true
	}
	before := f.lex
	o := f.at(int(num), e.at)
	if f.lex < 0 {
		return Object{}, false
	}
	if f.crypt != nil {
		o.Value = f.crypt.decoded(o.Num, o.Value)
	}
	f.keep(num, o, before-f.lex)
	return o, true
}

// keep keeps o, which was read from n bytes.
func (f *File) keep(num Ref, o Object, n int) {
	if n > maxKept/8 {
		return
	}
	if f.keeping += n; f.keeping > maxKept {
		clear(f.kept)
		f.keeping = n
	}
	f.kept[num] = o
}

// Bounds of the objects that are read one by one: all bytes, as a multiple of the file
// plus a constant, and bytes of the objects that are kept.
const (
	maxLooked  = 4
	moreLooked = 16 << 20
	maxKept    = 1 << 20
)

// Spent reports whether the limit of bytes was reached, so that objects are missing.
func (f *File) Spent() bool { return f.lex < 0 || f.inflate < 0 }

// Has reports whether the cross-reference has object num in use.
func (f *File) Has(num Ref) bool {
	e, ok := f.chain.entries[int(num)]
	return ok && (e.at > 0 || e.stream > 0)
}

// Value returns v, or the value of the object to which it refers.
func (f *File) Value(v any) any {
	for range 8 {
		r, isRef := v.(Ref)
		if !isRef {
			return v
		}
		o, ok := f.Object(r)
		if !ok {
			return nil
		}
		v = o.Value
	}
	return nil
}

// Dict returns v, or the value to which it refers, if that is a dictionary, else nil.
func (f *File) Dict(v any) Dict {
	d, _ := f.Value(v).(Dict)
	return d
}

// Array returns v, or the value to which it refers, if that is an array, else nil.
func (f *File) Array(v any) Array {
	a, _ := f.Value(v).(Array)
	return a
}

// at reads the object whose keyword stands at at.
func (f *File) at(num, at int) Object {
	l := &lexer{b: f.data, pos: at + len("obj"), left: &f.lex}
	v := l.value(0)
	if _, isEnd := v.(end); isEnd {
		v = nil
	}
	_, isDict := v.(Dict)
	l.peek()
	return Object{Num: num, At: at, Value: v, Stream: isDict && bytes.HasPrefix(f.data[l.pos:], []byte("stream")), data: l.pos + len("stream")}
}

// maxOpened bounds the object streams that are kept open.
const maxOpened = 4

// unpacked returns the objects of the object stream num.
func (f *File) unpacked(num, at int) []Object {
	if all, ok := f.packed[num]; ok {
		return all
	}
	if f.packed == nil || len(f.packed) >= maxOpened {
		f.packed = map[int][]Object{}
	}
	var all []Object
	s := &scan{file: f.data, inflate: &f.inflate, lex: &f.lex, crypt: f.crypt}
	if o := f.at(num, at); o.Stream {
		s.unpack(o, func(o Object, _ *lexer, _ []byte) bool {
			all = append(all, o)
			return true
		})
	}
	if s.found.Cut || s.found.Packed {
		all = nil
	}
	f.packed[num] = all
	return all
}
