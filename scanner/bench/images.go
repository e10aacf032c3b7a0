package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // formats of the sets
	_ "image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "golang.org/x/image/webp"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/simulate"
)

// nothingIn is the set whose images contain no symbol.
const nothingIn = "zxing_falsepositives"

// setReaders returns the readers of the real sets. libdmtx and gozxing read only the
// pages.
func setReaders(o options) (out []string) {
	for _, p := range o.peers {
		if p == readers.Own || p == readers.Wasm {
			out = append(out, p)
		}
	}
	return out
}

// realSets reads the sets of real images, folder by folder. All readers get the same gray
// pixels and may also look for light symbols on dark.
func realSets(ctx context.Context, o options, p *teller) ([]score.Set, error) {
	folders, err := os.ReadDir(filepath.Join(o.corpus, "images"))
	if err != nil {
		return nil, fmt.Errorf("real images: %w", err)
	}
	if len(setReaders(o)) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "tcode-bench-images-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder too
	var out []score.Set
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		p.tell("read real images: " + f.Name())
		s, err := realSet(ctx, o, filepath.Join(o.corpus, "images", f.Name()), dir)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// realSet reads one folder. It writes the converted images to dir.
func realSet(ctx context.Context, o options, folder, dir string) (score.Set, error) {
	s := score.Set{Name: filepath.Base(folder), Counts: map[string]score.Count{}}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return s, fmt.Errorf("real images: %w", err)
	}
	slices.Sort(files)
	var items []readers.Item
	want := map[string]score.Expectation{}
	for _, name := range files {
		if ext := filepath.Ext(name); ext != ".png" && ext != ".webp" && ext != ".jpg" && ext != ".jpeg" {
			continue
		}
		id := filepath.Base(name)
		item := readers.Item{ID: id, File: filepath.Join(dir, fmt.Sprintf("%s-%d.pgm.gz", s.Name, len(items))), Invert: true}
		if err := convert(name, item.File); err != nil {
			return s, err
		}
		items, want[id] = append(items, item), expectation(s.Name, name)
	}
	for _, reader := range setReaders(o) {
		var cpu []float64
		fresh := o
		fresh.fresh = true
		err := fresh.reader(reader, "")(ctx, items, func(r readers.Result) {
			s.Judge(reader, r.ID, want[r.ID], r)
			cpu = append(cpu, r.CPUms)
		})
		if err != nil {
			return s, err
		}
		c := s.Counts[reader]
		c.CPUms = score.Median(cpu)
		s.Counts[reader] = c
	}
	return s, nil
}

func convert(from, to string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return pages.Save(to, simulate.FromImage(img))
}

// expectation returns the expected text of an image, from the file next to it.
func expectation(set, name string) score.Expectation {
	raw, err := os.ReadFile(strings.TrimSuffix(name, filepath.Ext(name)) + ".txt")
	return score.Expectation{Text: string(raw), Known: err == nil, None: set == nothingIn}
}
