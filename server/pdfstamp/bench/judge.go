package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A row is what one tool made of the files.
type row struct {
	Tool    string
	Stamped int // files that came out
	Kept    int // and begin with the bytes that went in
	Signed  int // of those, files with signatures that pdfsig called valid
	Valid   int // of those, with all of them still valid
	Sampled int // files that were rendered before and after
	Read    int // of those, the stamp reads
	Outside int // of those that read, pixels changed elsewhere
	Added   int // bytes, median
	CPU     time.Duration
	Memory  int64

	stamped []string
}

// judge looks at what the tools wrote.
func (b *bench) judge(ctx context.Context, rows []row) error {
	signatures := map[string]int{}
	for _, name := range b.names {
		if n := validSignatures(ctx, name); n > 0 {
			signatures[name] = n
		}
	}
	sample := b.sample()
	before := map[string]string{}
	for _, name := range sample {
		page, err := lastPage(ctx, name, filepath.Join(b.dir, "page", "before-"+filepath.Base(name)))
		if err != nil {
			return err
		}
		before[name] = page
	}
	for i := range rows {
		r := &rows[i]
		r.Stamped = len(r.stamped)
		var added []int
		for _, name := range r.stamped {
			in, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			out, err := os.ReadFile(b.output(r.Tool, name))
			if err != nil {
				return err
			}
			if bytes.HasPrefix(out, in) {
				r.Kept++
			}
			added = append(added, len(out)-len(in))
			if n := signatures[name]; n > 0 {
				r.Signed++
				if validSignatures(ctx, b.output(r.Tool, name)) >= n {
					r.Valid++
				}
			}
		}
		if len(added) > 0 {
			slices.Sort(added)
			r.Added = added[len(added)/2]
		}
		if err := b.look(ctx, r, before); err != nil {
			return err
		}
		b.logf("%s judged", r.Tool)
	}
	return nil
}

func (b *bench) output(tool, name string) string {
	return filepath.Join(b.outputs(tool), filepath.Base(name))
}

// sample is a spread of the files.
func (b *bench) sample() []string {
	if b.pixels <= 0 || b.pixels >= len(b.names) {
		return b.names
	}
	var some []string
	for i := range b.pixels {
		some = append(some, b.names[i*len(b.names)/b.pixels])
	}
	return some
}

// validSignatures counts the signatures that hold, whoever made them.
func validSignatures(ctx context.Context, name string) int {
	raw, err := os.ReadFile(name)
	if err != nil || !bytes.Contains(raw, []byte("/ByteRange")) {
		return 0
	}
	out, _ := exec.CommandContext(ctx, "pdfsig", "-nocert", name).Output()
	return strings.Count(string(out), "Signature is Valid")
}

// look renders the stamped pages of the sample, reads their symbols and
// compares the rest of them with what it was.
func (b *bench) look(ctx context.Context, r *row, before map[string]string) error {
	dir := filepath.Join(b.dir, "page", r.Tool)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pages := map[string]string{} // page after -> page before
	for name, page := range before {
		if !slices.Contains(r.stamped, name) {
			continue
		}
		r.Sampled++
		if after, err := lastPage(ctx, b.output(r.Tool, name), filepath.Join(dir, filepath.Base(name))); err == nil {
			pages[after] = page
		}
	}
	symbols, err := b.read(ctx, dir)
	if err != nil {
		return err
	}
	for after, page := range pages {
		corners, ok := symbols[after]
		if !ok {
			b.logf("%s: the stamp on %s does not read", r.Tool, filepath.Base(after))
			continue
		}
		r.Read++
		same, err := sameOutside(page, after, corners)
		if err != nil {
			return err
		}
		if !same {
			b.logf("%s: %s changed elsewhere", r.Tool, filepath.Base(after))
			r.Outside++
		}
	}
	return nil
}

// read returns the corners of a TCode on each picture in a folder, in pixels.
func (b *bench) read(ctx context.Context, dir string) (map[string][4][2]float64, error) {
	out, err := exec.CommandContext(ctx, b.scan, "--json", "read", dir).Output()
	if _, failed := err.(*exec.ExitError); err != nil && !failed { // it fails where a page has no symbol
		return nil, err
	}
	found := map[string][4][2]float64{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var page struct {
			File    string
			Symbols []struct {
				Text    string
				Corners [4][2]float64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &page); err != nil {
			return nil, err
		}
		for _, s := range page.Symbols {
			if len(s.Text) == len(b.text) && s.Text[:14] == b.text[:14] { // the fingerprint and signature differ
				found[page.File] = s.Corners
			}
		}
	}
	return found, lines.Err()
}

// margin is what a stamp may change around its symbol: quiet zone, box and a
// pixel of rounding, as a part of the symbol's side.
const margin = 0.12

// sameOutside compares two pictures except around a symbol.
func sameOutside(before, after string, corners [4][2]float64) (bool, error) {
	a, err := readPNG(before)
	if err != nil {
		return false, err
	}
	b, err := readPNG(after)
	if err != nil {
		return false, err
	}
	if a.Bounds() != b.Bounds() {
		return false, nil
	}
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, c := range corners {
		x0, y0, x1, y1 = min(x0, c[0]), min(y0, c[1]), max(x1, c[0]), max(y1, c[1])
	}
	more := margin*max(x1-x0, y1-y0) + 2
	box := image.Rect(int(x0-more), int(y0-more), int(x1+more)+1, int(y1+more)+1)
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if !(image.Point{X: x, Y: y}).In(box) && level(a, x, y) != level(b, x, y) {
				return false, nil
			}
		}
	}
	return true, nil
}

func level(m image.Image, x, y int) uint8 {
	if g, ok := m.(*image.Gray); ok {
		return g.GrayAt(x, y).Y
	}
	return color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y
}

func readPNG(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(bufio.NewReader(f))
}
