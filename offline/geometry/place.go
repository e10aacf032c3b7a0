package geometry

import (
	"fmt"
	"strings"
)

// A Place is the place of a stamp on one page.
type Place struct {
	Page     int  // from 1
	PageMM   Size // of the page
	Box      Rect // the whole drawing
	Symbol   Rect // without its quiet zone
	Quiet    Rect // the symbol with its quiet zone
	Link     Rect // the QR code beside it, with its quiet zone; zero if there is none
	Caption  Rect // around the caption's lines; zero if there is none
	ModuleMM float64
	FontPt   float64    // of the caption, as drawn
	Under    []Obstacle // stamps, form fields and annotations that overlap Box
	Beneath  bool       // the page's contents are drawn over the stamp: on request, or because they are damaged
	Damaged  bool       // the page's contents are damaged, so viewers may draw later content elsewhere or not at all
}

// An Obstacle is a form field, an annotation or a TCode stamp of the file at the
// place of a stamp. Viewers draw the first two after the page's contents, so they
// cover the stamp.
type Obstacle struct {
	Kind string // "field", "signature field", "annotation" or [KindStamp]
	Type string // of a field Tx, Btn, Ch or Sig; of an annotation its subtype
	Name string // full name of a field, title of an annotation, reference of a stamp; may be empty
	Area Rect   // area that it may draw on; of a stamp its white box, or its symbol with 2 modules around
}

// KindStamp is the kind of an [Obstacle] that is a TCode stamp of the file. A stamp
// on another one hides it, so no policy may allow it.
const KindStamp = "stamp"

// String returns o in words: `the field "total"`, "an annotation".
func (o Obstacle) String() string {
	article := "a "
	if strings.HasPrefix(o.Kind, "a") {
		article = "an "
	}
	if o.Name == "" {
		return article + o.Kind
	}
	return fmt.Sprintf("the %s %q", o.Kind, o.Name)
}
