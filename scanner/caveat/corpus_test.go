package caveat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tcode/scanner/caveat"
	"tcode/testdata/corpus"
)

// extraordinary are the files of the corpus that a person would not call ordinary
// documents, with the reason. Caveats of them are no false alarms.
var extraordinary = map[string]string{
	"pdf.js__160F-2019.pdf":                                     "scripts",
	"pdf.js__bug1815476.pdf":                                    "an XFA form with scripts",
	"pdf.js__dates_save.pdf":                                    "scripts",
	"pdf.js__issue14705.pdf":                                    "scripts",
	"pdf.js__issue19505.pdf":                                    "scripts",
	"pdf.js__js-buttons.pdf":                                    "scripts",
	"pdfcpu__Jane.pdf":                                          "scripts",
	"pdfcpu__dutch.pdf":                                         "scripts",
	"pdfcpu__person_04.pdf":                                     "scripts",
	"pdfcpu__person_25.pdf":                                     "scripts",
	"pdfcpu__person_27.pdf":                                     "scripts",
	"pdfcpu__person_35.pdf":                                     "scripts",
	"pdfcpu__readFormAndUpdateFormCJK.pdf":                      "scripts",
	"pdf.js__issue15372.pdf":                                    "buttons that hide parts",
	"pdf.js__resetform.pdf":                                     "buttons that change fields",
	"pdf.js__auth-event-ef-open.pdf":                            "an attached file",
	"pdf.js__encrypted-attachment.pdf":                          "an attached file",
	"veraPDF-corpus__veraPDF_test_suite_6-9-t01-fail-b.pdf":     "an attached file",
	"pdf.js__bug1782186.pdf":                                    "a password",
	"pdf.js__issue19484_1.pdf":                                  "a password",
	"pdf.js__issue19484_2.pdf":                                  "a password",
	"pdf.js__issue21579.pdf":                                    "a password",
	"pdf.js__issue3371.pdf":                                     "a password",
	"pdf.js__issue6010_1.pdf":                                   "a password",
	"pdf.js__pr6531_2.pdf":                                      "a password",
	"pdf.js__saslprep-r6.pdf":                                   "a password",
	"sample-files__libreoffice-writer-password.pdf":             "a password",
	"pdf.js__REDHAT-1531897-0.pdf":                              "fuzzed",
	"pdf.js__operator_list_cycle.pdf":                           "made so that a program never ends",
	"pdf.js__poppler-67295-0.pdf":                               "fuzzed",
	"pdf.js__poppler-91414-0-53.pdf":                            "fuzzed",
	"pdf.js__bomb_giant.pdf":                                    "made to take all memory",
	"pdf.js__bug1020226.pdf":                                    "damaged: no end",
	"pdf.js__bug1795263.pdf":                                    "damaged: no cross-reference",
	"pdf.js__issue9418.pdf":                                     "damaged: wrong cross-reference",
	"veraPDF-corpus__veraPDF_test_suite_6-1-6-2-t01-fail-b.pdf": "damaged: contents that are no hexadecimal digits",
	"pdf.js__issue10084_reduced.pdf":                            "damaged: the trailer says a smaller size",
}

// TestRealFiles: caveats on ordinary documents would teach people to ignore
// them.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	names, real := corpus.PDFs(t)
	ordinary, told := 0, 0
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if extraordinary[filepath.Base(name)] != "" || !real && strings.HasSuffix(name, "invoice.pdf") {
			continue // the font of the invoice's fields is not in the file, and says nothing of its characters
		}
		ordinary++
		found := caveat.Of(file)
		if len(found) > 0 {
			told++
		}
		for _, c := range found {
			t.Logf("%s: %s", filepath.Base(name), c.Text)
		}
	}
	t.Logf("%d of %d ordinary files have a caveat", told, ordinary)
	if told*100 > ordinary*5 {
		t.Errorf("%d of %d ordinary files have a caveat, want 5 %% at most", told, ordinary)
	}
}

var (
	pdfsigName  = regexp.MustCompile(`Signer Certificate Common Name: (.+)`)
	pdfsigValid = "Signature is Valid"
)

// TestSignaturesAsPdfsig: for real signatures that pdfsig calls valid, the line names the
// same signer. For signatures that pdfsig calls wrong, it does not say that they hold for
// the whole file.
func TestSignaturesAsPdfsig(t *testing.T) {
	t.Parallel()
	pdfsig, err := exec.LookPath("pdfsig")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	names, _ := corpus.PDFs(t)
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

// TestEncrypted: in files that open without a password, encryption hides nothing. In
// others, packed parts cannot be examined, and a caveat says so.
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
