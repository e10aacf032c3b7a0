package binding_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/binding"
	"tcode/offline/payload"
)

// A stamp is a stamped file with its signed payload.
type stamp struct {
	file []byte
	mark binding.Mark
	p    payload.Payload
	m    binding.Modules
}

// modules returns side x side modules made from seed.
func modules(side int, seed uint64) binding.Modules {
	r := rand.New(rand.NewPCG(seed, 1))
	m := binding.Modules{Side: side, Dark: make([]bool, side*side)}
	for i := range m.Dark {
		m.Dark[i] = r.IntN(2) == 0
	}
	return m
}

// newStamp appends a revision with a mark and a hole to original. The binding
// needs no PDF around them; server/pdfstamp tests real ones.
func newStamp(original string, seed uint64) stamp {
	s := stamp{m: modules(40, seed)}
	for i := range s.p.Reference {
		s.p.Reference[i] = byte(seed) + byte(i)
	}
	const tail = "\nendstream\n%%EOF\n"
	start := len(original) + binding.MarkLen + len(">>\nstream\n")
	length := binding.StreamLen(s.m.Side)
	s.mark = binding.Mark{Reference: s.p.Reference, Start: int64(start), Length: int64(length), End: int64(start + length + len(tail))}
	s.file = append(s.mark.Append([]byte(original)), ">>\nstream\n"...)
	s.file = append(s.file, binding.SymbolStream(s.m)...)
	s.file = append(s.file, tail...)
	s.p.Fingerprint, _ = binding.Fingerprint(s.file, s.mark)
	return s
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := newStamp("%PDF-1.4 the contract\n", 7)
	n := int64(len(s.file))
	with := func(parts ...string) []byte { return append(bytes.Clone(s.file), strings.Join(parts, "")...) }
	edited := func(at int64, b string) []byte {
		f := bytes.Clone(s.file)
		copy(f[at:], b)
		return f
	}
	lie := func(m binding.Mark) []byte { return m.Append([]byte("%PDF-1.4 " + strings.Repeat("x", 5000))) }
	marks := func(count int) []byte {
		f := bytes.Clone(s.file)
		for i := range count {
			f = binding.Mark{Reference: s.p.Reference, Start: int64(i), Length: 1, End: 100}.Append(f)
		}
		return f
	}
	otherMark := string(binding.Mark{Reference: payload.Reference{9}, Start: 1, Length: 2, End: 3}.Append(nil))
	tests := []struct {
		name  string
		file  []byte
		m     binding.Modules
		state binding.State
		code  string
		extra int64
	}{
		{"own file", s.file, s.m, binding.Match, binding.CodeMatch, 0},
		{"white space follows", with("\r\n"), s.m, binding.Appended, binding.CodeAppended, 2},
		{"unsigned bytes follow", with("1 0 obj"), s.m, binding.Appended, binding.CodeAppended, 7},
		{"signed revision follows", with("/ByteRange[0 1 2 3]", "%%EOF"), s.m, binding.Appended, binding.CodeSigned, 24},
		{"second stamp follows", with(otherMark), s.m, binding.Appended, binding.CodeStamped, int64(binding.MarkLen)},
		{"copies of the mark follow", with(strings.Repeat(string(s.mark.Append(nil)), 100)), s.m, binding.Appended, binding.CodeStamped, int64(100 * binding.MarkLen)},
		{"original edited", edited(10, "X"), s.m, binding.Mismatch, binding.CodeFingerprint, 0},
		{"revision edited", edited(n-3, "X"), s.m, binding.Mismatch, binding.CodeFingerprint, 0},
		{"one byte cut off", s.file[:n-1], s.m, binding.Mismatch, binding.CodeFingerprint, 0},
		{"hole repainted", edited(s.mark.Start+5, "\x5A"), s.m, binding.Mismatch, binding.CodeRepainted, 0},
		{"another symbol read", s.file, modules(40, 8), binding.Mismatch, binding.CodeRepainted, 0},
		{"a larger symbol read", s.file, modules(44, 7), binding.Mismatch, binding.CodeRepainted, 0},
		{"no symbol read", s.file, binding.Modules{}, binding.Mismatch, binding.CodeRepainted, 0},
		{"mark reformatted", bytes.Replace(s.file, []byte("/V 1/R"), []byte("/V 1 /R"), 1), s.m, binding.NotChecked, binding.CodeNoMark, 0},
		{"zeros dropped", bytes.Replace(s.file, []byte("/S 0000000"), []byte("/S "), 1), s.m, binding.NotChecked, binding.CodeNoMark, 0},
		{"reference in lower case", bytes.ReplaceAll(s.file, []byte(s.p.Reference.String()), []byte("TCR-"+strings.ToLower(s.p.Reference.String()[4:]))), s.m, binding.NotChecked, binding.CodeNoMark, 0},
		{"mark of another reference", lie(binding.Mark{Reference: payload.Reference{9}, Start: 1, Length: 2, End: 3}), s.m, binding.NotChecked, binding.CodeNoMark, 0},
		{"paper", []byte("\x89PNG"), s.m, binding.NotChecked, binding.CodeNoMark, 0},
		{"empty", nil, s.m, binding.NotChecked, binding.CodeNoMark, 0},
		{"end beyond the file", lie(binding.Mark{Reference: s.p.Reference, Start: 1, Length: 2, End: 9_999_999_999}), s.m, binding.Mismatch, binding.CodeFingerprint, 0},
		{"hole beyond the end", lie(binding.Mark{Reference: s.p.Reference, Start: 1, Length: 9_999_999_999, End: 20}), s.m, binding.Mismatch, binding.CodeFingerprint, 0},
		{"start beyond the end", lie(binding.Mark{Reference: s.p.Reference, Start: 21, Length: 1, End: 20}), s.m, binding.Mismatch, binding.CodeFingerprint, 0},
		{"hole over everything", lie(binding.Mark{Reference: s.p.Reference, Start: 0, Length: 5000, End: 5000}), s.m, binding.Mismatch, binding.CodeFingerprint, 0},
		{"no hole", lie(binding.Mark{Reference: s.p.Reference, Start: 5, Length: 0, End: 5000}), s.m, binding.Mismatch, binding.CodeFingerprint, 0},
		{"seven lies beside the truth", marks(7), s.m, binding.Appended, binding.CodeStamped, int64(7 * binding.MarkLen)},
		{"eight lies beside the truth", marks(8), s.m, binding.Mismatch, binding.CodeTooMany, 0},
		{"many lies", marks(5000), s.m, binding.Mismatch, binding.CodeTooMany, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := binding.Check(tt.file, s.p, tt.m)
			if got.Detail == "" {
				t.Error("no detail")
			}
			got.Detail = ""
			want := binding.Outcome{State: tt.state, AppendedBytes: tt.extra, Code: tt.code}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Check (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRevisionOnOtherDocument puts each of 100 revisions on each of 100
// documents: unchanged, and with its mark corrected to its new place.
func TestRevisionOnOtherDocument(t *testing.T) {
	t.Parallel()
	const count = 100
	stamps := make([]stamp, count)
	originals := make([]string, count)
	for i := range stamps {
		originals[i] = "%PDF-1.4 document " + strings.Repeat(string(rune('a'+i%26)), 100+i) + "\n"
		stamps[i] = newStamp(originals[i], uint64(i))
	}
	for i, s := range stamps {
		for j, original := range originals {
			file := append([]byte(original), s.file[len(originals[i]):]...)
			moved := s.mark
			moved.Start += int64(len(file) - len(s.file))
			moved.End += int64(len(file) - len(s.file))
			corrected := bytes.Replace(file, s.mark.Append(nil), moved.Append(nil), 1)
			want := binding.Mismatch
			if i == j {
				want = binding.Match
			}
			for name, f := range map[string][]byte{"as it is": file, "corrected": corrected} {
				if got := binding.Check(f, s.p, s.m); got.State != want {
					t.Fatalf("revision %d on document %d, %s: %s, want %s", i, j, name, got.State, want)
				}
			}
		}
	}
}

func TestFingerprintOf(t *testing.T) {
	t.Parallel()
	ref, err := payload.ParseReference("TCR-0123456789ABCDEF")
	if err != nil {
		t.Fatal(err)
	}
	m := binding.Mark{Reference: ref, Start: 100, Length: 200, End: 310}
	file := m.Append([]byte("%PDF-1.4\n"))
	file = append(file, make([]byte, 100-len(file))...)
	file = append(file, bytes.Repeat([]byte{0xFF}, 200)...)
	file = append(file, bytes.Repeat([]byte{0x0A}, 10)...)
	got, err := binding.Fingerprint(append(file, "more"...), m)
	if err != nil {
		t.Fatal(err)
	}
	// FORMAT.md section 6 has the same hash from shell tools.
	format, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fingerprint  " + hex.EncodeToString(got[:]), hex.EncodeToString(ref[:]), string(m.Append(nil))} {
		if !bytes.Contains(format, []byte(want)) {
			t.Errorf("FORMAT.md does not have %q", want)
		}
	}
	for _, bad := range []binding.Mark{
		{Start: -1, Length: 1, End: 5},
		{Start: 0, Length: 0, End: 5},
		{Start: 0, Length: -1, End: 5},
		{Start: 4, Length: 2, End: 5},
		{Start: 1 << 62, Length: 1 << 62, End: 5},
		{Start: 0, Length: 1, End: 311},
	} {
		if _, err := binding.Fingerprint(file, bad); !errors.Is(err, binding.ErrRange) {
			t.Errorf("Fingerprint(%+v) = %v, want ErrRange", bad, err)
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	a := binding.Mark{Reference: payload.Reference{1}, Start: 0, Length: 3200, End: 9_999_999_999}
	b := binding.Mark{Reference: payload.Reference{2}, Start: 5, Length: 1, End: 2}
	text := string(a.Append(nil)) + "/TCode<</V 1/R/TCR-" + string(b.Append(nil)) + "/TCode<</V 1/R/TCR-0"
	if diff := cmp.Diff([]binding.Mark{a, b}, binding.Marks([]byte(text))); diff != "" {
		t.Errorf("Marks (-want +got):\n%s", diff)
	}
	if got := len(a.Append(nil)); got != binding.MarkLen {
		t.Errorf("a mark has %d bytes, want %d", got, binding.MarkLen)
	}
	if got := len(binding.Marks(bytes.Repeat(a.Append(nil), 10_000))); got != 256 {
		t.Errorf("%d marks of 10,000, want 256", got)
	}
}

func TestSymbolStream(t *testing.T) {
	t.Parallel()
	m := binding.Modules{Side: 10, Dark: make([]bool, 100)}
	m.Dark[0], m.Dark[11], m.Dark[99] = true, true, true
	b := binding.SymbolStream(m)
	if len(b) != binding.StreamLen(10) || len(b) != 200 {
		t.Fatalf("%d bytes, StreamLen %d, want 200", len(b), binding.StreamLen(10))
	}
	for y := range 40 {
		for x := range 40 {
			dark := b[y*5+x/8]&(0x80>>(x%8)) == 0
			if dark != m.Dark[y/4*10+x/4] {
				t.Fatalf("pixel %d,%d dark %v", x, y, dark)
			}
		}
	}
	if got := binding.StreamLen(40); got != 3200 {
		t.Errorf("StreamLen(40) = %d, want 3200", got)
	}
	for _, bad := range []binding.Modules{{}, {Side: 11, Dark: make([]bool, 121)}, {Side: 40, Dark: make([]bool, 1599)}, {Side: 146, Dark: make([]bool, 146*146)}} {
		if binding.SymbolStream(bad) != nil {
			t.Errorf("side %d with %d modules has a stream", bad.Side, len(bad.Dark))
		}
	}
}

// TestFingerprinter: the sizes of the pieces of a file do not matter.
func TestFingerprinter(t *testing.T) {
	t.Parallel()
	s := newStamp("%PDF-1.4 the contract\n", 7)
	file := append(bytes.Clone(s.file), "bytes after it do not count"...)
	for _, size := range []int{1, 7, 1000, int(s.mark.Start), int(s.mark.Start + s.mark.Length), len(file)} {
		f, err := binding.NewFingerprinter(s.mark)
		if err != nil {
			t.Fatal(err)
		}
		for piece := range slices.Chunk(file, size) {
			if n, err := f.Write(piece); n != len(piece) || err != nil {
				t.Fatalf("Write of %d bytes = %d, %v", len(piece), n, err)
			}
		}
		if got, err := f.Sum(); err != nil || got != s.p.Fingerprint {
			t.Errorf("in pieces of %d bytes: %x, %v; want %x", size, got, err, s.p.Fingerprint)
		}
	}
	f, err := binding.NewFingerprinter(s.mark)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write(file[:s.mark.End-1])
	if _, err := f.Sum(); !errors.Is(err, binding.ErrRange) {
		t.Errorf("a file that ends early = %v, want ErrRange", err)
	}
}
