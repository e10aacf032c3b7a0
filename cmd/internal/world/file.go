package world

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tcode/testdata"
	"tcode/testdata/corpus"
)

// Document returns one of the project's own PDFs.
func Document(t testing.TB, name string) []byte {
	t.Helper()
	pdf, err := testdata.Documents.ReadFile("documents/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

// RealFiles returns the paths of the PDFs of the corpus, or of every thirtieth of them; or of
// those in the folder TCODE_PDFS and below.
func RealFiles(t testing.TB, all bool) (out []string) {
	t.Helper()
	if dir := os.Getenv("TCODE_PDFS"); dir != "" {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			pdf := strings.EqualFold(filepath.Ext(file), ".pdf")
			if err == nil && d.Type().IsRegular() && pdf {
				out = append(out, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	found, _ := corpus.PDFs(t)
	if all {
		return found
	}
	for i := 0; i < len(found); i += 30 {
		out = append(out, found[i])
	}
	return out
}

// DeliveredEnv names the variable that, set to "all", makes TestDelivered and TestRestampCorpus
// use every file of the corpus instead of some.
const DeliveredEnv = "TCODE_DELIVERED"

// WriteFile writes a file that no other user can read.
func WriteFile(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ReadFile returns the contents of a file.
func ReadFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ReadAll returns the rest of from, such as the body of an answer, and closes it.
func ReadAll(t testing.TB, from io.ReadCloser) string {
	t.Helper()
	defer from.Close()
	raw, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Count returns the amount of work of a test: usual in every run, more if the
// environment variable name asks for it, for published figures.
func Count(t testing.TB, name string, usual int) int {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		return usual
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no count", name, value)
	}
	return n
}

// ExitCode returns the exit code of a finished command, and fails the test if
// the command did not run.
func ExitCode(t testing.TB, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// Need returns the path of a tool that a test needs. In CI a missing tool is a
// failure, not a skip.
func Need(t testing.TB, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: see .ci/test", tool)
	}
	t.Skipf("%s is missing: see .ci/test", tool)
	return ""
}
