package pdfstamp_test

import (
	"context"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/offline/sandbox"
	"tcode/server/pdfstamp"
)

func TestMain(m *testing.M) {
	sandbox.Main(pdfstamp.Role())
	api.DisableConfigDir() // the oracle would write into the home folder
	os.Exit(m.Run())
}

// newStamper returns a Stamper with a pool of its own.
func newStamper(t testing.TB) *pdfstamp.Stamper {
	t.Helper()
	pool := sandbox.NewPool(sandbox.Config{Role: "pdfstamp", Size: 2})
	t.Cleanup(pool.Close)
	return pdfstamp.New(pool)
}

// sealed is what a test's seal made, kept to check the file with.
type sealed struct {
	p    payload.Payload
	text string
}

// seal returns a Seal that writes a text of 168 characters, as a payload of the
// least length has, and keeps what it stands for. The signature is left out:
// this package never sees one.
func (s *sealed) seal(ref payload.Reference) pdfstamp.Seal {
	return func(fingerprint [16]byte) (string, error) {
		s.p = payload.Payload{Reference: ref, Fingerprint: fingerprint}
		s.text = strings.ToUpper(hex.EncodeToString(fingerprint[:]) + hex.EncodeToString(ref[:]) + strings.Repeat("0Z9", 39))[:168]
		return s.text, nil
	}
}

// check binds file to what was sealed, with the symbol that was drawn.
func (s *sealed) check(t testing.TB, file []byte) binding.Outcome {
	t.Helper()
	m, err := pdfstamp.Symbol(s.text)
	if err != nil {
		t.Fatal(err)
	}
	return binding.Check(file, s.p, m)
}

// side is the side of the symbol that sealed.seal draws, in modules.
const side = 40

// corpus returns the folder of real files, or skips.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TCODE_CORPUS")
	if dir == "" {
		dir = "../../../shared/corpus"
	}
	dir = filepath.Join(dir, "pdf")
	if _, err := os.Stat(dir); err != nil {
		absent(t, "the corpus of real files")
	}
	return dir
}

// need skips unless the tool is installed.
func need(t testing.TB, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		absent(t, tool)
	}
}

// absent skips, but not where everything must be there.
func absent(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not here", what)
	}
	t.Skipf("%s is not here", what)
}

// run runs a tool for at most 20 s and returns its output and exit code; -1
// means that it did not end by itself.
func run(t testing.TB, tool string, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
