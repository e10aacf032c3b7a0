package scanner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/host/sandbox"
	"tcode/scanner"
	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// TestLooks has a reader that answers by page and resolution. Pages are told apart by their width in inches.
func TestLooks(t *testing.T) {
	t.Parallel()
	const (
		nothing = symbol.CodeNothingFound
		blurred = symbol.CodeBlurred
		late    = symbol.CodeOutOfTime
	)
	tests := []struct {
		name    string
		answers map[string]string // "page@dpi" -> reason's code, "read" or "panic"; absent: nothing found
		opt     scanner.DocumentOptions
		looks   string // in order
		yielded string
		code    string // of the error
	}{
		{
			name:  "nothing anywhere: all again, the last page first",
			looks: "1@150 2@150 3@150 3@300 2@300 1@300", yielded: "1 2 3",
		},
		{
			name: "blurred: again after the others", answers: map[string]string{"1@150": blurred, "3@150": "read"},
			looks: "1@150 2@150 3@150 1@300", yielded: "1 2 3:read",
		},
		{
			name: "blurred, then read", answers: map[string]string{"2@150": blurred, "2@300": "read"},
			looks: "1@150 2@150 3@150 2@300", yielded: "1 2:read 3",
		},
		{
			name: "stamp only: the last page, and no more", answers: map[string]string{"3@150": "read", "1@150": "read"},
			opt:   scanner.DocumentOptions{StampOnly: true},
			looks: "3@150", yielded: "3:read",
		},
		{
			name: "stamp only: the likely page again before the others", answers: map[string]string{"3@150": blurred, "3@300": "read"},
			opt:   scanner.DocumentOptions{StampOnly: true},
			looks: "3@150 3@300", yielded: "3:read",
		},
		{
			name: "a panic costs a look", answers: map[string]string{"2@150": "panic", "2@300": "read"},
			looks: "1@150 2@150 3@150 2@300", yielded: "1 2:read 3",
		},
		{
			name: "a panic is not a page without a symbol", answers: map[string]string{"2@150": "panic", "2@300": "panic"},
			looks: "1@150 2@150 3@150 2@300 3@300 1@300", yielded: "1 2:crashed 3", code: scanner.FileCrashed,
		},
		{
			name: "a panic, but a symbol elsewhere", answers: map[string]string{"2@150": "panic", "2@300": "panic", "3@150": "read"},
			looks: "1@150 2@150 3@150 2@300", yielded: "1 2:crashed 3:read",
		},
		{
			name: "no time for the closer look: the first one stands", answers: map[string]string{"1@150": blurred, "1@300": late, "2@300": "panic"},
			looks: "1@150 2@150 3@150 1@300 3@300 2@300", yielded: "1 2 3",
		},
		{
			name: "no time for a page", answers: map[string]string{"1@150": late, "1@300": late},
			looks: "1@150 2@150 3@150 3@300 2@300 1@300", yielded: "1:timeout 2 3", code: scanner.FileTimeout,
		},
	}
	file := pdf(pdfPage{"/MediaBox [0 0 72 72]", ""}, pdfPage{"/MediaBox [0 0 144 72]", ""}, pdfPage{"/MediaBox [0 0 216 72]", ""})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// One reader at a time makes the order certain.
			s := newScanner(t, scanner.Config{Readers: 1})
			var mu sync.Mutex
			var looks []string
			s.SetReader(func(_ context.Context, img *gray.Image, opt symbol.Options) (reading symbol.Reading) {
				look := fmt.Sprintf("%d@%g", img.Width/int(opt.DPI), opt.DPI)
				mu.Lock()
				looks = append(looks, look)
				mu.Unlock()
				switch a := tt.answers[look]; a {
				case "panic":
					panic("as told")
				case "read":
					reading.Symbols = []symbol.Symbol{{Text: "read"}}
				case "":
					reading.Reason.Code = nothing
				default:
					reading.Reason.Code = a
				}
				return reading
			})
			pages, err := readAll(t.Context(), s, file, tt.opt)
			var yielded []string
			for _, p := range pages {
				word := fmt.Sprint(p.Number)
				if len(p.Reading.Symbols) > 0 {
					word += ":read"
				} else if p.Reading.Reason.Code != nothing && p.Reading.Reason.Code != blurred {
					word += ":" + p.Reading.Reason.Code
				}
				yielded = append(yielded, word)
			}
			if cut := strings.Contains(fmt.Sprint(pages), "before a closer look ended"); cut != strings.HasPrefix(tt.name, "no time for the closer look") {
				t.Errorf("a reason reports a closer look that did not end: %v", cut)
			}
			if diff := cmp.Diff(tt.looks, strings.Join(looks, " ")); diff != "" {
				t.Errorf("looks (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.yielded, strings.Join(yielded, " ")); diff != "" {
				t.Errorf("yielded (-want +got):\n%s", diff)
			}
			de, _ := errors.AsType[*scanner.DocumentError](err)
			if code := codeOf(de); code != tt.code || (err != nil) != (tt.code != "") {
				t.Errorf("err = %v, want code %q", err, tt.code)
			}
		})
	}
}

func codeOf(de *scanner.DocumentError) string {
	if de == nil {
		return ""
	}
	return de.Code
}

// TestAtOnce: pages of one document and several documents are read at the same time, and never more than Readers
// images of all documents together.
//
//race:on documents are read concurrently
func TestAtOnce(t *testing.T) {
	t.Parallel()
	const readers = 3
	for _, tt := range []struct{ documents, pages, most int }{{1, 6, readers}, {3, 1, readers}, {4, 5, readers}} {
		t.Run(fmt.Sprintf("%d documents of %d pages", tt.documents, tt.pages), func(t *testing.T) {
			t.Parallel()
			s := newScanner(t, scanner.Config{Readers: readers, Sandbox: sandbox.Config{Size: readers}, ThoroughDPI: scanner.DefaultFirst})
			var now, peak atomic.Int32
			full := make(chan struct{})
			s.SetReader(func(ctx context.Context, _ *gray.Image, _ symbol.Options) (reading symbol.Reading) {
				n := now.Add(1)
				defer now.Add(-1)
				for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
				}
				if n == readers {
					select {
					case <-full:
					default:
						close(full)
					}
				}
				select { // the first ones wait until there are as many as there may be
				case <-full:
				case <-ctx.Done():
				}
				reading.Reason.Code = symbol.CodeNothingFound
				return reading
			})
			file := pdf(slices.Repeat([]pdfPage{{"/MediaBox [0 0 72 72]", ""}}, tt.pages)...)
			var group sync.WaitGroup
			for range tt.documents {
				group.Go(func() {
					if got, err := readAll(t.Context(), s, file, scanner.DocumentOptions{}); err != nil || len(got) != tt.pages {
						t.Errorf("%d pages, %v", len(got), err)
					}
				})
			}
			group.Wait()
			if int(peak.Load()) != tt.most {
				t.Errorf("%d images concurrently, want %d", peak.Load(), tt.most)
			}
		})
	}
}
