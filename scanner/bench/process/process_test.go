package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/simulate"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	spin()
	os.Exit(m.Run())
}

// TestMeasure measures two small images.
func TestMeasure(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath(native); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--only", "small images", "--each", "2", "--runs", "1"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`\n\| small images \| 2 \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| 5 \|\n$`).MatchString(out.String()) {
		t.Errorf("output:\n%s", &out)
	}
}

// TestBusy reads an image with a symbol and one without, while two processes are busy.
func TestBusy(t *testing.T) {
	t.Parallel()
	corpus := t.TempDir()
	dir := filepath.Join(corpus, "images", "made")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	size := ecc200.Sizes()[5]
	dark, err := ecc200.Encode(bytes.Repeat([]byte{'B'}, size.Data), size)
	if err != nil {
		t.Fatal(err)
	}
	empty := gray.New(300, 300)
	empty.Fill(255)
	stamped := empty.Clone()
	simulate.Draw(stamped, simulate.Symbol{Rows: size.Rows, Cols: size.Cols, Dark: dark}, simulate.Place{X: 80, Y: 80, ModulePx: 4}, 0, 255)
	for name, m := range map[string]*gray.Image{"empty.png": empty, "stamped.png": stamped} {
		raw, err := simulate.EncodePNG(m)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--busy", "2", "--corpus", corpus}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if want := "2 pictures, 1 of them read; with 2 busy processes: 0 ended without an answer, 0 read differently\n"; out.String() != want {
		t.Errorf("output %q, want %q", &out, want)
	}
}

// TestOptions: wrong options are errors.
func TestOptions(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"more", "--runs 0", "--busy 8 --corpus ", "--no-such"} {
		if _, err := parse(strings.Split(args, " "), io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	if err := run(t.Context(), []string{"--only", "none of them", "--program", "x"}, io.Discard, io.Discard); err == nil {
		t.Error("a set that does not exist: no error")
	}
}
