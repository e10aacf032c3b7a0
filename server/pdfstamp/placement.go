package pdfstamp

// A Corner is one of the nine points of a page or box.
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

// A Rect is a rectangle on a page as it is shown, in mm from its top left.
type Rect struct {
	X, Y          float64 // of its top left corner
	Width, Height float64
}

// Meets reports whether r and s have an area in common.
func (r Rect) Meets(s Rect) bool {
	return r.X < s.X+s.Width && s.X < r.X+r.Width && r.Y < s.Y+s.Height && s.Y < r.Y+r.Height
}

// A Placement says where and how large the symbol is drawn on the visible page
// (CropBox, turned by /Rotate). The zero value is the default: last page,
// bottom right, 10 mm margins, a symbol of max(15 mm, 0.375 mm a module), a
// quiet zone of 2 modules on a white box.
//
// The box is all that is drawn: the symbol with its quiet zone, the caption
// beside it, and the white box's padding around both. Nothing else of the page
// changes. It turns as a whole.
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
	Rotation     int      // of the box, degrees clockwise: 0, 90, 180 or 270
	QuietModules float64  // 0: 2 modules
	PaddingMM    float64  // of the white box beyond quiet zone and caption
	NoWhiteBox   bool     // leave the page's own ground under the box
	Opacity      float64  // of the white box, above 0 to 1; 0: 1. Drawn as 1 where the file must not have transparency
	Caption      *Caption // nil: none
	Beneath      bool     // draw the stamp before the page's contents, which then draw over it; its place is right whatever they leave open
	Over         bool     // draw it after the page's contents also where they are damaged; the caller compares the page before and after
}

// A Side is where a caption stands, seen from the symbol as it is read.
type Side string

// The four sides. The zero value means [Below].
const (
	Below   Side = "below"
	Above   Side = "above"
	LeftOf  Side = "left"
	RightOf Side = "right"
)

// A Caption is text beside the symbol: a line of Text, a line with the
// reference, or both. It shrinks where it has no room and never wraps.
type Caption struct {
	Text       string
	Reference  bool // show the stamp's reference
	Side       Side
	FontSizePt float64 // at most; 0: 7
}

// A Place is where the stamp lies on one page.
type Place struct {
	Page     int  // from 1
	PageMM   Size // as it is shown
	Box      Rect // all that is drawn
	Symbol   Rect // without quiet zone
	Quiet    Rect // symbol with quiet zone
	Caption  Rect // around its lines; zero if there is none
	ModuleMM float64
	FontPt   float64    // of the caption, as drawn
	Under    []Obstacle // what shares ground with Box
	Beneath  bool       // the page's contents are drawn over the stamp: as the placement asks, or because they are damaged
	Damaged  bool       // the page's contents are damaged, so that viewers may draw what follows them elsewhere or not at all
}

// An Obstacle is a form field, an annotation or a TCode stamp in the box's way.
// Viewers draw the first two after the page's contents, and so over the stamp.
type Obstacle struct {
	Kind string // "field", "signature field", "annotation" or [KindStamp]
	Type string // of a field Tx, Btn, Ch or Sig; of an annotation its subtype
	Name string // full name of a field, title of an annotation, reference of a stamp; may be empty
	Area Rect   // where it may draw; of a stamp its white box, or its symbol with 2 modules around
}

// KindStamp is the kind of an [Obstacle] that is a TCode stamp of the file. A stamp
// that lies on another one hides it, so that no policy may allow it: the caller
// takes another place, or refuses.
const KindStamp = "stamp"

// An Option is one way to place a stamp, and what comes of it.
type Option struct {
	Placement Placement
	Places    []Place // of each stamped page, ascending
}

// Defaults and guidance.
const (
	minSymbolMM     = 15
	minModuleMM     = 0.375
	defaultMarginMM = 10
	defaultQuiet    = 2 // modules
)
