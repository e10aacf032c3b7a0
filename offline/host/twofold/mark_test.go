package twofold_test

import (
	"bytes"
	"testing"

	"tcode/offline/host/twofold"
)

// FuzzMark: a mark is the same after it was written, and a value after it was numbered.
func FuzzMark(f *testing.F) {
	one := append([]byte{1, 0}, make([]byte, 16+3+8)...)
	f.Add(append(one[:len(one):len(one)], 0))
	f.Add(append(one[:len(one):len(one)], 2, 1, 'a', 0))
	f.Add(append(one[:len(one):len(one)], 200))
	f.Fuzz(func(t *testing.T, b []byte) {
		if ok, same := twofold.Marked(b); ok && !same {
			t.Errorf("%x is another mark after it was written", b)
		}
		if n, value := twofold.Numbered(uint64(len(b)), b); n != uint64(len(b)) || !bytes.Equal(value, b) {
			t.Errorf("%x: number %d, value %x", b, n, value)
		}
	})
}
