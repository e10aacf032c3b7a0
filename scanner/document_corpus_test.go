package scanner_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"text/tabwriter"
	"time"

	"tcode/offline/sandbox"
	"tcode/scanner"
	"tcode/scanner/raster"
)

// wantCorpusPDFs guards against a moved folder.
const wantCorpusPDFs = 137

// residentKB is a line of /proc/self/status, 0 where there is none.
func residentKB(t *testing.T, key string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte(key+":"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.Atoi(string(fields[0]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCorpusPDF reads real files, bombs and fuzzed ones among them, and prints what became of each. It takes minutes.
func TestCorpusPDF(t *testing.T) {
	if os.Getenv("TCODE_LONG") == "" {
		t.Skip("set TCODE_LONG=1 to read the whole corpus")
	}
	root := os.Getenv("TCODE_CORPUS")
	if root == "" {
		root = "../../shared/corpus"
	}
	files, err := filepath.Glob(filepath.Join(root, "pdf", "*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no corpus")
	}
	if len(files) != wantCorpusPDFs {
		t.Fatalf("%d files, want %d", len(files), wantCorpusPDFs)
	}
	s := newScanner(t, scanner.Config{Sandbox: sandbox.Config{Size: 1, Wall: sandbox.DefaultWall}, Budget: scanner.DefaultBudget, Limits: raster.Limits{MaxPages: 100}})
	if _, err := s.Protections(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := residentKB(t, "VmRSS")
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 1, 2, ' ', 0)
	answers := map[string]int{}
	symbols := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var raster, read time.Duration
		pages, err := readAll(t.Context(), s, data, scanner.DocumentOptions{})
		for _, p := range pages {
			raster += p.Raster
			read += p.Reading.Locate + p.Reading.Decode
			symbols += len(p.Reading.Symbols)
		}
		answer := "ok"
		if err != nil {
			de, ok := errors.AsType[*scanner.DocumentError](err)
			if !ok {
				t.Errorf("%s: err = %v, want a *DocumentError", f, err)
				continue
			}
			answer = de.Code
		}
		answers[answer]++
		line := []string{filepath.Base(f), answer, strconv.Itoa(len(pages)), strconv.Itoa(len(texts(pages)))}
		for _, d := range []time.Duration{raster, read, time.Since(start)} {
			line = append(line, strconv.FormatInt(d.Milliseconds(), 10))
		}
		if err != nil {
			line = append(line, err.Error())
		}
		for _, c := range line {
			w.Write([]byte(c + "\t"))
		}
		w.Write([]byte("\n"))
	}
	w.Flush()
	t.Logf("file, answer, pages, pages with symbols, ms: raster, read, wall\n%s", table.String())
	t.Logf("%d files: %v, %d symbols; parent VmRSS %d KB before, %d after, VmHWM %d", len(files), answers, symbols,
		before, residentKB(t, "VmRSS"), residentKB(t, "VmHWM"))
}
