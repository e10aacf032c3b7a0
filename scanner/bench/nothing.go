package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

const (
	nothingEach = 24        // images of a class that is made, or cut out of pages
	photoShades = 160       // gray levels that an image of a PDF file must have to be a photo
	photoLeast  = 160       // px, of the shorter side
	photoMost   = 4_000_000 // px
)

// photoClass is the class of the photos that are found.
const photoClass = "photos"

// photoModules are modules of go.mod whose tests use photos.
var photoModules = []string{"golang.org/x/image", "github.com/pdfcpu/pdfcpu", "github.com/klippa-app/go-pdfium", "github.com/makiuchi-d/gozxing"}

// without holds the images that contain no symbol while their classes are collected.
type without struct {
	dir   string
	names []string                  // of the classes, in order
	items map[string][]readers.Item // by class
	seen  []gray.Histogram          // of the photos
}

func (w *without) add(class string, m *gray.Image) error {
	if _, ok := w.items[class]; !ok {
		w.names = append(w.names, class)
	}
	i := len(w.items[class])
	file := filepath.Join(w.dir, fmt.Sprintf("%s-%d.pgm.gz", strings.ReplaceAll(class, " ", "-"), i))
	w.items[class] = append(w.items[class], readers.Item{ID: fmt.Sprint(class, " ", i), File: file, Invert: true})
	return pages.Save(file, m)
}

// nothing measures the readers on images that contain no symbol, class by class: most
// pictures that people hand to a reader have none, and it should say so soon.
func nothing(ctx context.Context, o options, rows []score.Row, p *teller) ([]score.Nothing, error) {
	peers := setReaders(o)
	if len(peers) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "tcode-bench-nothing-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder too
	p.tell("collect images without a symbol")
	w := &without{dir: dir, items: map[string][]readers.Item{}}
	err = errors.Join(w.made(), w.frames(o, rows, p), w.fromModules(ctx))
	if o.sets {
		err = errors.Join(err, w.fromSets(ctx, o.corpus))
	}
	if err != nil {
		return nil, fmt.Errorf("images without a symbol: %w", err)
	}
	o.fresh = true
	var out []score.Nothing
	for _, class := range w.names {
		n := score.Nothing{Class: class, Images: len(w.items[class]), CPUms: map[string]float64{}, Found: map[string]int{}}
		for _, name := range peers {
			p.tell(fmt.Sprintf("%s reads %d images of %s", name, n.Images, class))
			err := o.reader(name, "")(ctx, w.items[class], func(r readers.Result) { n.Count(name, r) })
			if err != nil {
				return nil, err
			}
		}
		out = append(out, n)
	}
	return out, nil
}

// made adds pages, photos of pages and noise.
func (w *without) made() error {
	r := rand.New(rand.NewPCG(uint64(nothingEach), 0x6e6f7468696e67))
	for i := range nothingEach {
		seed := uint64(i) + 1000
		em := 12 + 28*float64(i)/nothingEach
		if err := w.add("clutter", simulate.Clutter(frameW, frameH, em, seed)); err != nil {
			return err
		}
		if err := w.add("photos of clutter", simulate.Photo(simulate.Clutter(frameH, frameW, em, seed), seed)); err != nil {
			return err
		}
		m := gray.New(640, 480)
		m.Fill(byte(80 + 4*i))
		simulate.Noise(m, r, 8+3*float64(i), 0)
		if i%3 > 0 {
			simulate.Blur(m, math.Pow(1.3, float64(i%8)))
			simulate.Contrast(m, -200, 455, 1)
		}
		if err := w.add("noise", m); err != nil {
			return err
		}
	}
	return nil
}

// frames adds the empty pages of this run and camera frames of their text.
func (w *without) frames(o options, rows []score.Row, p *teller) error {
	c := o.config(p)
	for i := range rows {
		if rows[i].Truth.Variant != pages.Empty {
			continue
		}
		m := &gray.Image{}
		if err := pages.Load(c.File(rows[i].Truth.ID), m); err != nil {
			return err
		}
		if err := errors.Join(w.add("text pages", m), w.add("text frames", textFrame(m, rows[i].Truth))); err != nil {
			return err
		}
	}
	return nil
}

// textFrame returns the camera frame of a part of the empty page m where it has ink.
func textFrame(m *gray.Image, t pages.Truth) *gray.Image {
	x, y := float64(m.Width)*0.45, float64(m.Height)*(0.3+0.1*float64(t.Base%4))
	for k := range t.Corners {
		t.Corners[k] = gray.Point{X: x, Y: y}
	}
	return frame(m, t)
}

// fromSets adds the false positives, and the other images with their symbols painted over.
func (w *without) fromSets(ctx context.Context, corpus string) error {
	files, err := filepath.Glob(filepath.Join(corpus, "images", "*", "*"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	for _, name := range files {
		m, err := loadGray(name)
		if err != nil || m == nil {
			continue // no image
		}
		class := "false positives"
		if filepath.Base(filepath.Dir(name)) != nothingIn {
			class = "painted over"
			if !paintOver(ctx, m) {
				continue
			}
		}
		if err := w.add(class, m); err != nil {
			return err
		}
	}
	return nil
}

// loadGray returns an image file in gray.
func loadGray(name string) (*gray.Image, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	return simulate.FromImage(img), nil
}

// paintOver paints over the symbols on m with a slope of gray between the tones at the corners
// of their quiet zones, and reports whether there were any.
func paintOver(ctx context.Context, m *gray.Image) bool {
	const quiet = 1.5 // modules
	found := symbol.ReadImage(ctx, m, symbol.Options{Inverted: true}).Symbols
	for i := range found {
		s := &found[i]
		cols, rows := float64(s.Cols), float64(s.Rows)
		var q [4]gray.Point
		for k, c := range s.Corners {
			q[k] = gray.Point{X: c[0], Y: c[1]}
		}
		h, ok := gray.ToQuad(cols, rows, q)
		if !ok {
			continue
		}
		tone := func(x, y float64) float64 {
			at := h.Map(gray.Point{X: x, Y: y})
			return m.Bilinear(at.X, at.Y)
		}
		a, b := tone(-quiet, -quiet), tone(cols+quiet, -quiet)
		c, d := tone(-quiet, rows+quiet), tone(cols+quiet, rows+quiet)
		const fine = 4 // dots of a px
		step := 1 / (s.ModulePx * fine)
		for y := -quiet; y < rows+quiet; y += step {
			v := (y + quiet) / (rows + 2*quiet)
			for x := -quiet; x < cols+quiet; x += step {
				u := (x + quiet) / (cols + 2*quiet)
				at := h.Map(gray.Point{X: x, Y: y})
				if px, py := int(at.X), int(at.Y); px >= 0 && py >= 0 && px < m.Width && py < m.Height {
					m.Row(py)[px] = byte((a*(1-u)+b*u)*(1-v) + (c*(1-u)+d*u)*v)
				}
			}
		}
	}
	return len(found) > 0
}

// fromModules adds the photos that modules of go.mod carry for their own tests.
func (w *without) fromModules(ctx context.Context) error {
	args := append([]string{"list", "-m", "-f", "{{.Dir}}"}, photoModules...)
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for _, dir := range strings.Fields(string(out)) {
		err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			if ext := filepath.Ext(name); err != nil || ext != ".jpg" && ext != ".jpeg" && !strings.HasSuffix(name, ".lossless.webp") {
				return err
			}
			return w.addPhoto(name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addPhoto adds the image file if it is a photo of which no other file was added.
func (w *without) addPhoto(name string) error {
	m, err := loadGray(name)
	if err != nil || min(m.Width, m.Height) < photoLeast {
		return nil // no photo
	}
	for m.Width*m.Height > photoMost {
		half := &gray.Image{}
		gray.Halve(half, m)
		m = half
	}
	var h gray.Histogram
	h.Count(m, 1)
	shades := 0
	for _, n := range h {
		if n*5000 > m.Width*m.Height {
			shades++
		}
	}
	if shades < photoShades || slices.Contains(w.seen, h) {
		return nil
	}
	w.seen = append(w.seen, h)
	return w.add(photoClass, m)
}
