package pageimage

import (
	"context"
	"errors"
	"math"

	"tcode/scanner/caveat"
	"tcode/scanner/gray"
	"tcode/scanner/pdfobj"
)

// Bounds of one file.
const (
	// MaxPages is the number of pages that are found. Others are counted only.
	MaxPages = 500
	// MaxPixels is the number of pixels of one picture.
	MaxPixels = 60_000_000
	// MaxDPI is the resolution of a page that is shown: a person with a good eye sees no more.
	MaxDPI = 300

	maxNodes    = 20_000      // of the page tree
	maxDepth    = 40          // of the page tree
	maxContents = 32 << 20    // bytes of contents that are followed, of all pages, as often as they are used
	maxSamples  = 400 << 20   // samples that are unpacked, of all pictures
	maxPainted  = 400_000_000 // px, of all pictures on all pages
	maxShown    = 12_000_000  // px of a page
)

var (
	// ErrContents means that a page shows something else than pictures, or that programs may show it differently.
	ErrContents = errors.New("the page shows something else than pictures")
	// ErrCoding means that a picture of a page has a coding or colours that cannot be decoded here,
	// or is damaged or too large.
	ErrCoding = errors.New("a picture on the page cannot be decoded")
)

// Decode decodes a JPEG picture of gray, RGB or CMYK colours and returns it as w by h px: its own size or less. Data that say how to turn
// the picture are no longer in it.
type Decode func(ctx context.Context, jpeg []byte, w, h int) (*gray.Image, error)

// A Document is a PDF whose pages can be shown. It is not safe for concurrent use.
type Document struct {
	doc   *pdfobj.File
	pages []found
	// Wrong says why no page is shown although there may be some, a clause whose subject is the file; empty if there is no such reason.
	Wrong string

	contents, samples, painted int // that are left of the bounds
	profiles                   map[pdfobj.Ref]int
}

// found is a page of the tree.
type found struct {
	dict      pdfobj.Dict
	resources pdfobj.Dict
	box       rect // that is visible, in user space
	turn      int  // quarters, clockwise
	unit      float64
}

// A Shown is a page as a person sees it.
type Shown struct {
	Image *gray.Image
	DPI   float64 // px per inch
}

// Open finds the pages of file, which must not change afterwards. It takes up to two seconds for 25 MiB.
func Open(file []byte) *Document {
	d := &Document{doc: pdfobj.Open(file), contents: maxContents, samples: maxSamples, painted: maxPainted, profiles: map[pdfobj.Ref]int{}}
	if d.Wrong = d.doc.Wrong(); d.Wrong != "" {
		return d
	}
	for _, c := range caveat.Of(file) {
		if c.Code == caveat.Ambiguous || c.Code == caveat.Unseen {
			d.Wrong = c.Text
			return d
		}
	}
	d.walk()
	return d
}

// Pages returns the number of pages, at most MaxPages; 0 if Wrong is set.
func (d *Document) Pages() int { return len(d.pages) }

// walk finds the pages.
func (d *Document) walk() {
	left := maxNodes
	var down func(v any, from found, media, crop any, depth int)
	down = func(v any, from found, media, crop any, depth int) {
		node := d.doc.Dict(v)
		if left--; left < 0 || depth > maxDepth || node == nil {
			d.Wrong = "its pages cannot be found"
			return
		}
		if node.Has("Resources") {
			from.resources = d.doc.Dict(node["Resources"])
		}
		if node.Has("MediaBox") {
			media = node["MediaBox"]
		}
		if node.Has("CropBox") {
			crop = node["CropBox"]
		}
		if node.Has("Rotate") {
			turn, _ := d.doc.Value(node["Rotate"]).(int)
			from.turn = (turn/90%4 + 4) % 4
		}
		if kids := d.doc.Array(node["Kids"]); kids != nil {
			for _, kid := range kids {
				if down(kid, from, media, crop, depth+1); d.Wrong != "" {
					return
				}
			}
			return
		}
		if len(d.pages) == MaxPages {
			d.Wrong = "it has too many pages"
			return
		}
		from.dict = node
		from.box = d.box(media, crop)
		from.unit = 1
		if n, ok := pdfobj.Numbers([]any{d.doc.Value(node["UserUnit"])}); ok && n[0] >= 1 && n[0] <= 1000 {
			from.unit = n[0]
		}
		d.pages = append(d.pages, from)
	}
	down(d.doc.Dict(d.doc.Trailer()["Root"])["Pages"], found{}, nil, nil, 0)
	if d.Wrong != "" {
		d.pages = nil
	}
}

// box returns the visible part of a page; an empty one if there is none.
func (d *Document) box(media, crop any) rect {
	whole, ok := d.rectangle(media)
	if !ok {
		return rect{}
	}
	if crop == nil {
		return whole
	}
	part, ok := d.rectangle(crop)
	if !ok {
		return rect{}
	}
	return part.within(whole)
}

func (d *Document) rectangle(v any) (rect, bool) {
	list := d.doc.Array(v)
	values := make([]any, len(list))
	for i := range list {
		values[i] = d.doc.Value(list[i])
	}
	n, ok := pdfobj.Numbers(values)
	if !ok || len(n) != 4 {
		return rect{}, false
	}
	for _, v := range n {
		if math.Abs(v) > 1e6 {
			return rect{}, false
		}
	}
	return rect{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}, true
}

// Placed returns the pictures that page n shows, from 1, in the order in which the page draws them. The error is ErrContents.
func (d *Document) Placed(n int) ([]Placed, error) {
	if n < 1 || n > len(d.pages) {
		return nil, ErrContents
	}
	p := d.pages[n-1]
	if p.box.empty() || d.marked(p.dict) {
		return nil, ErrContents
	}
	w := &painter{d: d, page: p.box}
	if !w.contents(p) || w.other {
		return nil, ErrContents
	}
	return w.shown, nil
}

// marked reports whether an annotation may show something on the page.
func (d *Document) marked(page pdfobj.Dict) bool {
	v := d.doc.Value(page["Annots"])
	list, isArray := v.(pdfobj.Array)
	if v != nil && !isArray {
		return true
	}
	for _, a := range list {
		note := d.doc.Dict(a)
		kind := note.Name("Subtype")
		if note == nil || note.Has("AP") || kind != "Link" && kind != "Popup" {
			return true
		}
	}
	return false
}
