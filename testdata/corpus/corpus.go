// Package corpus finds the files that tests measure on: real files of others
// where there are some, and otherwise files that the project makes itself, so
// that a fresh clone measures too.
//
//	TCODE_CORPUS=DIR ─▶ DIR/pdf/*.pdf, DIR/images/SET/*
//	not set          ─▶ testdata/documents, each as other programs write it, and signed files
//
// Begin with [PDFs]. Tests that are about certain files of others ask [Dir].
package corpus

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tcode/testdata"
)

// Root returns the absolute path of the module's top. Call it before a test changes the
// working folder.
var Root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			panic("no go.mod above " + dir)
		}
	}
})

// Dir returns the folder of real files that TCODE_CORPUS names, or "" if it
// names none. A folder that is named must be there.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("TCODE_CORPUS")
	if dir == "" {
		return ""
	}
	if _, err := os.Stat(dir); err != nil {
		tb.Fatalf("TCODE_CORPUS: %v", err)
	}
	return dir
}

// Long reports whether tests take all files, sizes and rounds, as .ci/long does, and not a
// part of them: TCODE_LONG=all.
func Long() bool { return os.Getenv("TCODE_LONG") == "all" }

// minReal fewer mean that the folder was moved or cut short.
const minReal = 100

// PDFs returns the PDF files to measure on. real says that they are those of
// others.
func PDFs(tb testing.TB) (files []string, real bool) {
	tb.Helper()
	dir := Dir(tb)
	if dir == "" {
		return Own(tb), false
	}
	files, err := filepath.Glob(filepath.Join(dir, "pdf", "*.pdf"))
	if err != nil || len(files) < minReal {
		tb.Fatalf("%d PDF files in %s/pdf (%v), want %d", len(files), dir, err, minReal)
	}
	return files, true
}

// writers are programs that write a document in ways of their own: linearised,
// with objects in streams or none, encrypted, rotated, with pages of other sizes.
var writers = []struct{ name, command string }{
	{"linear", "qpdf --linearize IN OUT"},
	{"streams", "qpdf --object-streams=generate --recompress-flate IN OUT"},
	{"plain", "qpdf --qdf --object-streams=disable IN OUT"},
	{"rotated", "qpdf --rotate=+90 IN OUT"},
	{"rc4", "qpdf --allow-weak-crypto --encrypt  owner 128 --use-aes=n -- IN OUT"},
	{"aes", "qpdf --encrypt  owner 256 -- IN OUT"},
	{"clean", "mutool clean -gggg IN OUT"},
	{"cairo", "pdftocairo -pdf IN OUT"},
}

// signers are the names in the signed files of [Own].
var signers = []string{"Acme University", "Bülent Öz", "Chen (Registrar)", "D. D. Dean", "École du Nord", "F"}

// Own returns PDF files that are made for this test: the documents of the
// project as they are, as other programs write them, and signed files. It needs
// qpdf, mutool and pdftocairo.
func Own(tb testing.TB) (files []string) {
	tb.Helper()
	need(tb, "qpdf", "mutool", "pdftocairo")
	dir := tb.TempDir()
	names, err := testdata.Documents.ReadDir("documents")
	if err != nil {
		tb.Fatal(err)
	}
	add := func(name string, raw []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			tb.Fatal(err)
		}
		files = append(files, file)
		return file
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, entry := range names {
		raw, err := testdata.Documents.ReadFile(path.Join("documents", entry.Name()))
		if err != nil {
			tb.Fatal(err)
		}
		in := add(entry.Name(), raw)
		for _, w := range writers {
			out := filepath.Join(dir, w.name+"-"+entry.Name())
			files = append(files, out)
			wait.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				write(tb, w.command, in, out)
			})
		}
	}
	wait.Wait()
	for i, who := range signers {
		add(fmt.Sprintf("signed-%d.pdf", i), Signed(tb, who))
	}
	return files
}

// write has a program write out from in. Programs of other versions may fail or
// warn; without the file the test fails.
func write(tb testing.TB, command, in, out string) {
	args := strings.Split(command, " ")
	for i, a := range args {
		args[i] = strings.NewReplacer("IN", in, "OUT", out).Replace(a)
	}
	said, _ := exec.Command(args[0], args[1:]...).CombinedOutput()
	if _, err := os.Stat(out); err != nil {
		tb.Errorf("%s: %s", command, said)
	}
}

// need skips the test unless the programs are installed. With CI=true it fails.
func need(tb testing.TB, programs ...string) {
	tb.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			tb.Fatalf("%s is not installed", p)
		}
		tb.Skipf("%s is not installed", p)
	}
}
