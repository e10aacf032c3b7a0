package pdfobj

import (
	"bytes"
	"fmt"
)

// lengths compares the declared lengths of streams with their ends. Some programs show
// only the beginning of a stream that declares too little, others all of it.
type lengths struct {
	numbers map[Ref][]int // the newest values of each object that is a number
	streams []elsewhere
}

// elsewhere is a stream whose length is in an object.
type elsewhere struct {
	length Ref
	num    int // of the stream
	from   int // offset of the data
}

// maxVersions bounds the values of one number that are compared.
const maxVersions = 8

func (l *lengths) number(num Ref, n int) {
	if l.numbers == nil {
		l.numbers = map[Ref][]int{}
	}
	list := append(l.numbers[num], n)
	l.numbers[num] = list[max(0, len(list)-maxVersions):]
}

// unlike says, as a clause, that the length of stream num is not the declared one.
func unlike(num int) string {
	return fmt.Sprintf("the stream of object %d is not as long as it says", num)
}

// wrong names, as a clause, a stream of file whose length is not the declared one. With
// unknown, it ignores streams whose length object was not found.
func (l *lengths) wrong(file []byte, unknown bool) string {
	for _, s := range l.streams {
		fits, known := false, l.numbers[s.length]
		for _, n := range known {
			fits = fits || endsAt(file, s.from, n)
		}
		if !fits && !(unknown && len(known) == 0) {
			return unlike(s.num)
		}
	}
	return ""
}

// endsAt reports whether the stream data that begin at from end n bytes
// further.
func endsAt(file []byte, from, n int) bool {
	if n < 0 || n > len(file)-from {
		return false
	}
	const longest = 64 // white space before the word
	rest := file[from+n:]
	return bytes.HasPrefix(bytes.TrimLeft(rest[:min(len(rest), longest)], "\x00\t\n\f\r "), []byte("endstream"))
}

// behindEOL returns the beginning of the data of a stream whose keyword ends at pos.
func behindEOL(file []byte, pos int) int {
	if bytes.HasPrefix(file[pos:], []byte("\r")) {
		pos++
	}
	if bytes.HasPrefix(file[pos:], []byte("\n")) {
		pos++
	}
	return pos
}
