package gateway_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/host/sandbox"
	"tcode/scanner"
	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// TestDelivered stamps real files at the default place. Our own reader must
// read all of the delivered files, and zxing-wasm nearly all, from whole pages
// at 300 dpi, drawn by MuPDF and by poppler. It prints the table.
//
//	TCODE_DELIVERED=all go test ./cmd/tests/gateway -run TestDelivered -v -timeout 30m
//	TCODE_PDFS=/folder go test ./cmd/tests/gateway -run TestDelivered -v -timeout 60m
func TestDelivered(t *testing.T) {
	world.Need(t, "node")
	world.Need(t, "pdftoppm")
	all := os.Getenv(world.DeliveredEnv) == "all"
	w := world.New(t, 1)
	s := scanner.New(scanner.Config{Budget: 5 * time.Minute})
	t.Cleanup(func() { s.Close() })
	draw := raster.New(sandbox.Config{}, raster.Limits{})
	t.Cleanup(draw.Close)
	var made []*world.Delivery
	refused := map[string][]string{}
	grades := map[string]int{}
	began, posted := time.Now(), time.Duration(0)
	for _, file := range world.RealFiles(t, all) {
		start := time.Now()
		d := w.Deliver(file)
		posted += time.Since(start)
		if d.Status != http.StatusCreated {
			refused[d.Problem] = append(refused[d.Problem], d.File)
			continue
		}
		grades[d.Grade]++
		made = append(made, d)
		readDelivered(t, d, s)
		readPages(t, d, draw)
	}
	readByPeer(t, made)
	for _, why := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("refused %3d: %s: %s", len(refused[why]), why, strings.Join(refused[why], " "))
	}
	t.Logf("%d delivered, %.0f ms each, grades %v; in all %v", len(made),
		1000*posted.Seconds()/float64(len(made)), grades, time.Since(began).Round(time.Second))
	for _, how := range []string{
		"ours, the file", "ours, mupdf", "ours, poppler",
		"zxing-wasm, mupdf", "zxing-wasm, poppler",
	} {
		tally(t, made, how, all)
	}
}

// readDelivered reads the PDF as tcode-scan does.
func readDelivered(t *testing.T, d *world.Delivery, s *scanner.Scanner) {
	t.Helper()
	err := s.Read(t.Context(), d.File, d.PDF, scanner.DocumentOptions{},
		func(p scanner.Page) error {
			for _, sym := range p.Reading.Symbols {
				d.Read["ours, the file"] = d.Read["ours, the file"] || sym.Text == d.Text
			}
			return nil
		})
	if err != nil {
		t.Logf("%s: %v", d.File, err)
	}
}

// readPages draws the stamped page with both renderers, reads it with our
// reader, and writes it to files for other readers.
func readPages(t *testing.T, d *world.Delivery, draw *raster.Rasterizer) {
	t.Helper()
	images := map[string]*gray.Image{}
	err := draw.Open(t.Context(), d.PDF, func(doc *raster.Document) error {
		v, err := doc.View(raster.ViewRequest{Page: d.Page, DPI: 300})
		images["mupdf"] = v.Gray()
		return err
	})
	if err != nil {
		t.Errorf("%s: %v", d.File, err)
		return
	}
	images["poppler"] = poppler(t, d, 300)
	if img := images["poppler"]; img != nil && img.Width > 0 {
		// poppler ignores UserUnit (ISO 32000-1, table 30): it draws such a page
		// too small by this factor, with fewer dots an inch than requested.
		if unit := float64(images["mupdf"].Width) / float64(img.Width); unit > 1.01 {
			images["poppler"] = poppler(t, d, int(300*unit+0.5))
		}
	}
	for by, img := range images {
		if img == nil {
			continue
		}
		for _, sym := range symbol.ReadImage(t.Context(), img,
			symbol.Options{DPI: 300, Budget: time.Minute}).Symbols {
			d.Read["ours, "+by] = d.Read["ours, "+by] || sym.Text == d.Text
		}
		if err := pages.Save(filepath.Join(d.Dir, d.File+"."+by+".pgm.gz"), img); err != nil {
			t.Fatal(err)
		}
	}
}

// poppler draws the visible part of the stamped page with pdftoppm, or returns
// nil if pdftoppm fails.
func poppler(t *testing.T, d *world.Delivery, dpi int) *gray.Image {
	t.Helper()
	file := filepath.Join(d.Dir, "stamped.pdf")
	world.WriteFile(t, file, d.PDF)
	n := fmt.Sprint(d.Page)
	out, err := exec.CommandContext(t.Context(), "timeout", "60", "pdftoppm", "-gray", "-cropbox",
		"-r", fmt.Sprint(dpi), "-f", n, "-l", n, file).Output()
	img := new(gray.Image)
	var most int
	if _, serr := fmt.Sscanf(string(out[:min(len(out), 40)]), "P5\n%d %d\n%d\n", &img.Width,
		&img.Height, &most); err != nil || serr != nil {
		t.Logf("%s: poppler does not draw it: %v %v", d.File, err, serr)
		return nil
	}
	img.Stride, img.Pix = img.Width, out[len(out)-img.Width*img.Height:]
	return img
}

// readByPeer makes zxing-wasm read the pages in these files.
func readByPeer(t *testing.T, made []*world.Delivery) {
	t.Helper()
	var items []readers.Item
	where := map[string]func(bool){}
	texts := map[string]string{}
	for _, d := range made {
		for _, by := range []string{"mupdf", "poppler"} {
			file := filepath.Join(d.Dir, d.File+"."+by+".pgm.gz")
			if _, err := os.Stat(file); err != nil {
				continue
			}
			items = append(items, readers.Item{ID: file, File: file})
			texts[file] = d.Text
			where[file] = func(ok bool) { d.Read["zxing-wasm, "+by] = ok }
		}
	}
	read := readers.WasmReader(world.Path("scanner/bench/peers"), false)
	err := read(t.Context(), items, func(r readers.Result) {
		where[r.ID](r.Read && r.Text == texts[r.ID])
	})
	if errors.Is(err, readers.ErrPeer) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tally prints the number of stamps that were read that way, and fails below the bar.
func tally(t *testing.T, made []*world.Delivery, how string, all bool) {
	t.Helper()
	var missed []string
	read := 0
	for _, d := range made {
		if d.Read[how] {
			read++
		} else {
			missed = append(missed, d.File)
		}
	}
	share := float64(read) / float64(len(made))
	t.Logf("%-20s %3d of %3d, %.1f %%  %s", how, read, len(made), 100*share,
		strings.Join(missed, " "))
	switch {
	case strings.HasPrefix(how, "ours, ") && how != "ours, poppler" && share < 1:
		t.Errorf("%s: %.1f %% read, want all", how, 100*share)
	case all && how == "zxing-wasm, mupdf" && share < 0.99:
		t.Errorf("%s: %.1f %% read, want 99 %%", how, 100*share)
	}
}
