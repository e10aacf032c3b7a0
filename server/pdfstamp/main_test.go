package pdfstamp_test

//race:off ./... whole pages, drawn by both engines

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"tcode/offline/binding"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

func TestMain(m *testing.M) {
	sandbox.Main(pdfstamp.Role())
	api.DisableConfigDir() // the oracle would write into the home folder
	os.Exit(m.Run())
}

// newStamper returns a Stamper with a pool of its own.
func newStamper(t testing.TB) stamper {
	t.Helper()
	pool := sandbox.NewPool(sandbox.Config{Role: "pdfstamp", Size: 2})
	t.Cleanup(pool.Close)
	return stamper{pdfstamp.New(pool)}
}

// A stamper stamps files in memory, the form that most tests use.
type stamper struct{ *pdfstamp.Stamper }

// inMemory is a stamped file with the results of stamping.
type inMemory struct {
	PDF []byte
	pdfstamp.Addition
}

func section(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

// Stamp appends a stamp to pdf.
func (s stamper) Stamp(ctx context.Context, pdf []byte, pl pdfstamp.Placement, ref payload.Reference, side int, seal pdfstamp.Seal) (inMemory, error) {
	a, err := s.Append(ctx, section(pdf), pl, ref, side, seal)
	if err != nil {
		return inMemory{}, err
	}
	return inMemory{slices.Concat(pdf, a.Revision), a}, nil
}

// Survey returns the possible places of a stamp on pdf.
func (s stamper) Survey(ctx context.Context, pdf []byte, pl pdfstamp.Placement, ref payload.Reference, side int) ([]pdfstamp.Option, error) {
	return s.Stamper.Survey(ctx, section(pdf), pl, ref, side)
}

// A sealed holds the results of a test's seal, to check the file with.
type sealed struct {
	p       payload.Payload
	text    string
	modules binding.Modules // of text
}

// seal returns a Seal that signs the least payload, as an issuer would.
func (s *sealed) seal(ref payload.Reference) pdfstamp.Seal {
	return func(fingerprint [16]byte) (string, error) {
		s.p = payload.Payload{
			Issuer: "ACME01", Reference: ref, DocumentType: "DIP", Status: payload.NewStatusIndex(1, 2),
			IssuedAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Fingerprint: fingerprint,
		}
		if err := s.p.Seal(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))); err != nil {
			return "", err
		}
		b, err := s.p.Append(nil)
		if err != nil {
			return "", err
		}
		s.text = payload.EncodeText(b)
		s.modules, err = pdfstamp.Symbol(s.text)
		return s.text, err
	}
}

// check binds file to the sealed values, with the symbol that was drawn.
func (s *sealed) check(file []byte) binding.Outcome {
	return binding.Check(file, s.p, s.modules)
}

// side is the side of the symbol that sealed.seal draws, in modules.
const side = 40

// pdfsIn returns the PDFs in dir and below.
func pdfsIn(t testing.TB, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.EqualFold(filepath.Ext(file), ".pdf") {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// need skips unless the tool is installed.
func need(t testing.TB, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		absent(t, tool)
	}
}

// has reports whether the tool is installed.
func has(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
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
