// Package viewers draws the first page of PDF files in the programs in which
// people read them, and describes each display in a word. It is for tests.
// Start with [Draw] and [Words].
//
//	files ─▶ poppler, MuPDF, PDFium, pdf.js ─▶ pictures ─▶ words
//	                                                         ▲
//	references, drawn by the same viewers ───────────────────┘
//
// poppler and MuPDF are the programs of the system, PDFium is the engine of
// scanner/raster, and pdf.js runs in node: npm ci in the folder pdfjs.
package viewers

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"golang.org/x/sync/errgroup"

	"tcode/cmd/internal/prepared"
	"tcode/scanner/gray"
)

// DPI is the resolution of all pictures: letters of 24 points have 20 pixels,
// and drawing a page takes a few milliseconds.
const DPI = 60

// Patience is the time limit of a viewer for a page; then it counts as broken.
const Patience = 10 * time.Second

// ErrMissing says that a viewer is not installed.
var ErrMissing = errors.New("missing")

// Pictures holds first pages by the name of their file; nil if the viewer shows
// no page.
type Pictures map[string]*gray.Image

// Draw draws the first pages of files in all viewers, in the order of
// [prepared.Viewers], each viewer with its own folder in dir. The names of
// files have no separators.
func Draw(ctx context.Context, dir string, files map[string][]byte) ([4]Pictures, error) {
	paths := map[string]string{}
	for name, pdf := range files {
		paths[name] = filepath.Join(dir, name+".pdf")
		if err := os.WriteFile(paths[name], pdf, 0o600); err != nil {
			return [4]Pictures{}, err
		}
	}
	var out [4]Pictures
	for i, draw := range []func(context.Context, map[string]string, string) error{poppler, mupdf, pdfium, pdfjs} {
		if err := draw(ctx, paths, "."+prepared.Viewers[i]+".pgm"); err != nil {
			return out, fmt.Errorf("%s: %w", prepared.Viewers[i], err)
		}
		out[i] = Pictures{}
		for name, path := range paths {
			// An unfinished picture shows nothing, like a missing one.
			picture, _ := read(strings.TrimSuffix(path, ".pdf") + "." + prepared.Viewers[i] + ".pgm")
			out[i][name] = picture
		}
	}
	return out, nil
}

// each runs a program for each file, two at a time, with more variables of the
// environment. A program that fails shows nothing.
func each(ctx context.Context, tool string, paths map[string]string, more []string, args func(path, stem string) []string) error {
	program, err := exec.LookPath(tool)
	if err != nil {
		return fmt.Errorf("%s: %w", tool, ErrMissing)
	}
	var group errgroup.Group
	group.SetLimit(2)
	for _, path := range paths {
		group.Go(func() error {
			limited, cancel := context.WithTimeout(ctx, Patience)
			defer cancel()
			cmd := exec.CommandContext(limited, program, args(path, strings.TrimSuffix(path, ".pdf"))...)
			cmd.Env = append(os.Environ(), more...)
			_ = cmd.Run()
			return ctx.Err()
		})
	}
	return group.Wait()
}

// fonts makes a folder with one font, DejaVu Sans, and returns the variables with which a
// program of fontconfig knows no other: what it draws does not depend on the fonts of the machine.
func fonts(dir string) ([]string, error) {
	dir = filepath.Join(dir, "fonts")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "DejaVuSans.ttf"), dejavusans.TTF, 0o600); err != nil {
		return nil, err
	}
	settings := filepath.Join(dir, "fonts.conf")
	var name bytes.Buffer
	if err := xml.EscapeText(&name, []byte(dir)); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("<fontconfig><dir>%[1]s</dir><cachedir>%[1]s</cachedir></fontconfig>", &name)
	return []string{"FONTCONFIG_FILE=" + settings}, os.WriteFile(settings, []byte(text), 0o600)
}

func poppler(ctx context.Context, paths map[string]string, ending string) error {
	var dir string
	for _, path := range paths {
		dir = filepath.Dir(path)
	}
	one, err := fonts(dir)
	if err != nil {
		return err
	}
	return each(ctx, "pdftoppm", paths, one, func(path, stem string) []string {
		return []string{
			"-r", fmt.Sprint(DPI), "-gray", "-cropbox", "-singlefile", "-f", "1", "-l", "1",
			path, strings.TrimSuffix(stem+ending, ".pgm"),
		}
	})
}

func mupdf(ctx context.Context, paths map[string]string, ending string) error {
	return each(ctx, "mutool", paths, nil, func(path, stem string) []string {
		return []string{"draw", "-q", "-r", fmt.Sprint(DPI), "-c", "gray", "-o", stem + ending, path, "1"}
	})
}

// read reads a picture in the format of all viewers, a binary PGM.
func read(path string) (*gray.Image, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var w, h, top int
	if _, err := fmt.Fscanf(bytes.NewReader(raw), "P5\n%d %d\n%d", &w, &h, &top); err != nil {
		if _, err := fmt.Fscanf(bytes.NewReader(raw), "P5 %d %d %d", &w, &h, &top); err != nil {
			return nil, fmt.Errorf("header of %s: %w", filepath.Base(path), err)
		}
	}
	if w < 1 || h < 1 || top != 255 || len(raw) <= w*h {
		return nil, fmt.Errorf("%s: %d by %d pixels in %d bytes", filepath.Base(path), w, h, len(raw))
	}
	return &gray.Image{Width: w, Height: h, Stride: w, Pix: raw[len(raw)-w*h:]}, nil
}

func write(path string, m *gray.Image) error {
	return os.WriteFile(path, append(fmt.Appendf(nil, "P5 %d %d 255\n", m.Width, m.Height), m.Pix...), 0o600)
}
