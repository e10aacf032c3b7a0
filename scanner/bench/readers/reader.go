package readers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"tcode/offline/host/cputime"
	"tcode/scanner/bench/pages"
	"tcode/scanner/charset"
	"tcode/scanner/ecc200"
	"tcode/scanner/fallback"
	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// Names of the readers.
const (
	Own     = "own"
	Wasm    = "wasm"
	Dmtx    = "dmtx"
	Gozxing = "gozxing"
	Native  = "native" // zxing-cpp's own program
	// WasmRGBA is zxing-wasm as pages in a browser call it: RGBA pixels of a canvas, default options.
	WasmRGBA = "wasm-rgba"
)

// Panicked is the code of a Result whose reader ended in a panic.
const Panicked = "panic"

// ErrPeer means that another project's reader cannot be run at all.
var ErrPeer = errors.New("reader cannot be run")

// An Item is one image to read.
type Item struct {
	ID     string
	File   string // a gzipped PGM, see pages.Save
	Invert bool   // the symbol may be light on dark
}

// A Result is the result of one reader for one image.
type Result struct {
	ID      string
	Read    bool
	Text    string  // as the reader returns it, in UTF-8
	Bytes   []byte  // the same before charset decoding
	CPUms   float64 // of the process
	WallMs  float64
	Code    string // own: reason why nothing was read
	Message string
	Erased  int // own: codewords erased and restored
	Fixed   int // own: codewords corrected
	Kept    bool
}

// A Reader reads images one after the other and calls tell with each result.
type Reader func(ctx context.Context, items []Item, tell func(Result)) error

// OwnReader reads with this project's reader, one symbol, default options.
func OwnReader(ctx context.Context, items []Item, tell func(Result)) error {
	return inProcess(ctx, items, tell, func(img *gray.Image, it Item) Result {
		got, panicked := readImage(ctx, img, symbol.Options{MaxSymbols: 1, Inverted: it.Invert, Charset: charset.Decode})
		if panicked != "" {
			return Result{Code: Panicked, Message: panicked}
		}
		r := Result{Code: got.Reason.Code, Message: got.Reason.Message}
		if len(got.Symbols) > 0 {
			s := got.Symbols[0]
			r.Read, r.Text, r.Bytes, r.Erased, r.Fixed = true, s.Text, latin1(s.Text), s.Erasures, s.CorrectedErrors
		}
		return r
	})
}

// readImage reads an image and returns the message of a panic in our reader, if there was
// one: one page must not end the whole run, and the report lists every such page.
func readImage(ctx context.Context, img *gray.Image, opt symbol.Options) (got symbol.Reading, panicked string) {
	defer func() {
		if r := recover(); r != nil {
			panicked = fmt.Sprint(r)
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	opt.Clock = cputime.Thread
	return symbol.ReadImage(ctx, img, opt), ""
}

// GozxingReader reads the whole page with gozxing, hybrid and global binarizer.
func GozxingReader(ctx context.Context, items []Item, tell func(Result)) error {
	return inProcess(ctx, items, tell, func(img *gray.Image, _ Item) Result {
		for _, o := range fallback.Read(img) {
			if text, err := ecc200.Text(o.Codewords); err == nil {
				return Result{Read: true, Text: text, Bytes: latin1(text)}
			}
		}
		return Result{}
	})
}

// inProcess calls read for each image and measures it. It decodes all images into the same
// memory, so that the garbage collector does not run meanwhile.
func inProcess(ctx context.Context, items []Item, tell func(Result), read func(*gray.Image, Item) Result) error {
	var img gray.Image
	for i, it := range items {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := pages.Load(it.File, &img); err != nil {
			return fmt.Errorf("load %s: %w", it.ID, err)
		}
		if i == 0 {
			read(&img, it) // tables and pools are made in the first call
		}
		cpu, start := processCPU(), time.Now()
		r := read(&img, it)
		r.WallMs = ms(time.Since(start))
		r.CPUms = ms(processCPU() - cpu)
		if r.CPUms <= 0 {
			r.CPUms = r.WallMs // no such clock on this system
		}
		r.ID = it.ID
		tell(r)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// latin1 returns the text as ISO 8859-1 bytes, or its UTF-8 bytes if it has other
// characters.
func latin1(s string) []byte {
	out := make([]byte, 0, len(s))
	for _, c := range s {
		if c > 255 {
			return []byte(s)
		}
		out = append(out, byte(c))
	}
	return out
}
