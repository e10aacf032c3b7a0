package pdfobj

import (
	"bytes"
	"hash/maphash"
	"slices"
)

// rivals finds objects of the same number in one revision. Programs that follow
// the cross-reference show the one that it names, programs that make their own,
// because something in it is not to their liking, usually show the last one.
type rivals struct {
	ends  []int // of the revisions that are still to come, ascending
	nth   int   // revision
	seen  map[int]rival
	seed  maphash.Seed
	found bool
}

type rival struct {
	sum      uint64 // of the bytes
	revision int
}

func newRivals(file []byte) *rivals {
	return &rivals{ends: revisions(file), seen: map[int]rival{}, seed: maphash.MakeSeed()}
}

// add notes object num, whose keyword stands at at, not before the last one's.
// It returns false if there are too many.
func (r *rivals) add(num, at int, b []byte) bool {
	for len(r.ends) > 0 && r.ends[0] < at {
		r.ends = r.ends[1:]
		r.nth++
	}
	now := rival{maphash.Bytes(r.seed, bytes.TrimSpace(b)), r.nth}
	before, ok := r.seen[num]
	r.found = r.found || ok && before.revision == r.nth && before.sum != now.sum
	r.seen[num] = now
	return len(r.seen) <= maxObjects
}

// maxRevisions bounds the cross-references that are followed.
const maxRevisions = 1000

// revisions returns where the revisions of file end: behind each startxref that
// names a cross-reference to which the last one leads. What else looks like an
// end is none. A newest one that leads nowhere replaces all others, as those of
// repaired files do.
func revisions(file []byte) []int {
	word := []byte("startxref")
	named := map[int][]int{}     // the places that name an offset
	last, at, before := -1, 0, 0 // the newest, its place and that of the one before
	for pos := 0; len(named) < maxRevisions; {
		i := bytes.Index(file[pos:], word)
		if i < 0 {
			break
		}
		pos += i + len(word)
		before, at = at, pos
		left := 64
		if n, ok := (&lexer{b: file, pos: pos, left: &left}).value(0).(int); ok {
			named[n], last = append(named[n], pos), n
		}
	}
	var ends []int
	if last >= 0 && last < len(file) {
		if d, _ := xrefDict(file[last:]); d != nil && !d.Has("Prev") {
			return []int{before, at}
		}
	}
	next, work := []any{last}, 0
	for tried := 0; len(next) > 0 && tried < maxRevisions && work < maxLexed*len(file); tried++ {
		x, ok := next[0].(int)
		next = next[1:]
		if !ok || x < 0 || x >= len(file) {
			continue
		}
		d, read := xrefDict(file[x:])
		work += read
		if d == nil {
			continue
		}
		ends = append(ends, named[x]...)
		delete(named, x)
		next = append(next, d["Prev"], d["XRefStm"])
	}
	slices.Sort(ends)
	return ends
}

// xrefDict returns the dictionary of the cross-reference at the beginning of b,
// a table or a stream, nil if there is none, and how many bytes it read.
func xrefDict(b []byte) (Dict, int) {
	word, most := []byte("obj"), 64
	if bytes.HasPrefix(bytes.TrimLeft(b, "\x00\t\n\f\r "), []byte("xref")) {
		word, most = []byte("trailer"), len(b)
	}
	i := bytes.Index(b[:min(len(b), most)], word)
	if i < 0 {
		return nil, most
	}
	left := spare
	l := &lexer{b: b, pos: i + len(word), left: &left}
	d, _ := l.value(0).(Dict)
	return d, l.pos
}
