package scanner_test

import (
	"context"
	"errors"
	"testing"

	"tcode/scanner"
)

// TestCoversNothing: a drawing on a blank part of a page covers nothing, also in white; any other does.
func TestCoversNothing(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	page := func(more string) pdfPage { return pdfPage{letter, emptyPage().content + more} }
	before := pdf(page(""), page(""))
	for _, tt := range []struct {
		name  string
		after []byte
		pages []int
		want  bool
	}{
		{"the same", before, []int{1, 2}, true},
		{"no page", before, nil, true},
		{"black where it was blank", pdf(page(""), page("500 20 50 50 re f ")), []int{2}, true},
		{"white where it was blank", pdf(page(""), page("1 g 500 20 50 50 re f ")), []int{2}, true},
		{"white over a line", pdf(page(""), page("1 g 80 710 20 20 re f ")), []int{2}, false},
		{"black over a line", pdf(page(""), page("0.3 g 80 710 20 20 re f ")), []int{2}, false},
		{"on a page that is not compared", pdf(page(""), page("1 g 80 710 20 20 re f ")), []int{1}, true},
		{"another size", pdf(page(""), pdfPage{"/MediaBox [0 0 612 700]", emptyPage().content}), []int{2}, false},
		{"a page that is not there", before, []int{3}, false},
		{"too many pages", before, make([]int, 17), false},
		{"too large to draw well", pdf(page(""), pdfPage{"/MediaBox [0 0 14400 14400]", ""}), []int{2}, false},
		{"no PDF", []byte("%PDF-1.4"), []int{1}, false},
	} {
		got, err := s.CoversNothing(t.Context(), before, tt.after, tt.pages)
		if err != nil || got != tt.want {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
	large := pdf(pdfPage{"/MediaBox [0 0 14400 14400]", ""})
	if got, err := s.CoversNothing(t.Context(), large, large, []int{1}); err != nil || got {
		t.Errorf("a page that cannot be drawn well: %v, %v", got, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := s.CoversNothing(ended, before, before, []int{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}
