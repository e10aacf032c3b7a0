package picturepdf

import (
	"runtime"
	"time"
)

// Limits on a picture.
const (
	// MaxPixels bounds a page, as the scanner does: a stamp on a larger one could not be read back.
	MaxPixels = 60_000_000
	// MaxFrames bounds the pages of a TIFF file: a PDF of more is not stamped.
	MaxFrames = 500

	maxTotal   = 1_000_000_000 // pixels of all pages: 100 of A4 at 300 dpi
	maxDecoded = 400 << 20     // bytes of one decoded page, with the memory of its decoder
	maxOutput  = 25 << 20      // bytes of the PDF, as pdfstamp.MaxBytes
)

// MemoryBytes is the resident memory that a child may use: one decoded page, its encoded form and the file.
const MemoryBytes = 512 << 20

// Wall is how long a child may take until it answers.
const Wall = time.Minute

// Children returns how many children make PDFs concurrently: each may use much memory for a short time.
func Children() int { return max(1, runtime.GOMAXPROCS(0)/4) }
