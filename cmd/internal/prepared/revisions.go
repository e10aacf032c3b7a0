package prepared

import (
	"bytes"
	"fmt"
	"strings"
)

// xrefStream returns a cross-reference stream with entries of 1, 4 and 2 bytes.
func xrefStream(size int, index string, entries [][3]int, more string) string {
	var b bytes.Buffer
	for _, e := range entries {
		b.Write([]byte{byte(e[0]), byte(e[1] >> 24), byte(e[1] >> 16), byte(e[1] >> 8), byte(e[1]), byte(e[2] >> 8), byte(e[2])})
	}
	return stream(fmt.Sprintf("/Type/XRef/Size %d/Index%s/W[1 4 2]%s", size, index, more), b.String())
}

// revised returns an ordinary file and an update with the other amount, whose trailer
// has more entries after Prev. change may put unusual entries into its table.
func revised(more func(f *writer, first, second int) (table, trailer string)) []byte {
	f := begin("%PDF-1.7\n")
	f.put(doc{}.objects())
	first := f.at[4]
	prev := f.end(f.table(), root)
	f.object(4, stream("", other))
	table, trailer := more(f, first, f.at[4])
	f.end(table, strings.ReplaceAll(trailer, "PREV", fmt.Sprint(prev)))
	return f.Bytes()
}

// revisions are files of several revisions, one of which shows the amount and
// one the other.
func revisions() []variant {
	update := func(name, trailer string) variant {
		return variant{name, revised(func(f *writer, _, _ int) (string, string) { return f.table(), trailer })}
	}
	odd := func(name string, change func(first, second int) string) variant {
		return variant{name, revised(func(f *writer, first, second int) (string, string) {
			f.odd[4] = change(first, second)
			return f.table(), root + "/Prev PREV"
		})}
	}
	out := append(madeOf("revisions", makers{"update": update}), []variant{
		odd("entry/back", func(first, _ int) string { return entry(first, 0, "n") }),
		odd("entry/free", func(_, _ int) string { return entry(0, 1, "f") }),
		odd("entry/free-generation-0", func(_, _ int) string { return entry(0, 0, "f") }),
		odd("entry/generation", func(_, second int) string { return entry(second, 1, "n") }),
		odd("entry/outside", func(_, _ int) string { return entry(9999999, 0, "n") }),
		odd("entry/zero", func(_, _ int) string { return entry(0, 0, "n") }),
		odd("entry/first-object", func(_, _ int) string { return entry(9, 0, "n") }),
	}...)
	return append(append(append(out, orders()...), numbers()...), packedObjects()...)
}

// orders are files whose newest section is not the last one.
func orders() []variant {
	// The newest section comes first; its offset of the older one has ten digits.
	early := func(name string, bad int, trailer, end string) variant {
		f := begin("%PDF-1.7\n")
		f.put(doc{}.objects())
		if bad > 0 {
			f.odd[bad] = entry(9999999, 0, "n")
		}
		newest := f.end(f.table(), root+"/Prev 0000000000"+trailer)
		f.put(objects{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[3 0 R]/Count 1>>", 4: stream("", other)})
		f.put(objects{3: doc{}.objects()[3], 5: doc{}.objects()[5]})
		oldest := f.end(f.table(), root)
		file := bytes.Replace(f.Bytes(), []byte("/Prev 0000000000"), fmt.Appendf(nil, "/Prev %010d", oldest), 1)
		return variant{name, append(file, fmt.Sprintf(end, newest)...)}
	}
	const usual = "startxref\n%d\n%%%%EOF\n"
	out := []variant{
		early("order/newest-first", 0, "", usual),
		early("order/bad-unused", 9, "", usual),
		early("order/bad-font", 5, "", usual),
		early("order/bad-page", 3, "", usual),
		early("order/bad-contents", 4, "", usual),
		early("order/size-small", 0, "/Size 5", usual),
		early("order/no-end", 0, "", "startxref\n%d\n"),
		early("order/far-end", 9, "", "startxref\n%d\n%%%%EOF\n"+strings.Repeat("%% junk\n", 200)),
	}
	for _, p := range []struct{ name, prev string }{{"loop", "SELF"}, {"loop-two", "SECOND"}} {
		f := begin("%PDF-1.7\n")
		f.put(doc{}.objects())
		first := f.end(f.table(), root+"/Prev "+strings.Repeat("0", 10))
		f.object(4, stream("", other))
		second := f.end(f.table(), fmt.Sprintf("%s/Prev %d", root, first))
		prev := first
		if p.prev == "SECOND" {
			prev = second
		}
		out = append(out, variant{"prev/" + p.name, bytes.Replace(f.Bytes(), []byte("/Prev 0000000000"), fmt.Appendf(nil, "/Prev %010d", prev), 1)})
	}
	// A linearized file begins with its first page.
	for _, l := range []struct{ name, entries string }{{"usual", "/L LENGTH/O 3/E 400/N 1/T 400/H[1 1]"}, {"wrong-length", "/L 99/O 3/E 400/N 1/T 400/H[1 1]"}, {"other-page", "/L LENGTH/O 33/E 400/N 1/T 400/H[1 1]"}, {"two-pages", "/L LENGTH/O 33/E 400/N 2/T 400/P 0/H[1 1]"}, {"version", "/L LENGTH/O 33/E 400/N 1/T 400/Linearized 9"}} {
		f := begin("%PDF-1.7\n")
		f.object(20, "<</Linearized 1"+l.entries+">>")
		all := doc{}.objects()
		all[33] = strings.Replace(all[3], "4 0 R", "34 0 R", 1)
		all[34] = stream("", other)
		f.put(all)
		f.end(f.table(), root)
		file := strings.Replace(f.String(), "LENGTH", fmt.Sprintf("%06d", f.Len()), 1)
		out = append(out, variant{"linearized/" + l.name, []byte(file)})
	}
	return out
}

// numbers are files whose objects disagree with the numbers that lead to them.
func numbers() []variant {
	of := func(name, head, tail string) variant {
		return variant{name, twice(func(f *writer, _, _ int) (string, string) {
			f.at[4] = f.here()
			f.WriteString(head + stream("", other) + tail)
			return f.table(), root
		})}
	}
	const end = "\nendobj\n"
	return []variant{
		of("number/other", "44 0 obj\n", end),
		of("number/font", "5 0 obj\n", end),
		of("number/zero", "0 0 obj\n", end),
		of("number/generation", "4 1 obj\n", end),
		of("number/generation-large", "4 65536 obj\n", end),
		of("number/negative", "-4 0 obj\n", end),
		of("number/zeros", "0004 000 obj\n", end),
		of("number/sign", "+4 0 obj\n", end),
		of("number/real", "4.0 0 obj\n", end),
		of("number/large", "4294967300 0 obj\n", end),
		of("number/none", "obj\n", end),
		of("number/no-word", "4 0 ", end),
		of("number/case", "4 0 OBJ\n", end),
		of("number/glued", "4 0 obj", end),
		of("number/comment", "4 0 %\nobj\n", end),
		of("number/lines", "4\n0\nobj\n", end),
		of("number/digit-after", "4 00 obj\n", end),
		of("number/twice", "4 0 obj 4 0 obj\n", end),
		of("number/no-end", "4 0 obj\n", "\n"),
		of("number/end-glued", "4 0 obj\n", "endobj\n"),
		of("number/nested", "4 0 obj\n44 0 obj null endobj\n", end),
		of("number/word-between", "4 0 obj junk\n", end),
		of("number/null-first", "4 0 obj null ", end),
		of("number/dictionary-first", "4 0 obj <<>> ", end),
	}
}

// packedObjects are files with cross-reference streams and object streams.
func packedObjects() []variant {
	// The page is in an object stream, 30, and refers to 4 or to 40.
	page := func(contents string) string {
		return strings.Replace(doc{}.objects()[3], "4 0 R", contents+" 0 R", 1)
	}
	of := func(name, holder, head string, entry [3]int, more string, extra objects) variant {
		f := begin("%PDF-1.7\n")
		all := doc{}.objects()
		delete(all, 3)
		all[30] = stream(fmt.Sprintf("/Type/ObjStm/N 1/First %d%s", len(head), holder), head+page("40"))
		all[40] = stream("", other)
		for n, body := range extra {
			all[n] = body
		}
		f.put(all)
		entries := [][3]int{{0, 0, 65535}}
		for n := 1; n < 51; n++ {
			switch at, ok := f.at[n]; {
			case n == 3:
				entries = append(entries, entry)
			case ok:
				entries = append(entries, [3]int{1, at, 0})
			case n == 50:
				entries = append(entries, [3]int{1, f.here(), 0})
			default:
				entries = append(entries, [3]int{0, 0, 0})
			}
		}
		start := f.here()
		f.object(50, xrefStream(51, "[0 51]", entries, root+more))
		fmt.Fprintf(f, "startxref\n%d\n%%%%EOF\n", start)
		return variant{name, f.Bytes()}
	}
	usual := [3]int{2, 30, 0}
	out := []variant{
		of("packed/usual", "", "3 0 ", usual, "", nil),
		of("packed/number-differs", "", "33 0 ", usual, "", nil),
		of("packed/index", "", "3 0 ", [3]int{2, 30, 7}, "", nil),
		of("packed/holder-missing", "", "3 0 ", [3]int{2, 99, 0}, "", nil),
		of("packed/holder-free", "", "3 0 ", [3]int{2, 29, 0}, "", nil),
		of("packed/kind-3", "", "3 0 ", [3]int{3, 30, 0}, "", nil),
		of("packed/and-plain", "", "3 0 ", usual, "", objects{3: page("4")}),
		of("packed/first-short", "/First 0", "3 0 ", usual, "", nil),
		of("packed/count", "/N 0", "3 0 ", usual, "", nil),
		of("packed/count-large", "/N 9", "3 0 ", usual, "", nil),
		of("packed/extends", "/Extends 31 0 R", "3 0 ", [3]int{2, 31, 0}, "", objects{31: stream("/Type/ObjStm/N 0/First 0", " ")}),
		of("packed/extends-other", "/Extends 31 0 R", "33 0 ", usual, "", objects{31: stream("/Type/ObjStm/N 1/First 4", "3 0 "+page("4"))}),
		of("packed/extends-self", "/Extends 30 0 R", "3 0 ", usual, "", nil),
		of("packed/type-none", "/Type/Acme", "3 0 ", usual, "", nil),
		of("packed/twice", "", "3 0 ", usual, "", objects{30: stream("/Type/ObjStm/N 2/First 12", fmt.Sprintf("3 0 3 %05d ", len(page("4")))+page("4")+page("40"))}),
		of("packed/twice-index-1", "", "3 0 ", [3]int{2, 30, 1}, "", objects{30: stream("/Type/ObjStm/N 2/First 12", fmt.Sprintf("3 0 3 %05d ", len(page("4")))+page("4")+page("40"))}),
		of("packed/prev", "", "3 0 ", usual, "/Prev 9", nil),
		of("packed/size-small", "", "3 0 ", usual, "/Size 3", nil),
		of("packed/widths", "", "3 0 ", usual, "/W[1 4 2 0]", nil),
		of("packed/filter", "", "3 0 ", usual, "/Filter[]", nil),
	}
	for _, h := range []struct {
		name, trailer string
		entry         func(first, second int) [3]int
	}{
		{"second", "", func(_, second int) [3]int { return [3]int{1, second, 0} }},
		{"free", "", func(_, _ int) [3]int { return [3]int{0, 0, 0} }},
		{"generation", "", func(_, second int) [3]int { return [3]int{1, second, 1} }},
		{"unknown", "", func(_, second int) [3]int { return [3]int{7, second, 0} }},
		{"and-prev", "/Prev 9", func(_, second int) [3]int { return [3]int{1, second, 0} }},
	} {
		out = append(out,
			variant{"hybrid/" + h.name, twice(func(f *writer, first, second int) (string, string) {
				f.at[4] = first
				return hybrid(f, h.entry(first, second), h.trailer)
			})},
			variant{"hybrid-only/" + h.name, twice(func(f *writer, first, second int) (string, string) {
				f.odd[4] = entry(0, 0, "f")
				return hybrid(f, h.entry(first, second), h.trailer)
			})})
	}
	return out
}

// hybrid adds a cross-reference stream for object 4 next to the table.
func hybrid(f *writer, e [3]int, trailer string) (table, entries string) {
	at := f.here()
	table = f.table()
	f.object(50, xrefStream(51, "[4 1]", [][3]int{e}, ""))
	clear(f.at)
	return table, fmt.Sprintf("%s/XRefStm %d%s", root, at, trailer)
}
