package scanner_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/binding"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/scanner"
	"tcode/scanner/binder"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// readAll returns the numbers of the pages yielded, in order, and the texts by page.
func readAll(ctx context.Context, s *scanner.Scanner, data []byte, opt scanner.DocumentOptions) (pages []scanner.Page, err error) {
	if opt.Image.Budget == 0 {
		opt.Image.Budget = time.Hour
	}
	err = s.Read(ctx, "letter.pdf", data, opt, func(p scanner.Page) error {
		pages = append(pages, p)
		return nil
	})
	return pages, err
}

// texts are the texts of each page, in the order of yielding.
func texts(pages []scanner.Page) map[int][]string {
	out := map[int][]string{}
	for _, p := range pages {
		for _, s := range p.Reading.Symbols {
			out[p.Number] = append(out[p.Number], s.Text)
		}
	}
	return out
}

//race:on pages are drawn and read concurrently
func TestReadPDF(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	var content []pdfPage
	want := map[int][]string{}
	for n := 1; n <= 9; n++ {
		p := emptyPage()
		if n == 4 || n == 9 {
			var text string
			p, text = symbolPage(t, uint64(n), 15)
			want[n] = []string{text}
		}
		content = append(content, p)
	}
	file := pdf(content...)

	var progress int
	got, err := readAll(t.Context(), s, file, scanner.DocumentOptions{Progress: func(done, count int) { progress = done*100 + count }})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	for i, p := range got {
		if p.Number != i+1 || p.Count != 9 || p.Kind != raster.PDF || p.WidthPx == 0 || p.DPI == 0 || p.Raster == 0 {
			t.Errorf("page %d: %d of %d, %s, %d px wide, %g dpi, %v", i+1, p.Number, p.Count, p.Kind, p.WidthPx, p.DPI, p.Raster)
		}
	}
	if len(got) != 9 || progress != 909 {
		t.Errorf("%d pages, progress %d; want 9, 909", len(got), progress)
	}

	got, err = readAll(t.Context(), s, file, scanner.DocumentOptions{StampOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int][]string{9: want[9]}, texts(got)); diff != "" {
		t.Errorf("stamp only (-want +got):\n%s", diff)
	}
}

// TestReadSmallSymbol has modules of 0.7 px at 150 dpi: only the second look reads it.
func TestReadSmallSymbol(t *testing.T) {
	t.Parallel()
	p, text := symbolPage(t, 5, 5)
	got, err := readAll(t.Context(), newScanner(t, scanner.Config{}), pdf(p), scanner.DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int][]string{1: {text}}, texts(got)); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if got[0].DPI != scanner.DefaultThorough {
		t.Errorf("dpi = %g, want %g", got[0].DPI, scanner.DefaultThorough)
	}
	only, err := readAll(t.Context(), newScanner(t, scanner.Config{ThoroughDPI: scanner.DefaultFirst}), pdf(p), scanner.DocumentOptions{})
	if err != nil || len(only[0].Reading.Symbols) != 0 || only[0].Reading.Reason.Code == "" {
		t.Errorf("one look: %v, %v; want nothing read and a reason", texts(only), err)
	}
}

func TestReadNothing(t *testing.T) {
	t.Parallel()
	got, err := readAll(t.Context(), newScanner(t, scanner.Config{}), pdf(emptyPage(), emptyPage()), scanner.DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(texts(got)) != 0 {
		t.Fatalf("%d pages with %v, want 2 with nothing", len(got), texts(got))
	}
	for _, p := range got {
		if p.Reading.Reason.Code == "" || p.DPI != scanner.DefaultThorough {
			t.Errorf("page %d: reason %+v at %g dpi, want one at %g", p.Number, p.Reading.Reason, p.DPI, scanner.DefaultThorough)
		}
	}
}

// TestThoroughTime: without time for a closer look the first one counts.
func TestThoroughTime(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{ThoroughTime: 1})
	got, err := readAll(t.Context(), s, pdf(emptyPage(), emptyPage(), emptyPage()), scanner.DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var dpi []float64
	for _, p := range got {
		dpi = append(dpi, p.DPI)
		if !strings.Contains(p.Reading.Reason.Message, "before a closer look ended") {
			t.Errorf("page %d: %+v", p.Number, p.Reading.Reason)
		}
	}
	if diff := cmp.Diff([]float64{150, 150, 150}, dpi); diff != "" {
		t.Errorf("dpi of the pages (-want +got):\n%s", diff)
	}
}

// TestReadUnseenPage: a page that cannot be rendered is an error, unless a symbol was read elsewhere.
func TestReadUnseenPage(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	giant := pdfPage{"/MediaBox [0 0 14400 14400]", ""}
	got, err := readAll(t.Context(), s, pdf(emptyPage(), giant), scanner.DocumentOptions{})
	if de, ok := errors.AsType[*scanner.DocumentError](err); !ok || de.Code != scanner.FileTooLarge || !strings.Contains(err.Error(), "page 2") {
		t.Errorf("err = %v, want page 2 too large", err)
	}
	if len(got) != 2 || got[1].Reading.Reason.Code != scanner.FileTooLarge {
		t.Errorf("%d pages, want 2, the second with its reason", len(got))
	}
	p, text := symbolPage(t, 6, 15)
	got, err = readAll(t.Context(), s, pdf(giant, p), scanner.DocumentOptions{})
	if diff := cmp.Diff(map[int][]string{2: {text}}, texts(got)); err != nil || diff != "" {
		t.Errorf("with a symbol: err = %v, (-want +got):\n%s", err, diff)
	}
}

// userPassword encrypts a PDF so that it cannot be opened without a password.
func userPassword(t *testing.T, file []byte) []byte {
	t.Helper()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("qpdf is not installed")
		}
		t.Skip("qpdf is not installed")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf")
	if err := os.WriteFile(in, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(qpdf, "--encrypt", "secret", "owner", "256", "--", in, out).CombinedOutput(); err != nil {
		t.Fatalf("qpdf: %v: %s", err, msg)
	}
	locked, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return locked
}

// pngClaiming is the header of a PNG of w x h px, and no pixels.
func pngClaiming(w, h uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	b = binary.BigEndian.AppendUint32(b, w)
	b = binary.BigEndian.AppendUint32(b, h)
	b = append(b, 8, 0, 0, 0, 0)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 800, 600)), nil); err != nil {
		t.Fatal(err)
	}
	page := func(entries string) []byte { return pdf(pdfPage{entries, ""}) }
	s := newScanner(t, scanner.Config{})
	good, text := symbolPage(t, 7, 15)
	tests := []struct {
		name string
		file func(t *testing.T) []byte
		code string
	}{
		{"not-a.pdf", func(*testing.T) []byte { return []byte("%PDF-1.7 but nothing that makes one") }, scanner.FileDamaged},
		{"empty.pdf", func(*testing.T) []byte { return nil }, scanner.FileEmpty},
		{"locked.pdf", func(t *testing.T) []byte { return userPassword(t, pdf(good)) }, scanner.FileEncrypted},
		{"giant.pdf", func(*testing.T) []byte { return page("/MediaBox [0 0 1000000000 1000000000]") }, scanner.FileTooLarge},
		{"poster.pdf", func(*testing.T) []byte { return page("/MediaBox [0 0 14400 14400]") }, scanner.FileTooLarge},
		{"unit.pdf", func(*testing.T) []byte { return page(letter + " /UserUnit 1000000") }, scanner.FileTooLarge},
		{"half.jpg", func(*testing.T) []byte { return photo.Bytes()[:photo.Len()/2] }, scanner.FileDamaged},
		{"claim.png", func(*testing.T) []byte { return pngClaiming(65535, 65535) }, scanner.FileTooLarge},
		{"letter.txt", func(*testing.T) []byte { return []byte("Dear Sir or Madam,\n") }, scanner.FileUnsupported},
		{"text.pdf", func(*testing.T) []byte { return []byte("Dear Sir or Madam,\n") }, scanner.FileUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := s.Read(t.Context(), tt.name, tt.file(t), scanner.DocumentOptions{}, func(scanner.Page) error { return nil })
			de, ok := errors.AsType[*scanner.DocumentError](err)
			if !ok {
				t.Fatalf("err = %v, want a *DocumentError", err)
			}
			if de.Code != tt.code || de.File != tt.name || !strings.HasPrefix(err.Error(), tt.name+": ") || de.Advice == "" {
				t.Errorf("err = %v with code %q and advice %q; want code %q", err, de.Code, de.Advice, tt.code)
			}
			t.Log(err)
		})
	}
	got, err := readAll(t.Context(), s, pdf(good), scanner.DocumentOptions{})
	if diff := cmp.Diff(map[int][]string{1: {text}}, texts(got)); err != nil || diff != "" {
		t.Errorf("a good document afterwards: err = %v, (-want +got):\n%s", err, diff)
	}
}

// TestReadEndless renders a page that takes longer than any practical deadline.
func TestReadEndless(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{Sandbox: sandbox.Config{Size: 1, Wall: 2 * time.Second}})
	_, err := readAll(t.Context(), s, endlessPDF(), scanner.DocumentOptions{})
	de, ok := errors.AsType[*scanner.DocumentError](err)
	tooLarge := raster.DefaultEngine == raster.PDFium && ok && de.Code == scanner.FileTooLarge // its memory ends first
	if !tooLarge && (!ok || de.Code != scanner.FileTimeout || !errors.Is(err, sandbox.ErrTimeout)) {
		t.Errorf("err = %v, want code timeout", err)
	}
	_, err = readAll(t.Context(), s, nil, scanner.DocumentOptions{})
	if de, ok := errors.AsType[*scanner.DocumentError](err); !ok || de.Code != scanner.FileEmpty {
		t.Errorf("next document: err = %v, want code empty", err)
	}
}

//race:on readers end before their pages
func TestReadEndsEarly(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	p, _ := symbolPage(t, 8, 15)
	file := pdf(p, p, p, p)
	enough := errors.New("enough")
	calls := 0
	err := s.Read(t.Context(), "a.pdf", file, scanner.DocumentOptions{}, func(scanner.Page) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("err = %v after %d pages, want yield's own after 1", err, calls)
	}
	cause := errors.New("shutting down")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := readAll(ctx, s, file, scanner.DocumentOptions{}); !errors.Is(err, cause) {
		t.Errorf("ended context: err = %v, want its cause", err)
	}
	_, err = readAll(t.Context(), newScanner(t, scanner.Config{Budget: 1}), file, scanner.DocumentOptions{})
	if de, ok := errors.AsType[*scanner.DocumentError](err); !ok || de.Code != scanner.FileTimeout {
		t.Errorf("no time: err = %v, want code timeout", err)
	}
}

// TestSlowStart: the time that a child takes to start is not the document's, and is told.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	told := make(chan struct{}, 9)
	dir := filepath.Join(t.TempDir(), slowFolder)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if made := os.Getenv("TCODE_CACHE"); made != "" { // to compile PDFium under the race detector takes minutes
		if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
			t.Fatal(err)
		}
	}
	s := newScanner(t, scanner.Config{Budget: slowBudget, Raster: []raster.Option{
		raster.WithEngine(raster.PDFium), raster.WithCache(dir), raster.WithSlowStart(func() { told <- struct{}{} }),
	}})
	p, text := symbolPage(t, 6, 15)
	got, err := readAll(t.Context(), s, pdf(p), scanner.DocumentOptions{})
	if diff := cmp.Diff(map[int][]string{1: {text}}, texts(got)); err != nil || diff != "" {
		t.Errorf("err = %v, (-want +got):\n%s", err, diff)
	}
	if len(told) == 0 {
		t.Error("it was not told that the start takes long")
	}
}

func TestBindImage(t *testing.T) {
	t.Parallel()
	got := binder.Bind(pngClaiming(1, 1), payload.Payload{}, symbol.Symbol{})
	if got.State != binding.NotChecked || got.Code == "" {
		t.Errorf("image: %+v, want not checked", got)
	}
	if got := binder.Bind(pdf(emptyPage()), payload.Payload{}, symbol.Symbol{}); got.State != binding.NotChecked {
		t.Errorf("PDF without a stamp: %+v, want not checked", got)
	}
}
