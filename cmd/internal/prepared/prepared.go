// Package prepared makes PDF files that different programs may show
// differently: one viewer shows "Pay 100 EUR", another "Pay 900 EUR", both
// together, or neither. Start with [Files].
//
//	Files() ─▶ class/name, bytes ─▶ viewers ─▶ testdata/shown.tsv
//
// Each file is one A4 page with one peculiarity. Tables, many of them in rows.txt,
// combine the peculiarities of a class, and nothing is random: the files are the same
// in each run. [References] makes the pages for comparing pictures.
package prepared

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A File is a prepared PDF.
type File struct {
	Name  string // lower case words, unique: class/peculiarity
	Class string // of the tables below
	PDF   []byte
}

// classes lists all tables by the name of the class.
var classes = []struct {
	name  string
	files func() []variant
}{
	{"annotations", annotations},
	{"layers", layers},
	{"membership", memberships},
	{"fonts", fonts},
	{"encodings", encodings},
	{"filters", filters},
	{"images", images},
	{"colours", colours},
	{"transparency", transparency},
	{"xref", xrefs},
	{"revisions", revisions},
	{"syntax", syntax},
	{"tree", trees},
	{"boxes", boxes},
	{"fields", fields},
	{"contents", contents},
	{"encryption", encryption},
	{"keys", keys},
}

// A variant is a file of a class, without the name of the class.
type variant struct {
	name string
	pdf  []byte
}

// Files returns all prepared files, class by class. The caller may change the result.
func Files() []File {
	var out []File
	for _, c := range classes {
		for _, v := range c.files() {
			out = append(out, File{Name: c.name + "/" + v.name, Class: c.name, PDF: v.pdf})
		}
	}
	return out
}

// The texts that the files show, or may show.
const (
	Amount = "Pay 100 EUR"
	Other  = "Pay 900 EUR"
)

// Contents of pages and of forms of 340 by 60 points at 60, 700.
var (
	honest  = show(Amount)
	other   = show(Other)
	blot    = "1 g 60 700 340 60 re f 0 g "
	covered = blot + other // hides everything below it and shows the other amount
	overlay = "1 g 0 0 340 60 re f 0 g BT /F 24 Tf 12 20 Td (" + Other + ") Tj ET"
)

// show returns the operators that write text instead of the amount.
func show(text string) string { return "BT /F 24 Tf 72 720 Td (" + text + ") Tj ET" }

// objects holds the bodies of indirect objects by number.
type objects map[int]string

// A doc is a file of one page. Its objects are 1 catalog, 2 pages, 3 page, 4
// contents and 5 font; unusual ones begin at 10.
type doc struct {
	before    string  // bytes before the header
	catalog   string  // more entries
	page      string  // more entries
	resources string  // more entries
	fonts     string  // more entries of the fonts of the page
	contents  string  // of the page; "": the ordinary ones
	more      objects // more objects, or others in place of the usual ones
	trailer   string  // more entries
}

func (d doc) objects() objects {
	if d.contents == "" {
		d.contents = honest
	}
	all := objects{
		1: "<</Type/Catalog/Pages 2 0 R" + d.catalog + ">>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R" + d.fonts + ">>" + d.resources + ">>" + d.page + ">>",
		4: stream("", d.contents),
		5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	maps.Copy(all, d.more)
	return all
}

func (d doc) pdf() []byte {
	f := begin(d.before + "%PDF-1.7\n")
	f.base = len(d.before)
	f.put(d.objects())
	f.end(f.table(), "/Root 1 0 R"+d.trailer)
	return f.Bytes()
}

// stream returns the body of a stream object.
func stream(entries, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", entries, len(data), data)
}

// form returns the body of a form of 340 by 60 points.
func form(entries, data string) string {
	return stream("/Type/XObject/Subtype/Form/BBox[0 0 340 60]/Resources<</Font<</F 5 0 R>>>>"+entries, data)
}

// A writer builds a file, section by section.
type writer struct {
	bytes.Buffer
	base int            // offsets count from it
	at   map[int]int    // offsets of objects since the last cross-reference
	odd  map[int]string // entries of the table in place of the right ones, 20 bytes each
}

func begin(header string) *writer {
	f := &writer{at: map[int]int{}, odd: map[int]string{}}
	f.WriteString(header)
	return f
}

// here returns the offset of the next byte.
func (f *writer) here() int { return f.Len() - f.base }

// put writes objects in the order of their numbers.
func (f *writer) put(all objects) {
	for _, n := range slices.Sorted(maps.Keys(all)) {
		f.object(n, all[n])
	}
}

func (f *writer) object(n int, body string) {
	f.at[n] = f.here()
	fmt.Fprintf(f, "%d 0 obj\n%s\nendobj\n", n, body)
}

// entry returns a line of a cross-reference table.
func entry(offset, generation int, kind string) string {
	return fmt.Sprintf("%010d %05d %s \n", offset, generation, kind)
}

// table returns a cross-reference table of the objects since the last one, each
// object in its own subsection.
func (f *writer) table() string {
	var b strings.Builder
	b.WriteString("xref\n0 1\n" + entry(0, 65535, "f"))
	all := maps.Clone(f.odd)
	for n, at := range f.at {
		if _, ok := all[n]; !ok {
			all[n] = entry(at, 0, "n")
		}
	}
	for _, n := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%d 1\n%s", n, all[n])
	}
	clear(f.at)
	clear(f.odd)
	return b.String()
}

// end writes a cross-reference table and its trailer, and returns the table's offset.
func (f *writer) end(table, trailer string) int {
	at := f.here()
	if !strings.Contains(trailer, "/Size") {
		trailer = "/Size 200" + trailer
	}
	fmt.Fprintf(f, "%strailer\n<<%s>>\nstartxref\n%d\n%%%%EOF\n", table, trailer, at)
	return at
}
