package geometry

// An Anchor is one of the nine points of a page or box. The API and the database
// use these words.
type Anchor string

// The nine anchors. Empty means [BottomRight].
const (
	TopLeft     Anchor = "top-left"
	Top         Anchor = "top"
	TopRight    Anchor = "top-right"
	Left        Anchor = "left"
	Center      Anchor = "center"
	Right       Anchor = "right"
	BottomLeft  Anchor = "bottom-left"
	Bottom      Anchor = "bottom"
	BottomRight Anchor = "bottom-right"
)

// Anchors returns all nine, in reading order.
func Anchors() []Anchor {
	return []Anchor{TopLeft, Top, TopRight, Left, Center, Right, BottomLeft, Bottom, BottomRight}
}

// Fractions returns the place of a on a box: fractions of its width and height from
// the top left corner, 0, 0.5 or 1.
func (a Anchor) Fractions() (x, y float64) {
	for i, known := range Anchors() {
		if a == known {
			return float64(i%3) / 2, float64(i/3) / 2
		}
	}
	return 1, 1
}

// A Scope says which pages of a document carry a symbol. The API and the database
// use these words.
type Scope string

// The scopes. Empty means [LastPage]. With [CustomPages] a list names the pages.
const (
	FirstPage   Scope = "first"
	LastPage    Scope = "last"
	AllPages    Scope = "all"
	OddPages    Scope = "odd"
	EvenPages   Scope = "even"
	CustomPages Scope = "custom"
)

// Scopes returns all scopes.
func Scopes() []Scope {
	return []Scope{FirstPage, LastPage, AllPages, OddPages, EvenPages, CustomPages}
}

// A Side is the place of a caption, seen from the symbol as it is read. The API and
// the database use these words.
type Side string

// The four sides. Empty means [Below].
const (
	Below   Side = "below"
	Above   Side = "above"
	LeftOf  Side = "left"
	RightOf Side = "right"
)

// Sides returns all four.
func Sides() []Side { return []Side{Above, Below, LeftOf, RightOf} }
