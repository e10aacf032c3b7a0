package pdfstamp

import "tcode/offline/geometry"

// A Placement says where and how large the symbol is drawn on the visible page
// (CropBox, turned by /Rotate). The zero value is the default: last page,
// bottom right, 10 mm margins, a symbol of max(15 mm, 0.375 mm a module), a
// quiet zone of 2 modules on a white box.
//
// The box is all that is drawn: the symbol with its quiet zone, a QR code beside it if there is
// a link, the caption beside both, and the white box's padding around both. Nothing else of the page
// changes. It turns as a whole.
type Placement struct {
	Scope        geometry.Scope
	Pages        []int             // for geometry.CustomPages: 1 is the first page, -1 the last
	Anchor       geometry.Anchor   // the box's point at At, or in the page's margins
	At           *geometry.Point   // nil: the page's own Anchor inside MarginsMM
	MaxWNorm     float64           // bounds the box, of the page's width; 0: no bound
	MaxHNorm     float64           // bounds the box, of the page's height; 0: no bound
	DesignedMM   *geometry.Size    // page whose width and height MaxWNorm and MaxHNorm are of; nil: the page itself
	MarginsMM    *geometry.Margins // nil: 10 mm all around
	SizeMM       float64           // side of the symbol without quiet zone; 0: max(15, 0.375*modules)
	Rotation     int               // of the box, degrees clockwise: 0, 90, 180 or 270
	QuietModules float64           // 0: 2 modules
	PaddingMM    float64           // of the white box beyond quiet zone and caption
	NoWhiteBox   bool              // leave the page's own ground under the box
	Opacity      float64           // of the white box, above 0 to 1; 0: 1. Drawn as 1 where the file must not have transparency
	Caption      *Caption          // nil: none
	Link         string            // drawn as a QR code at the right of the symbol, in a square of its size; "": none
	Beneath      bool              // draw the stamp before the page's contents, which then draw over it; its place is right whatever they leave open
	Over         bool              // draw it after the page's contents also where they are damaged; the caller compares the page before and after
}

// A Caption is text beside the symbol: a line of Text, a line with the
// reference, or both. It shrinks where it has no room and never wraps.
type Caption struct {
	Text       string
	Reference  bool // show the stamp's reference
	Side       geometry.Side
	FontSizePt float64 // at most; 0: 7
}

// An Option is one way to place a stamp, with its results.
type Option struct {
	Placement Placement
	Places    []geometry.Place // of each stamped page, ascending
}

// Defaults and guidance.
const (
	minSymbolMM     = 15
	minModuleMM     = 0.375
	defaultMarginMM = 10
	defaultQuiet    = 2 // modules
)
