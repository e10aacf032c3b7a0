package compare

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// TestMeans: four means computed together equal the means one by one.
func TestMeans(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		var a, b [8]byte
		binary.LittleEndian.PutUint64(a[:], random.Uint64()|random.Uint64()) // bright
		binary.LittleEndian.PutUint64(b[:], random.Uint64())
		got := means(binary.LittleEndian.Uint64(a[:]), binary.LittleEndian.Uint64(b[:]))
		for k := range 4 {
			want := byte((int(a[2*k]) + int(a[2*k+1]) + int(b[2*k]) + int(b[2*k+1]) + 2) / 4)
			if byte(got>>(8*k)) != want {
				t.Fatalf("mean %d of %v and %v: %d, want %d", k, a, b, byte(got>>(8*k)), want)
			}
		}
	}
}
