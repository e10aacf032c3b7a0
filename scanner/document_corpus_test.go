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

	"tcode/scanner"
	"tcode/testdata/corpus"
)

// residentKB is a line of /proc/self/status, 0 where there is none.
func residentKB(tb testing.TB, key string) int {
	tb.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return statusKB(tb, status, key)
}

// statusKB is the number on a line of a status file (proc_pid_status(5)).
func statusKB(tb testing.TB, status []byte, key string) int {
	tb.Helper()
	_, rest, _ := bytes.Cut(status, []byte("\n"+key+":"))
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

// Bounds of BenchmarkCorpusPDF, for each file.
const (
	longestAnswer = 15 * time.Second
	mostGrowthKB  = 64 << 10 // of this process's resident memory, over the growth by an ordinary page
)

// resetPeak resets VmHWM (proc_pid_clear_refs(5)), where it can.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// BenchmarkCorpusPDF reads real files, bombs and fuzzed ones among them, as the program does, and prints the
// result of each, with -v. It takes a minute:
//
//	go test -run xxx -bench CorpusPDF -benchtime 1x -timeout 30m -v ./scanner
func BenchmarkCorpusPDF(b *testing.B) {
	files, _ := corpus.PDFs(b)
	for b.Loop() {
		readCorpus(b, files)
	}
}

func readCorpus(b *testing.B, files []string) {
	s := scanner.New(scanner.Config{})
	defer s.Close()
	for range 5 { // an ordinary page
		if _, err := readAll(b.Context(), s, pdf(emptyPage()), scanner.DocumentOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	before, peak, longest := residentKB(b, "VmRSS"), 0, time.Duration(0)
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 1, 2, ' ', 0)
	fmt.Fprintln(w, "file\tanswer\tpages\twith symbols\traster ms\tread ms\twall ms\tpeak MB\t")
	answers := map[string]int{}
	symbols := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		resetPeak()
		start := time.Now()
		pages, err := readAll(b.Context(), s, data, scanner.DocumentOptions{})
		wall := time.Since(start)
		here := residentKB(b, "VmHWM")
		peak, longest = max(peak, here), max(longest, wall)
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
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", filepath.Base(f), answer, len(pages), len(texts(pages)),
			drawn.Milliseconds(), read.Milliseconds(), wall.Milliseconds(), here>>10, why)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	b.Log("\n" + table.String())
	b.Logf("%d files: %v, %d symbols; longest answer %v; resident %d MB after an ordinary page, at most %d MB: %d MB more",
		len(files), answers, symbols, longest.Round(time.Millisecond), before>>10, peak>>10, (peak-before)>>10)
	if longest > longestAnswer || peak-before > mostGrowthKB {
		b.Errorf("want every answer within %v and at most %d MB more", longestAnswer, mostGrowthKB>>10)
	}
}
