package gateway_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	preparedpdf "tcode/cmd/internal/prepared"
	"tcode/cmd/internal/world"
	"tcode/testdata/corpus"
)

// TestStampedAsBefore requests stamps on real and hostile files. The gateway
// stamps all files that it stamped at commit b748dc9, before it compared pages,
// except those whose refusal has a reason here, and no answer is a 5xx. It
// prints both tables.
//
// TCODE_LONG=all takes all files of the corpus, not a part of them, those in
// the folder TCODE_HARD, which TestHard of server/pdfstamp writes, and the
// prepared files of cmd/internal/prepared.
//
//	TCODE_HARD=/tmp/hard go test -run 'TestHard$' ./server/pdfstamp
//	TCODE_HARD=/tmp/hard TCODE_LONG=all go test -v -timeout 30m -run TestStampedAsBefore ./cmd/tests/gateway
func TestStampedAsBefore(t *testing.T) {
	all := corpus.Long()
	files := world.RealFiles(t, all)
	if dir := os.Getenv("TCODE_HARD"); dir != "" {
		hard, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(hard) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		files = append(files, hard...)
	}
	w := world.New(t, 1)
	answers := answers{statuses: map[string]int{}}
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(2)
	for _, file := range files {
		group.Go(func() error {
			pdf, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			name := filepath.Base(file)
			a := w.Answer(name, pdf)
			answers.add(t, a)
			answers.judge(t, a)
			return ctx.Err()
		})
	}
	if all {
		for _, f := range preparedpdf.Files() {
			group.Go(func() error {
				answers.add(t, w.Answer(f.Name, f.PDF))
				return ctx.Err()
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files: stamped at b748dc9 %d, now %d; refused of those %d, stamped of the others %d", len(files), answers.before, answers.now, len(answers.lost), len(answers.won))
	for _, line := range slices.Sorted(slices.Values(answers.lost)) {
		t.Log("refused: " + line)
	}
	for _, line := range slices.Sorted(slices.Values(answers.won)) {
		t.Log("stamped: " + line)
	}
	for _, status := range slices.Sorted(maps.Keys(answers.statuses)) {
		t.Logf("answered %-24s %5d", status, answers.statuses[status])
	}
}

// answers collects them. It is safe for concurrent use.
type answers struct {
	mu          sync.Mutex
	statuses    map[string]int // by status and code
	before, now int            // stamped
	lost, won   []string
}

func (s *answers) add(t *testing.T, a world.StampAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses[strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Code))]++
	if a.Status >= http.StatusInternalServerError {
		t.Errorf("%s: %d %s %s", a.Name, a.Status, a.Code, a.Message)
	}
}

// judge compares a with the result for the file at b748dc9.
func (s *answers) judge(t *testing.T, a world.StampAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, stamped := !slices.Contains(refusedBefore, a.Name), a.Status == http.StatusCreated
	reason, expected := refusedNow[a.Name]
	if before {
		s.before++
	}
	if stamped {
		s.now++
	}
	switch {
	case before && !stamped:
		s.lost = append(s.lost, fmt.Sprintf("%s: %s: %s", a.Name, a.Code, reason))
		if !expected {
			t.Errorf("%s was stamped at b748dc9: %d %s %s", a.Name, a.Status, a.Code, a.Message)
		}
	case !before && stamped:
		s.won = append(s.won, a.Name)
	case stamped && expected && a.Name != slow:
		t.Errorf("%s is stamped: it needs no reason for its refusal any more", a.Name)
	}
}

// slow is stamped if it is drawn fast enough.
const slow = "pdf.js__issue16263.pdf"

// refusedNow are the files that were stamped at b748dc9 and are refused now,
// with the reason.
var refusedNow = map[string]string{
	"pdfcpu__testRot.pdf":                    "MuPDF shows an older revision of the page, which is not turned; with another revision behind it, it shows the newer one as other viewers do",
	slow:                                     "PDFium takes 6 s for each drawing of its 40 forms, and 8 s are the limit of one: a busy machine needs longer",
	"a value without a key":                  "MuPDF shows no such page but a blank one of another size, and with the page written anew it shows the page",
	"type of the tree wrong":                 "MuPDF shows the node of the page tree as a page; the stamp was on that one, and no other viewer showed it",
	"entry of the contents wrong":            "PDFium shows no contents, and with the cross-reference repaired it does",
	"hybrid, font hidden":                    "its Size is too small, so that MuPDF repairs it and finds the hidden font; with a revision behind it MuPDF follows the table and loses the font, as poppler does",
	"contents end in open image":             "the image takes in a stamp behind it, and the contents cover one beneath; the end of the image was edited, and it was drawn then",
	"contents end in stray Q after a change": "the contents cover a stamp beneath them, and a q before them changes what PDFium draws; the stray operator was edited out",
	"endstream is missing and length wrong":  "MuPDF draws nothing behind the contents, which cover a stamp beneath them; a copy of them was drawn",
	"length is too large":                    "MuPDF takes the rest of the file for contents, which cover a stamp beneath them; a copy of them was drawn",
}

// refusedBefore are the files that b748dc9 refused.
var refusedBefore = []string{
	"Count -1", "Count 0", "Count too high", "Prev of itself", "a kid is a font", "a kid is a number", "a kid is absent", "a kid is null",
	"endstream is missing", "filter damaged", "first subsection begins with 1", "hybrid, all hidden but the root", "no Count",
	"page _MediaBox[0 0 595 842]_CropBox[0 0 0 0]", "page _MediaBox[0 0 595 842]_CropBox[700 900 800 1000]", "page _MediaBox[0 0 595 842]_UserUnit 0",
	"pdf.js__REDHAT-1531897-0.pdf", "pdf.js__auth-event-ef-open.pdf", "pdf.js__bomb_giant.pdf", "pdf.js__bug1020226.pdf", "pdf.js__bug1782186.pdf",
	"pdf.js__bug1815476.pdf", "pdf.js__bug1871353.1.pdf", "pdf.js__bug2026037.pdf", "pdf.js__bug900822.pdf", "pdf.js__encrypted-attachment.pdf",
	"pdf.js__issue11131_reduced.pdf", "pdf.js__issue12120_reduced.pdf", "pdf.js__issue17215.pdf", "pdf.js__issue19484_1.pdf",
	"pdf.js__issue19484_2.pdf", "pdf.js__issue21579.pdf", "pdf.js__issue2884_reduced.pdf", "pdf.js__issue3371.pdf", "pdf.js__issue6010_1.pdf",
	"pdf.js__issue9418.pdf", "pdf.js__issue9972-1.pdf", "pdf.js__poppler-67295-0.pdf", "pdf.js__poppler-91414-0-53.pdf", "pdf.js__pr6531_2.pdf",
	"pdf.js__saslprep-r6.pdf", "pdfcpu__sample1.pdf", "pdfcpu__sample2.pdf", "sample-files__libreoffice-writer-password.pdf",
	"veraPDF-corpus__veraPDF_test_suite_6-1-11-t01-pass-a.pdf", "veraPDF-corpus__veraPDF_test_suite_6-1-12-t02-fail-b.pdf",
	"veraPDF-corpus__veraPDF_test_suite_6-1-12-t02-fail-c.pdf", "veraPDF-corpus__veraPDF_test_suite_6-1-12-t02-pass-a.pdf",
	"veraPDF-corpus__veraPDF_test_suite_6-1-13-t09-fail-d.pdf", "veraPDF-corpus__veraPDF_test_suite_6-1-3-t02-fail-a.pdf",
}
