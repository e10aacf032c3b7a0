package pdfstamp

// A Corner is one of the nine points of a page or box (DESIGN section 10).
type Corner string

// The nine anchors. The zero value means [BottomRight].
const (
	TopLeft     Corner = "top-left"
	Top         Corner = "top"
	TopRight    Corner = "top-right"
	Left        Corner = "left"
	Center      Corner = "center"
	Right       Corner = "right"
	BottomLeft  Corner = "bottom-left"
	Bottom      Corner = "bottom"
	BottomRight Corner = "bottom-right"
)

// A Scope says which pages are stamped. The zero value means [LastPage].
type Scope string

// The scopes. Custom takes its pages from Placement.Pages.
const (
	LastPage  Scope = "last"
	FirstPage Scope = "first"
	AllPages  Scope = "all"
	OddPages  Scope = "odd"
	EvenPages Scope = "even"
	Custom    Scope = "custom"
)

// Margins are distances from the edges of the visible page, in mm.
type Margins struct {
	Top, Right, Bottom, Left float64
}

// A Size is a page's as it is shown, in mm.
type Size struct {
	Width, Height float64
}

// A Point is a place on the visible page in [0,1]x[0,1], origin at the top
// left as the page is shown.
type Point struct {
	X, Y float64
}

// A Placement says where and how large the symbol is drawn on the visible page
// (CropBox, turned by /Rotate). The zero value is the default: last page,
// bottom right, 10 mm margins, a symbol of max(15 mm, 0.375 mm a module), a
// quiet zone of 2 modules on a white box.
//
// The box is the symbol with its quiet zone and padding.
type Placement struct {
	Scope        Scope
	Pages        []int    // for Custom: 1 is the first page, -1 the last
	Anchor       Corner   // the box's point that lies at At, or in the page's margins
	At           *Point   // nil: the page's own Anchor inside MarginsMM
	MaxWNorm     float64  // bounds the box, of the page's width; 0: no bound
	MaxHNorm     float64  // bounds the box, of the page's height; 0: no bound
	DesignedMM   *Size    // page whose width and height MaxWNorm and MaxHNorm are of; nil: the page itself
	MarginsMM    *Margins // nil: 10 mm all around
	SizeMM       float64  // side of the symbol without quiet zone; 0: max(15, 0.375*modules)
	Rotation     int      // of the symbol, degrees clockwise: 0, 90, 180 or 270
	QuietModules float64  // 0: 2 modules
	PaddingMM    float64  // of the white box beyond the quiet zone
	NoWhiteBox   bool     // leave the page's own ground under the symbol
}

// Defaults and guidance of DESIGN section 10.
const (
	minSymbolMM     = 15
	minModuleMM     = 0.375
	defaultMarginMM = 10
	defaultQuiet    = 2 // modules
)
