//go:build !cgo || nomupdf

package scanner_test

import (
	"errors"
	"testing"

	"tcode/scanner"
)

// A build with one engine does not answer for two.
func TestOneEngine(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	_, err := readAll(t.Context(), s, pdf(emptyPage()), scanner.DocumentOptions{BothEngines: true})
	if !errors.Is(err, scanner.ErrOneEngine) {
		t.Errorf("err = %v, want %v", err, scanner.ErrOneEngine)
	}
}
