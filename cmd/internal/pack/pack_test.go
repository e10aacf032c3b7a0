package pack_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/pack"
)

// at is the time of a commit.
var at = time.Date(2026, 11, 28, 4, 2, 49, 0, time.UTC)

// entries are a program in a file, and a text.
func entries(t *testing.T) []pack.Entry {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho hello\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return []pack.Entry{
		{Name: "usr/share/doc/x/README", Mode: 0o644, Data: []byte("read me")},
		{Name: "usr/bin/program", Mode: 0o755, Path: program},
		{Name: "etc/x.conf", Mode: 0o640, Data: []byte("a=b\n")},
	}
}

// TestSameBytes: the order of entries, the user's file modes and the time of the run do not matter.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(io.Writer, []pack.Entry) error{
		"tar": func(w io.Writer, e []pack.Entry) error { return pack.TarGz(w, e, at) },
		"zip": func(w io.Writer, e []pack.Entry) error { return pack.Zip(w, e, at) },
		"deb": func(w io.Writer, e []pack.Entry) error {
			return pack.Deb{Control: []pack.Field{{"Package", "x"}}, Scripts: map[string]string{"postinst": "p", "prerm": "q", "postrm": "r"}, Entries: e}.Write(w, at.In(time.FixedZone("", 3600)))
		},
	} {
		var first, second bytes.Buffer
		one, two := entries(t), entries(t)
		slices.Reverse(two)
		if err := write(&first, one); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(two[1].Path, time.Now(), time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := write(&second, two); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two runs differ", name)
		}
	}
}

// TestContents: Go's readers find each entry with its content, mode and time.
func TestContents(t *testing.T) {
	t.Parallel()
	want := []string{
		"etc/ rwxr-xr-x ", "etc/x.conf rw-r----- a=b\n", "usr/ rwxr-xr-x ", "usr/bin/ rwxr-xr-x ", "usr/bin/program rwxr-xr-x #!/bin/sh\necho hello\n",
		"usr/share/ rwxr-xr-x ", "usr/share/doc/ rwxr-xr-x ", "usr/share/doc/x/ rwxr-xr-x ", "usr/share/doc/x/README rw-r--r-- read me",
	}
	var b bytes.Buffer
	if err := pack.TarGz(&b, entries(t), at); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(r)
		got = append(got, h.Name+" "+fs.FileMode(h.Mode).String()[1:]+" "+string(data))
		if !h.ModTime.Equal(at) || h.Uname != "root" || h.Uid != 0 {
			t.Errorf("%s: time %v, user %s", h.Name, h.ModTime, h.Uname)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("tar: %q\nwant %q", got, want)
	}
	b.Reset()
	if err := pack.Zip(&b, entries(t), at); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range r.File {
		if name, _, _ := strings.Cut(got[i], " "); f.Name != name || !f.Modified.Equal(at) || i == 4 && f.Mode() != 0o755 {
			t.Errorf("zip: %s %v %v, want %s", f.Name, f.Mode(), f.Modified, got[i])
		}
	}
}

// TestRefused: names that leave the archive, and names that are twice there.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"../x"}, {"/x"}, {""}, {"."}, {`a\b`}, {"a", "a"}, {"a", "a/b"}} {
		var all []pack.Entry
		for _, n := range names {
			all = append(all, pack.Entry{Name: n})
		}
		if err := pack.TarGz(io.Discard, all, at); err == nil {
			t.Errorf("%q: no error", names)
		}
	}
}

// TestDpkg: dpkg reads the package, and unpacks what was put in.
func TestDpkg(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("dpkg is not here")
	}
	file, root := filepath.Join(t.TempDir(), "x.deb"), t.TempDir()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	d := pack.Deb{
		Control: []pack.Field{{"Package", "x"}, {"Version", "1.0"}, {"Architecture", "all"}, {"Maintainer", "X <x@example.org>"}, {"Description", "a test\n of packages"}},
		Configs: []string{"etc/x.conf"}, Entries: entries(t),
	}
	if err := d.Write(f, at); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("dpkg-deb", "--info", file).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Installed-Size: ") || !strings.Contains(string(out), "conffiles") {
		t.Errorf("dpkg-deb --info: %v\n%s", err, out)
	}
	if out, err := exec.Command("dpkg-deb", "--extract", file, root).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb --extract: %v\n%s", err, out)
	}
	if out, err := exec.Command(filepath.Join(root, "usr/bin/program")).Output(); err != nil || string(out) != "hello\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
}
