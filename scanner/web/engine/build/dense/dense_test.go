package dense_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"tcode/scanner/web/engine/build/dense"
)

// packed compresses data, and fails unless compress/gzip reads the same from it.
func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	out := dense.Gzip(data)
	r, err := gzip.NewReader(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%d bytes became %d: %v", len(data), len(got), err)
	}
	return out
}

func ordinary(t *testing.T, data []byte) int {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// TestShorter: a program becomes shorter than with compress/gzip.
func TestShorter(t *testing.T) {
	t.Parallel()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data = data[:min(len(data), 2_000_000)]
	got, want := len(packed(t, data)), ordinary(t, data)
	t.Logf("%d bytes: %d, with compress/gzip %d", len(data), got, want)
	if got > want*98/100 {
		t.Errorf("%d bytes, compress/gzip makes %d", got, want)
	}
	if !bytes.Equal(dense.Gzip(data), dense.Gzip(data)) {
		t.Error("the same data become other bytes")
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	far := append(append(bytes.Clone(noise[:100]), make([]byte, 1<<15-100)...), noise[:100]...) // the largest distance
	for name, data := range map[string][]byte{
		"nothing": nil, "a byte": {7}, "four": []byte("aaaa"), "a run": bytes.Repeat([]byte{'a'}, 1000), "zeros": make([]byte, 1<<20),
		"noise": noise, "far": far, "text": bytes.Repeat([]byte("a stamp, a stamped page, "), 5000), "pieces": append(bytes.Clone(noise), noise...),
	} {
		if out := packed(t, data); len(out) > len(data)+len(data)/100+200 {
			t.Errorf("%s: %d bytes become %d", name, len(data), len(out))
		}
	}
	for range 300 { // skewed letters, so that codes are long
		data := make([]byte, random.IntN(30_000))
		for i := range data {
			data[i] = byte(random.ExpFloat64() * float64(1+i%7*10))
			if at := i - 1 - random.IntN(1<<15); at >= 0 && random.IntN(3) == 0 {
				data[i] = data[at]
			}
		}
		packed(t, data)
	}
	fibonacci := []byte(nil) // the longest codes that there are
	for i, a, b := 0, 1, 1; i < 25; i, a, b = i+1, b, a+b {
		fibonacci = append(fibonacci, bytes.Repeat([]byte{byte(i * 7)}, a)...)
	}
	random.Shuffle(len(fibonacci), func(i, j int) { fibonacci[i], fibonacci[j] = fibonacci[j], fibonacci[i] })
	packed(t, fibonacci)
}

func FuzzGzip(f *testing.F) {
	f.Add([]byte("aaaaabcabcabcabc"), 3)
	f.Fuzz(func(t *testing.T, data []byte, times int) {
		packed(t, bytes.Repeat(data, 1+max(0, times)%50))
	})
}
