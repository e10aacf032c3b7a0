package caveat

import (
	"bytes"
	"fmt"
	"strings"

	"tcode/offline/binding"
	"tcode/scanner/pdfobj"
)

// Added describes in one line, without its full stop, the part of file behind end, the end
// of its stamped part. The line repeats the claims of the bytes: only a signature's own
// arithmetic is checked, and the line says so.
func Added(file []byte, end int64) string {
	rest := file[min(end, int64(len(file))):]
	size := plural(len(rest), "byte")
	if len(bytes.Trim(rest, "\x00\t\n\f\r ")) == 0 {
		return size + " of white space were added"
	}
	a := addition{file: file}
	survey := pdfobj.Scan(rest, a.object)
	parts := a.parts()
	for _, m := range binding.Marks(rest) {
		parts = appendOnce(parts, "another TCode stamp, "+m.Reference.String())
	}
	if survey.Cut || survey.Packed {
		parts = append(parts, "parts that could not be looked at")
	}
	if len(parts) == 0 && a.objects == 0 {
		parts = append(parts, "no part of a PDF")
	}
	if len(parts) == 0 {
		parts = append(parts, "objects that are not on a page by themselves")
	}
	if len(parts) > maxParts {
		parts = append(parts[:maxParts], "and more")
	}
	return size + " were added: " + strings.Join(parts, "; ")
}

// maxParts bounds the parts of one addition that are named.
const maxParts = 8

// addition counts the objects of an appended revision by kind.
type addition struct {
	file                                               []byte
	objects, pages, notes, fields, contents, documents int
	signatures                                         []string
}

func (a *addition) object(o pdfobj.Object) {
	d := o.Dict()
	if d == nil {
		return
	}
	a.objects++
	switch {
	case d.Has("ByteRange") && d.Has("Contents"):
		a.signatures = append(a.signatures, a.signature(d))
	case d.Name("Type") == "Page":
		a.pages++
	case d.Name("Type") == "Catalog" || d.Name("Type") == "Pages":
		a.documents++
	case d.Has("Rect") && d.Has("Subtype"):
		if d.Has("FT") || d.Has("V") {
			a.fields++
		} else {
			a.notes++
		}
	case d.Has("FT"):
		a.fields++
	case o.Stream && d.Name("Type") != "XRef" && d.Name("Type") != "ObjStm" && d.Name("Type") != "Metadata":
		a.contents++
	}
}

func (a *addition) parts() []string {
	parts := a.signatures
	for _, p := range []struct {
		n    int
		what string
	}{
		{a.pages, "new version of a page"},
		{a.documents, "new version of the document's structure"},
		{a.contents, "drawing or data stream"},
		{a.fields, "form field"},
		{a.notes, "annotation"},
	} {
		if p.n > 0 {
			parts = append(parts, plural(p.n, p.what))
		}
	}
	return parts
}

// signature describes the signature dictionary d.
func (a *addition) signature(d pdfobj.Dict) string {
	if len(a.signatures) >= maxParts {
		return "a signature"
	}
	s, err := readSignature(a.file, d)
	if err != nil {
		return "a signature that could not be checked"
	}
	by := "a signature in the name of “" + s.name + "”"
	switch {
	case !s.intact:
		return by + ", which is broken"
	case !s.whole:
		return by + ", which does not cover all of the file (its certificate was not checked)"
	}
	return by + " (its certificate was not checked)"
}

func appendOnce(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// plural writes n and the noun, with commas between thousands.
func plural(n int, what string) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return digits + " " + what
	}
	if head, tail, ok := strings.Cut(what, " of "); ok {
		return digits + " " + head + "s of " + tail
	}
	return digits + " " + what + "s"
}
