package filekind

import "bytes"

// isPDFToo reports whether a viewer may open a picture as a PDF: its header, its table of objects or
// an object is anywhere in the file. Viewers look for them when header and table are not where they
// belong, and no page can be shown without an object outside of all streams (ISO 32000-1, 7.3.10).
func isPDFToo(picture []byte) bool {
	if bytes.Contains(picture, []byte("%PDF-")) || bytes.Contains(picture, []byte("startxref")) {
		return true
	}
	keyword := []byte("obj")
	for from := 0; ; from += len(keyword) {
		at := bytes.Index(picture[from:], keyword)
		if at < 0 {
			return false
		}
		if from += at; endsInObjectNumber(picture[:from]) {
			return true
		}
	}
}

// endsInObjectNumber reports whether b ends in two numbers, with white space or comments behind
// each.
func endsInObjectNumber(b []byte) bool {
	return afterNumber(b, func(b []byte) bool { return afterNumber(b, func([]byte) bool { return true }) })
}

// afterNumber reports whether b ends in a number with white space or comments behind it, and the
// rest before it satisfies before.
func afterNumber(b []byte, before func([]byte) bool) bool {
	for {
		text := bytes.TrimRight(b, pdfSpace)
		if digits := bytes.TrimRight(text, "+-.0123456789"); len(digits) < len(text) {
			if len(text) < len(b) && before(digits) {
				return true
			}
		}
		if !bytes.ContainsAny(b[len(text):], "\r\n") {
			return false // no comment ends here
		}
		line := text[1+bytes.LastIndexAny(text, "\r\n"):]
		for at := len(line) - 1; at >= 1; at-- { // a % after which the line is a comment
			if line[at] != '%' {
				continue
			}
			ahead := text[:len(text)-len(line)+at]
			number := bytes.TrimRight(ahead, pdfSpace)
			digits := bytes.TrimRight(number, "+-.0123456789")
			if len(digits) < len(number) && before(digits) {
				return true
			}
		}
		if len(line) == 0 || line[0] != '%' {
			return false
		}
		b = text[:len(text)-len(line)] // the whole line is a comment
	}
}

// pdfSpace is white space (ISO 32000-1, table 1).
const pdfSpace = "\x00\t\n\f\r "
