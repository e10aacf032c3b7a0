package cmd_test

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// objects holds the bodies of PDF objects by their numbers.
type objects map[int]string

// A sheet is a one-page document to be stamped, with the prepared content in
// it. Objects 1 to 5 are catalog, page tree, page, contents and font.
type sheet struct {
	before  string // bytes before the header
	catalog string // more entries
	page    string
	more    objects                  // from 6
	then    func(file []byte) []byte // changes the file; nil: it is done
}

const sheetText = "BT /F 24 Tf 72 720 Td (Pay 100 EUR) Tj ET"

func (s sheet) pdf() []byte {
	all := objects{
		1: "<</Type/Catalog/Pages 2 0 R" + s.catalog + ">>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>" + s.page + ">>",
		4: stream("", sheetText),
		5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	maps.Copy(all, s.more)
	file := append([]byte(s.before), "%PDF-1.7\n"...)
	file = append(file, section(len(file), len(s.before), all, "/Root 1 0 R")...)
	if s.then != nil {
		file = s.then(file)
	}
	return file
}

// stream returns the body of a stream object.
func stream(entries, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", entries, len(data), data)
}

// section writes objects, a cross-reference table and a trailer at offset at of
// a file whose offsets count from base.
func section(at, base int, all objects, trailer string) []byte {
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
	fmt.Fprintf(&b, "%strailer\n<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n", &x, size, trailer, start)
	return b.Bytes()
}

// update appends an incremental update to file, as any PDF library does.
func update(file []byte, all objects) []byte { return updateRoot(file, 1, all) }

// updateRoot is update with object root as the new catalog.
func updateRoot(file []byte, root int, all objects) []byte {
	trailer := fmt.Sprintf("/Root %d 0 R/Prev %s", root, startxref(file))
	return append(bytes.Clone(file), section(len(file), 0, all, trailer)...)
}

var startxrefs = regexp.MustCompile(`startxref\s+(\d+)`)

// startxref returns the offset of the newest cross-reference section, in digits.
func startxref(file []byte) string {
	all := startxrefs.FindAllSubmatch(file, -1)
	return string(all[len(all)-1][1])
}

// newest returns the last body of object n in file.
func newest(t *testing.T, file []byte, n int) string {
	t.Helper()
	all := regexp.MustCompile(fmt.Sprintf(`(?s)\n%d 0 obj\n?(.*?)endobj`, n)).FindAllSubmatch(file, -1)
	if len(all) == 0 {
		t.Fatalf("no object %d", n)
	}
	return strings.TrimSpace(string(all[len(all)-1][1]))
}

// edited returns file with the last occurrence of from replaced by to, which
// has the same length.
func edited(t *testing.T, file []byte, from, to string) []byte {
	t.Helper()
	at := bytes.LastIndex(file, []byte(from))
	if at < 0 || len(from) != len(to) {
		t.Fatalf("%q is not in the file, or %q is not as long", from, to)
	}
	out := bytes.Clone(file)
	copy(out[at:], to)
	return out
}
