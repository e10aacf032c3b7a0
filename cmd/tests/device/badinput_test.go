package device_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// TestBadInput: an unreadable file gets a clear error that names it and exit
// code 3, and the documents after it are verified nevertheless.
func TestBadInput(t *testing.T) {
	w := world.New(t, 1)
	w.Scanner("home").Close()
	good := w.File("good.pdf", w.Stamp(w.Issuers[0], "good", world.SmallPDF(1)).PDF)
	w.Down()
	scan := world.Program(t, "tcode-scan")

	for _, tt := range []struct {
		name, want string // want is in the error
		data       []byte
	}{
		{"not-a.pdf", "not a PDF", []byte("\x00\x01\x02 this only claims to be a PDF by its name")},
		{"empty.pdf", "empty", nil},
		{"password.pdf", "password", encrypted(t)},
		{"giant-page.pdf", "large", giantPage("/MediaBox[0 0 1000000000 1000000000]")},
		{"huge-page.pdf", "large", giantPage("/MediaBox[0 0 14400 14400]")},
		{"giant-unit.pdf", "large", giantPage("/MediaBox[0 0 14400 14400]/UserUnit 1000000")},
		{"truncated.jpg", "damaged", truncatedJPEG(t)},
		{"lying.png", "large", lyingPNG()},
		{"text.txt", "not a PDF", []byte("Dear Sir or Madam,\nplease find enclosed nothing at all.\n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bad := w.File(tt.name, tt.data)
			cmd := exec.Command(scan, "--home", filepath.Join(w.Dir, "home"), "verify", bad, good)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			started := time.Now()
			if code := world.ExitCode(t, cmd.Run()); code != 3 {
				t.Errorf("exit code %d, want 3", code)
			}
			t.Logf("%.1f s: %s", time.Since(started).Seconds(), errs.String())
			if !strings.Contains(errs.String(), tt.name) || !strings.Contains(errs.String(), tt.want) {
				t.Errorf("error %q, want it to name %s and say %q", errs.String(), tt.name, tt.want)
			}
			if strings.Contains(errs.String(), "goroutine ") {
				t.Error("the error is a stack trace")
			}
			if !strings.Contains(out.String(), "VALID") || !strings.Contains(out.String(), "good.pdf") {
				t.Errorf("the next document was not verified:\n%s", out.String())
			}
		})
	}
}

// giantPage is a small PDF whose one page has the given size.
func giantPage(size string) []byte {
	// the xref is wrong now, as in real files
	return bytes.Replace(world.SmallPDF(0), []byte("/MediaBox[0 0 595 842]"), []byte(size), 1)
}

// encrypted returns a PDF that opens only with a password.
func encrypted(t *testing.T) []byte {
	t.Helper()
	qpdf := world.Need(t, "qpdf")
	cmd := exec.Command(qpdf, "--encrypt", "secret", "owner", "256", "--", "-", "-")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf")
	world.WriteFile(t, in, world.SmallPDF(0))
	cmd.Args = append(cmd.Args[:len(cmd.Args)-2], in, out)
	if message, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("qpdf: %v\n%s", err, message)
	}
	return world.ReadFile(t, out)
}

// truncatedJPEG returns the first third of a picture.
func truncatedJPEG(t *testing.T) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 800, 600))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * 7)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()[:b.Len()/3]
}

// lyingPNG returns a header that claims 65,535 x 65,535 pixels, and nothing else.
func lyingPNG() []byte {
	header := append([]byte("IHDR"), 0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff, 8, 2, 0, 0, 0)
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	b = append(b, header...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(header))
}

// TestNotADocument: wrong use differs from unreadable documents.
func TestNotADocument(t *testing.T) {
	scan := world.Program(t, "tcode-scan")
	home := filepath.Join(t.TempDir(), "home")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"verify"}, 2, "expected"},
		{[]string{"verify", "--no-such-flag", "x"}, 2, "no-such-flag"},
		{[]string{"verify", "does-not-exist.pdf"}, 3, "no such file"},
		{[]string{"enrol"}, 2, "gateway"},
		{[]string{"enrol", "--gateway", "http://x", "--root", "1234"}, 2, "--root"},
		{[]string{"trust", "show"}, 1, "enrol"},
		{[]string{"inspect", "N0NSENSE"}, 3, "neither a file nor a payload"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			out, err := exec.Command(scan, append([]string{"--home", home}, tt.args...)...).CombinedOutput()
			if code := world.ExitCode(t, err); code != tt.code ||
				!strings.Contains(string(out), tt.want) {
				t.Errorf("exit code %d with %q, want %d and %q", code, out, tt.code, tt.want)
			}
		})
	}
}
