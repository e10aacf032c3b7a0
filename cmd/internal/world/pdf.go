package world

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Objects holds the bodies of PDF objects by their numbers.
type Objects map[int]string

// A Sheet is a one-page document to be stamped, with the prepared content in
// it. Objects 1 to 5 are catalog, page tree, page, contents and font.
type Sheet struct {
	Before  string                   // bytes before the header
	Catalog string                   // more entries of the catalog
	Page    string                   // more entries of the page
	More    Objects                  // from 6; a lower number replaces that object
	Then    func(file []byte) []byte // changes the file; nil: it is done
}

// SheetText is the contents of a sheet.
const SheetText = "BT /F 24 Tf 72 720 Td (Pay 100 EUR) Tj ET"

// pageEntries begin the dictionary of a page of size A4 that object 2 has.
const pageEntries = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"

// helvetica is a font that every viewer has.
const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"

// PDF returns the file.
func (s Sheet) PDF() []byte {
	all := Objects{
		1: "<</Type/Catalog/Pages 2 0 R" + s.Catalog + ">>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: pageEntries + "/Resources<</Font<</F 5 0 R>>>>" + s.Page + ">>",
		4: Stream("", SheetText),
		5: helvetica,
	}
	maps.Copy(all, s.More)
	file := append([]byte(s.Before), "%PDF-1.7\n"...)
	file = append(file, Section(len(file), len(s.Before), all, "/Root 1 0 R")...)
	if s.Then != nil {
		file = s.Then(file)
	}
	return file
}

// Stream returns the body of a stream object.
func Stream(entries, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", entries, len(data), data)
}

// Section writes objects, a cross-reference table and a trailer at offset at of
// a file whose offsets count from base.
func Section(at, base int, all Objects, trailer string) []byte {
	var b, x bytes.Buffer
	for _, n := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&x, "%d 1\n%010d 00000 n \n", n, at-base+b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, all[n])
	}
	start := at - base + b.Len()
	b.WriteString("xref\n")
	size := 300 // the objects of a stamp begin at 200
	if !strings.Contains(trailer, "/Prev") {
		b.WriteString("0 1\n0000000000 65535 f \n")
		size = 200
	}
	fmt.Fprintf(&b, "%strailer\n<</Size %d%s>>\n", &x, size, trailer)
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// SmallPDF returns a different page for every n.
func SmallPDF(n int) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object(pageEntries + "/Resources<</Font<</F" + helvetica + ">>>>>>")
	object(Stream("", fmt.Sprintf("BT /F 24 Tf 72 720 Td (Paper number %d) Tj ET", n)))
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\n", len(offsets)+1)
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", xref)
	return b.Bytes()
}
