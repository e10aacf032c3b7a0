package attack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"tcode/cmd/internal/device"
	preparedpdf "tcode/cmd/internal/prepared"
	"tcode/cmd/internal/viewers"
	"tcode/cmd/internal/world"
	"tcode/offline/host/sandbox"
	"tcode/scanner"
	"tcode/scanner/answer"
	"tcode/scanner/caveat"
	"tcode/scanner/compare"
	"tcode/scanner/raster"
)

// TestPrepared stamps the prepared files on which two of four viewers differ,
// according to cmd/internal/viewers, and verifies the delivered files. Each is
// refused, or is not signed as plain and gets a caution, or the list of open
// files names it.
//
// TCODE_PREPARED=2000 takes all files, not a part of each class, and
// TCODE_PREPARED_OPEN=FILE writes the list of open ones, and the displays of
// the viewers to FILE.tsv.
func TestPrepared(t *testing.T) {
	shown, err := preparedpdf.Table()
	if err != nil {
		t.Fatal(err)
	}
	var files []preparedpdf.File
	for _, f := range preparedpdf.Files() {
		if shown[f.Name].Differ() {
			files = append(files, f)
		}
	}
	if len(files) < 400 {
		t.Fatalf("%d files on which viewers differ, want 400", len(files))
	}
	all := len(files)
	if n := world.Count(t, "TCODE_PREPARED", 30); n < len(files) {
		step := (len(files) + n - 1) / n
		some := files[:0]
		for i := 0; i < len(files); i += step {
			some = append(some, files[i])
		}
		files = some
	}
	w := world.New(t, 1)
	w.Scanner("prepared").Close()
	dev, err := device.Open(t.Context(), device.Config{
		Home:    filepath.Join(w.Dir, "prepared"),
		Compare: bothEngines(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	var mu sync.Mutex
	outcomes, delivered := map[string]int{}, map[string][]byte{}
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(2)
	for _, f := range files {
		group.Go(func() error {
			outcome, pdf, err := preparedOutcome(ctx, w, dev, f)
			mu.Lock()
			defer mu.Unlock()
			if outcomes[outcome]++; outcome == accepted {
				delivered[f.Name] = pdf
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files on which viewers differ: %v", len(files), outcomes)
	checkOpen(t, stillDiffer(t, delivered), len(files) == all)
}

// drawnDifferently is the caution of a file that MuPDF and PDFium draw
// differently, or could not both draw.
const drawnDifferently = "drawn differently"

// bothEngines compares as verify --require-plain does.
func bothEngines(t *testing.T) func(context.Context, string, []byte) ([]caveat.Caveat, error) {
	var engines [2]compare.Engine
	for i, e := range []raster.Engine{raster.MuPDF, raster.PDFium} {
		engines[i] = compare.Engine{Name: string(e), Raster: raster.New(sandbox.Config{}, raster.Limits{}, raster.WithEngine(e))}
		t.Cleanup(engines[i].Raster.Close)
	}
	return func(ctx context.Context, _ string, data []byte) ([]caveat.Caveat, error) {
		file := io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
		report, err := compare.Engines(ctx, file, engines[0], engines[1], compare.Options{Strict: caveat.OwnFonts(data)})
		if err != nil || report.Same() && report.Complete() {
			return nil, err
		}
		return []caveat.Caveat{{Code: drawnDifferently}}, nil
	}
}

// Outcomes of a prepared file, in addition to the caveats.
const (
	refused  = "refused"
	rejected = "not valid"
	accepted = "accepted" // as plain, without a caution
)

// preparedOutcome stamps and verifies a file, and returns the delivered file.
// An error is one of the gateway or the scanner.
func preparedOutcome(ctx context.Context, w *world.World, dev *device.Device,
	f preparedpdf.File,
) (string, []byte, error) {
	status, said := w.Try(w.Issuers[0], "/v1/tcode/stamps",
		map[string]any{"name": f.Name, "documentTypeCode": "DIP", "pdf": world.Base64(f.PDF)})
	switch {
	case status == http.StatusUnprocessableEntity, status == http.StatusBadRequest && said["code"] == "INVALID_PDF":
		return refused, nil, nil
	case status != http.StatusCreated:
		return "", nil, fmt.Errorf("%s: %d %v", f.Name, status, said)
	}
	data, _ := said["data"].(map[string]any)
	id, _ := data["id"].(string)
	pdf := w.Download(w.Issuers[0], id, "stamped")
	findings, err := dev.Verify(ctx, "prepared.pdf", pdf, device.VerifyOptions{Compare: true})
	if damaged := (*scanner.DocumentError)(nil); errors.As(err, &damaged) {
		return unreadable, nil, nil
	} else if err != nil {
		return "", nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if slices.ContainsFunc(findings, func(g answer.Finding) bool { return g.Result.Plain }) || asValid(findings, answer.Requirements{Settled: true}) {
		return accepted, pdf, nil
	}
	if len(findings) == 0 || len(findings[0].Caveats) == 0 {
		return rejected, nil, nil
	}
	return findings[0].Caveats[0].Code, nil, nil
}

// stillDiffer returns the delivered files about which viewers differ, with
// their displays: a viewer may read the stamp's revision although it cannot
// read the file before it.
func stillDiffer(t *testing.T, delivered map[string][]byte) map[string]preparedpdf.Shown {
	t.Helper()
	flat := strings.NewReplacer("/", "~")
	references := preparedpdf.References()
	all := maps.Clone(references)
	for name, pdf := range delivered {
		all[flat.Replace(name)] = pdf
	}
	drawn, err := viewers.Draw(t.Context(), t.TempDir(), all)
	if errors.Is(err, viewers.ErrMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	viewers.ClearStamp(drawn)
	out := map[string]preparedpdf.Shown{}
	for name := range delivered {
		if s := viewers.Words(drawn, flat.Replace(name), slices.Sorted(maps.Keys(references))); s.Differ() {
			out[name] = s
		}
	}
	return out
}

// openList names the prepared files that are accepted although viewers differ,
// one a line. Exactly these files may be accepted.
const openList = "cmd/internal/prepared/open.txt"

// checkOpen compares the open files with the list; all says that every file was
// tried.
func checkOpen(t *testing.T, shown map[string]preparedpdf.Shown, all bool) {
	t.Helper()
	open := slices.Sorted(maps.Keys(shown))
	if name := os.Getenv("TCODE_PREPARED_OPEN"); name != "" {
		world.WriteFile(t, name, []byte(strings.Join(open, "\n")+"\n"))
		world.WriteFile(t, name+".tsv", []byte(preparedpdf.Format(shown)))
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(world.ReadFile(t, world.Path(openList)))) {
		name := strings.TrimSpace(line)
		known[name] = true
		if _, isOpen := shown[name]; all && !isOpen {
			t.Errorf("%s is not open any more: remove it from %s", name, openList)
		}
	}
	classes := map[string]int{}
	for _, name := range open {
		class, _, _ := strings.Cut(name, "/")
		classes[class]++
		if !known[name] {
			t.Errorf("%s is accepted, and viewers differ: %v show %v", name, preparedpdf.Viewers, shown[name])
		}
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("open: %s %d", class, classes[class])
	}
	t.Logf("%d open, %d files are listed as open", len(open), len(known))
}
