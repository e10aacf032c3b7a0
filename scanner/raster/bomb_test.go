//go:build !race

package raster_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
	"tcode/testdata/corpus"
)

// childBytes is the memory limit of a child.
const childBytes = 512 << 20

// jbig2 returns a JBIG2 stream with a page of w x h px and a generic region of the same size.
func jbig2(w, h uint32) string {
	segment := func(n uint32, kind byte, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, n)
		b = append(b, kind, 0, 1)
		return append(binary.BigEndian.AppendUint32(b, uint32(len(data))), data...)
	}
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	page := append(bytes.Clone(size), make([]byte, 11)...)
	region := append(append(bytes.Clone(size), make([]byte, 9)...), 0x08, 3, 0xff, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe, 0x04)
	region = append(region, make([]byte, 64)...)
	return string(append(segment(0, 48, page), segment(1, 38, region)...))
}

// zeros returns n MiB of zero bytes, compressed twice. One compressed MiB is repeated, so that the
// test does not compress them all.
func zeros(n int) string {
	var one, inner, outer bytes.Buffer
	z, _ := flate.NewWriter(&one, flate.BestSpeed) // a valid level
	_, _ = z.Write(make([]byte, 1<<20))            // to memory
	_ = z.Flush()
	inner.WriteString("\x78\x01")
	inner.Write(bytes.Repeat(one.Bytes(), n))
	inner.WriteString("\x01\x00\x00\xff\xff") // the last block is empty
	_ = binary.Write(&inner, binary.BigEndian, uint32(n<<20%65521)<<16|1)
	w := zlib.NewWriter(&outer)
	_, _ = w.Write(inner.Bytes())
	_ = w.Close()
	return outer.String()
}

// withObjects returns a PDF of one page with this content, resources and box. The objects have the numbers 10
// and up.
func withObjects(box, resources, content string, objects ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n")
	fmt.Fprintf(&b, "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Contents 4 0 R /Resources << %s >> >>\nendobj\n", box, resources)
	fmt.Fprintf(&b, "4 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(content), content)
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", 10+i, o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\n%%%%EOF\n", 10+len(objects))
	return b.Bytes()
}

// imageBomb returns a PDF with one image over its whole page. dict is its dictionary without the length.
func imageBomb(dict, data string) []byte {
	return withObjects("0 0 612 792", "/XObject << /I 10 0 R >>", "q 612 0 0 792 0 0 cm /I Do Q",
		fmt.Sprintf("<< /Type /XObject /Subtype /Image %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
}

// groups returns a page with nested transparency groups, each under a soft mask.
func groups(deep int) []byte {
	const side = "0 0 3700 3700"
	var objects []string
	for i := range deep {
		inner := "0 0 1 rg 0 0 3000 3000 re f"
		if i+1 < deep {
			inner = "0 1 0 rg 0 0 3600 3600 re f /G gs /X Do"
		}
		objects = append(objects, fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [%s] /Group << /S /Transparency /I true /CS /DeviceRGB >> "+
			"/Resources << /XObject << /X %d 0 R >> /ExtGState << /G << /ca 0.5 /BM /Multiply /SMask << /S /Luminosity /G %d 0 R >> >> >> >> /Length %d >>\nstream\n%s\nendstream",
			side, 10+min(i+1, deep-1), 10+min(i+1, deep-1), len(inner), inner))
	}
	return withObjects(side, "/XObject << /X 10 0 R >> /ExtGState << /G << /ca 0.5 /SMask << /S /Luminosity /G 10 0 R >> >> >>", "/G gs /X Do", objects...)
}

// slowBombs take most of the time, and what they do is done by others too: TCODE_LONG=all draws them.
var slowBombs = []string{
	"JPEG 2000 of 8000 x 8000", "JPEG 2000 of 4000 x 4000", "JBIG2 of 12000 x 12000",
	"fax of 20000 x 20000", "deflated twice, with a predictor",
}

func bombs(t *testing.T) map[string][]byte {
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	deep := encode(t, func(w *bytes.Buffer) error {
		return fast.Encode(w, image.NewNRGBA64(image.Rect(0, 0, 7700, 7700)))
	})
	deflated, nested := zeros(30000*10000*3>>20+1), 24
	if !corpus.Long() {
		nested = 8
	}
	header := "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00" +
		"\xff\xc2\x00\x11\x08\xea\x60\xea\x60\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00"
	return map[string][]byte{
		"JPEG 2000 of 30000 x 30000":   imageBomb("/Width 30000 /Height 30000 /Filter /JPXDecode", jpx(30000, 30000, 30000, 3)),
		"JPEG 2000 of 8000 x 8000":     imageBomb("/Width 8000 /Height 8000 /Filter /JPXDecode", jpx(8000, 8000, 8000, 3)),
		"JPEG 2000 of 4000 x 4000":     imageBomb("/Width 4000 /Height 4000 /Filter /JPXDecode", jpx(4000, 4000, 4000, 4)),
		"JPEG 2000 of 2000 components": imageBomb("/Width 1000 /Height 1000 /Filter /JPXDecode", jpx(1000, 1000, 1000, 2000)),
		"JPEG 2000 of many tiles":      imageBomb("/Width 30000 /Height 30000 /Filter /JPXDecode", jpx(30000, 30000, 120, 3)),
		"JPEG 2000 with another size":  imageBomb("/Width 10 /Height 10 /Filter /JPXDecode", jpx(20000, 20000, 20000, 3)),
		"JBIG2 of 60000 x 60000":       imageBomb("/Width 60000 /Height 60000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode", jbig2(60000, 60000)),
		"JBIG2 of 12000 x 12000":       imageBomb("/Width 12000 /Height 12000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode", jbig2(12000, 12000)),
		"fax of 20000 x 20000":         imageBomb("/Width 20000 /Height 20000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 20000 /Rows 20000 >>", strings.Repeat("\xff", 7500)),
		"fax of 6000 x 6000":           imageBomb("/Width 6000 /Height 6000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 6000 /Rows 6000 >>", strings.Repeat("\xff", 2250)),
		"JPEG of 60000 x 60000":        imageBomb("/Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode", header+"\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x00\x00"),
		"deflated twice, 900 MB":       imageBomb("/Width 30000 /Height 10000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter [/FlateDecode /FlateDecode]", deflated),
		"deflated twice, with a predictor": imageBomb("/Width 30000 /Height 10000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter [/FlateDecode /FlateDecode] "+
			"/DecodeParms [null << /Predictor 15 /Columns 30000 /Colors 3 >>]", deflated),
		"groups in groups": groups(nested),
		"PNG of 16 bits":   deep,
	}
}

// TestBombs: no child ever exceeds its memory limit, whatever the file is, and the next file is drawn.
// TCODE_LONG=all draws slowBombs too.
func TestBombs(t *testing.T) {
	if !peaks() {
		t.Skip("peaks of memory are read in /proc")
	}
	for name, file := range bombs(t) {
		if !corpus.Long() && slices.Contains(slowBombs, name) {
			continue
		}
		for _, e := range []raster.Engine{raster.MuPDF, raster.PDFium} {
			if e == raster.MuPDF && raster.DefaultEngine != raster.MuPDF {
				continue
			}
			t.Run(name+"/"+string(e), func(t *testing.T) {
				stop := watchPeak(t)
				r := raster.New(sandbox.Config{Size: 1, Wall: time.Minute}, raster.Limits{}, raster.WithEngine(e), raster.WithCache(cache))
				defer r.Close()
				err := r.Open(t.Context(), file, func(d *raster.Document) error {
					_, err := d.Page(1, 150)
					if d.Kind == raster.PDF && err == nil {
						_, err = d.View(raster.ViewRequest{Page: 1, DPI: 150, Colour: true})
					}
					return err
				})
				if _, err := pages(t, r, pdf(letter), 72); err != nil {
					t.Errorf("the next file: %v", err)
				}
				if _, ok := errors.AsType[*raster.Error](err); err != nil && !ok && !errors.Is(err, sandbox.ErrTimeout) {
					t.Errorf("err = %v, want an error of the file", err)
				}
				peak, _ := stop()
				t.Logf("%d bytes: %d MiB, %v", len(file), peak>>20, err)
				if peak == 0 || peak > childBytes {
					t.Errorf("a child had %d MiB in memory, the limit is %d", peak>>20, childBytes>>20)
				}
			})
		}
	}
}

// TestBombsTogether: children that draw bombs concurrently use no more memory together than a gateway gives them.
// Children that must end for that are reported.
func TestBombsTogether(t *testing.T) {
	if !peaks() {
		t.Skip("memory is read in /proc")
	}
	// Fewer children fill a smaller limit as well.
	most, each := uint64(512<<20), 1
	if corpus.Long() {
		most, each = 1<<30, 2
	}
	sandbox.LimitTogether(most - 64<<20)
	t.Cleanup(func() { sandbox.LimitTogether(0) })
	list := bombs(t)
	stop := watchPeak(t)
	var running sync.WaitGroup
	for _, name := range []string{"JPEG 2000 of 2000 components", "JPEG 2000 of 4000 x 4000", "deflated twice, with a predictor"} {
		for _, e := range []raster.Engine{raster.DefaultEngine, raster.PDFium} {
			r := newRasterizer(t, raster.Limits{}, raster.WithEngine(e))
			for range each {
				running.Go(func() {
					err := r.Open(t.Context(), list[name], func(d *raster.Document) error {
						_, err := d.Page(1, 150)
						return err
					})
					if _, ok := errors.AsType[*raster.Error](err); err != nil && !ok && !errors.Is(err, sandbox.ErrCrowded) && !errors.Is(err, sandbox.ErrMemory) {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
		}
	}
	running.Wait()
	one, all := stop()
	t.Logf("one %d MiB, all %d MiB", one>>20, all>>20)
	if all > most || one > childBytes {
		t.Errorf("a child had %d MiB in memory, all of them %d; the limits are %d and %d", one>>20, all>>20, childBytes>>20, most>>20)
	}
}
