package caveat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tcode/scanner/caveat"
)

// corpus is the folder of real PDFs.
func corpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TCODE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	dir = filepath.Join(dir, "pdf")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpus: %v", err)
		}
		t.Skipf("no corpus: %v", err)
	}
	return dir
}

// TestRealFiles: most documents are plain. A caveat on many of them would teach
// people to look past it.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join(corpus(t), "*.pdf"))
	if err != nil || len(names) < 100 {
		t.Fatalf("%d files (%v), want 100", len(names), err)
	}
	plain := 0
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if codes(file) == "" {
			plain++
		}
	}
	t.Logf("%d of %d files without a caveat", plain, len(names))
	if plain*100 < len(names)*75 {
		t.Errorf("%d of %d files are plain, want three quarters", plain, len(names))
	}
}

var (
	pdfsigName  = regexp.MustCompile(`Signer Certificate Common Name: (.+)`)
	pdfsigValid = "Signature is Valid"
)

// TestSignaturesAsPdfsig: of real signatures that pdfsig calls valid we tell
// the same name, and of those that it calls wrong we do not say that they hold
// for the whole file.
func TestSignaturesAsPdfsig(t *testing.T) {
	t.Parallel()
	dir := corpus(t)
	pdfsig, err := exec.LookPath("pdfsig")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	agreed := 0
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(file), "/ByteRange") {
			continue
		}
		out, _ := exec.Command(pdfsig, "-nocert", name).CombinedOutput()
		said := caveat.Added(file, 0)
		ours := strings.Contains(said, "a signature in the name of") && !strings.Contains(said, "which is broken")
		if !strings.Contains(string(out), pdfsigValid) {
			if ours && !strings.Contains(said, "does not cover all") {
				t.Errorf("%s: we say %q, pdfsig:\n%s", filepath.Base(name), said, out)
			}
			continue
		}
		who := pdfsigName.FindStringSubmatch(string(out))
		if !ours || who == nil || !strings.Contains(said, who[1]) {
			t.Errorf("%s: we say %q, pdfsig:\n%s", filepath.Base(name), said, out)
			continue
		}
		agreed++
	}
	if agreed < 5 {
		t.Errorf("we agree on %d valid signatures, want 5", agreed)
	}
}

// TestEncrypted: in files that open without a password, encryption hides
// nothing; in others what is packed cannot be looked at, and that is told.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	script := filed(strings.Replace(body, "/S/GoTo/D[3 0 R/Fit]", "/S/JavaScript/JS(x)", 1))
	for _, tt := range []struct{ name, password, bits, more string }{
		{"RC4, 40 bits", "", "40", ""},
		{"RC4, 128 bits", "", "128", "--use-aes=n"},
		{"AES, 128 bits", "", "128", "--use-aes=y"},
		{"AES, 128 bits, metadata in clear", "", "128", "--cleartext-metadata"},
		{"AES, 256 bits", "", "256", ""},
		{"AES, 256 bits, older", "", "256", "--force-R5"},
		{"with a password", "secret", "256", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for file, want := range map[string]string{plain: "", script: caveat.Script} {
				if tt.password != "" {
					want = caveat.Unseen
				}
				in, out := filepath.Join(t.TempDir(), "in.pdf"), filepath.Join(t.TempDir(), "out.pdf")
				if err := os.WriteFile(in, []byte(file), 0o600); err != nil {
					t.Fatal(err)
				}
				args := []string{"--allow-weak-crypto", "--warning-exit-0", "--object-streams=generate", "--encrypt", tt.password, "owner", tt.bits}
				if tt.more != "" {
					args = append(args, tt.more)
				}
				if text, err := exec.Command(qpdf, append(args, "--", in, out)...).CombinedOutput(); err != nil {
					t.Fatalf("qpdf: %v\n%s", err, text)
				}
				made, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(made), "/ObjStm") || strings.Contains(string(made), "/JavaScript") {
					t.Fatal("nothing is packed")
				}
				if got := codes(made); got != want {
					t.Errorf("caveats %q, want %q", got, want)
				}
			}
		})
	}
}
