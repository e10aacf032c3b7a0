// Package geometry has the rectangles, anchors and places that the scanner and
// the gateway share. Every length is in mm on the page as it is shown: the
// visible page (CropBox), turned by /Rotate. Positions count from its top left
// corner, x to the right and y downwards.
//
//	      Size.Width
//	┌──────────────────────┐   Anchor: one of nine points of a page or box
//	│ top-left  top  top-right
//	│      ┌──── Rect ───┐ │
//	│(X,Y) ┘             │ │   Place: a stamp on one page, as Rects
//	│      └─────────────┘ │   Area: a Rect with the number of its page
//	└──────────────────────┘
//
// The package draws nothing and reads no file: the packages that use pixels,
// points and matrices define them. Start with [Rect] and [Place].
package geometry

// A Rect is a rectangle on a page, in mm from the page's top left corner. The
// database and the output of tcode-scan hold its JSON form.
type Rect struct {
	X      float64 `json:"x"` // of its top left corner
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Meets reports whether r and s have an area in common.
func (r Rect) Meets(s Rect) bool {
	return r.X < s.X+s.Width && s.X < r.X+r.Width && r.Y < s.Y+s.Height && s.Y < r.Y+r.Height
}

// An Area is a part of one page.
type Area struct {
	Page int // from 1
	Rect Rect
}

// A Size is the size of a page or box, in mm.
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Turned returns z after a turn by degrees, a multiple of 90.
func (z Size) Turned(degrees int) Size {
	if degrees%180 != 0 {
		return Size{z.Height, z.Width}
	}
	return z
}

// Margins are distances from the edges of the visible page, in mm.
type Margins struct {
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
	Left   float64 `json:"left"`
}

// A Point is a place on the visible page in [0,1]x[0,1], from its top left corner.
type Point struct{ X, Y float64 }
