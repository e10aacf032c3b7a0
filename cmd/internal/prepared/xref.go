package prepared

import (
	"fmt"
	"strings"
)

// twice returns a file with two bodies of object 4, the amount and the other
// one; change returns the table and the trailer.
func twice(change func(f *writer, first, second int) (table, trailer string)) []byte {
	f := begin("%PDF-1.7\n")
	all := doc{}.objects()
	f.put(all)
	first := f.at[4]
	f.object(4, stream("", other))
	table, trailer := change(f, first, f.at[4])
	f.end(table, trailer)
	return f.Bytes()
}

const root = "/Root 1 0 R"

// xrefs are files whose single cross-reference section refers to one body of
// the contents, or to none, while the file has another one.
func xrefs() []variant {
	// entries adds one entry, or replaces one, in an otherwise correct table.
	entries := func(name string, odd map[int]string) variant {
		return variant{name, twice(func(f *writer, first, _ int) (string, string) {
			f.at[4] = first
			for n, e := range odd {
				f.odd[n] = e
			}
			return f.table(), root
		})}
	}
	at := func(name string, change func(first, second int) string) variant {
		return variant{name, twice(func(f *writer, first, second int) (string, string) {
			f.odd[4] = change(first, second)
			return f.table(), root
		})}
	}
	edit := func(name string, change func(table string) string) variant {
		return variant{name, twice(func(f *writer, first, _ int) (string, string) {
			f.at[4] = first
			return change(f.table()), root
		})}
	}
	trailer := func(name, trailer string) variant {
		return variant{name, twice(func(f *writer, first, _ int) (string, string) {
			f.at[4] = first
			return f.table(), trailer
		})}
	}
	file := func(name string, change func(file string) string) variant {
		right := twice(func(f *writer, first, _ int) (string, string) {
			f.at[4] = first
			return f.table(), root
		})
		return variant{name, []byte(change(string(right)))}
	}
	replace := func(from, to string) func(string) string {
		return func(s string) string { return strings.Replace(s, from, to, 1) }
	}
	out := append(madeOf("xrefs", makers{"trailer": trailer}), []variant{
		at("entry/first", func(first, _ int) string { return entry(first, 0, "n") }),
		at("entry/second", func(_, second int) string { return entry(second, 0, "n") }),
		at("entry/generation-1", func(first, _ int) string { return entry(first, 1, "n") }),
		at("entry/generation-65535", func(first, _ int) string { return entry(first, 65535, "n") }),
		at("entry/free", func(_, _ int) string { return entry(0, 1, "f") }),
		at("entry/free-with-offset", func(first, _ int) string { return entry(first, 0, "f") }),
		at("entry/zero", func(_, _ int) string { return entry(0, 0, "n") }),
		at("entry/outside", func(_, _ int) string { return entry(9999999, 0, "n") }),
		at("entry/one-less", func(first, _ int) string { return entry(first-1, 0, "n") }),
		at("entry/one-more", func(first, _ int) string { return entry(first+1, 0, "n") }),
		at("entry/two-less", func(first, _ int) string { return entry(first-2, 0, "n") }),
		at("entry/inside", func(first, _ int) string { return entry(first+9, 0, "n") }),
		at("entry/other-letter", func(first, _ int) string { return entry(first, 0, "x") }),
		at("entry/upper-case", func(first, _ int) string { return entry(first, 0, "N") }),
		at("entry/font", func(_, _ int) string { return entry(9, 0, "n") }),
		at("width/19", func(first, _ int) string { return fmt.Sprintf("%010d %05d n\n", first, 0) }),
		at("width/21", func(first, _ int) string { return fmt.Sprintf("%010d %05d n \r\n", first, 0) }),
		at("width/short", func(first, _ int) string { return fmt.Sprintf("%d 0 n\n", first) }),
		at("width/tabs", func(first, _ int) string { return fmt.Sprintf("%010d\t%05d\tn\t\n", first, 0) }),
		at("width/hex", func(first, _ int) string { return fmt.Sprintf("0x%08x %05d n \n", first, 0) }),
		at("width/sign", func(first, _ int) string { return fmt.Sprintf("+%09d %05d n \n", first, 0) }),
		at("width/comment", func(first, _ int) string { return fmt.Sprintf("%010d %05d n %%\n", first, 0) }),
		at("width/real", func(first, _ int) string { return fmt.Sprintf("%08d.0 %05d n \n", first, 0) }),
		entries("bad/other-object", map[int]string{9: entry(9999999, 0, "n")}),
		entries("bad/font", map[int]string{5: entry(9999999, 0, "n")}),
		entries("bad/page", map[int]string{3: entry(9999999, 0, "n")}),
		entries("bad/catalog", map[int]string{1: entry(9999999, 0, "n")}),
		entries("bad/pages-free", map[int]string{2: entry(0, 0, "f")}),
		entries("bad/zero-in-use", map[int]string{0: entry(9, 0, "n")}),
		entries("bad/large-number", map[int]string{8388608: entry(9, 0, "n")}),
		entries("bad/beyond-size", map[int]string{300: entry(9, 0, "n")}),
		edit("table/first-1", replace("0 1\n0000000000 65535 f \n1 1\n", "1 2\n0000000000 65535 f \n")),
		edit("table/no-zero", replace("0 1\n0000000000 65535 f \n", "")),
		edit("table/zero-count", replace("xref\n0 1", "xref\n4 0\n0 1")),
		edit("table/count-large", replace("5 1\n", "5 9\n")),
		edit("table/double", func(s string) string { return s + s[strings.Index(s, "\n4 1\n")+1:] }),
		edit("table/comment", replace("xref\n", "xref % 4 0\n")),
		edit("table/blank", replace("xref\n", "xref \r\n\n  ")),
		edit("table/word", replace("xref\n", "xref0 0\n")),
		edit("table/case", replace("xref\n", "XREF\n")),
		edit("table/none", func(string) string { return "xref\n" }),
		edit("table/missing", func(string) string { return "" }),
		file("start/second-end", func(s string) string { return s + "startxref\n9\n%%EOF\n" }),
		file("start/junk-after", func(s string) string { return s + strings.Repeat("junk\n", 300) }),
		file("start/junk-short", func(s string) string { return s + "\x00\x00\x00\n" }),
		file("start/none", func(s string) string { return s[:strings.Index(s, "startxref")] + "%%EOF\n" }),
		file("start/zero", func(s string) string { return s[:strings.Index(s, "startxref")] + "startxref\n0\n%%EOF\n" }),
		file("start/no-end", replace("%%EOF\n", "")),
		file("start/end-glued", replace("%%EOF\n", "%%EOFx")),
		file("start/negative", func(s string) string { return s[:strings.Index(s, "startxref")] + "startxref\n-1\n%%EOF\n" }),
		file("start/comment", replace("startxref\n", "startxref\n% 9\n")),
		file("start/twice", replace("startxref\n", "startxref\nstartxref\n")),
		file("header/none", replace("%PDF-1.7\n", "%%%%%%%%\n")),
		file("header/version", replace("%PDF-1.7", "%PDF-9.9")),
		file("header/word", replace("%PDF-1.7", "%PDF-1.x")),
		file("header/adobe", replace("%PDF-1.7\n", "%!PS-Adobe-3.0 PDF-1.7\n")),
		file("header/case", replace("%PDF-1.7", "%pdf-1.7")),
	}...)
	return append(out, headed()...)
}

// headed are files with bytes before the header. Their offsets count from the
// header or from the first byte, where there is another body.
func headed() []variant {
	var out []variant
	for _, h := range []struct{ name, text string }{{"space", " \n"}, {"page", "<html>\n"}, {"kilobyte", strings.Repeat("%junk%%\n", 127)}, {"more", strings.Repeat("%junk%%\n", 140)}, {"header", "%PDF-1.4\n"}, {"object", "4 0 obj\n" + stream("", other) + "\nendobj\n"}} {
		shifted := doc{before: h.text}
		f := begin(h.text + "%PDF-1.7\n")
		f.put(doc{}.objects())
		f.end(f.table(), root)
		out = append(out, variant{"junk/" + h.name + "-from-header", shifted.pdf()}, variant{"junk/" + h.name + "-from-start", f.Bytes()})
	}
	return out
}
