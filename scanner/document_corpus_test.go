package scanner_test

import (
	"bytes"
	"errors"
	"fmt"
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
func residentKB(tb testing.TB, key string) int {
	tb.Helper()
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
		tb.Fatal(err)
	}
	return n
}

// BenchmarkCorpusPDF reads real files, bombs and fuzzed ones among them, and prints what became of each, with -v. It
// takes minutes: -bench CorpusPDF -benchtime 1x -timeout 30m.
func BenchmarkCorpusPDF(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(corpusDir(b), "pdf", "*.pdf"))
	if err != nil {
		b.Fatal(err)
	}
	if len(files) != wantCorpusPDFs {
		b.Fatalf("%d files, want %d", len(files), wantCorpusPDFs)
	}
	for b.Loop() {
		readCorpus(b, files)
	}
}

func readCorpus(b *testing.B, files []string) {
	s := newScanner(b, scanner.Config{
		Sandbox: sandbox.Config{Size: 1, Wall: sandbox.DefaultWall},
		Budget:  scanner.DefaultBudget,
		Limits:  raster.Limits{MaxPages: 100},
	})
	if _, err := s.Protections(b.Context()); err != nil {
		b.Fatal(err)
	}
	before := residentKB(b, "VmRSS")
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 1, 2, ' ', 0)
	fmt.Fprintln(w, "file\tanswer\tpages\twith symbols\traster ms\tread ms\twall ms\t")
	answers := map[string]int{}
	symbols := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		pages, err := readAll(b.Context(), s, data, scanner.DocumentOptions{})
		wall := time.Since(start)
		var drawn, read time.Duration
		for _, p := range pages {
			drawn += p.Raster
			read += p.Reading.Locate + p.Reading.Decode
			symbols += len(p.Reading.Symbols)
		}
		answer, why := "ok", ""
		if err != nil {
			de, ok := errors.AsType[*scanner.DocumentError](err)
			if !ok {
				b.Errorf("%s: err = %v, want a *DocumentError", f, err)
				continue
			}
			answer, why = de.Code, de.Message
		}
		answers[answer]++
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", filepath.Base(f), answer, len(pages), len(texts(pages)),
			drawn.Milliseconds(), read.Milliseconds(), wall.Milliseconds(), why)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	b.Log("\n" + table.String())
	b.Logf("%d files: %v, %d symbols; parent VmRSS %d KB before, %d after, VmHWM %d KB", len(files), answers, symbols,
		before, residentKB(b, "VmRSS"), residentKB(b, "VmHWM"))
}
