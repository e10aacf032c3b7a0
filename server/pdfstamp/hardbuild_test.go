package pdfstamp_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A hardFile is a file whose every part a case may change. Objects are 1 the
// catalog, 2 the page tree, 3 a font, 4 the page, 5 its contents, 6 a length.
type hardFile struct {
	version string
	before  string // bytes before the header
	base    int    // the origin of offsets: 0, or the length of before
	eol     string
	objects map[int]string
	gens    map[int]int
	packed  []int  // objects that go into object stream 20
	kind    string // "table", "stream" or "hybrid"
	trailer string // further entries
	size    string // instead of the right one
	entry   string // format of a table's entry
	first   int    // number that the first subsection says it begins with
	table   func(string) string
	tail    func(at int) string // all from startxref on
	more    []func(b []byte, previous int) []byte
}

// ground is contents that show any shift: colour to each edge, text, a clip.
const ground = "q 0.8 0.9 1 rg 0 0 595 842 re f Q 0.2 0.4 0.1 rg 5 5 200 60 re f 2 w 0 0 m 595 842 l S BT /F1 24 Tf 72 700 Td (hard) Tj ET"

func newHard() *hardFile {
	return &hardFile{
		version: "1.7", eol: "\n", kind: "table", entry: "%010d %05d %c \n", gens: map[int]int{},
		objects: map[int]string{
			1: "<</Type/Catalog/Pages 2 0 R>>",
			2: "<</Type/Pages/Kids[4 0 R]/Count 1>>",
			3: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
			4: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>",
			5: streamOf("", ground),
			6: fmt.Sprint(len(ground)),
		},
		tail: func(at int) string { return fmt.Sprintf("startxref\n%d\n%%%%EOF\n", at) },
	}
}

// streamOf is a stream object with entries and data.
func streamOf(entries, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(data), data)
}

func deflate(s string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.String()
}

// set replaces object n.
func (h *hardFile) set(n int, object string) { h.objects[n] = object }

// swap replaces text in object n.
func (h *hardFile) swap(n int, from, to string) {
	if !strings.Contains(h.objects[n], from) {
		panic(from)
	}
	h.objects[n] = strings.Replace(h.objects[n], from, to, 1)
}

func (h *hardFile) build() []byte {
	b := []byte(h.before + "%PDF-" + h.version + h.eol + "%\xE2\xE3\xCF\xD3" + h.eol)
	at := map[int]int{}
	for _, n := range slices.Sorted(maps.Keys(h.objects)) {
		if !slices.Contains(h.packed, n) {
			at[n] = len(b) - h.base
			b = append(b, h.lines(fmt.Sprintf("%d %d obj\n", n, h.gens[n]))+h.objects[n]+h.lines("\nendobj\n")...)
		}
	}
	if len(h.packed) > 0 {
		at[20] = len(b) - h.base
		b = append(b, fmt.Sprintf("20 0 obj\n%s\nendobj\n", h.objectStream())...)
	}
	hidden := 0
	if h.kind == "hybrid" {
		hidden = len(b) - h.base
		b = h.xrefStream(b, map[int]int{}, 22, "")
	}
	xref := len(b) - h.base
	if h.kind == "stream" {
		b = h.xrefStream(b, at, 21, h.trailer)
	} else {
		b = append(b, h.xrefTable(at, hidden)...)
	}
	b = append(b, h.lines(h.tail(xref))...)
	for _, add := range h.more {
		b = add(b, xref)
		xref = bytes.LastIndex(b, []byte("xref\n0 ")) - h.base
	}
	return b
}

func (h *hardFile) lines(s string) string { return strings.ReplaceAll(s, "\n", h.eol) }

func (h *hardFile) objectStream() string {
	var head, body string
	for _, n := range h.packed {
		head += fmt.Sprintf("%d %d ", n, len(body))
		body += h.objects[n] + " "
	}
	return streamOf(fmt.Sprintf("/Type/ObjStm/N %d/First %d/Filter/FlateDecode", len(h.packed), len(head)), deflate(head+body))
}

func (h *hardFile) xrefTable(at map[int]int, hidden int) string {
	size := max(slices.Max(slices.Collect(maps.Keys(at))), slices.Max(append([]int{0}, h.packed...))) + 1
	text := fmt.Appendf(nil, "xref\n%d %d\n0000000000 65535 f \n", h.first, size)
	for n := 1; n < size; n++ {
		if o, ok := at[n]; ok {
			text = fmt.Appendf(text, h.entry, o, h.gens[n], 'n')
		} else {
			text = fmt.Appendf(text, h.entry, 0, 0, 'f')
		}
	}
	rows := string(text)
	if h.table != nil {
		rows = h.table(rows)
	}
	extra := h.trailer
	if hidden > 0 {
		extra += fmt.Sprintf("/XRefStm %d", hidden)
	}
	if h.size == "" {
		h.size = fmt.Sprintf("/Size %d", size)
	}
	return h.lines(rows) + h.lines(fmt.Sprintf("trailer\n<</Root 1 0 R%s%s>>\n", h.size, extra))
}

func (h *hardFile) xrefStream(b []byte, at map[int]int, self int, extra string) []byte {
	at[self] = len(b) - h.base
	var rows []byte
	for n := range self + 1 {
		row := [3]int{}
		if o, ok := at[n]; ok {
			row = [3]int{1, o, h.gens[n]}
		} else if i := slices.Index(h.packed, n); i >= 0 {
			row = [3]int{2, 20, i}
		}
		rows = append(rows, byte(row[0]))
		rows = binary.BigEndian.AppendUint32(rows, uint32(row[1]))
		rows = binary.BigEndian.AppendUint16(rows, uint16(row[2]))
	}
	return fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", self, streamOf(fmt.Sprintf("/Type/XRef/Size %d/W[1 4 2]/Root 1 0 R/Filter/FlateDecode%s", self+1, extra), deflate(string(rows))))
}

// revise is a further revision that replaces objects.
func revise(objects map[int]string, trailer string) func([]byte, int) []byte {
	return func(b []byte, previous int) []byte {
		rows := "xref\n0 1\n0000000000 65535 f \n"
		for _, n := range slices.Sorted(maps.Keys(objects)) {
			if objects[n] == "" {
				rows += fmt.Sprintf("%d 1\n0000000000 00001 f \n", n)
				continue
			}
			rows += fmt.Sprintf("%d 1\n%010d 00000 n \n", n, len(b))
			b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", n, objects[n])
		}
		at := len(b)
		return fmt.Appendf(b, "%strailer\n<</Root 1 0 R/Size 40/Prev %d%s>>\nstartxref\n%d\n%%%%EOF\n", rows, previous, trailer, at)
	}
}
