package pdfstamp_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// stamped stamps pdf where that must work.
func stamped(t testing.TB, s stamper, pdf []byte, pl pdfstamp.Placement, ref payload.Reference) (inMemory, *sealed) {
	t.Helper()
	k := &sealed{}
	st, err := s.Stamp(t.Context(), pdf, pl, ref, side, k.seal(ref))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(st.PDF, pdf) {
		t.Fatal("the stamped file does not begin with the original")
	}
	return st, k
}

func TestStamp(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	for _, tt := range []struct {
		name string
		spec pdfSpec
	}{
		{"table", pdfSpec{page: a4, contents: []string{text("one")}}},
		{"stream", pdfSpec{page: a4, contents: []string{text("one")}, stream: true}},
		{"two contents", pdfSpec{page: a4, contents: []string{text("one"), text("two")}}},
		{"no contents", pdfSpec{page: a4}},
		{"inherited", pdfSpec{pages: a4 + "/Rotate 90", contents: []string{text("one")}}},
		{"bytes before the header", pdfSpec{page: a4, before: "junk\n", contents: []string{text("one")}}},
		{"file identifier", pdfSpec{page: a4, trailer: "/ID[<00112233445566778899AABBCCDDEEFF><00112233445566778899AABBCCDDEEFF>]"}},
		{"three pages", pdfSpec{page: a4, count: 3, contents: []string{text("shared")}}},
		{"escaped names", pdfSpec{page: "/Media#42ox[0 0 595 842]/A#20b(x)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pdf := tt.spec.build()
			st, k := stamped(t, s, pdf, pdfstamp.Placement{}, payload.Reference{1})
			if got := k.check(st.PDF); got.State != binding.Match {
				t.Errorf("binding %+v", got)
			}
			if want := max(1, tt.spec.count); st.Page() != want {
				t.Errorf("page %d, want %d", st.Page(), want)
			}
			if at := st.Places[0]; st.Modules != side || math.Abs(at.Symbol.Width-15) > 1e-9 || math.Abs(at.ModuleMM-0.375) > 1e-9 || math.Abs(at.Box.Width-16.5) > 1e-9 {
				t.Errorf("%d modules, %+v", st.Modules, at)
			}
			if again, _ := stamped(t, s, pdf, pdfstamp.Placement{}, payload.Reference{1}); !bytes.Equal(st.PDF, again.PDF) {
				t.Error("the same stamp twice gives different bytes")
			}
			if tail := st.PDF[len(pdf):]; bytes.Contains(tail, []byte("/XRef")) != tt.spec.stream {
				t.Error("the new cross-reference section is of another kind than the file's")
			}
			if tt.spec.before == "" { // pdfcpu reads no such file, stamped or not
				if err := api.Validate(bytes.NewReader(st.PDF), nil); err != nil {
					t.Errorf("pdfcpu: %v", err)
				}
			}
		})
	}
}

// TestTwoStamps: the first stamp survives the second, and says that it follows.
func TestTwoStamps(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	one, k1 := stamped(t, s, pdfSpec{page: a4, contents: []string{text("one")}}.build(), pdfstamp.Placement{}, payload.Reference{1})
	two, k2 := stamped(t, s, one.PDF, pdfstamp.Placement{Anchor: geometry.TopLeft}, payload.Reference{2})
	if got := k1.check(two.PDF); got.State != binding.Appended || got.Code != binding.CodeStamped {
		t.Errorf("first stamp: %+v", got)
	}
	if got := k2.check(two.PDF); got.State != binding.Match {
		t.Errorf("second stamp: %+v", got)
	}
	if page := two.PDF[len(one.PDF):]; !bytes.Contains(page, []byte("/TCode0400")) || !bytes.Contains(page, []byte("/TCode0800")) {
		t.Error("the second image replaced the first")
	}
}

// TestAttacks: 100 documents, each under each other's revision, each repainted
// with another's symbol, and each as it is.
func TestAttacks(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	const count = 100
	originals := make([][]byte, count)
	stamps := make([]inMemory, count)
	seals := make([]*sealed, count)
	for i := range count {
		originals[i] = pdfSpec{page: a4, contents: []string{text(fmt.Sprintf("contract %d, %s", i, strings.Repeat("x", i)))}}.build()
		stamps[i], seals[i] = stamped(t, s, originals[i], pdfstamp.Placement{}, payload.Reference{byte(i), 1})
	}
	for i, st := range stamps {
		revision := st.PDF[len(originals[i]):]
		for j, original := range originals {
			file := append(bytes.Clone(original), revision...)
			want := binding.Mismatch
			if i == j {
				want = binding.Match
			}
			if got := seals[i].check(file); got.State != want {
				t.Fatalf("revision %d on document %d: %+v, want %s", i, j, got, want)
			}
			if i == j {
				continue
			}
			other := stamps[j]
			painted := bytes.Clone(st.PDF)
			copy(painted[st.Mark.Start:], other.PDF[other.Mark.Start:other.Mark.Start+other.Mark.Length])
			for _, k := range []*sealed{seals[i], seals[j]} {
				if got := k.check(painted); got.State == binding.Match || got.State == binding.Appended {
					t.Fatalf("document %d painted with symbol %d: %+v", i, j, got)
				}
			}
		}
	}
}

// TestOneByte changes one byte outside the hole, 10,000 times.
func TestOneByte(t *testing.T) {
	t.Parallel()
	st, k := stamped(t, newStamper(t), pdfSpec{page: a4, contents: []string{text("one")}}.build(), pdfstamp.Placement{}, payload.Reference{1})
	r := rand.New(rand.NewPCG(1, 2))
	file := bytes.Clone(st.PDF)
	for range 10_000 {
		at := r.IntN(len(file) - int(st.Mark.Length))
		if at >= int(st.Mark.Start) {
			at += int(st.Mark.Length)
		}
		file[at] ^= byte(1 + r.IntN(255))
		if got := k.check(file); got.State == binding.Match || got.State == binding.Appended {
			t.Fatalf("byte %d of %d changed: %+v", at, len(file), got)
		}
		file[at] = st.PDF[at]
	}
	if got := k.check(file); got.State != binding.Match {
		t.Fatalf("the file itself: %+v", got)
	}
}

// bomb is a stream that inflates to n MiB of zeros. One flushed MiB repeats, so
// that it costs nothing to make; the checksum at the end is missing.
func bomb(n int) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Flush()
	const header = 2
	data := append(bytes.Clone(b.Bytes()[:header]), bytes.Repeat(b.Bytes()[header:], n)...)
	return fmt.Sprintf("<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", len(data), data)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	good := pdfSpec{page: a4, contents: []string{text("one")}}.build()
	certified := func(p string) []byte {
		return pdfSpec{page: a4, catalog: "/Perms<</DocMDP 10 0 R>>", extra: []string{"<</Type/Sig/Reference[<</TransformMethod/DocMDP/TransformParams<<" + p + ">>>>]>>"}}.build()
	}
	kids := func(o string) []byte {
		return bytes.Replace(pdfSpec{page: a4}.build(), []byte("/Kids[10 0 R ]"), []byte(o), 1)
	}
	manyObjects := "[" + strings.Repeat("0 ", 3_000_000) + "]"
	tests := []struct {
		name string
		pdf  []byte
		pl   pdfstamp.Placement
		code string // "" is stamped
	}{
		{"empty", nil, pdfstamp.Placement{}, fault.CodeInvalidPDF},
		{"text", []byte("dear sir or madam"), pdfstamp.Placement{}, fault.CodeInvalidPDF},
		{"header only", []byte("%PDF-1.7\n"), pdfstamp.Placement{}, fault.CodeInvalidPDF},
		{"cut in the middle", good[:len(good)/2], pdfstamp.Placement{}, fault.CodeInvalidPDF},
		{"no pages", kids("/Kids[]      "), pdfstamp.Placement{}, fault.CodeInvalidPDF},
		{"page tree in a loop", kids("/Kids[2 0 R ] "), pdfstamp.Placement{}, fault.CodeInvalidPDF},
		{"previous section in a loop", bytes.Replace(good, []byte("/Root"), []byte(fmt.Sprintf("/Prev %d/Root", bytes.LastIndex(good, []byte("xref\n0")))), 1), pdfstamp.Placement{}, ""},
		{"encrypted", pdfSpec{page: a4, trailer: "/Encrypt<</Filter/Standard>>"}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"certified, no changes", certified("/P 1"), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"certified, forms", certified("/P 2"), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"certified, by default", certified(""), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"certified, annotations", certified("/P 3"), pdfstamp.Placement{}, ""},
		{"500 pages", pdfSpec{page: a4, count: 500}.build(), pdfstamp.Placement{}, ""},
		{"501 pages", pdfSpec{page: a4, count: 501}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"small page", pdfSpec{page: "/MediaBox[0 0 40 40]"}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"page without the margins", pdfSpec{page: "/MediaBox[0 0 50 50]"}.build(), pdfstamp.Placement{}, ""},
		{"page as large as scanners draw", pdfSpec{page: "/MediaBox[0 0 7743 7743]"}.build(), pdfstamp.Placement{}, ""},
		{"page that is larger", pdfSpec{page: "/MediaBox[0 0 7744 7744]"}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"page of 1e7 pt", pdfSpec{page: "/MediaBox[0 0 10000000 10000000]"}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"page whose size is no number", pdfSpec{page: "/MediaBox[0 0 99999999999999999999 842]"}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"page far out", pdfSpec{page: "/MediaBox[9000000 0 9000595 842]"}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"units of 1e6", pdfSpec{page: a4 + "/UserUnit 1000000"}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"CropBox beyond everything", pdfSpec{page: a4 + "/CropBox[0 0 90000 90000]"}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"another page that is larger", pdfSpec{each: []string{"/MediaBox[0 0 9000 9000]", a4}}.build(), pdfstamp.Placement{}, ""},
		{"no such page", good, pdfstamp.Placement{Scope: geometry.CustomPages, Pages: []int{2}}, fault.CodePDFNotStampable},
		{"negative size", good, pdfstamp.Placement{SizeMM: -1}, fault.CodePDFNotStampable},
		{"crooked", good, pdfstamp.Placement{Rotation: 45}, fault.CodePDFNotStampable},
		{"bomb", pdfSpec{page: a4 + "/Contents 10 0 R", extra: []string{bomb(1024)}}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"deep", pdfSpec{page: a4, trailer: "/X" + strings.Repeat("[", 1_000_000)}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"many objects", pdfSpec{page: a4, trailer: "/X" + manyObjects}.build(), pdfstamp.Placement{}, fault.CodePDFNotStampable},
		{"too large", make([]byte, pdfstamp.MaxBytes+1), pdfstamp.Placement{}, fault.CodePayloadTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var k sealed
			_, err := s.Stamp(t.Context(), tt.pdf, tt.pl, payload.Reference{1}, side, k.seal(payload.Reference{1}))
			if tt.code == "" && err != nil {
				t.Fatal(err)
			}
			if f, _ := errors.AsType[*fault.Fault](err); tt.code != "" && (f == nil || f.Code != tt.code) {
				t.Fatalf("err = %v, want %s", err, tt.code)
			}
			if tt.code != "" && k.text != "" {
				t.Error("sealed what was refused")
			}
		})
	}
}

// TestSealErrors: the result of seal decides, and a text of another size than the
// layout is not delivered.
func TestSealErrors(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	pdf := pdfSpec{page: a4}.build()
	errKey := errors.New("no key")
	_, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{1}, side, func([16]byte) (string, error) { return "", errKey })
	if !errors.Is(err, errKey) {
		t.Errorf("err = %v, want the seal's own", err)
	}
	_, err = s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{1}, side, func([16]byte) (string, error) { return "ABC", nil })
	if err == nil {
		t.Error("a symbol of another size was drawn")
	}
	if _, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{1}, 41, nil); err == nil {
		t.Error("a symbol of 41 modules was laid out")
	}
}

// TestConcurrent stamps from many goroutines through few children.
//
//race:on files are stamped concurrently
func TestConcurrent(t *testing.T) {
	t.Parallel()
	pool := sandbox.NewPool(sandbox.Config{Role: "pdfstamp", Size: 2, MaxTasks: 5})
	t.Cleanup(pool.Close)
	s := stamper{pdfstamp.New(pool)}
	for i := range 24 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			st, k := stamped(t, s, pdfSpec{page: a4, contents: []string{text(fmt.Sprint(i))}}.build(), pdfstamp.Placement{}, payload.Reference{byte(i)})
			if got := k.check(st.PDF); got.State != binding.Match {
				t.Errorf("binding %+v", got)
			}
		})
	}
}
