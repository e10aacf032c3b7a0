package pdfobj_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"runtime"
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

// packed is an object stream with object 7.
func packed(entries, data, value string) string {
	data = strings.Replace(data, "V", "7 0 "+value, 1)
	return fmt.Sprintf("1 0 obj<</Type/ObjStm/N 1/First 4/Length %d%s>>stream\r\n%s\nendstream endobj", len(data), entries, data)
}

func TestScan(t *testing.T) {
	t.Parallel()
	script := dict{"S": name("JavaScript")}
	odd := pdfobj.Survey{Odd: true}
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
		{"comment before the keyword", "4 0 %\nobj<</S/JavaScript>>endobj", -1, script, odd},
		{"never closed", "4 0 obj<</S/JavaScript", 4, script, odd},
		{"closed by endobj", "4 0 obj<</S/JavaScript endobj 9 8 (", 4, script, odd},
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
			if s != tt.s {
				t.Errorf("survey %+v, want %+v", s, tt.s)
			}
		})
	}
}

// TestOdd: what programs read differently is told.
func TestOdd(t *testing.T) {
	t.Parallel()
	revision := func(at int, body string) string {
		return fmt.Sprintf("%sxref\ntrailer<<>>\nstartxref\n%d\n%%%%EOF\n", body, at+len(body))
	}
	one := revision(0, "1 0 obj 1 endobj\n")
	anew := func(body string) string {
		return fmt.Sprintf("%s%sxref\ntrailer<<>>\nstartxref\n%d\n%%%%EOF\n", one, body, len(one)+len(body))
	}
	then := func(prev int, body string) string {
		at := len(one) + len(body)
		return fmt.Sprintf("%s%sxref\ntrailer<</Prev %d>>\nstartxref\n%d\n%%%%EOF\n", one, body, prev, at)
	}
	for text, want := range map[string]bool{
		"1 0 obj<</A 1>>endobj":                                                            false,
		"1 0 obj 1 endobj 1 0 obj 1 endobj":                                                false,
		"1 0 obj 1 endobj 1 0 obj 2 endobj":                                                true,
		"1 0 obj 1 endobj startxref 0 %%EOF 1 0 obj 2 endobj":                              true,
		then(len("1 0 obj 1 endobj\n"), "1 0 obj 2 endobj\n"):                              false, // another revision
		anew("1 0 obj 2 endobj\n"):                                                         false, // which replaces all others
		anew("1 0 obj 2 endobj\n1 0 obj 3 endobj\n"):                                       true,
		then(3, "1 0 obj 2 endobj\n"):                                                      true, // to which nothing leads
		"1 0 obj 1 endobj 2 0 obj" + "<</N 1/First 4/Length 7>>stream\n1 0 (b)\nendstream": true,
		"1 0 obj<</A 1>><<>>endobj":                                                        true,
		"1 0 obj<</A 1 xendobj/B 2>>endobj":                                                true,
		"1 0 obj<</A 1 2>>endobj":                                                          true,
		"1 0 obj<</A>>endobj":                                                              true,
		"1 0 obj<</A[1>>]/B 2>>endobj":                                                     true,
		"1 0 obj<</A]/B 2>>endobj":                                                         true,
		"1 0 obj<</A true1>>endobj":                                                        true,
		"1 0 obj<</A --1>>endobj":                                                          true,
		"1 0 obj<</A 1e3>>endobj":                                                          true,
		"1 0 obj<</A#4>>endobj":                                                            true,
		"1 0 obj<</A#00 1>>endobj":                                                         true,
		"1 0 obj<</A<4x>>>endobj":                                                          true,
		"1 0 obj<</A(>>endobj":                                                             true,
		"1 0 obj<</A 2 1 R>>endobj":                                                        true, // a generation
		"1 0 obj<</Length 1>>stream\nx\nendstream endobj":                                  false,
		"1 0 obj<</Length 1>>stream\r\nx\r\nendstream endobj":                              false,
		"1 0 obj<</Length 1>>stream\nxyz\nendstream endobj":                                true,
		"1 0 obj<</Length 9>>stream\nxyz\nendstream endobj":                                true,
		"1 0 obj<<>>stream\nx\nendstream endobj":                                           true,
		"1 0 obj<</Length 1>>stream\rx\nendstream endobj":                                  true,
		"1 0 obj<</Length 1>>streamx\nendstream endobj":                                    true,
		"1 0 obj<</Length 2 0 R>>stream\nx\nendstream 2 0 obj 1 endobj":                    false,
		"1 0 obj<</Length 2 0 R>>stream\nxyz\nendstream 2 0 obj 1 endobj":                  true,
		"1 0 obj<</Length 2 0 R>>stream\nx\nendstream":                                     true,
	} {
		if _, s := scan(text); s.Odd != want {
			t.Errorf("%q: odd %v, want %v", text, s.Odd, want)
		}
	}
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

// TestBounds: what costs much is left, and that is said.
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

// TestSmallBomb: a file of 80 KiB is not inflated to what one of 8 MiB may be.
func TestSmallBomb(t *testing.T) { // alone, for what it allocates is counted
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

// FuzzScan: whatever stands before it, an object is found, or it is said that
// objects are missing.
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
