package astext_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"unicode/utf8"

	"tcode/offline/astext"
	"tcode/testdata"
)

// changes are those of programs that take the bytes of a file for text.
var changes = map[string]struct {
	change func([]byte) []byte
	want   astext.How
}{
	"UTF-8 with replacement characters": {func(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("\uFFFD")) }, astext.UTF8},
	"a replacement character a byte": {func(b []byte) []byte {
		return each(b, func(c byte) string {
			if c < utf8.RuneSelf {
				return string(rune(c))
			}
			return "\uFFFD"
		})
	}, astext.UTF8},
	"Latin-1 as UTF-8": {func(b []byte) []byte { return each(b, func(c byte) string { return string(rune(c)) }) }, astext.UTF8},
	"question marks": {func(b []byte) []byte {
		return each(b, func(c byte) string {
			if c < utf8.RuneSelf {
				return string(rune(c))
			}
			return "?"
		})
	}, astext.ASCII},
	"7 bits": {func(b []byte) []byte { return each(b, func(c byte) string { return string(rune(c & 0x7F)) }) }, astext.ASCII},
	"dropped": {func(b []byte) []byte {
		return each(b, func(c byte) string {
			if c < utf8.RuneSelf {
				return string(rune(c))
			}
			return ""
		})
	}, astext.ASCII},
	"LF to CR LF":  {func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }, astext.Lines},
	"CR to LF":     {func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r"), []byte("\n")) }, astext.Lines},
	"LF to CR":     {func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r")) }, astext.Lines},
	"all to CR LF": {func(b []byte) []byte { return lineEnd.ReplaceAll(b, []byte("\r\n")) }, astext.Lines},
	"streams as Base64": {func(b []byte) []byte {
		if !streams.Match(b) {
			return []byte(base64.StdEncoding.EncodeToString(b) + "\n")
		}
		return streams.ReplaceAllFunc(b, func(s []byte) []byte {
			part := streams.FindSubmatch(s)
			return fmt.Appendf(nil, "%s%s\n%s", part[1], base64.StdEncoding.EncodeToString(part[2]), part[3])
		})
	}, astext.ASCII},
}

var (
	lineEnd = regexp.MustCompile(`\r\n|\r|\n`)
	streams = regexp.MustCompile(`(?s)(>>\s*stream\r?\n)(.*?)(endstream)`)
)

func each(b []byte, f func(byte) string) []byte {
	var out bytes.Buffer
	for _, c := range b {
		out.WriteString(f(c))
	}
	return out.Bytes()
}

// TestChanges: each change of a document is found, and its name is right, in the whole file and in one stream of it. A document as
// it was has none.
func TestChanges(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(testdata.Documents, "documents/*.pdf")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		pdf, err := testdata.Documents.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if d, found := astext.Of(pdf); found {
			t.Errorf("%s: %+v", name, d)
		}
		for change, c := range changes {
			if filepath.Base(name) == "scanned.pdf" && (change == "CR to LF" || change == "LF to CR") {
				continue // a JPEG without one byte of 256 is no rare one: pages of white repeat a few bytes
			}
			d, found := astext.Of(c.change(pdf))
			if !found || d.How != c.want || d.Object == 0 {
				t.Errorf("%s, %s: %+v, %v", name, change, d, found)
			}
			at := largest(pdf)
			one := bytes.Join([][]byte{pdf[:at[0]], c.change(pdf[at[0]:at[1]]), pdf[at[1]:]}, nil)
			if d, found := astext.Of(one); !found || d.How != c.want {
				t.Errorf("%s, %s, one stream: %+v, %v", name, change, d, found)
			}
		}
	}
}

// largest returns the place of the longest stream's bytes in pdf.
func largest(pdf []byte) (at []int) {
	at = []int{0, 0}
	for _, s := range streams.FindAllSubmatchIndex(pdf, -1) {
		if data := s[4:6]; data[1]-data[0] > at[1]-at[0] {
			at = data
		}
	}
	return at
}

// TestCorpus: no file of the corpus was changed as text, but those of which that is known.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TCODE_CORPUS")
	if dir == "" {
		return
	}
	files, _ := filepath.Glob(filepath.Join(dir, "pdf", "*.pdf"))
	for _, file := range files {
		pdf, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d, found := astext.Of(pdf); found {
			t.Errorf("%s: %+v", filepath.Base(file), d)
		}
	}
}

// FuzzOf: no bytes are a fault, and damage is in the bytes before its end, whatever follows.
func FuzzOf(f *testing.F) {
	f.Add([]byte("7 0 obj<</Filter/FlateDecode/Length 20>>stream\nxxxxxxxxxxxxxxxxxxxxxxxxx\nendstream"))
	f.Add([]byte("7 0 obj<</Filter/DCTDecode/Length 9 0 R>>stream\r\n\r\n\r\nendstream 8 0 obj<</Fl stream"))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, found := astext.Of(file)
		if found != (d.How != "") || d.Object < 0 {
			t.Fatalf("%+v, %v", d, found)
		}
		if again, _ := astext.Of(append(file, " 1 0 obj<<>>stream"...)); found && again != d {
			t.Fatalf("%+v, and %+v with more bytes", d, again)
		}
	})
}
