package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"

	"tcode/offline/host/sandbox"
	"tcode/scanner/bench/pages"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/simulate"
)

// Bars of the ratio to zxing-cpp's program.
const (
	barPicture = 5
	barPage    = 1.2
)

// pageDPI is the resolution of the pages of documents.
const pageDPI = 200

// A set is a list of pictures without a symbol.
type set struct {
	name  string
	bar   float64
	files []string
}

// collect finds or makes the pictures of the sets. Those that are made lie in dir.
func collect(ctx context.Context, o options, dir string) (all []set, err error) {
	add := func(name string, bar float64, files func(name string) ([]string, error)) {
		if err != nil || o.only != "" && o.only != name {
			return
		}
		s := set{name: name, bar: bar}
		if s.files, err = files(name); err == nil && len(s.files) > 0 {
			all = append(all, s)
		}
	}
	add("falsepositives", barPicture, func(string) ([]string, error) {
		return filepath.Glob(filepath.Join(o.corpus, "images", "zxing_falsepositives", "*.png"))
	})
	add("photos", barPicture, func(name string) ([]string, error) { return photos(dir, name, o.each, 1280, 960) })
	add("large photos", barPicture, func(name string) ([]string, error) { return photos(dir, name, (o.each+5)/6, 4032, 3024) })
	add("small images", barPicture, func(name string) ([]string, error) { return small(dir, name, o.each) })
	var files [2][]string
	if err == nil && (o.only == "" || o.only == "pages, gray" || o.only == "pages, RGB") {
		files[0], files[1], err = documents(ctx, o, dir)
	}
	add("pages, gray", barPage, func(string) ([]string, error) { return files[0], nil })
	add("pages, RGB", barPage, func(string) ([]string, error) { return files[1], nil })
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there is no set %q", o.only)
	}
	return all, err
}

// photos makes n photos of w x h px of pages without a symbol, as JPEG files in colour.
func photos(dir, name string, n, w, h int) (files []string, err error) {
	for i := range n {
		page := simulate.Photo(simulate.Clutter(w, h, float64(h)/40, uint64(i+1)), uint64(i+1))
		var b bytes.Buffer
		if err := jpeg.Encode(&b, tinted(page), &jpeg.Options{Quality: 85}); err != nil {
			return nil, fmt.Errorf("encode a photo: %w", err)
		}
		if files, err = write(files, dir, fmt.Sprintf("%s-%d.jpg", name, i), b.Bytes()); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// small makes n images of text of 80 to 400 px.
func small(dir, name string, n int) (files []string, err error) {
	for i := range n {
		side := 80 + 320*i/n
		raw, err := simulate.EncodePNG(simulate.Clutter(side, side*2/3, 14, uint64(i+1)))
		if err != nil {
			return nil, fmt.Errorf("encode an image: %w", err)
		}
		if files, err = write(files, dir, fmt.Sprintf("%s-%d.png", name, i), raw); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// documents draws pages of real documents, each as a gray and as an RGB file.
func documents(ctx context.Context, o options, dir string) (grays, colours []string, err error) {
	pdfs := filepath.Join(o.corpus, "pdf")
	if o.corpus == "" {
		pdfs = filepath.Join("testdata", "documents")
	}
	sources, err := pages.Sources(ctx, pdfs, filepath.Join(dir, "sources.json"), func(string) {})
	if err != nil {
		return nil, nil, err
	}
	sources = slices.DeleteFunc(sources, func(s pages.Source) bool { return s.Page > 1 })
	r := raster.New(sandbox.Config{Size: 1}, raster.Limits{})
	defer r.Close()
	for i, s := range spread(sources, o.each) {
		m, err := draw(ctx, r, filepath.Join(pdfs, s.File), s.Page)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.File, err)
		}
		raw, err := simulate.EncodePNG(m)
		if err != nil {
			return nil, nil, fmt.Errorf("encode a page: %w", err)
		}
		if grays, err = write(grays, dir, fmt.Sprintf("page-%d.png", i), raw); err != nil {
			return nil, nil, err
		}
		var b bytes.Buffer
		if err := png.Encode(&b, inRGB(m)); err != nil {
			return nil, nil, fmt.Errorf("encode a page: %w", err)
		}
		if colours, err = write(colours, dir, fmt.Sprintf("page-%d-rgb.png", i), b.Bytes()); err != nil {
			return nil, nil, err
		}
	}
	return grays, colours, nil
}

// draw draws a page of a PDF.
func draw(ctx context.Context, r *raster.Rasterizer, name string, page int) (m *gray.Image, err error) {
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	err = r.Open(ctx, file, func(d *raster.Document) error {
		p, err := d.Page(page, pageDPI)
		m = p.Image
		return err
	})
	return m, err
}

// inRGB returns m as an image in colour that encoders do not reduce to gray.
func inRGB(m *gray.Image) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	for y := range m.Height {
		for x, v := range m.Row(y) {
			out.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	return out
}

// tinted returns m in the colours of warm light.
func tinted(m *gray.Image) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	for y := range m.Height {
		for x, v := range m.Row(y) {
			out.SetNRGBA(x, y, color.NRGBA{v, byte(int(v) * 15 / 16), byte(int(v) * 13 / 16), 255})
		}
	}
	return out
}

// write writes a file and appends its name.
func write(files []string, dir, name string, raw []byte) ([]string, error) {
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		return nil, err
	}
	return append(files, name), nil
}
