package pdfobj

import (
	"bytes"
	"fmt"
)

// lengths compares what streams say of their length with where they end. Some
// programs show the beginning of a stream that says too little, others all of it.
type lengths struct {
	numbers map[Ref][]int // the newest values of each object that is a number
	streams []elsewhere
}

// elsewhere is a stream whose length is told by an object.
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

// unlike says that stream num has another length than it says.
func unlike(num int) string {
	return fmt.Sprintf("the stream of object %d is not as long as it says", num)
}

// wrong says which stream of file has another length than it says, as a clause.
// unknown are lengths that could not be examined.
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

// endsAt reports whether the data of a stream that begin at from end n bytes
// further.
func endsAt(file []byte, from, n int) bool {
	if n < 0 || n > len(file)-from {
		return false
	}
	const longest = 64 // white space before the word
	rest := file[from+n:]
	return bytes.HasPrefix(bytes.TrimLeft(rest[:min(len(rest), longest)], "\x00\t\n\f\r "), []byte("endstream"))
}

// behindEOL returns where the data of a stream begin whose keyword ends at pos.
func behindEOL(file []byte, pos int) int {
	if bytes.HasPrefix(file[pos:], []byte("\r")) {
		pos++
	}
	if bytes.HasPrefix(file[pos:], []byte("\n")) {
		pos++
	}
	return pos
}
