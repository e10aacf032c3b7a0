package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A row holds the results of one tool on the files.
type row struct {
	Tool    string
	Stamped int // files that came out
	Kept    int // and begin with the bytes that went in
	Signed  int // of those, files with signatures that pdfsig called valid
	Valid   int // of those, with all of them still valid
	Sampled int // files that were rendered before and after
	Read    int // of those, the stamp reads
	Outside int // and pixels changed in an area larger than a stamp
	Added   int // bytes, median
	CPU     time.Duration
	Memory  int64 // bytes, of all processes
	Sets    int64 // bytes, their resident sets

	stamped []string
}

// judge checks the output of the tools.
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

// validSignatures counts the signatures that hold, of any signer.
func validSignatures(ctx context.Context, name string) int {
	raw, err := os.ReadFile(name)
	if err != nil || !bytes.Contains(raw, []byte("/ByteRange")) {
		return 0
	}
	out, _ := exec.CommandContext(ctx, "pdfsig", "-nocert", name).Output()
	return strings.Count(string(out), "Signature is Valid")
}

// look renders the pages of the sample before and after stamping, compares them, and
// reads the symbol where they differ.
func (b *bench) look(ctx context.Context, r *row, before map[string]string) error {
	dir := filepath.Join(b.dir, "page", r.Tool)
	crops := filepath.Join(dir, "crops")
	if err := os.MkdirAll(crops, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cut := map[string]bool{}
	for name, page := range before {
		if !slices.Contains(r.stamped, name) {
			continue
		}
		r.Sampled++
		after, err := lastPage(ctx, b.output(r.Tool, name), filepath.Join(dir, filepath.Base(name)))
		if err != nil {
			b.logf("%s: %s does not render", r.Tool, filepath.Base(name))
			continue
		}
		crop := filepath.Join(crops, filepath.Base(name)+".png")
		area, err := cropChange(page, after, crop)
		if err != nil {
			return err
		}
		cut[crop] = true
		if max(area.Dx(), area.Dy()) > mostChanged {
			b.logf("%s: %s changed in an area of %d x %d pixels", r.Tool, filepath.Base(name), area.Dx(), area.Dy())
			r.Outside++
		}
	}
	if len(cut) == 0 {
		return nil
	}
	read, err := b.read(ctx, crops)
	for crop := range cut {
		if read[crop] {
			r.Read++
		} else if err == nil {
			b.logf("%s: the stamp on %s does not read", r.Tool, strings.TrimSuffix(filepath.Base(crop), ".png"))
		}
	}
	return err
}

// read returns the pictures of a folder that show a TCode like ours.
func (b *bench) read(ctx context.Context, dir string) (map[string]bool, error) {
	out, err := exec.CommandContext(ctx, b.scan, "--json", "read", dir).Output()
	if _, failed := err.(*exec.ExitError); err != nil && !failed { // it fails where a page has no symbol
		return nil, err
	}
	found := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var page struct {
			File    string
			Symbols []struct{ Text string }
		}
		if err := json.Unmarshal(lines.Bytes(), &page); err != nil {
			return nil, err
		}
		for _, s := range page.Symbols {
			if len(s.Text) == len(b.text) && s.Text[:14] == b.text[:14] { // the fingerprint and signature differ
				found[page.File] = true
			}
		}
	}
	return found, lines.Err()
}

// mostChanged is the side of the area that a stamp may change, in pixels: the
// symbol of 15 mm with its quiet zone, and a tolerance for the edges.
const mostChanged = 15*44*renderDPI*10/40/254 + 12

// cropChange writes the part of after that differs from before, with some
// pixels around it, and returns the area that differs.
func cropChange(before, after, crop string) (image.Rectangle, error) {
	a, err := readPNG(before)
	if err != nil {
		return image.Rectangle{}, err
	}
	b, err := readPNG(after)
	if err != nil {
		return image.Rectangle{}, err
	}
	area := b.Bounds()
	if a.Bounds() == b.Bounds() {
		area = image.Rectangle{}
		for y := b.Bounds().Min.Y; y < b.Bounds().Max.Y; y++ {
			for x := b.Bounds().Min.X; x < b.Bounds().Max.X; x++ {
				if level(a, x, y) != level(b, x, y) {
					area = area.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
	}
	cut := area.Inset(-40).Intersect(b.Bounds())
	if area.Empty() {
		cut = image.Rect(0, 0, min(40, b.Bounds().Dx()), min(40, b.Bounds().Dy()))
	}
	out := image.NewGray(cut)
	draw.Draw(out, cut, b, cut.Min, draw.Src)
	f, err := os.Create(crop)
	if err != nil {
		return area, err
	}
	return area, errors.Join(png.Encode(f, out), f.Close())
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
