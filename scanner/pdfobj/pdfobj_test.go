package pdfobj_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/scanner/pdfobj"
)

type (
	dict  = pdfobj.Dict
	array = pdfobj.Array
	name  = pdfobj.Name
)

func scan(file string) ([]pdfobj.Object, pdfobj.Survey) {
	var all []pdfobj.Object
	s := pdfobj.Scan([]byte(file), func(o pdfobj.Object) { all = append(all, o) })
	return all, s
}

func deflated(s string) string {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

// packed returns an object stream with object 7.
func packed(entries, data, value string) string {
	data = strings.Replace(data, "V", "7 0 "+value, 1)
	return fmt.Sprintf("1 0 obj<</Type/ObjStm/N 1/First 4/Length %d%s>>stream\r\n%s\nendstream endobj", len(data), entries, data)
}

func TestScan(t *testing.T) {
	t.Parallel()
	script := dict{"S": name("JavaScript")}
	stream := func(entries string, n int) dict {
		return dict{"Type": name("ObjStm"), "N": 1, "First": 4, "Length": n, "Filter": name(entries)}
	}
	tests := []struct {
		name string
		file string
		num  int
		want any // of the last object
		s    pdfobj.Survey
	}{
		{"dictionary", "4 0 obj <</S/JavaScript>> endobj", 4, script, pdfobj.Survey{}},
		{"no space", "4 0obj<</S/JavaScript>>endobj", 4, script, pdfobj.Survey{}},
		{"escaped name", "4 0 obj<</#53/J#61vaScript>>endobj", 4, script, pdfobj.Survey{}},
		{"comments", "4 0 obj %<<\r<<%>>\n/S%/X\n/JavaScript>>endobj", 4, script, pdfobj.Survey{}},
		{"comment before the keyword", "4 0 %\nobj<</S/JavaScript>>endobj", -1, script, pdfobj.Survey{}},
		{"never closed", "4 0 obj<</S/JavaScript", 4, script, pdfobj.Survey{}},
		{"closed by endobj", "4 0 obj<</S/JavaScript endobj 9 8 (", 4, script, pdfobj.Survey{}},
		{"inside a stream", "1 0 obj<</Length 37>>stream\n4 0 obj<</S/JavaScript>>endobj       \nendstream", 4, script, pdfobj.Survey{}},
		{"inside a string", "1 0 obj(4 0 obj<</S/JavaScript>>endobj)endobj", 4, script, pdfobj.Survey{}},
		{"inside a comment", "% 4 0 obj<</S/JavaScript>>endobj", 4, script, pdfobj.Survey{}},
		{"values", "4 0 obj[null true false -1 2.5 (a\\)(b)) <41> /N 3 0 R 3 0]endobj", 4, array{nil, true, false, -1, 2.5, pdfobj.String("(a\\)(b))"), pdfobj.String("<41>"), name("N"), pdfobj.Ref(3), 3, 0}, pdfobj.Survey{}},
		{"nothing", "4 0 obj % no value\nendobj", 4, nil, pdfobj.Survey{}},
		{"trailer", "trailer<</Encrypt 1 0 R>>", pdfobj.Trailer, dict{"Encrypt": pdfobj.Ref(1)}, pdfobj.Survey{Encrypted: true}},
		{"trailer behind an entry", "0000000000 65535 f!!trailer<</Root 1 0 R>>", pdfobj.Trailer, dict{"Root": pdfobj.Ref(1)}, pdfobj.Survey{}},
		{"object stream", packed("", "V", "<</S/JavaScript>>"), 7, script, pdfobj.Survey{}},
		{"deflated object stream", packed("/Filter[/FlateDecode]", deflated("7 0 <</S/JavaScript>>"), ""), 7, script, pdfobj.Survey{}},
		{"deflated object stream, cut", packed("/Filter/FlateDecode", deflated("7 0 <</S/JavaScript>>")[:30], ""), 7, script, pdfobj.Survey{Packed: true}},
		{"without its type", "1 0 obj<</N 1/First 4/Length 22>>stream\n7 0 <</S/JavaScript>> \nendstream", 7, script, pdfobj.Survey{}},
		{"length elsewhere", "1 0 obj<</N 1/First 4/Length 2 0 R>>stream\n7 0 <</S/JavaScript>>endstream 2 0 obj 21 endobj", 2, 21, pdfobj.Survey{Packed: true}},
		{"two filters", packed("/Filter[/ASCIIHexDecode/FlateDecode]", "00", ""), 1, dict{"Type": name("ObjStm"), "N": 1, "First": 4, "Length": 2, "Filter": array{name("ASCIIHexDecode"), name("FlateDecode")}}, pdfobj.Survey{Packed: true}},
		{"filter elsewhere", packed("/Filter 9 0 R", "00", ""), 1, dict{"Type": name("ObjStm"), "N": 1, "First": 4, "Length": 2, "Filter": pdfobj.Ref(9)}, pdfobj.Survey{Packed: true}},
		{"encrypted object stream", packed("/Filter/FlateDecode", "\x01\x02", ""), 1, stream("FlateDecode", 2), pdfobj.Survey{Packed: true}},
		{"disguised encryption", packed("", "V", "<<>>") + "trailer<</#45ncrypt<<>>>>", pdfobj.Trailer, dict{"Encrypt": dict{}}, pdfobj.Survey{Packed: true, Encrypted: true}},
		{"too deep", "4 0 obj" + strings.Repeat("[", 60), 4, nil, pdfobj.Survey{Cut: true}},
		{"no object", "endobj obj", -1, nil, pdfobj.Survey{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all, s := scan(tt.file)
			if len(all) == 0 {
				t.Fatal("no object")
			}
			last := all[len(all)-1]
			if last.Num != tt.num {
				t.Errorf("object %d, want %d", last.Num, tt.num)
			}
			if diff := cmp.Diff(tt.want, last.Value); diff != "" && !s.Cut {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if s.Odd = ""; s != tt.s { // these files have no cross-reference
				t.Errorf("survey %+v, want %+v", s, tt.s)
			}
		})
	}
}

// headings are the beginnings of objects.
var headings = regexp.MustCompile(`(\d+) (\d+) obj`)

// filed returns body with a cross-reference table that names the first object of each
// number, and with entries in its trailer.
func filed(body, entries string) string { return revised("", body, entries) }

// revised returns file with body and a table of body's objects.
func revised(file, body, entries string) string {
	if file == "" {
		file = "%PDF-1.7\n"
	}
	seen, table := map[string]bool{}, ""
	for _, m := range headings.FindAllStringSubmatchIndex(body, -1) {
		num, gen := body[m[2]:m[3]], body[m[4]:m[5]]
		if !seen[num] {
			g, _ := strconv.Atoi(gen)
			table += fmt.Sprintf("%s 1\n%010d %05d n \n", num, len(file)+m[0], g)
		}
		seen[num] = true
	}
	at := len(file) + len(body) + 1
	return fmt.Sprintf("%s%s\nxref\n0 1\n0000000000 65535 f \n%strailer<</Size 100/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", file, body, table, entries, at)
}

// startxref returns the offset of the newest cross-reference of file.
func startxref(file string) int { return strings.LastIndex(file, "\nxref\n") + 1 }

// xrefStream returns a cross-reference stream with data to append to file, and its startxref.
func xrefStream(file, entries, data string) string {
	return fmt.Sprintf("%s9 0 obj<</Type/XRef/Root 1 0 R/Size 100%s/Length %d>>stream\n%s\nendstream endobj\nstartxref\n%d\n%%%%EOF\n", file, entries, len(data), data, len(file))
}

// TestOdd: Odd reports what programs read differently, and nothing else.
func TestOdd(t *testing.T) {
	t.Parallel()
	one := filed("1 0 obj[2 0 R]endobj 2 0 obj(old)endobj", "")
	prev := fmt.Sprintf("/Prev %d", startxref(one))
	body := "%PDF-1.7\n1 0 obj[2 0 R]endobj\n4 0 obj<</Type/ObjStm/N 1/First 4/Length 12>>stream\n2 0 (packed)\nendstream endobj\n"
	inStream := func(entries, data string) string { return xrefStream(body, "/W[1 1 1]/Index[1 2 4 1]"+entries, data) }
	rows := string([]byte{1, 9, 0, 2, 4, 0, 1, byte(strings.Index(body, "4 0 obj")), 0})
	predicted := string([]byte{2, 1, 9, 0, 2, 1, 251, 0, 2, 255, byte(strings.Index(body, "4 0 obj") - 4), 0})
	tests := []struct{ name, file, want string }{
		{"one object", filed("1 0 obj<</A 1>>endobj", ""), ""},
		{"twice the same", filed("1 0 obj 1 endobj 1 0 obj 1 endobj", ""), ""},
		{"twice", filed("1 0 obj 1 endobj 1 0 obj 2 endobj", ""), "object 1 stands in it again"},
		{"twice, with an end between them", filed("1 0 obj 1 endobj startxref 0 %%EOF 1 0 obj 2 endobj", ""), "object 1 stands"},
		{"another revision", revised(one, "2 0 obj(new)endobj", prev), ""},
		{"a revision that replaces all others", revised(one, "1 0 obj[2 0 R]endobj 2 0 obj(new)endobj", ""), ""},
		{"revision twice", revised(one, "2 0 obj(new)endobj 2 0 obj(newer)endobj", prev), "object 2 stands"},
		{"revision that does not count", revised(one, "2 0 obj(new)endobj", prev)[:len(one)] + "2 0 obj(new)endobj\n" + one[startxref(one):], "object 2 stands"},
		{"revision that leads nowhere", revised(one, "2 0 obj(new)endobj", "/Prev 3"), "cannot be read"},
		{"revision that leads to itself", revised(one, "2 0 obj(new)endobj", fmt.Sprintf("/Prev %d", len(one)+len("2 0 obj(new)endobj")+1)), "leads nowhere"},
		{"revisions out of order", outOfOrder(), "object 2 stands"},
		{"other root", revised(one, "3 0 obj[]endobj", prev+"/Root 3 0 R"), "cannot be read"},
		{"another root", strings.Replace(revised(one, "3 0 obj[]endobj", prev), "Root 1", "Root 2", 1), "begin at different objects"},
		{"offset of another object", strings.Replace(one, fmt.Sprintf("%010d", strings.Index(one, "2 0 obj")), "0000000009", 1), "object 2 is used and does not stand"},
		{"offset of an object that is not used", strings.Replace(filed("1 0 obj[]endobj 2 0 obj(old)endobj", ""), "0000000025", "0000000009", 1), ""},
		{"not named, and used", strings.Replace(one, "0000000030 00000 n", "0000000030 00000 f", 1), "object 2 is used"},
		{"beyond its size", strings.Replace(one, "/Size 100", "/Size 2", 1), "object 2 is beyond"},
		{"no cross-reference", "%PDF-1.7\n1 0 obj<<>>endobj", "end does not say"},
		{"cross-reference far from the end", one + strings.Repeat("% more\n", 200), "end does not say"},
		{"short entries", strings.ReplaceAll(one, " \n", "\n"), ""},
		{"short entries, object twice", strings.ReplaceAll(filed("1 0 obj 0 endobj 1 0 obj 1 endobj 1 0 obj 0 endobj", ""), " \n", "\n"), "entries of its cross-reference"},
		{"stream of entries", inStream("", rows), ""},
		{"predicted entries", inStream("/Filter[/ASCIIHexDecode/FlateDecode]/DecodeParms[null<</Predictor 12/Columns 3>>]", fmt.Sprintf("%x>", deflated(predicted))), ""},
		{"entry of another object in the stream", inStream("", strings.Replace(rows, "\x02\x04\x00", "\x02\x04\x01", 1)), "object 2 is used"},
		{"packed object again", xrefStream(body+"2 0 obj(plain)endobj\n", "/W[1 1 1]/Index[1 2 4 1]", rows), "object 2 stands"},
		{"packed again", filed("1 0 obj[2 0 R]endobj 2 0 obj(b)endobj 3 0 obj<</N 1/First 4/Length 7>>stream\n2 0 (a)\nendstream endobj", ""), "object 2 stands"},
		{"object inside of a stream", filed("1 0 obj[2 0 R]endobj 2 0 obj(b)endobj 3 0 obj<</Length 17>>stream\n2 0 obj(c)endobj \nendstream endobj", ""), ""},
		{"other generation", filed("1 0 obj[2 1 R]endobj 2 0 obj(b)endobj", ""), "object 1 is against"},
		{"its generation", filed("1 0 obj[2 1 R]endobj 2 1 obj(b)endobj", ""), ""},
		{"two entries", filed("1 0 obj<</A 1/A 2>>endobj", ""), "object 1 has the entry “A” twice"},
		{"two entries, replaced", revised(filed("1 0 obj<</A 1/A 2>>endobj", ""), "1 0 obj<<>>endobj", prev[:6]+strconv.Itoa(startxref(filed("1 0 obj<</A 1/A 2>>endobj", "")))), "twice"},
		{"two values", filed("1 0 obj<</A 1>><<>>endobj", ""), "grammar"},
		{"two values of an object that is not used", filed("1 0 obj[]endobj", "") + "% 2 0 obj<</A 1>><<>>endobj", ""},
	}
	for text, want := range map[string]string{
		"<</A 1 xendobj/B 2>>endobj":                                       "grammar",
		"<</A 1 2>>endobj":                                                 "grammar",
		"<</A>>endobj":                                                     "grammar",
		"<</A[1>>]/B 2>>endobj":                                            "grammar",
		"<</A]/B 2>>endobj":                                                "grammar",
		"<</A true1>>endobj":                                               "grammar",
		"<</A --1>>endobj":                                                 "grammar",
		"<</A 1e3>>endobj":                                                 "grammar",
		"<</A#4>>endobj":                                                   "grammar",
		"<</A#00 1>>endobj":                                                "grammar",
		"<</A<4x>>>endobj":                                                 "grammar",
		"<</Length 1>>stream\nx\nendstream endobj":                         "",
		"<</Length 1>>stream\r\nx\r\nendstream endobj":                     "",
		"<</Length 1>>stream\nxyz\nendstream endobj":                       "not as long",
		"<</Length 9>>stream\nxyz\nendstream endobj":                       "not as long",
		"<<>>stream\nx\nendstream endobj":                                  "not as long",
		"<</Length 1>>stream\rx\nendstream endobj":                         "not as long",
		"<</Length 1>>streamx\nendstream endobj":                           "not as long",
		"<</Length 3 0 R>>stream\nx\nendstream endobj 3 0 obj 1 endobj":    "",
		"<</Length 3 0 R>>stream\nxyz\nendstream endobj 3 0 obj 1 endobj":  "not as long",
		"<</Length 3 0 R>>stream\nx\nendstream endobj":                     "not as long",
		"<</Length 3 0 R>>stream\nxyz\nendstream endobj 3 0 obj(1) endobj": "not as long",
	} {
		tests = append(tests, struct{ name, file, want string }{text, filed("1 0 obj[]endobj 2 0 obj"+text, ""), want})
	}
	for _, tt := range tests {
		if _, s := scan(tt.file); s.Odd == "" != (tt.want == "") || !strings.Contains(s.Odd, tt.want) {
			t.Errorf("%s: odd %q, want %q\n%s", tt.name, s.Odd, tt.want, tt.file)
		}
	}
}

// outOfOrder returns a file with its newest revision before the older one.
func outOfOrder() string {
	newest := revised("", "2 0 obj(new)endobj", "/Prev 0000000")
	shifted := revised(newest, "1 0 obj[2 0 R]endobj 2 0 obj(old)endobj", "")
	file := strings.Replace(shifted, "/Prev 0000000", fmt.Sprintf("/Prev %07d", startxref(shifted)), 1)
	at := strings.LastIndex(file, "startxref")
	return fmt.Sprintf("%sstartxref\n%d\n%%%%EOF\n", file[:at], startxref(newest))
}

func TestTwice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pdfobj.Name{
		"1 0 obj<</A 1/B 2>>":               "",
		"1 0 obj<</A 1/A 1>>":               "",
		"1 0 obj<</A 1/#41 2>>":             "A",
		"1 0 obj[<</X<</B[1]/C 1/B[2]>>>>]": "B",
	} {
		if all, _ := scan(text); all[0].Twice != want {
			t.Errorf("%s: %q twice, want %q", text, all[0].Twice, want)
		}
	}
}

// TestBounds: Scan leaves out expensive parts and says so.
func TestBounds(t *testing.T) {
	t.Parallel()
	bomb := packed("/Filter/FlateDecode", deflated(strings.Repeat("0 ", 40<<20)), "")
	for what, file := range map[string]string{
		"strings that never end": strings.Repeat("obj(", 1<<20),
		"a bomb":                 bomb,
		"millions of values":     "1 0 obj[" + strings.Repeat("0 ", 1<<20) + "]",
	} {
		if _, s := scan(file); !s.Cut {
			t.Errorf("%s: %+v, want cut", what, s)
		}
	}
}

// TestSmallBomb: a file of 80 KiB is not inflated to the size allowed for one of 8 MiB.
func TestSmallBomb(t *testing.T) { // not parallel, because it counts allocations
	file := []byte(packed("/Filter/FlateDecode", deflated(strings.Repeat("0 ", 40<<20)), ""))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := pdfobj.Scan(file, func(pdfobj.Object) {})
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; !s.Cut || took >= 128 {
		t.Errorf("%d KiB: %+v, %d MiB allocated; want cut, less than 128", len(file)>>10, s, took)
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"()": "", "(a\\)\\(b)": "a)(b", "(\\101\\7x\\0053)": "A\x07x\x053", "(\\n\\r\\t\\b\\f\\\\\\q)": "\n\r\t\b\f\\q",
		"(a\\\nb\\\r\nc)": "abc", "<41 4>": "A@", "<>": "", "<4Z1>": "A", "(": "", "<4": "@",
	} {
		if got := string(pdfobj.String(text).Bytes()); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// FuzzScan: an object is found, whatever stands before it, or the survey says that objects
// are missing.
func FuzzScan(f *testing.F) {
	f.Add([]byte("4 0 obj<</A[1 2 0 R(x)<41>]>>stream\nx\nendstream"))
	f.Add([]byte(packed("", "V", "<<>>")))
	f.Add([]byte(packed("/Filter/FlateDecode", deflated("7 0 <<>>"), "")))
	f.Add([]byte("trailer<</Encrypt<</Filter/Standard/V 5/R 6/U<" + strings.Repeat("41", 48) + ">/UE<" + strings.Repeat("42", 32) + ">/StmF/StdCF/CF<</StdCF<</CFM/AESV3>>>>>>>>" + packed("", strings.Repeat("x", 40), "")))
	f.Add([]byte("trailer<</ID[(a\\101)<41>]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -1/O(" + strings.Repeat("o", 32) + ")>>>>" + packed("", "V", "<<>>")))
	f.Fuzz(func(t *testing.T, before []byte) {
		file := append(bytes.Clone(before), "\n77 0 obj<</Mine true>>\nendobj"...)
		found := false
		s := pdfobj.Scan(file, func(o pdfobj.Object) {
			found = found || o.Num == 77 && o.Dict()["Mine"] == true
			if o.At < 0 || o.At >= len(file) {
				t.Fatalf("object at %d of %d bytes", o.At, len(file))
			}
		})
		if !found && !s.Cut {
			t.Fatal("the object was not found")
		}
	})
}
