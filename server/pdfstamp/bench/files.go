package main

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/ed25519"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// rendering limits the time to render a file; the bench leaves out files that take
// longer.
const rendering = 20 * time.Second

// findFiles keeps the files of the corpus that open without a password and
// render.
func (b *bench) findFiles(ctx context.Context) error {
	all, err := filepath.Glob(filepath.Join(b.corpus, "pdf", "*.pdf"))
	if err != nil {
		return err
	}
	if b.files > 0 && len(all) > b.files {
		var some []string
		for i := range b.files {
			some = append(some, all[i*len(all)/b.files])
		}
		all = some
	}
	for _, name := range all {
		if _, err := lastPage(ctx, name, filepath.Join(b.dir, "page", "before-"+filepath.Base(name))); err == nil {
			abs, err := filepath.Abs(name)
			if err != nil {
				return err
			}
			b.names = append(b.names, abs)
		}
	}
	if len(b.names) == 0 {
		return fmt.Errorf("no file in %s opens: set TCODE_CORPUS", b.corpus)
	}
	b.logf("%d of %d files open without a password and render", len(b.names), len(all))
	return nil
}

var pageCount = regexp.MustCompile(`(?m)^Pages:\s+(\d+)`)

// renderDPI is the resolution at which pages are compared and symbols read.
const renderDPI = 200

// lastPage renders the last page of a file into prefix.png and returns its name.
func lastPage(ctx context.Context, name, prefix string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, rendering)
	defer cancel()
	info, err := exec.CommandContext(ctx, "pdfinfo", name).Output()
	if err != nil {
		return "", err
	}
	n := pageCount.FindSubmatch(info)
	if n == nil {
		return "", fmt.Errorf("%s has no pages", name)
	}
	last := string(n[1])
	err = exec.CommandContext(ctx, "pdftoppm", "-f", last, "-l", last, "-singlefile", "-r", strconv.Itoa(renderDPI), "-gray", "-png", name, prefix).Run()
	if err != nil {
		return "", err
	}
	_, err = os.Stat(prefix + ".png")
	return prefix + ".png", err
}

// sealer signs the least payload that a stamp can have.
type sealer struct {
	key ed25519.PrivateKey
	ref payload.Reference
}

func newSealer() sealer {
	s := sealer{key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	for i := range s.ref {
		s.ref[i] = byte(37 * i)
	}
	return s
}

func (s sealer) seal(fingerprint [16]byte) (string, error) {
	p := payload.Payload{
		Issuer: "ACME01", Reference: s.ref, DocumentType: "DIP", Status: payload.NewStatusIndex(1, 2),
		IssuedAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Fingerprint: fingerprint,
	}
	if err := p.Seal(s.key); err != nil {
		return "", err
	}
	raw, err := p.Append(nil)
	return payload.EncodeText(raw), err
}

// symbolPixels is the width of a module in the picture of the others.
const symbolPixels = 8

// drawSymbol makes the picture that the others stamp with.
func (b *bench) drawSymbol() error {
	var err error
	if b.text, err = newSealer().seal([16]byte{}); err != nil {
		return err
	}
	png, err := pdfstamp.BarcodePNG(b.text, symbolPixels)
	if err != nil {
		return err
	}
	b.symbol = filepath.Join(b.dir, "symbol.png")
	return os.WriteFile(b.symbol, png, 0o600)
}

// A writer writes a PDF object by object.
type writer struct {
	bytes.Buffer
	at []int // offsets of the objects
}

func newWriter() *writer {
	w := new(writer)
	w.WriteString("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
	return w
}

func (w *writer) object(format string, args ...any) {
	w.at = append(w.at, w.Len())
	fmt.Fprintf(w, "%d 0 obj\n", len(w.at))
	fmt.Fprintf(w, format, args...)
	w.WriteString("\nendobj\n")
}

// finish ends the file; object 1 is its catalog.
func (w *writer) finish() []byte {
	start := w.Len()
	fmt.Fprintf(w, "xref\n0 %d\n0000000000 65535 f \n", len(w.at)+1)
	for _, n := range w.at {
		fmt.Fprintf(w, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(w, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(w.at)+1, start)
	return w.Bytes()
}

// symbolPage is an A4 page with the symbol in its bottom right corner.
func symbolPage(text string) ([]byte, error) {
	m, err := pdfstamp.Symbol(text)
	if err != nil {
		return nil, err
	}
	const mm = 72 / 25.4
	w := newWriter()
	w.object("<</Type/Catalog/Pages 2 0 R>>")
	w.object("<</Type/Pages/Count 1/Kids[3 0 R]>>")
	w.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</S 5 0 R>>>>>>")
	const box = 16.5 * mm
	draw := fmt.Sprintf("1 g %[1]f %[2]f %[3]f %[3]f re f q 0 g %[4]f 0 0 %[4]f %[5]f %[6]f cm /S Do Q",
		595-10*mm-box, 10*mm, box, 15*mm, 595-10*mm-box+0.75*mm, 10.75*mm)
	w.object("<</Length %d>>stream\n%s\nendstream", len(draw), draw)
	data := binding.SymbolStream(m)
	px := m.Side * binding.PxPerModule
	w.object("<</Type/XObject/Subtype/Image/ImageMask true/BitsPerComponent 1/Width %d/Height %d/Length %d>>stream\n%s\nendstream", px, px, len(data), data)
	return w.finish(), nil
}

// largeFile is a document of 500 pages and 20 MB: each page has a text and a
// picture of its own.
func largeFile() []byte {
	const pages, picture = 500, 200 // pixels a side
	r := rand.New(rand.NewPCG(5, 500))
	w := newWriter()
	w.object("<</Type/Catalog/Pages 2 0 R>>")
	var kids bytes.Buffer
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+3*i)
	}
	w.object("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	w.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for i := range pages {
		n := 4 + 3*i
		w.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>/XObject<</I %d 0 R>>>>>>", n+1, n+2)
		var text bytes.Buffer
		z := zlib.NewWriter(&text)
		for line := range 60 {
			fmt.Fprintf(z, "BT /F 10 Tf 60 %d Td (Page %d, line %d: %x) Tj ET\n", 780-11*line, i+1, line, r.Uint64())
		}
		fmt.Fprintf(z, "q 100 0 0 100 60 20 cm /I Do Q\n")
		z.Close()
		w.object("<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream", text.Len(), text.Bytes())
		pixels := make([]byte, picture*picture)
		for i := range pixels {
			pixels[i] = byte(r.Uint32())
		}
		w.object("<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray/Length %d>>stream\n%s\nendstream", picture, picture, len(pixels), pixels)
	}
	return w.finish()
}
