package pdfobj

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A Survey is the findings about a file apart from its objects.
type Survey struct {
	Cut       bool // the file is too complex; objects are missing
	Packed    bool // an object stream could not be unpacked; its objects are missing
	Encrypted bool // some dictionary has Encrypt
	// Odd says why programs may read the file differently, as a clause whose subject is the
	// file: its cross-reference is not exact, or an object that it names is against the
	// grammar, has another length than declared, or stands in the file again later. Odd is
	// empty if nothing is odd.
	Odd string
}

// Bounds of one file: the worst file of 25 MiB takes two seconds and 100 MiB. Object
// streams of real files inflate to less than the file, so a small file gets a smaller
// limit than a large one.
const (
	maxInflated = 64 << 20  // bytes, all object streams together
	maxGrowth   = 8         // factor of the file's size to which they may inflate, plus minInflated
	minInflated = 8 << 20   // bytes
	maxLexed    = 2         // factor of the size of the file and of the inflated bytes, plus spare
	spare       = 4 << 20   // bytes
	maxInStream = 200_000   // objects of one stream
	maxObjects  = 1 << 20   // different numbers
	maxNumber   = 8_388_607 // of objects (ISO 32000-1, annex C)
)

// Scan calls yield with the objects of file, as [File.Scan] does.
func Scan(file []byte, yield func(Object)) Survey { return Open(file).Scan(yield) }

// Scan calls yield with the objects of the file, wherever they stand, in the order of
// the bytes. The values share the memory of the file or have their own; yield may keep
// them.
func (f *File) Scan(yield func(Object)) Survey {
	inflate := min(maxInflated, minInflated+maxGrowth*len(f.data))
	lex := maxLexed*len(f.data) + spare
	s := &scan{file: f.data, yield: yield, inflate: &inflate, lex: &lex, crypt: f.opened, source: f, rivals: newRivals(f.chain)}
	s.found.Odd = f.chain.wrong
	s.all()
	if s.found.Encrypted && s.crypt == nil && s.unpacked {
		s.found.Packed = true // the bytes that were read are not those that others decrypt
	}
	if !s.found.Cut {
		s.note(s.rivals.verdict())
	}
	s.note(s.lengths.wrong(f.data, s.found.Packed))
	return s.found
}

type scan struct {
	file         []byte
	yield        func(Object)
	inflate, lex *int
	crypt        *crypt // nil: streams are not encrypted, or in an unknown way
	source       *File  // nil: object streams are left alone, and only values matter
	found        Survey
	unpacked     bool // objects were taken from an object stream
	rivals       *rivals
	lengths      lengths
	inside       int // the end of the data of a stream that the cross-reference names
}

// note keeps the first odd finding.
func (s *scan) note(what string) {
	if s.found.Odd == "" {
		s.found.Odd = what
	}
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
	// The bytes before it may be an entry of the table, which some programs skip unread.
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

// number reads, backwards, the object number of "n g " at the end of b.
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
	live := false
	if s.source != nil {
		live = s.rivals.names(num, at)
		l.gens = s.rivals.chain.gens
		if live {
			l.refs = &s.rivals.used
		}
	}
	var v any
	if l.peek() != 'e' || !bytes.HasPrefix(s.file[l.pos:], []byte("endobj")) { // an empty one is null
		v = l.value(0)
	}
	if _, isEnd := v.(end); isEnd {
		v = nil
	}
	s.found.Cut = s.found.Cut || l.out
	d, isDict := v.(Dict)
	to := l.pos
	next := l.peek()
	o := Object{Num: num, At: at, Value: v, Twice: l.twice, data: l.pos + len("stream")}
	o.Stream = isDict && num != Trailer && bytes.HasPrefix(s.file[l.pos:], []byte("stream"))
	s.found.Encrypted = s.found.Encrypted || d.Has("Encrypt")
	if s.source == nil {
		s.yield(o)
		return
	}
	if num >= 0 && !o.Stream && v != nil {
		l.odd = l.odd || next != 'e' || !bytes.HasPrefix(s.file[l.pos:], []byte("endobj"))
	}
	o.Live = live || s.rivals.chain.wrong != "" && num != -1
	once := live || num >= 0 && s.rivals.chain.replaced[at] // programs showed it, or show it
	if once && l.odd && !l.out {
		s.note(grammar(num))
	}
	if once && l.twice != "" {
		s.note(twofold(num, l.twice))
	}
	if n, isInt := v.(int); isInt && o.Live {
		s.lengths.number(Ref(num), n)
	}
	if o.Stream {
		to = s.stream(o, once)
	}
	if num >= 0 && (live || at >= s.inside) {
		s.found.Cut = !s.rivals.add(num, live, s.file[from:to]) || s.found.Cut
	}
	if live {
		s.inside = max(s.inside, to)
	}
	s.yield(o)
	if o.Stream && (d.Name("Type") == "ObjStm" || d.Has("N") && d.Has("First")) {
		s.members(o, live)
	}
}

// grammar says, as a clause, that object num is against the grammar of PDF.
func grammar(num int) string {
	if num == Trailer {
		return "its trailer is against the grammar of PDF"
	}
	return fmt.Sprintf("object %d is against the grammar of PDF", num)
}

// twofold says, as a clause, that a dictionary of object num has two values of key.
func twofold(num int, key Name) string {
	where := fmt.Sprintf("object %d", num)
	if num == Trailer {
		where = "its trailer"
	}
	const longest = 40
	if len(key) > longest || strings.Trim(string(key), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
		return where + " has an entry twice"
	}
	return fmt.Sprintf("%s has the entry “%s” twice", where, key)
}

// members calls yield with the objects of the object stream o.
func (s *scan) members(o Object, live bool) {
	at, nth := o.At, 0
	s.unpack(o, func(m Object, l *lexer, raw []byte) bool {
		here := live && s.rivals.packs(m.Num, o.Num, nth)
		nth++
		m.At, m.Live = at, here || o.Live && s.rivals.chain.wrong != ""
		if here {
			pdfRefs(m.Value, &s.rivals.used)
			if l.odd {
				s.note(grammar(m.Num))
			}
			if l.twice != "" {
				s.note(twofold(m.Num, l.twice))
			}
		}
		if n, isInt := m.Value.(int); isInt && m.Live {
			s.lengths.number(Ref(m.Num), n)
		}
		if here || at >= s.inside || live {
			if !s.rivals.add(m.Num, here, raw) {
				s.found.Cut = true
				return false
			}
		}
		s.yield(m)
		return true
	})
}

// stream examines the data of o. It returns their end, as far as it is
// known.
func (s *scan) stream(o Object, named bool) int {
	from := behindEOL(s.file, o.data)
	short := from == o.data || s.file[from-1] != '\n'
	n, known := o.Dict()["Length"].(int)
	if r, isRef := o.Dict()["Length"].(Ref); isRef {
		n, known = s.source.length(r)
		if named {
			s.lengths.streams = append(s.lengths.streams, elsewhere{r, o.Num, from})
		}
	} else if named && !(known && endsAt(s.file, from, n)) {
		short = true
	}
	if named && short {
		s.note(unlike(o.Num))
	}
	if known && n >= 0 && n <= len(s.file)-from {
		return from + n
	}
	return from
}
