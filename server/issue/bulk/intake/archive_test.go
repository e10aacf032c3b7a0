package intake_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/server/issue/bulk/intake"
)

// packed returns an archive of the given names, each holding its own name. Many names
// are stored without compression, because each would need a new compressor.
func packed(t testing.TB, names ...string) []byte {
	t.Helper()
	method := zip.Deflate
	if len(names) > 1000 {
		method = zip.Store
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, n := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: n, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(n, "/") {
			fmt.Fprint(w, n)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// namesOf returns the names of the files of a.
func namesOf(a *intake.Archive) (names []string) {
	for i := range a.Len() {
		names = append(names, a.Name(i))
	}
	return names
}

func open(b []byte, l intake.Limits) (*intake.Archive, error) {
	return intake.OpenArchive(bytes.NewReader(b), int64(len(b)), l)
}

func TestFind(t *testing.T) {
	t.Parallel()
	a, err := open(packed(t, "a.pdf", "Zeugnis Mu\u0308ller.pdf", "in/", "in/b.pdf", "in/c.pdf", "out/c.pdf", "./d.pdf", `win\e.pdf`,
		"CASE.pdf", "case.pdf", "Only.PDF", "M\x81nchen.pdf", "__MACOSX/._a.pdf", ".DS_Store", "in/Thumbs.db",
		"D\u2019Arc \u2013 1.pdf", "bare", "b.png", "twice.pdf", "twice.PNG", "hidden.pdf.pdf", "S\x9bren.pdf", "\x83e\x83X\x83g.pdf", "Jos\xe9.pdf"), intake.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"a.pdf", "Zeugnis Müller.pdf", "in/b.pdf", "in/c.pdf", "out/c.pdf", "d.pdf", "win/e.pdf", "CASE.pdf", "case.pdf", "Only.PDF", "München.pdf",
		"D\u2019Arc \u2013 1.pdf", "bare", "b.png", "twice.pdf", "twice.PNG", "hidden.pdf.pdf", "Søren.pdf", "âeâXâg.pdf", "JosΘ.pdf",
	}, namesOf(a)); diff != "" {
		t.Errorf("names, -want +got:\n%s", diff)
	}
	tests := []struct {
		name, want string
		err        error
	}{
		{"a.pdf", "a.pdf", nil},
		{"./a.pdf", "a.pdf", nil},
		{"A.PDF", "a.pdf", nil},
		{"Zeugnis M\u00fcller.pdf", "Zeugnis Müller.pdf", nil},
		{"zeugnis mu\u0308ller.pdf", "Zeugnis Müller.pdf", nil},
		{"München.pdf", "München.pdf", nil},
		{"in/b.pdf", "in/b.pdf", nil},
		{`in\b.pdf`, "in/b.pdf", nil},
		{"b.pdf", "in/b.pdf", nil},
		{"e.pdf", "win/e.pdf", nil},
		{"in/c.pdf", "in/c.pdf", nil},
		{"only.pdf", "Only.PDF", nil},
		{"CASE.pdf", "CASE.pdf", nil},
		{"c.pdf", "", intake.ErrAmbiguous},
		{"D'Arc - 1.pdf", "D\u2019Arc \u2013 1.pdf", nil},
		{"d\u00b4arc\u00a0-  1", "D\u2019Arc \u2013 1.pdf", nil},
		{"a", "a.pdf", nil},
		{"in/b", "in/b.pdf", nil},
		{"only", "Only.PDF", nil},
		{"twice", "", intake.ErrAmbiguous},
		{"hidden.pdf", "hidden.pdf.pdf", nil},
		{`C:\Users\ruth\out\a.pdf`, "a.pdf", nil},
		{"2026/in/b.pdf", "in/b.pdf", nil},
		{"Søren.pdf", "Søren.pdf", nil},
		{"テスト.pdf", "テスト.pdf", nil},
		{"José.pdf", "José.pdf", nil},
		{"Case.pdf", "", intake.ErrAmbiguous},
		{"other/b.pdf", "", intake.ErrNoFile},
		{"", "", intake.ErrNoFile},
		{"in/", "", intake.ErrNoFile},
		{"._a.pdf", "", intake.ErrNoFile},
	}
	for _, tt := range tests {
		i, as, err := a.Find(tt.name)
		if !errors.Is(err, tt.err) || err == nil && as != tt.want {
			t.Errorf("Find(%q) = %d, %q, %v, want %q, %v", tt.name, i, as, err, tt.want, tt.err)
		}
		if again, _, err2 := a.Find(as); err == nil && (err2 != nil || again != i) {
			t.Errorf("Find(%q) = %d, %v, want %d", as, again, err2, i)
		}
		if err == nil {
			if data, err := a.Read(i); err != nil || len(data) == 0 {
				t.Errorf("Read(%q) = %q, %v", tt.want, data, err)
			}
		}
	}
}

// bomb is an archive with one file of n zero bytes.
func bomb(t testing.TB, n int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, zero{}, n); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// overlapping points all n entries of the directory at one file.
func overlapping(t testing.TB, n int) []byte {
	t.Helper()
	one := bomb(t, 10<<20)
	end := one[len(one)-22:]
	at := binary.LittleEndian.Uint32(end[16:])
	entry := one[at : len(one)-22]
	out := bytes.Clone(one[:at])
	for i := range n {
		e := bytes.Clone(entry)
		e[46] = byte('a' + i%26)
		out = append(out, e...)
	}
	end = bytes.Clone(end)
	binary.LittleEndian.PutUint16(end[8:], uint16(n))
	binary.LittleEndian.PutUint16(end[10:], uint16(n))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(entry)*n))
	return append(out, end...)
}

// changed is b with the bytes at the directory entry's offset replaced.
func changed(b []byte, offset int, with ...byte) []byte {
	b = bytes.Clone(b)
	at := binary.LittleEndian.Uint32(b[len(b)-6:])
	copy(b[int(at)+offset:], with)
	return b
}

func TestHostileArchives(t *testing.T) {
	t.Parallel()
	good := packed(t, "a.pdf")
	many := make([]string, 0xFFFE)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	tests := []struct {
		name string
		in   []byte
		want error
	}{
		{"nothing", nil, intake.ErrNotZIP},
		{"a PDF", []byte("%PDF-1.7\n" + strings.Repeat(" ", 100)), intake.ErrPDF},
		{"a text", []byte("fileName;name\r\nM\xfcller.pdf;M\r\n"), intake.ErrText},
		{"a text in UTF-16", []byte(utf16le("fileName;name\r\n")), intake.ErrText},
		{"a RAR archive", []byte("Rar!\x1a\x07\x01\x00"), intake.ErrPacker},
		{"a tar archive", []byte(strings.Repeat("a", 257) + "ustar\x0000"), intake.ErrPacker},
		{"an old office document", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00"), intake.ErrOffice},
		{"a workbook", packed(t, "[Content_Types].xml", "xl/workbook.xml"), intake.ErrOffice},
		{"cut at the end", good[:len(good)-1], intake.ErrNotZIP},
		{"cut at the start", good[10:], intake.ErrNotZIP},
		{"65,534 entries", packed(t, many...), intake.ErrTooMany},
		{"65,535 entries, ZIP64", packed(t, append(many, "last")...), intake.ErrTooMany},
		{"a number of entries that is not there", append(good[:len(good)-14:len(good)-14], 0xFF, 0x00, 0xFF, 0x00, 46, 0, 0, 0, 0, 0, 0, 0, 0, 0), intake.ErrNotZIP},
		{"several parts", append(bytes.Clone(good[:len(good)-18]), append([]byte{1, 0}, good[len(good)-16:]...)...), intake.ErrParts},
		{"overlapping", overlapping(t, 26), intake.ErrOverlap},
		{"same name", packed(t, "a.pdf", "a.pdf"), intake.ErrSameName},
		{"same name in NFC and NFD", packed(t, "\u00e4.pdf", "a\u0308.pdf"), intake.ErrSameName},
		{"slip", packed(t, "../a.pdf"), intake.ErrUnsafeName},
		{"slip further in", packed(t, "a/../../b.pdf"), intake.ErrUnsafeName},
		{"slip with backslashes", packed(t, `a\..\..\b.pdf`), intake.ErrUnsafeName},
		{"absolute", packed(t, "/etc/passwd"), intake.ErrUnsafeName},
		{"drive", packed(t, `C:\a.pdf`), intake.ErrUnsafeName},
		{"null character in the name", packed(t, "a\x00.pdf"), intake.ErrUnsafeName},
		{"data beyond the end", changed(good, 20, 0xFF, 0xFF, 0xFF, 0x7F), intake.ErrNotZIP},
		{"header elsewhere", changed(good, 42, 0xFF, 0xFF), intake.ErrNotZIP},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := open(tt.in, intake.Limits{}); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	good := packed(t, "a.pdf")
	stored := stored(t, "a.pdf", []byte("hello"))
	wrongSum := changed(stored, 16, 1, 2, 3, 4)
	tests := []struct {
		name   string
		in     []byte
		limits intake.Limits
		want   error
	}{
		{"a bomb", bomb(t, 20<<20), intake.Limits{}, intake.ErrRatio},
		{"a large file", bomb(t, 26<<20), intake.Limits{}, intake.ErrFileLength},
		{"a large file that lies", changed(bomb(t, 26<<20), 24, 10, 0, 0, 0), intake.Limits{Ratio: 1 << 20}, intake.ErrDamaged},
		{"encrypted", changed(good, 8, 1), intake.Limits{}, intake.ErrEncrypted},
		{"packed by bzip2", changed(good, 10, 12), intake.Limits{}, intake.ErrMethod},
		{"wrong checksum", wrongSum, intake.Limits{}, intake.ErrDamaged},
		{"a length that is too short", changed(good, 24, 4), intake.Limits{}, intake.ErrDamaged},
		{"a length that is too long", changed(good, 24, 6), intake.Limits{}, intake.ErrDamaged},
		{"stored, a length that is too short", changed(stored, 24, 4), intake.Limits{}, intake.ErrDamaged},
		{"stored, a length that is too long", changed(stored, 24, 6), intake.Limits{}, intake.ErrDamaged},
		{"a length that no such file has", changed(good, 24, 0xFF, 0xFF, 0x7F), intake.Limits{}, intake.ErrRatio},
		{"no deflate", changed(stored, 10, 8), intake.Limits{}, intake.ErrDamaged},
		{"few zeros", bomb(t, 1<<20), intake.Limits{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := open(tt.in, tt.limits)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Read(0); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

// stored is an archive of one file that is not packed.
func stored(t testing.TB, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(data), CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zip64 is b with its end record in the ZIP64 form, of so many entries in all.
func zip64(b []byte, total uint64) []byte {
	at := len(b) - 22
	end := binary.LittleEndian
	out := append(bytes.Clone(b[:at]), "PK\x06\x06"...)
	out = end.AppendUint64(out, 44)
	out = append(out, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	out = end.AppendUint64(end.AppendUint64(out, total), total)
	out = end.AppendUint64(out, uint64(end.Uint32(b[at+12:])))
	out = end.AppendUint64(out, uint64(end.Uint32(b[at+16:])))
	out = end.AppendUint32(append(out, "PK\x06\x07"...), 0)
	out = end.AppendUint32(end.AppendUint64(out, uint64(at)), 1)
	return append(append(out, "PK\x05\x06\x00\x00\x00\x00"...), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"...)
}

// TestZIP64: the form for large archives is read, within the limits of others.
func TestZIP64(t *testing.T) {
	t.Parallel()
	good := packed(t, "a.pdf", "b.pdf")
	a, err := open(zip64(good, 2), intake.Limits{})
	if err != nil || a.Len() != 2 {
		t.Fatalf("%v, %v", a, err)
	}
	if data, err := a.Read(1); err != nil || string(data) != "b.pdf" {
		t.Errorf("%q, %v", data, err)
	}
	lost := zip64(good, 2)
	lost[len(lost)-22-12] = 0xFF // where the end record is
	for _, tt := range []struct {
		in   []byte
		want error
	}{{zip64(good, 1<<40), intake.ErrTooMany}, {zip64(good, 9_999), intake.ErrNotZIP}, {zip64(good, 1), intake.ErrNotZIP}, {lost, intake.ErrNotZIP}} {
		if _, err := open(tt.in, intake.Limits{}); !errors.Is(err, tt.want) {
			t.Errorf("error %v, want %v", err, tt.want)
		}
	}
}

// TestUnicodePath: the extra field with the name in UTF-8 precedes the name, if it is that
// of this very name.
func TestUnicodePath(t *testing.T) {
	t.Parallel()
	const raw = "M\xfcller.pdf"
	for name, tt := range map[string]struct {
		of, path string
		version  byte
		want     string
	}{
		"of the name": {raw, "Mu\u0308ller \u2192 1.pdf", 1, "Müller \u2192 1.pdf"}, "of another name": {"x", "x.pdf", 1, "M\u00b3ller.pdf"},
		"no UTF-8": {raw, "\xff.pdf", 1, ""}, "of another version": {raw, "x.pdf", 2, ""}, "empty": {raw, "", 1, ""},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		field := binary.LittleEndian.AppendUint32([]byte{tt.version}, crc32.ChecksumIEEE([]byte(tt.of)))
		field = append(field, tt.path...)
		extra := append([]byte{1, 0, 1, 0, 7, 0x75, 0x70, byte(len(field)), 0}, field...)
		if _, err := z.CreateHeader(&zip.FileHeader{Name: raw, NonUTF8: true, Extra: extra}); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		a, err := open(b.Bytes(), intake.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, as, err := a.Find("Müller.pdf"); (name == "of the name") != errors.Is(err, intake.ErrNoFile) || err == nil && as != "Müller.pdf" {
			t.Errorf("%s: the row's name: %q, %v", name, as, err)
		}
		if _, as, err := a.Find("Müller \u2192 1.pdf"); (name == "of the name") != (err == nil) || err == nil && as != tt.want {
			t.Errorf("%s: the name in the field: %q, %v", name, as, err)
		}
	}
}

// TestAmbiguous: a refusal names both files.
func TestAmbiguous(t *testing.T) {
	t.Parallel()
	a, err := open(packed(t, "in/c.pdf", "out/c.pdf", "d.pdf", "out/d.pdf"), intake.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"c.pdf":    `may be "in/c.pdf" or "out/c.pdf" in the ZIP archive; give the whole name, with the folder`,
		"C":        `may be "in/c.pdf" or "out/c.pdf" in the ZIP archive; give the whole name, with the folder`,
		"in/d.pdf": `may be "d.pdf" or "out/d.pdf" in the ZIP archive; give the whole name, with the folder`,
	} {
		if _, _, err := a.Find(name); !errors.Is(err, intake.ErrAmbiguous) || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := open(packed(t, "a.pdf", "a.pdf"), intake.Limits{}); err == nil || !strings.Contains(err.Error(), `"a.pdf"`) {
		t.Errorf("%v", err)
	}
}

// FuzzArchive: every file that is named is found under its name, and its size stays
// within the limits.
func FuzzArchive(f *testing.F) {
	f.Add(packed(f, "a.pdf", "b/c.pdf"))
	f.Add(stored(f, "a.pdf", []byte("hello")))
	f.Add(overlapping(f, 3))
	f.Add(zip64(packed(f, "a.pdf", "S\x9bren.pdf"), 2))
	f.Fuzz(func(t *testing.T, in []byte) {
		limits := intake.Limits{Entries: 20, FileBytes: 1 << 16}
		a, err := open(in, limits)
		if err != nil {
			return
		}
		for i, name := range namesOf(a) {
			if got, _, err := a.Find(name); err != nil || got != i {
				t.Fatalf("Find(%q) = %d, %v, want %d", name, got, err, i)
			}
			data, err := a.Read(i)
			if err == nil && int64(len(data)) > limits.FileBytes {
				t.Fatalf("%d bytes of %q", len(data), name)
			}
		}
	})
}
