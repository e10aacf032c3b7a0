//race:off one goroutine
package filekind_test

import (
	"strings"
	"testing"

	"tcode/scanner/filekind"
)

const png = "\x89PNG\r\n\x1a\n"

// TestTwoKinds: a picture that a viewer may open as a PDF, wherever its parts are, is of no kind.
func TestTwoKinds(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("\x00A", 3000)
	for _, tt := range []struct {
		name, after string
		want        filekind.Kind
	}{
		{"header", "%PDF-1.4", filekind.Unknown},
		{"table", "startxref\n0", filekind.Unknown},
		{"object", "1 0 obj<</Type/Catalog>>", filekind.Unknown},
		{"other white space", "1\f0\x00obj", filekind.Unknown},
		{"comments", "1 %" + strings.Repeat("long ", 1000) + "\r0%a%b\n%c\n%\n \tobj<<", filekind.Unknown},
		{"a number before each %", "5%1%x 0%obj 7\nobj", filekind.PNG},
		{"a comment within a line", "x%y 1 0%z\nobj", filekind.Unknown},
		{"signs", "+1 -0 obj", filekind.Unknown},
		{"words", "the object of 2 objects; an obj", filekind.PNG},
		{"one number", "a 1 obj", filekind.PNG},
		{"no space", "1 0obj", filekind.PNG},
		{"letters between", "1 0 x obj", filekind.PNG},
		{"the end", "obj", filekind.PNG},
	} {
		file := []byte(png + far + tt.after + far)
		if got := filekind.Of(file); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		name, _ := filekind.Foreign(file)
		if tt.want == filekind.Unknown && !strings.Contains(name, "an image and a PDF at once") {
			t.Errorf("%s is described as %q", tt.name, name)
		}
	}
}

// TestContainers: a PDF in a container is not the file, wherever its header is.
func TestContainers(t *testing.T) {
	t.Parallel()
	const pdf = "%PDF-1.7\n1 0 obj<<>>endobj"
	oid := "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
	for _, tt := range []struct{ head, want string }{
		{"PK\x03\x04\x0a\x00letter.pdf", "ZIP"},
		{"\x30\x80" + oid, "PKCS #7"},
		{"\x30\x82\x10\x00" + oid, "PKCS #7"},
		{"\x30\x84\x00\x01\x10\x00" + oid, "PKCS #7"},
		{"From: a@example.com\r\nTo: b@example.com\r\n\r\n", "e-mail"},
		{"Received: by x\n\tfor y\nMIME-Version: 1.0\n\n", "e-mail"},
		{strings.Repeat("\x00", 257) + "ustar\x0000" + strings.Repeat("\x00", 248), "tar"},
		{"\x1f\x8b\x08", "gzip"},
		{"MZ\x90", "program"},
	} {
		file := []byte(tt.head + pdf)
		name, _ := filekind.Foreign(file)
		if got := filekind.Of(file); got != filekind.Unknown || !strings.Contains(name, tt.want) {
			t.Errorf("%.20q: %q, %q, want no kind, and a name with %q", tt.head, got, name, tt.want)
		}
	}
	for head, want := range map[string]string{
		"":                "",
		"\n":              "white space",
		"\xef\xbb\xbf":    "a byte order mark",
		"<!DOCTYPE html>": "HTML or XML",
		"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n": "the header of a mail or a web page",
		"Date: today\r\n\r\n":  "text",
		"\x1b%-12345X@PJL\n":   "commands for a printer",
		"\x30\x82\x10\x00\x01": "binary data",
	} {
		file := []byte(head + pdf)
		if n, what := filekind.Before(file); filekind.Of(file) != filekind.PDF || n != len(head) || what != want {
			t.Errorf("%q: %q, %d bytes of %q, want a PDF behind %q", head, filekind.Of(file), n, what, want)
		}
	}
}

// FuzzOf: a picture with a PDF in it is of no kind, and what an object needs is found however it is written.
func FuzzOf(f *testing.F) {
	f.Add("\x00", "\n", "%a\r", "1", "0")
	f.Fuzz(func(t *testing.T, before, space1, space2, number, generation string) {
		legal := func(s, of string) bool { return s != "" && strings.Trim(s, of) == "" }
		const spaces, digits = "\x00\t\n\f\r ", "0123456789"
		object := number + space1 + generation + space2 + "obj"
		filekind.Of([]byte(before))
		comment := strings.HasPrefix(space2, "%") && strings.IndexAny(space2, "\r\n") == len(space2)-1
		if !legal(number, digits) || !legal(generation, digits) || !legal(space1, spaces) || !legal(space2, spaces) && !comment {
			return
		}
		if got := filekind.Of([]byte(png + before + object)); got != filekind.Unknown {
			t.Errorf("%q: %q", object, got)
		}
	})
}
