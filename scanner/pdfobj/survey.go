package pdfobj

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"strconv"
)

// A Survey is what was found out about a file besides its objects.
type Survey struct {
	Cut       bool // the file is too complex; objects are missing
	Packed    bool // an object stream could not be unpacked; its objects are missing
	Encrypted bool // some dictionary has Encrypt
	// Odd says that programs read the file differently: it is against the grammar,
	// a stream is not as long as it says, or two objects of one revision have the
	// same number.
	Odd bool
}

// Bounds of one file, so that the worst one of 25 MiB takes two seconds and 100
// MiB. Object streams of real files inflate to less than the file, so that a
// small file is not given what a large one may need.
const (
	maxInflated = 64 << 20 // bytes, all object streams together
	maxGrowth   = 8        // times the file that they may inflate to, plus minInflated
	minInflated = 8 << 20  // bytes
	maxLexed    = 2        // times the file and what was inflated, plus spare
	spare       = 4 << 20  // bytes
	maxInStream = 200_000  // objects of one stream
	maxObjects  = 1 << 20  // different numbers
)

// Scan hands yield the objects of file. Their order is that of the bytes. The
// values share the memory of file or live on their own; yield may keep them.
func Scan(file []byte, yield func(Object)) Survey {
	inflate := min(maxInflated, minInflated+maxGrowth*len(file))
	lex := maxLexed*len(file) + spare
	s := &scan{file: file, yield: yield, inflate: &inflate, lex: &lex, crypt: encryption(file), rivals: newRivals(file)}
	s.all()
	if s.found.Encrypted && s.crypt == nil && s.unpacked {
		s.found.Packed = true // what was read is not what others decrypt
	}
	s.found.Odd = s.found.Odd || s.rivals.found || s.lengths.wrong(file, s.found.Packed)
	return s.found
}

type scan struct {
	file         []byte
	yield        func(Object)
	inflate, lex *int
	crypt        *crypt // nil: streams are not encrypted, or nobody knows how
	flat         bool   // object streams are left alone, and only values matter
	found        Survey
	unpacked     bool // objects were taken from an object stream
	rivals       *rivals
	lengths      lengths
}

func (s *scan) all() {
	s.words("obj", func(at int) {
		if at > 0 && isRegular(s.file[at-1]) && !isDigit(s.file[at-1]) {
			return // endobj
		}
		num, ok := number(s.file[:at])
		if !ok {
			num = -1
		}
		s.object(num, at)
	})
	// What stands before it may be an entry of the table, which some skip unread.
	s.words("trailer", func(at int) { s.object(Trailer, at+len("trailer")-len("obj")) })
}

// words calls f for each place where word stands.
func (s *scan) words(word string, f func(at int)) {
	for pos := 0; !s.found.Cut; {
		i := bytes.Index(s.file[pos:], []byte(word))
		if i < 0 {
			return
		}
		at := pos + i
		pos = at + len(word)
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
	from := at + len("obj")
	l := &lexer{b: s.file, pos: from, left: s.lex}
	var v any
	if l.peek() != 'e' || !bytes.HasPrefix(s.file[l.pos:], []byte("endobj")) { // an empty one is null
		v = l.value(0)
	}
	if _, isEnd := v.(end); isEnd {
		v = nil
	}
	s.found.Cut = s.found.Cut || l.out
	o := Object{Num: num, At: at, Value: v, Twice: l.twice}
	d, isDict := v.(Dict)
	to := l.pos
	next := l.peek()
	o.Stream = isDict && num != Trailer && bytes.HasPrefix(s.file[l.pos:], []byte("stream"))
	s.found.Encrypted = s.found.Encrypted || d.Has("Encrypt")
	if num < 0 && num != Trailer {
		l.odd = len(d) > 0 // elsewhere the word is part of a text
	} else if num >= 0 && !o.Stream && v != nil {
		l.odd = l.odd || next != 'e' || !bytes.HasPrefix(s.file[l.pos:], []byte("endobj"))
	}
	s.found.Odd = s.found.Odd || l.odd && !l.out
	if s.flat {
		s.yield(o)
		return
	}
	if n, isInt := v.(int); isInt {
		s.lengths.number(Ref(num), n)
	}
	if o.Stream {
		to = s.stream(d, l.pos+len("stream"))
	}
	if num >= 0 {
		s.found.Cut = !s.rivals.add(num, at, s.file[from:to]) || s.found.Cut
	}
	s.yield(o)
	if o.Stream && (d.Name("Type") == "ObjStm" || d.Has("N") && d.Has("First")) {
		s.unpack(o, l.pos+len("stream"))
	}
}

// stream looks at the data that begins, after an end of line, at pos. It returns
// where they end, as far as that is known.
func (s *scan) stream(d Dict, pos int) int {
	from := behindEOL(s.file, pos)
	s.found.Odd = s.found.Odd || from == pos || s.file[from-1] != '\n'
	switch n := d["Length"].(type) {
	case int:
		s.found.Odd = s.found.Odd || !endsAt(s.file, from, n)
		if n >= 0 && n <= len(s.file)-from {
			return from + n
		}
	case Ref:
		s.lengths.streams = append(s.lengths.streams, elsewhere{n, from})
	default:
		s.found.Odd = true
	}
	return from
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
		v := l.value(0)
		if _, isEnd := v.(end); isEnd {
			v = nil
		}
		if s.found.Cut = s.found.Cut || l.out || head.out || !s.rivals.add(num, o.At, data[first+offset:l.pos]); s.found.Cut {
			return
		}
		s.found.Odd = s.found.Odd || l.odd || head.odd
		if n, isInt := v.(int); isInt {
			s.lengths.number(Ref(num), n)
		}
		s.yield(Object{Num: num, At: o.At, Value: v, Twice: l.twice})
	}
}

// data returns the data of the stream at pos, if it needs at most one
// FlateDecode without predictor, which is how object streams are written.
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
		// Where they end decides what they say, and a wrong key gives some sense
		// sooner or later.
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
		data := s.file[pos:] // its end says where it ends
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

// decrypted returns the stream's data up to its length or, if that is told
// elsewhere, the next endstream.
func (s *scan) decrypted(num, pos, length int, direct bool) []byte {
	if !direct {
		length = max(bytes.Index(s.file[pos:], []byte("endstream")), 0)
	}
	*s.lex -= length
	return s.crypt.decrypt(num, s.file[pos:pos+length])
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

// inflated returns what b inflates to, as far as that goes, and why no further.
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
