package pdfobj

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

// unpack calls yield with the objects of the object stream o (ISO 32000-1, 7.5.7), each
// with the lexer that read it and its bytes, until yield returns false.
func (s *scan) unpack(o Object, yield func(o Object, l *lexer, raw []byte) bool) {
	d := o.Dict()
	data, ok := s.data(o.Num, d, o.data)
	first, isInt := d["First"].(int)
	count, isCount := d["N"].(int)
	if !ok || !isInt || !isCount || first < 0 || first > len(data) || count > maxInStream {
		s.found.Packed = true
		return
	}
	s.unpacked = true
	head := &lexer{b: data[:first], left: s.lex}
	for range count {
		num, ok := head.value(0).(int)
		offset, ok2 := head.value(0).(int)
		if !ok || !ok2 || offset < 0 || offset > len(data)-first {
			s.found.Packed = true
			return
		}
		l := &lexer{b: data, pos: first + offset, left: s.lex}
		if s.source != nil {
			l.gens = s.source.chain.gens
		}
		v := l.value(0)
		if _, isEnd := v.(end); isEnd {
			v = nil
		}
		l.odd = l.odd || head.odd
		if s.found.Cut = s.found.Cut || l.out || head.out; s.found.Cut {
			return
		}
		if !yield(Object{Num: num, At: o.At, Value: v, Twice: l.twice}, l, data[first+offset:l.pos]) {
			return
		}
	}
}

// data returns the data of the stream at pos if they need at most one FlateDecode without
// predictor, as usual for object streams.
func (s *scan) data(num int, d Dict, pos int) ([]byte, bool) {
	pos = behindEOL(s.file, pos)
	filter := d["Filter"]
	if a, ok := filter.(Array); ok {
		switch len(a) {
		case 0:
			filter = nil
		case 1:
			filter = a[0]
		}
	}
	length, direct := d["Length"].(int)
	direct = direct && length >= 0 && length <= len(s.file)-pos
	switch filter {
	case nil:
		// The end of the data decides their meaning, and a wrong key may give a plausible
		// result.
		s.found.Packed = s.found.Packed || !direct || s.crypt != nil
		if s.crypt != nil {
			return s.decrypted(num, pos, length, direct), true
		}
		if !direct {
			length = max(bytes.Index(s.file[pos:], []byte("endstream")), 0)
			*s.lex -= length
		}
		return s.file[pos : pos+length], true
	case Name("FlateDecode"), Name("Fl"):
		data := s.file[pos:] // the data mark their own end
		if s.crypt != nil {
			data = s.decrypted(num, pos, length, direct)
		}
		out, err := s.inflated(data)
		whole := err == nil || s.crypt == nil && errors.Is(err, zlib.ErrChecksum)
		s.found.Packed = s.found.Packed || !whole
		return out, s.predictor(d["DecodeParms"])
	}
	return nil, false
}

// decrypted returns the stream's data up to its length or, if an object declares the
// length, up to the next endstream.
func (s *scan) decrypted(num, pos, length int, direct bool) []byte {
	if !direct {
		length = max(bytes.Index(s.file[pos:], []byte("endstream")), 0)
	}
	*s.lex -= length
	return s.crypt.stream(num, s.file[pos:pos+length])
}

// predictor reports whether parms have no effect on the data.
func (s *scan) predictor(parms any) bool {
	if a, ok := parms.(Array); ok && len(a) == 1 {
		parms = a[0]
	}
	switch p := parms.(type) {
	case nil:
		return true
	case Dict:
		return !p.Has("Predictor") || p["Predictor"] == 1
	}
	return false
}

// inflated returns the inflated bytes of b as far as possible, and the error that ended them.
func (s *scan) inflated(b []byte) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	n, err := io.CopyN(&out, z, int64(*s.inflate)+1)
	*s.inflate -= int(n)
	if err == nil {
		s.found.Cut = true
	}
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	*s.lex += maxLexed * int(n)
	return out.Bytes(), err
}
