package caveat

import (
	"bytes"
	"compress/zlib"
	"io"
	"strconv"
)

// image reads an inline image behind BI (ISO 32000-2, 8.9.7). Some programs guess the end
// of its data and others compute it: both must find the same end.
func (g *grammar) image() bool {
	entries := map[string]string{}
	for {
		g.space()
		if g.pos >= len(g.b) {
			return false
		}
		kind, ok := g.token()
		key := string(g.b[g.last:g.pos])
		if kind == 'o' && key == "ID" {
			break
		}
		g.space()
		if !ok || kind != '/' || g.pos >= len(g.b) {
			return false
		}
		from := g.pos
		if kind, ok = g.token(); !ok || kind == 'o' {
			return false
		}
		entries[key] = string(g.b[from:g.pos])
	}
	if g.pos >= len(g.b) || !blank(g.b[g.pos]) {
		return false
	}
	g.pos++
	data := g.b[g.pos:]
	n := endOfImage(data)
	if size, known := computed(entries); known && (n < 0 || n >= size-1) && size <= len(data) {
		n = size // EI may follow directly
	} else if n < 0 || !whole(entries, data[:n]) {
		return false
	}
	if g.box != nil {
		g.box.picture(entries, data[:n])
	}
	g.pos += n
	g.space()
	if rest := g.b[g.pos:]; !bytes.HasPrefix(rest, []byte("EI")) || len(rest) > 2 && !blank(rest[2]) {
		return false
	}
	g.pos += len("EI")
	return true
}

// endOfImage returns the offset of the white space before the first EI.
func endOfImage(data []byte) int {
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte("EI"))
		if i < 0 {
			return -1
		}
		at := from + i
		if at > 0 && blank(data[at-1]) && (at+2 == len(data) || blank(data[at+2])) {
			return at - 1
		}
		from = at + 2
	}
}

// either returns the value of an entry, whose key may be abbreviated.
func either(entries map[string]string, short, long string) string {
	if v, ok := entries[short]; ok {
		return v
	}
	return entries[long]
}

// whole reports whether data are complete for an image with entries whose length is not
// computed.
func whole(entries map[string]string, data []byte) bool {
	switch either(entries, "/F", "/Filter") {
	case "", "[]":
		_, known := computed(entries)
		return !known
	case "/Fl", "/FlateDecode", "[/Fl]", "[/FlateDecode]":
		r := bytes.NewReader(data)
		z, err := zlib.NewReader(r)
		if err != nil {
			return false
		}
		const most = 4 << 20
		n, err := io.Copy(io.Discard, io.LimitReader(z, most))
		return err == nil && n < most && len(bytes.TrimSpace(data[len(data)-r.Len():])) == 0
	case "/A85", "/ASCII85Decode", "[/A85]", "[/ASCII85Decode]", "[/A85/Fl]", "[/A85 /Fl]", "[/ASCII85Decode/FlateDecode]", "[/ASCII85Decode /FlateDecode]":
		return bytes.HasSuffix(bytes.TrimSpace(data), []byte("~>")) && bytes.Count(data, []byte("~")) == 1
	case "/AHx", "/ASCIIHexDecode", "[/AHx]", "[/ASCIIHexDecode]", "[/AHx/Fl]", "[/AHx /Fl]":
		return bytes.HasSuffix(bytes.TrimSpace(data), []byte(">")) && bytes.Count(data, []byte(">")) == 1
	case "/DCT", "/DCTDecode", "[/DCT]", "[/DCTDecode]":
		return bytes.HasSuffix(bytes.TrimSpace(data), []byte("\xFF\xD9"))
	}
	return !bytes.Contains(data, []byte("ID")) // no other image begins in it
}

// computed returns the length of data without a filter.
func computed(entries map[string]string) (int, bool) {
	entry := func(short, long string) string { return either(entries, short, long) }
	if f := entry("/F", "/Filter"); f != "" && f != "[]" {
		return 0, false
	}
	w, err1 := strconv.Atoi(entry("/W", "/Width"))
	h, err2 := strconv.Atoi(entry("/H", "/Height"))
	bits, err3 := strconv.Atoi(entry("/BPC", "/BitsPerComponent"))
	parts := map[string]int{"/G": 1, "/DeviceGray": 1, "/RGB": 3, "/DeviceRGB": 3, "/CMYK": 4, "/DeviceCMYK": 4}[entry("/CS", "/ColorSpace")]
	if mask := entry("/IM", "/ImageMask"); mask == "true" {
		parts, bits, err3 = 1, 1, nil
	}
	const most = 1 << 15
	if err1 != nil || err2 != nil || err3 != nil || parts == 0 || w < 0 || h < 0 || w > most || h > most || bits < 1 || bits > 16 {
		return 0, false
	}
	return (w*parts*bits + 7) / 8 * h, true
}
