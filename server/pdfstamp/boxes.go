package pdfstamp

import (
	"math"

	"tcode/offline/geometry"
)

// A box is the place of a stamp on one page: upright, in mm from its bottom left
// with y up. toUser maps it to the page.
//
//	      above             below, left and right likewise
//	┌──────────────┐
//	│   caption    │     the symbol stays square, the caption stands outside
//	│ ┌──────────┐ │     its quiet zone, padding goes around both
//	│ │ ▚▞ quiet │ │
//	│ └──────────┘ │
//	└──────────────┘
//
// A QR code lies at the right of the symbol, in a square of the same size that is its own quiet
// zone too; the caption then stands outside of both.
type box struct {
	size     geometry.Size // upright
	symbol   rect
	quiet    rect // symbol and quiet zone
	link     rect // QR code and quiet zone; zero if there is none
	caption  rect // zero if there is none
	fontPt   float64
	moduleMM float64
	toUser   matrix
	place    geometry.Place

	squeezed bool // margins were given up to fit a small page
	beyond   bool // a place that was asked for lies outside the margins that were
}

// A block is the caption before its size is known: lengths are of a font of
// 1 pt, in mm. The zero value is no caption.
type block struct {
	width, height float64
	scale         float64 // of the font that is drawn, so that a wide reference takes no more room
}

// Sizes of a caption's font, in pt.
const (
	defaultFontPt = 7
	fairFontPt    = 5 // below it, the box grows and the font does not shrink
	minFontPt     = 3 // a smaller font is not readable
)

// layout places a symbol of side modules on p, with a caption.
func (pl Placement) layout(p *page, side int, text block) (box, error) {
	b, err := pl.upright(p.sizeMM(), side, text)
	if err != nil {
		return box{}, err
	}
	page, size := p.sizeMM(), b.size.Turned(pl.Rotation)
	if size.Width > page.Width+tiny || size.Height > page.Height+tiny {
		return box{}, pl.tight(side, size, page)
	}
	x, y := pl.corner(page, size)
	b.beyond = pl.At != nil && pl.MarginsMM != nil && !hold(*pl.MarginsMM, page, geometry.Rect{X: x, Y: y, Width: size.Width, Height: size.Height})
	cx, cy := max(min(x, page.Width-size.Width), 0), max(min(y, page.Height-size.Height), 0)
	b.squeezed = math.Abs(cx-x) > 0.01 || math.Abs(cy-y) > 0.01
	onPage := turn(b.size, pl.Rotation).then(matrix{1, 0, 0, 1, cx, page.Height - cy - size.Height})
	b.toUser = onPage.then(p.fromMM())
	b.place = geometry.Place{
		Page: p.number, PageMM: page, ModuleMM: b.moduleMM, FontPt: b.fontPt * text.scale,
		Box:    fromTop(page, onPage.rect(rect{0, 0, b.size.Width, b.size.Height})),
		Symbol: fromTop(page, onPage.rect(b.symbol)),
		Quiet:  fromTop(page, onPage.rect(b.quiet)),
	}
	if b.link != (rect{}) {
		b.place.Link = fromTop(page, onPage.rect(b.link))
	}
	if b.caption != (rect{}) {
		b.place.Caption = fromTop(page, onPage.rect(b.caption))
	}
	return b, nil
}

// tiny is a length in mm that is none.
const tiny = 1e-6

// hold reports whether r lies within m of a page.
func hold(m geometry.Margins, page geometry.Size, r geometry.Rect) bool {
	return r.X >= m.Left-tiny && r.Y >= m.Top-tiny && r.X+r.Width <= page.Width-m.Right+tiny && r.Y+r.Height <= page.Height-m.Bottom+tiny
}

// upright sizes and arranges the parts of the box, before it is turned.
func (pl Placement) upright(page geometry.Size, side int, text block) (box, error) {
	size, quiet := pl.SizeMM, pl.QuietModules
	if size == 0 {
		size = SymbolMM(side)
	}
	usual := geometry.LeastModuleMM(geometry.Size{}, geometry.ScanDPI)
	if least := geometry.LeastModuleMM(page, geometry.ScanDPI); least > usual {
		size = max(size, least*float64(side))
	}
	if quiet == 0 {
		quiet = defaultQuiet
	}
	if !(size > 0 && size <= 1000 && quiet > 0 && quiet <= 20 && pl.PaddingMM >= 0 && pl.PaddingMM <= 100) || pl.Rotation%90 != 0 {
		return box{}, errPlacement
	}
	// The square is the symbol with its quiet zone.
	modules := float64(side) + 2*quiet
	square := size / float64(side) * modules
	bound := pl.frame(page).Turned(pl.Rotation)
	var fontPt float64
	var err error
	least := geometry.Size{Width: pl.across(square) + 2*pl.PaddingMM, Height: square + 2*pl.PaddingMM} // without caption
	if has := page.Turned(pl.Rotation); bound == (geometry.Size{}) && (least.Width > has.Width+tiny || least.Height > has.Height+tiny) {
		return box{}, pl.tight(side, least.Turned(pl.Rotation), page)
	}
	if bound != (geometry.Size{}) {
		square, fontPt, err = pl.within(bound, page.Turned(pl.Rotation), square, text)
	} else {
		fontPt, err = pl.fontFor(pl.room(page).Turned(pl.Rotation), square, text)
	}
	if err != nil {
		return box{}, err
	}
	b := box{moduleMM: square / modules, fontPt: fontPt}
	if !(b.moduleMM > 0) { // the padding takes all of what bounds the box
		return box{}, pl.tight(side, least.Turned(pl.Rotation), pl.bounds(page))
	}
	b.arrange(pl, square, quiet*b.moduleMM, text.at(fontPt))
	return b, nil
}

// bounds returns how large the template lets the box be on a page.
func (pl Placement) bounds(page geometry.Size) geometry.Size {
	frame := pl.frame(page)
	if frame.Width == 0 {
		frame.Width = page.Width
	}
	if frame.Height == 0 {
		frame.Height = page.Height
	}
	return frame
}

// tight is the error of a box that takes more mm than a page, or the bounds on it, has.
func (pl Placement) tight(side int, takes, has geometry.Size) error {
	quiet := pl.QuietModules
	if quiet == 0 {
		quiet = defaultQuiet
	}
	upright := has.Turned(pl.Rotation)
	square := min(upright.Width/pl.across(1), upright.Height)
	return &tightError{errNoRoom, takes, has, square / (float64(side) + 2*quiet)}
}

// across returns the width of the symbol's square with the one of the QR code.
func (pl Placement) across(square float64) float64 {
	if pl.Link != "" {
		return 2 * square
	}
	return square
}

// arrange puts the square, that of the link and the caption side by side.
func (b *box) arrange(pl Placement, square, quiet float64, text geometry.Size) {
	pad := pl.PaddingMM
	core := pl.across(square)
	across, along := max(core, text.Width), square+text.Height
	if pl.Caption.beside() {
		across, along = core+text.Width, max(square, text.Height)
	}
	b.size = geometry.Size{Width: across + 2*pad, Height: along + 2*pad}
	x, y := (b.size.Width-core)/2, (b.size.Height-square)/2
	tx, ty := (b.size.Width-text.Width)/2, (b.size.Height-text.Height)/2
	if text.Width > 0 {
		switch pl.Caption.Side {
		case geometry.Above:
			y, ty = pad, pad+square
		case geometry.LeftOf:
			x, tx = pad+text.Width, pad
		case geometry.RightOf:
			x, tx = pad, pad+core
		default:
			y, ty = pad+text.Height, pad
		}
		b.caption = rect{tx, ty, tx + text.Width, ty + text.Height}
	}
	b.quiet = rect{x, y, x + square, y + square}
	if pl.Link != "" {
		b.link = rect{x + square, y, x + core, y + square}
	}
	b.symbol = rect{x + quiet, y + quiet, x + square - quiet, y + square - quiet}
}

// beside reports whether c is at the symbol's left or right.
func (c *Caption) beside() bool {
	return c != nil && (c.Side == geometry.LeftOf || c.Side == geometry.RightOf)
}

// at returns the size of t in a font of that many points.
func (t block) at(fontPt float64) geometry.Size {
	return geometry.Size{Width: t.width * fontPt, Height: t.height * fontPt}
}

// asked returns the size of the caption's font that was asked for.
func (c *Caption) asked() float64 {
	if c.FontSizePt > 0 {
		return c.FontSizePt
	}
	return defaultFontPt
}

// fontFor returns the size of the caption's font where nothing bounds the box
// but the page: as asked, or less so that the caption is no longer than the
// symbol. A font that is fair no more makes the box longer instead, up to the
// room there is.
func (pl Placement) fontFor(room geometry.Size, square float64, t block) (float64, error) {
	if t.width == 0 {
		return 0, nil
	}
	asked := min(pl.Caption.asked(), square/t.height)
	left := room.Width - 2*pl.PaddingMM
	core := pl.across(square)
	if pl.Caption.beside() {
		return pl.Caption.legible(asked, t, geometry.Size{Width: left - core, Height: square})
	}
	fit := min(asked, max(core/t.width, fairFontPt))
	return pl.Caption.legible(fit, t, geometry.Size{Width: max(left, core), Height: room.Height - 2*pl.PaddingMM - square})
}

// within returns the side of the square and the size of the font in a box that
// is bounded. The caption leaves the symbol two thirds of the height, or half
// of the width.
func (pl Placement) within(bound, page geometry.Size, square float64, t block) (side, fontPt float64, err error) {
	for _, side := range []struct{ bound, page *float64 }{{&bound.Width, &page.Width}, {&bound.Height, &page.Height}} {
		if *side.bound == 0 {
			*side.bound = *side.page
		}
		*side.bound = min(*side.bound, *side.page) - 2*pl.PaddingMM
	}
	if t.width > 0 {
		room := geometry.Size{Width: bound.Width, Height: bound.Height / 3}
		if pl.Caption.beside() {
			room = geometry.Size{Width: bound.Width / 2, Height: bound.Height}
		}
		if fontPt, err = pl.Caption.legible(pl.Caption.asked(), t, room); err != nil {
			return 0, 0, err
		}
		if pl.Caption.beside() {
			bound.Width -= t.width * fontPt
		} else {
			bound.Height -= t.height * fontPt
		}
	}
	most := min(bound.Width/pl.across(1), bound.Height)
	if pl.SizeMM > 0 {
		most = min(most, square)
	}
	return most, fontPt, nil
}

// legible returns the size of the font, pt at most, in which t has room. The error is
// errNoTextRoom for a size that is not readable and was not requested.
func (c *Caption) legible(pt float64, t block, room geometry.Size) (float64, error) {
	room = geometry.Size{Width: max(room.Width, 0), Height: max(room.Height, 0)}
	pt = min(pt, room.Width/t.width, room.Height/t.height)
	if least := min(minFontPt, c.asked()); pt < least {
		return 0, &tightError{errNoTextRoom, t.at(least), room, least}
	}
	return pt, nil
}

// frame returns the limits of the box on a page of that size, all in mm; 0 is no
// limit. A frame designed for a larger page is cut to this one.
func (pl Placement) frame(page geometry.Size) geometry.Size {
	of := page
	if pl.DesignedMM != nil {
		of = *pl.DesignedMM
	}
	return geometry.Size{Width: min(pl.MaxWNorm*of.Width, page.Width), Height: min(pl.MaxHNorm*of.Height, page.Height)}
}

// margins returns the margins that apply.
func (pl Placement) margins() geometry.Margins {
	if pl.MarginsMM != nil {
		return *pl.MarginsMM
	}
	return geometry.Margins{Top: defaultMarginMM, Right: defaultMarginMM, Bottom: defaultMarginMM, Left: defaultMarginMM}
}

// room returns how large a box may be within the margins, or on the page if
// they leave nothing.
func (pl Placement) room(page geometry.Size) geometry.Size {
	m := pl.margins()
	r := geometry.Size{Width: page.Width - m.Left - m.Right, Height: page.Height - m.Top - m.Bottom}
	if pl.At != nil || r.Width <= 0 || r.Height <= 0 {
		return page
	}
	return r
}

// corner returns the box's top left corner on the page as it is shown.
func (pl Placement) corner(page, size geometry.Size) (x, y float64) {
	// The area that is anchored: the box itself, or the frame with the box in its
	// middle.
	frame := pl.frame(page)
	w, h := max(size.Width, frame.Width), max(size.Height, frame.Height)
	fx, fy := pl.Anchor.Fractions()
	if pl.At != nil {
		x, y = pl.At.X*page.Width-fx*w, pl.At.Y*page.Height-fy*h
	} else {
		m := pl.margins()
		x = m.Left + fx*(page.Width-w-m.Left-m.Right)
		y = m.Top + fy*(page.Height-h-m.Top-m.Bottom)
	}
	return x + (w-size.Width)/2, y + (h-size.Height)/2
}
