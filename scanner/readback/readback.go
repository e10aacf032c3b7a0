// Package readback has the questions about a page that is to be stamped, or was,
// and their answers. A gateway asks them; package tcode/scanner/proof answers by
// drawing and reading the page.
//
//	what is there?             geometry.Area ─▶ Ground
//	is the symbol read?        Request       ─▶ Reading, of each Target
//	how does it look?          page          ─▶ Picture
//	does it show the same?     Comparison    ─▶ Compared
//
// The package holds values alone, so that a program that stores or shows answers
// links no engine that draws PDFs. Begin with [Request] and [Reading].
package readback

import (
	"errors"
	"fmt"

	"tcode/offline/geometry"
)

// ErrOneEngine is the answer of a program that was built without MuPDF (cgo): a stamp is only delivered after
// two engines have drawn it alike.
var ErrOneEngine = errors.New("this program was built without MuPDF, and a stamp is only delivered after two engines have drawn it")

// A NotDrawnError says that a page cannot be drawn because of its file.
type NotDrawnError struct {
	Reason string // in words, after "it": "is damaged"
	Err    error
}

func (e *NotDrawnError) Error() string { return "the page cannot be drawn: " + e.Err.Error() }

func (e *NotDrawnError) Unwrap() error { return e.Err }

// A Ground is the content of an area before it is stamped.
type Ground struct {
	// Ink is the share of the area, 0 to 1, that is not ground: the most common gray level there, if it is pale.
	Ink float64
	// Symbols are the Data Matrix symbols that reach into the area and can be read, however they came there: another
	// stamp may have been flattened into the page.
	Symbols []Found
}

// A Found is a symbol on a page.
type Found struct {
	Text string
	At   geometry.Rect // the smallest upright one around it, without its quiet zone
}

// A Request describes the symbols of a stamped file that are to be read.
type Request struct {
	Text    string  // of each symbol, to the letter
	DPI     float64 // of the rendering, 72 to 2400
	Targets []Target
}

// A Target is a symbol to read.
type Target struct {
	Page   int           // from 1
	Symbol geometry.Rect // without its quiet zone
	// Modules is their number on a side; 0: not known. A symbol with modules that are too narrow is not searched for.
	Modules int
	// Degrade requests the lowest resolution that a poor scan of it may have, too.
	Degrade bool
}

// A Reading is the result for one [Target]. Members after Reason are zero where the
// symbol was not read.
type Reading struct {
	Page int
	Read bool // the symbol is at its place and says the text, to the letter
	// Reason says in words why it was not read; empty if it was.
	Reason string
	DPI    float64 // of the rendering: as requested, or less where the symbol is large
	// Contrast between dark and light modules, 0 to 1.
	Contrast float64
	// Corrected codewords, and the number that the symbol's size can correct.
	Corrected, Correctable int
	QuietModules           float64 // free of ink around the symbol; the search stops at 4
	// ReadsAtDPI is the lowest resolution at which a scan that is skew, soft, noisy and compressed is still read. 0: none
	// of those that were tried, or none was tried.
	ReadsAtDPI int
}

// A Picture is a page for people.
type Picture struct {
	PNG           []byte
	Width, Height int     // px
	DPI           float64 // 150, or less for a page that is large
}

// A Comparison requests a comparison of the drawings of a file before and after it is stamped.
type Comparison struct {
	Boxes []geometry.Area // parts that the stamp may change; the most telling pages first
	Least int             // the number of Boxes that must be compared
	All   bool            // compare the drawings of the stamped file by two engines, too
}

// Compared is the answer to a [Comparison].
type Compared struct {
	Rendering              // zero unless all was asked for
	Changed   []Difference // changes by the stamping outside of the boxes
}

// A Rendering compares the drawings of the pages of a stamped file by two engines
// for PDFs. The gateway stores its JSON form.
type Rendering struct {
	Engines     []string     `json:"engines"`               // the names of both
	Pages       int          `json:"pages"`                 // of the file
	Compared    int          `json:"compared"`              // pages that both engines drew
	NotCompared string       `json:"notCompared,omitempty"` // why not all pages were compared, in words
	Differences []Difference `json:"differences"`
	Blank       []int        `json:"blank,omitempty"` // pages that both draw in one colour, but for the stamp
}

// Alike reports whether both engines drew all pages of the file, and alike.
func (r Rendering) Alike() bool {
	return r.Pages > 0 && r.Compared == r.Pages && r.NotCompared == "" && len(r.Differences) == 0
}

// A Difference is a part of a page that is not drawn the same twice.
type Difference struct {
	Page   int           `json:"page"` // from 1; 0: the whole file
	Area   geometry.Rect `json:"area"` // zero: all of the page
	Detail string        `json:"detail"`
}

// String returns the place and the detail in words.
func (d Difference) String() string {
	switch {
	case d.Page == 0:
		return d.Detail
	case d.Area == (geometry.Rect{}):
		return fmt.Sprintf("page %d: %s", d.Page, d.Detail)
	}
	return fmt.Sprintf("page %d, %.0f mm from the left and %.0f mm from the top: %s", d.Page, d.Area.X, d.Area.Y, d.Detail)
}
