package pdfobj

import (
	"bytes"
	"compress/zlib"
	"io"
	"strconv"
)

// A Survey is what was found out about a file besides its objects.
type Survey struct {
	Cut       bool // the file is too complex; objects are missing
	Packed    bool // an object stream could not be unpacked; its objects are missing
	Encrypted bool // some dictionary has Encrypt
}

// Bounds of one file, so that the worst one of 25 MiB takes two seconds and 100
// MiB. Object streams of real files inflate to less than the file.
const (
	maxInflated = 64 << 20 // bytes, all object streams together
	maxLexed    = 2        // times the file and what was inflated, plus spare
	spare       = 4 << 20  // bytes
	maxInStream = 200_000  // objects of one stream
)

// Scan hands yield the objects of file. Their order is that of the bytes. The
// values share the memory of file or live on their own; yield may keep them.
func Scan(file []byte, yield func(Object)) Survey {
	inflate := maxInflated
	lex := maxLexed*len(file) + spare
	s := &scan{file: file, yield: yield, inflate: &inflate, lex: &lex, crypt: encryption(file)}
	s.all()
	return s.found
}

type scan struct {
	file         []byte
	yield        func(Object)
	inflate, lex *int
	crypt        *crypt // nil: streams are not encrypted, or nobody knows how
	flat         bool   // object streams are left alone
	found        Survey
}

func (s *scan) all() {
	s.words("obj", func(at int) {
		num, ok := number(s.file[:at])
		if !ok {
			num = -1
		}
		s.object(num, at)
	})
	s.words("trailer", func(at int) { s.object(Trailer, at+len("trailer")-len("obj")) })
}

// words calls f for each place where word stands and is no part of another one.
func (s *scan) words(word string, f func(at int)) {
	for pos := 0; !s.found.Cut; {
		i := bytes.Index(s.file[pos:], []byte(word))
		if i < 0 {
			return
		}
		at := pos + i
		pos = at + len(word)
		if at > 0 && isRegular(s.file[at-1]) && !isDigit(s.file[at-1]) {
			continue // endobj
		}
		f(at)
	}
}

// number reads backwards the object number of "n g " at the end of b.
func number(b []byte) (int, bool) {
	b = bytes.TrimRight(b, "\x00\t\n\f\r ")
	i := len(b)
	for i > 0 && isDigit(b[i-1]) {
		i--
	}
	gap := bytes.TrimRight(b[:i], "\x00\t\n\f\r ")
	if i == len(b) || len(gap) == i {
		return 0, false
	}
	j := len(gap)
	for j > 0 && isDigit(gap[j-1]) && len(gap)-j < 10 {
		j--
	}
	n, err := strconv.Atoi(string(gap[j:]))
	return n, err == nil
}

// object reads the value behind the keyword at at.
func (s *scan) object(num, at int) {
	l := &lexer{b: s.file, pos: at + len("obj"), left: s.lex}
	v := l.value(0)
	if _, isEnd := v.(end); isEnd {
		v = nil
	}
	s.found.Cut = s.found.Cut || l.out
	o := Object{Num: num, At: at, Value: v, Twice: l.twice}
	d, ok := v.(Dict)
	if !ok {
		s.yield(o)
		return
	}
	l.peek()
	o.Stream = num != Trailer && bytes.HasPrefix(s.file[l.pos:], []byte("stream"))
	s.found.Encrypted = s.found.Encrypted || d.Has("Encrypt")
	s.yield(o)
	if o.Stream && !s.flat && (d.Name("Type") == "ObjStm" || d.Has("N") && d.Has("First")) {
		s.unpack(o, l.pos+len("stream"))
	}
}

// unpack hands out the objects of the object stream o whose data begins, after
// an end of line, at pos (ISO 32000-1, 7.5.7).
func (s *scan) unpack(o Object, pos int) {
	d := o.Dict()
	data, ok := s.data(o.Num, d, pos)
	first, isInt := d["First"].(int)
	count, isCount := d["N"].(int)
	if !ok || !isInt || !isCount || first < 0 || first > len(data) || count > maxInStream {
		s.found.Packed = true
		return
	}
	head := &lexer{b: data[:first], left: s.lex}
	for range count {
		num, ok := head.value(0).(int)
		offset, ok2 := head.value(0).(int)
		if !ok || !ok2 || offset < 0 || offset > len(data)-first {
			s.found.Packed = true
			return
		}
		l := &lexer{b: data, pos: first + offset, left: s.lex}
		v := l.value(0)
		if _, isEnd := v.(end); isEnd {
			v = nil
		}
		if s.found.Cut = s.found.Cut || l.out || head.out; s.found.Cut {
			return
		}
		s.yield(Object{Num: num, At: o.At, Value: v, Twice: l.twice})
	}
}

// data returns the data of the stream at pos, if it needs at most one
// FlateDecode without predictor, which is how object streams are written.
func (s *scan) data(num int, d Dict, pos int) ([]byte, bool) {
	if bytes.HasPrefix(s.file[pos:], []byte("\r")) {
		pos++
	}
	if bytes.HasPrefix(s.file[pos:], []byte("\n")) {
		pos++
	}
	filter := d["Filter"]
	if a, ok := filter.(Array); ok {
		switch len(a) {
		case 0:
			filter = nil
		case 1:
			filter = a[0]
		}
	}
	switch filter {
	case nil:
		return s.raw(num, d, pos), true
	case Name("FlateDecode"), Name("Fl"):
		data := s.file[pos:] // its end says where it ends
		if s.crypt != nil {
			data = s.raw(num, d, pos)
		}
		return s.inflated(data), s.predictor(d["DecodeParms"])
	}
	return nil, false
}

// raw returns the stream's bytes, decrypted: up to its length or, if that comes
// later or is not told, the next endstream.
func (s *scan) raw(num int, d Dict, pos int) []byte {
	n := max(bytes.Index(s.file[pos:], []byte("endstream")), 0)
	if long, ok := d["Length"].(int); ok && long > n && long <= len(s.file)-pos {
		n = long
	}
	*s.lex -= n
	data := s.file[pos : pos+n]
	if s.crypt != nil {
		return s.crypt.decrypt(num, data)
	}
	return data
}

// predictor reports whether parms leave the data as it is.
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

// inflated returns what b inflates to, as far as that goes.
func (s *scan) inflated(b []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	var out bytes.Buffer
	n, err := io.CopyN(&out, z, int64(*s.inflate)+1)
	*s.inflate -= int(n)
	if err == nil {
		s.found.Cut = true
	}
	*s.lex += maxLexed * int(n)
	return out.Bytes()
}
