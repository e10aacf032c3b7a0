package ecc200_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tcode/scanner/ecc200"
)

// wantVectors guards against a moved folder: a run without files must not pass.
const wantVectors = 20

// vector is a symbol of an independent writer: testdata/*.txt.
type vector struct {
	name string
	text string
	grid ecc200.Grid
}

// vectors reads the files: head lines "key: value", an empty line, then one
// line of hex for each row of modules, the first module in the highest bit.
func vectors(tb testing.TB) []vector {
	tb.Helper()
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) != wantVectors {
		tb.Fatalf("found %d vectors, want %d (%v)", len(names), wantVectors, err)
	}
	out := make([]vector, len(names))
	for i, name := range names {
		if out[i], err = readVector(name); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
	}
	return out
}

func readVector(name string) (vector, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return vector{}, err
	}
	head, body, ok := strings.Cut(string(raw), "\n\n")
	if !ok {
		return vector{}, errors.New("no empty line")
	}
	v := vector{name: strings.TrimSuffix(filepath.Base(name), ".txt")}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "comment", "writer":
		case "expect":
			if value != "text" {
				return v, fmt.Errorf("expect %q is not known", value)
			}
		case "size":
			if _, err := fmt.Sscanf(value, "%dx%d", &v.grid.Rows, &v.grid.Cols); err != nil {
				return v, err
			}
		case "text":
			v.text = value
		default:
			return v, fmt.Errorf("key %q is not known", key)
		}
	}
	for line := range strings.Lines(body) {
		bits, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil || len(bits) != (v.grid.Cols+7)/8 {
			return v, fmt.Errorf("row of %d bytes (%v)", len(bits), err)
		}
		for c := range v.grid.Cols {
			v.grid.Dark = append(v.grid.Dark, bits[c/8]>>(7-c%8)&1 == 1)
		}
	}
	return v, nil
}

// TestVectors reads symbols that zint and dmtxwrite made and draws them again.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			got, err := ecc200.Decode(v.grid)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := ecc200.Text(got.Codewords); err != nil || text != v.text || got.Errors != 0 {
				t.Errorf("%q with %d errors, %v, want %q", text, got.Errors, err, v.text)
			}
			if !slices.Equal(got.Dark, v.grid.Dark) {
				t.Error("the error-free symbol differs from the one that was read")
			}
			s, _ := ecc200.SizeOf(v.grid.Rows, v.grid.Cols)
			again, err := ecc200.Encode(got.Codewords, s)
			if err != nil {
				t.Fatal(err)
			}
			if same := slices.Equal(again, v.grid.Dark); same != (v.name != "144x144-rotated") {
				t.Errorf("Encode draws the same symbol: %v", same)
			}
		})
	}
}

// TestInterleavings damages 144x144 symbols of both kinds up to the limit of each kind:
// the second reading keeps one more redundant codeword of every block.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	const blocks, perBlock = 10, 62
	for _, v := range vectors(t) {
		if v.grid.Rows != 144 {
			continue
		}
		var atLimit error
		if v.name == "144x144-rotated" {
			atLimit = ecc200.ErrNoRedundant
		}
		tests := []struct {
			name          string
			wrong, doubts int // codewords of the first block
			want          error
		}{
			{"errors", perBlock/2 - 1, 0, nil},
			{"errors at the limit", perBlock / 2, 0, atLimit},
			{"errors too many", perBlock/2 + 1, 0, ecc200.ErrUncorrectable},
			{"erasures", 0, 46, nil},
			{"erasures and errors", 4, 46, nil},
		}
		for _, tt := range tests {
			t.Run(v.name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				g := spoilt(v.grid, blocks, tt.wrong, tt.doubts)
				got, err := ecc200.Decode(g)
				if !errors.Is(err, tt.want) {
					t.Fatalf("err = %v, want %v", err, tt.want)
				}
				if err != nil {
					return
				}
				if text, err := ecc200.Text(got.Codewords); err != nil || text != v.text {
					t.Errorf("read something else: %q, %v", text, err)
				}
				if all := got.Errors + got.Erasures; all < tt.wrong+tt.doubts {
					t.Errorf("%d codewords restored, want at least %d", all, tt.wrong+tt.doubts)
				}
			})
		}
	}
}

// spoilt returns g with one module changed in each of wrong data codewords of the
// first block and, if doubts is not 0, in as many others whose modules have low
// confidence.
func spoilt(g ecc200.Grid, blocks, wrong, doubts int) ecc200.Grid {
	g.Dark = slices.Clone(g.Dark)
	if doubts > 0 {
		g.Confidence = make([]float32, len(g.Dark))
		for i := range g.Confidence {
			g.Confidence[i] = 1
		}
	}
	size, _ := ecc200.SizeOf(g.Rows, g.Cols)
	places := ecc200.Places(size)
	r := rand.New(rand.NewPCG(11, 11))
	for k := range wrong + doubts {
		at := places[k*blocks][r.IntN(8)]
		g.Dark[at] = !g.Dark[at]
		if k >= wrong {
			g.Confidence[at] = 0
		}
	}
	return g
}
