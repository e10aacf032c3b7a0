package cmd_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner"
	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
	"tcode/testdata/corpus"
)

// deliveredEnv set to "all" makes TestDelivered use every file of the corpus
// instead of some.
const deliveredEnv = "TCODE_DELIVERED"

// A delivery is the gateway's result for one file.
type delivery struct {
	file    string
	dir     string // folder of its drawn pages
	status  int
	problem string // if it was refused
	pdf     []byte
	text    string // of its symbol
	page    int
	grade   string
	read    map[string]bool // by reader and renderer
}

// TestDelivered stamps real files at the default place. Our own reader must
// read all of the delivered files, and zxing-wasm nearly all, from whole pages
// at 300 dpi, drawn by MuPDF and by poppler. It prints the table.
//
//	TCODE_DELIVERED=all go test ./cmd -run TestDelivered -v -timeout 30m
//	TCODE_PDFS=/folder go test ./cmd -run TestDelivered -v -timeout 60m
func TestDelivered(t *testing.T) {
	need(t, "node")
	need(t, "pdftoppm")
	all := os.Getenv(deliveredEnv) == "all"
	w := newWorld(t, 1)
	s := scanner.New(scanner.Config{Budget: 5 * time.Minute})
	t.Cleanup(func() { s.Close() })
	draw := raster.New(sandbox.Config{}, raster.Limits{})
	t.Cleanup(draw.Close)
	var made []*delivery
	refused := map[string][]string{}
	grades := map[string]int{}
	began, posted := time.Now(), time.Duration(0)
	for _, file := range realFiles(t, all) {
		start := time.Now()
		d := w.deliver(file)
		posted += time.Since(start)
		if d.status != http.StatusCreated {
			refused[d.problem] = append(refused[d.problem], d.file)
			continue
		}
		grades[d.grade]++
		made = append(made, d)
		d.readFile(t, s)
		d.readPages(t, draw)
	}
	readByPeer(t, made)
	for _, why := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("refused %3d: %s: %s", len(refused[why]), why, strings.Join(refused[why], " "))
	}
	t.Logf("%d delivered, %.0f ms each, grades %v; in all %v", len(made), 1000*posted.Seconds()/float64(len(made)), grades, time.Since(began).Round(time.Second))
	for _, how := range []string{"ours, the file", "ours, mupdf", "ours, poppler", "zxing-wasm, mupdf", "zxing-wasm, poppler"} {
		tally(t, made, how, all)
	}
}

// realFiles returns the PDFs of the corpus, or every thirtieth of them; or those in
// the folder TCODE_PDFS and below.
func realFiles(t *testing.T, all bool) (out []string) {
	t.Helper()
	if dir := os.Getenv("TCODE_PDFS"); dir != "" {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.EqualFold(filepath.Ext(file), ".pdf") {
				out = append(out, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	found, _ := corpus.PDFs(t)
	if all {
		return found
	}
	for i := 0; i < len(found); i += 30 {
		out = append(out, found[i])
	}
	return out
}

// deliver requests a stamp on file.
func (w *world) deliver(file string) *delivery {
	w.t.Helper()
	pdf, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	d := &delivery{file: filepath.Base(file), dir: w.dir, read: map[string]bool{}}
	by := w.issuers[0]
	body, err := json.Marshal(map[string]any{"name": d.file, "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(pdf)})
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url()+"/v1/tcode/stamps", bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("x-api-key", by.apiKey)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Code, Message string
		Data          struct {
			ID    string
			Page  int
			Grade struct{ Letter string }
		}
	}
	raw, err := io.ReadAll(res.Body)
	if err = errors.Join(err, json.Unmarshal(raw, &answer)); err != nil {
		w.t.Fatalf("%s: %v in %s", d.file, err, raw)
	}
	d.status, d.problem, d.page, d.grade = res.StatusCode, answer.Code+" "+answer.Message, answer.Data.Page, answer.Data.Grade.Letter
	if d.status == http.StatusCreated {
		d.pdf, d.text = w.download(by, answer.Data.ID, "stamped"), string(w.download(by, answer.Data.ID, "payload"))
	} else if d.status >= 500 {
		w.t.Errorf("%s: %d %s", d.file, d.status, raw)
	}
	return d
}

// readFile reads the PDF as tcode-scan does.
func (d *delivery) readFile(t *testing.T, s *scanner.Scanner) {
	t.Helper()
	err := s.Read(t.Context(), d.file, d.pdf, scanner.DocumentOptions{}, func(p scanner.Page) error {
		for _, sym := range p.Reading.Symbols {
			d.read["ours, the file"] = d.read["ours, the file"] || sym.Text == d.text
		}
		return nil
	})
	if err != nil {
		t.Logf("%s: %v", d.file, err)
	}
}

// readPages draws the stamped page with both renderers, reads it with our
// reader, and writes it to files for other readers.
func (d *delivery) readPages(t *testing.T, draw *raster.Rasterizer) {
	t.Helper()
	images := map[string]*gray.Image{}
	err := draw.Open(t.Context(), d.pdf, func(doc *raster.Document) error {
		v, err := doc.View(raster.ViewRequest{Page: d.page, DPI: 300})
		images["mupdf"] = v.Gray()
		return err
	})
	if err != nil {
		t.Errorf("%s: %v", d.file, err)
		return
	}
	images["poppler"] = d.poppler(t, 300)
	if img := images["poppler"]; img != nil && img.Width > 0 {
		// poppler ignores UserUnit (ISO 32000-1, table 30): it draws such a page
		// too small by this factor, with fewer dots an inch than requested.
		if unit := float64(images["mupdf"].Width) / float64(img.Width); unit > 1.01 {
			images["poppler"] = d.poppler(t, int(300*unit+0.5))
		}
	}
	for by, img := range images {
		if img == nil {
			continue
		}
		for _, sym := range symbol.ReadImage(t.Context(), img, symbol.Options{DPI: 300, Budget: time.Minute}).Symbols {
			d.read["ours, "+by] = d.read["ours, "+by] || sym.Text == d.text
		}
		if err := pages.Save(filepath.Join(d.dir, d.file+"."+by+".pgm.gz"), img); err != nil {
			t.Fatal(err)
		}
	}
}

// poppler draws the visible part of the stamped page with pdftoppm, or returns
// nil if pdftoppm fails.
func (d *delivery) poppler(t *testing.T, dpi int) *gray.Image {
	t.Helper()
	file := filepath.Join(d.dir, "stamped.pdf")
	writeFile(t, file, d.pdf)
	n := fmt.Sprint(d.page)
	out, err := exec.CommandContext(t.Context(), "timeout", "60", "pdftoppm", "-gray", "-cropbox", "-r", fmt.Sprint(dpi), "-f", n, "-l", n, file).Output()
	img := new(gray.Image)
	var most int
	if _, serr := fmt.Sscanf(string(out[:min(len(out), 40)]), "P5\n%d %d\n%d\n", &img.Width, &img.Height, &most); err != nil || serr != nil {
		t.Logf("%s: poppler does not draw it: %v %v", d.file, err, serr)
		return nil
	}
	img.Stride, img.Pix = img.Width, out[len(out)-img.Width*img.Height:]
	return img
}

// readByPeer makes zxing-wasm read the pages in these files.
func readByPeer(t *testing.T, made []*delivery) {
	t.Helper()
	var items []readers.Item
	where := map[string]func(bool){}
	texts := map[string]string{}
	for _, d := range made {
		for _, by := range []string{"mupdf", "poppler"} {
			file := filepath.Join(d.dir, d.file+"."+by+".pgm.gz")
			if _, err := os.Stat(file); err != nil {
				continue
			}
			items = append(items, readers.Item{ID: file, File: file})
			texts[file] = d.text
			where[file] = func(ok bool) { d.read["zxing-wasm, "+by] = ok }
		}
	}
	read := readers.WasmReader(filepath.Join("..", "scanner", "bench", "peers"), false)
	err := read(t.Context(), items, func(r readers.Result) { where[r.ID](r.Read && r.Text == texts[r.ID]) })
	if errors.Is(err, readers.ErrPeer) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tally prints the number of stamps that were read that way, and fails below the bar.
func tally(t *testing.T, made []*delivery, how string, all bool) {
	t.Helper()
	var missed []string
	read := 0
	for _, d := range made {
		if d.read[how] {
			read++
		} else {
			missed = append(missed, d.file)
		}
	}
	share := float64(read) / float64(len(made))
	t.Logf("%-20s %3d of %3d, %.1f %%  %s", how, read, len(made), 100*share, strings.Join(missed, " "))
	switch {
	case strings.HasPrefix(how, "ours, ") && how != "ours, poppler" && share < 1:
		t.Errorf("%s: %.1f %% read, want all", how, 100*share)
	case all && how == "zxing-wasm, mupdf" && share < 0.99:
		t.Errorf("%s: %.1f %% read, want 99 %%", how, 100*share)
	}
}
