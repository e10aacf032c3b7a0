package pdfstamp_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// A pdfSpec builds small PDFs whose parts a test chooses.
type pdfSpec struct {
	page      string   // entries of the page dictionary other than Type, Parent, Contents, Resources
	pages     string   // entries of the page tree's root
	catalog   string   // entries of the catalog
	trailer   string   // entries of the trailer
	resources string   // entries of the pages' resources
	fonts     string   // entries of the pages' fonts other than F1
	contents  []string // content streams, as they are
	extra     []string // further objects, from number 10 on
	count     int      // pages; 0: one
	each      []string // entries of each page, in place of count and page
	stream    bool     // end with a cross-reference stream
	before    string   // bytes before the header
}

// a4 is the page most tests use.
const a4 = "/MediaBox[0 0 595 842]"

// build returns the file. Objects: 1 catalog, 2 page tree, 3 font, 10.. extra,
// then pages and contents.
func (s pdfSpec) build() []byte {
	objects := map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R" + s.catalog + ">>",
		3: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	next := 10
	for _, o := range s.extra {
		objects[next] = o
		next++
	}
	var list []byte
	for _, c := range s.contents {
		objects[next] = fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(c), c)
		list = fmt.Appendf(list, "%d 0 R ", next)
		next++
	}
	each := s.each
	if each == nil {
		each = slices.Repeat([]string{s.page}, max(1, s.count))
	}
	var kids []byte
	for _, page := range each {
		objects[next] = fmt.Sprintf("<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R%s>>%s>>/Contents[%s]%s>>", s.fonts, s.resources, list, page)
		kids = fmt.Appendf(kids, "%d 0 R ", next)
		next++
	}
	objects[2] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d%s>>", kids, len(each), s.pages)
	return s.write(objects, next)
}

func (s pdfSpec) write(objects map[int]string, size int) []byte {
	var b bytes.Buffer
	b.WriteString(s.before)
	base := b.Len()
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	offsets := make([]int, size+1)
	for n := 1; n < size; n++ {
		if o, ok := objects[n]; ok {
			offsets[n] = b.Len() - base
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, o)
		}
	}
	at := b.Len() - base
	if s.stream {
		offsets[size] = at
		var rows []byte
		for _, o := range offsets {
			rows = binary.BigEndian.AppendUint32(append(rows, byte(min(o, 1))), uint32(o))
		}
		fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/Size %d/W[1 4 0]/Root 1 0 R/Length %d%s>>\nstream\n%s\nendstream\nendobj\n", size, size+1, len(rows), s.trailer, rows)
	} else {
		fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", size)
		for n := 1; n < size; n++ {
			if offsets[n] == 0 {
				b.WriteString("0000000000 00000 f \n")
			} else {
				fmt.Fprintf(&b, "%010d 00000 n \n", offsets[n])
			}
		}
		fmt.Fprintf(&b, "trailer\n<</Root 1 0 R/Size %d%s>>\n", size, s.trailer)
	}
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", at)
	return b.Bytes()
}

// text is a content stream that shows s.
func text(s string) string { return "BT /F1 24 Tf 72 700 Td (" + s + ") Tj ET" }
