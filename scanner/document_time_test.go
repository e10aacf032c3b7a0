package scanner_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tcode/offline/host/cputime"
	"tcode/scanner"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// TestBudgetIsWork: processor time ends the reading of a document, the time in which other programs have the processors does
// not. A document that waits for something ends by the wall time, and the error says which of the two it was.
func TestBudgetIsWork(t *testing.T) {
	t.Parallel()
	const short = 200 * time.Millisecond
	sleeps := func(ctx context.Context, _ *gray.Image, _ symbol.Options) symbol.Reading {
		select { // as if other programs had the processors
		case <-time.After(3 * short):
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return symbol.Reading{Reason: symbol.Reason{Code: symbol.CodeOutOfTime}}
		}
		return symbol.Reading{Symbols: []symbol.Symbol{{Text: "read"}}}
	}
	works := func(ctx context.Context, _ *gray.Image, opt symbol.Options) symbol.Reading {
		for ctx.Err() == nil {
			opt.Clock()
		}
		return symbol.Reading{Reason: symbol.Reason{Code: symbol.CodeOutOfTime}}
	}
	tests := []struct {
		name   string
		config scanner.Config
		read   func(context.Context, *gray.Image, symbol.Options) symbol.Reading
		want   string // in the error; empty: the symbol is read
		advice string
	}{
		{"waits longer than the processor time", scanner.Config{Budget: short, Ceiling: time.Hour}, sleeps, "", ""},
		{"works longer than the processor time", scanner.Config{Budget: short, Ceiling: time.Hour}, works, "page 1: the processor time for this document ran out (200ms)", "--document-time"},
		{"waits longer than the wall time", scanner.Config{Budget: time.Hour, Ceiling: short}, sleeps, "page 1: the wall time for this document ran out (200ms; processors worked for ", "less busy"},
		{"works longer than the wall time", scanner.Config{Budget: time.Hour, Ceiling: short}, works, "page 1: the wall time for this document ran out (200ms; processors worked for ", "less busy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScanner(t, tt.config)
			s.SetReader(tt.read)
			pages, err := readAll(t.Context(), s, pdf(emptyPage()), scanner.DocumentOptions{})
			if tt.want == "" {
				if err != nil || len(texts(pages)) != 1 {
					t.Errorf("%v, %v; want the symbol", texts(pages), err)
				}
				return
			}
			de, ok := errors.AsType[*scanner.DocumentError](err)
			if !ok || de.Code != scanner.FileTimeout || !strings.Contains(de.Message, tt.want) || !strings.Contains(de.Advice, tt.advice) {
				t.Errorf("err = %+v, want %q and the advice %q", de, tt.want, tt.advice)
			}
		})
	}
}

// TestBudgetOfChild: the processor time of the child counts too, and ends it.
func TestBudgetOfChild(t *testing.T) {
	t.Parallel()
	if raster.DefaultEngine != raster.MuPDF {
		t.Skip("the memory of PDFium ends first")
	}
	s := newScanner(t, scanner.Config{Budget: time.Second, Ceiling: time.Hour})
	_, err := readAll(t.Context(), s, endlessPDF(), scanner.DocumentOptions{})
	if de, ok := errors.AsType[*scanner.DocumentError](err); !ok || de.Code != scanner.FileTimeout || !strings.Contains(de.Message, "processor time") {
		t.Errorf("err = %v, want the processor time to be over", err)
	}
}

// TestClockOfReader: a reader's clock is the processor time of its thread.
func TestClockOfReader(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	s.SetReader(func(_ context.Context, _ *gray.Image, opt symbol.Options) (reading symbol.Reading) {
		before := cputime.Thread()
		got := opt.Clock()
		if after := cputime.Thread(); got < before || got > after {
			t.Errorf("clock = %v, want the processor time of the thread, %v to %v", got, before, after)
		}
		reading.Reason.Code = symbol.CodeNothingFound
		return reading
	})
	if _, err := readAll(t.Context(), s, pdf(emptyPage()), scanner.DocumentOptions{}); err != nil {
		t.Error(err)
	}
}
