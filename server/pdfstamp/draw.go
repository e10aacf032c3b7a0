package pdfstamp

import (
	"fmt"
	"slices"
	"strings"

	"tcode/offline/astext"
	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/payload"
)

// A plan is the child's answer: the revision with an empty hole, and a report on the
// stamp.
type plan struct {
	Revision []byte `json:"-"`
	Start    int64  // hole and end, as binding.Mark
	Length   int64
	End      int64

	Places   []geometry.Place
	Signed   bool
	Filled   []int
	Warnings []string
}

// Warnings of a stamp. The words are for people. Obstacles under a stamp are data and
// no warning: the owner of the placement decides whether they matter.
const (
	warnSigned   = "the document is signed: its signatures stay intact, and viewers will say that it was stamped after signing"
	warnHidden   = "some viewers do not find the contents of a stamped page, and so show neither them nor the stamp: the references to them, or their lengths, are damaged"
	warnGaps     = "a stamped page lists contents that are not there: some viewers drew nothing of the page, and draw it now"
	warnOpaque   = "the document's kind (PDF/A, PDF/X or PDF before 1.4) forbids transparency; the white box is opaque"
	warnSmall    = "the caption was set in less than 5 pt to fit"
	warnSqueezed = "the page is too small for the margins; the stamp was moved onto it"
	warnMargins  = "the stamp reaches into the safe margins"
	warnBeneath  = "the page's contents are damaged or cannot be read to the end: the stamp lies beneath them, and shows where they leave room"
	warnOver     = "the page's contents are damaged or cannot be read to the end: the stamp lies over them, and some viewers may show it elsewhere or not at all"
	warnRebuilt  = "the cross-reference of the file is damaged; the stamp brings a new one, so check that all pages show"
	warnRepaired = "the cross-reference and the lengths of streams in the file are damaged: viewers repair the stamped file as they repaired the original, so check that all pages show"
	warnModule   = "modules are smaller than 0.375 mm and may not read from a print"
	warnLink     = "modules of the QR code are smaller than 0.3 mm: phones may not read it from a print"
	warnQuiet    = "the quiet zone is narrower than 2 modules"
)

// prepare lays the stamp out on pdf and returns the revision to append. It is
// a pure function and runs in the child.
func prepare(pdf *file, pl Placement, r payload.Reference, side int) (plan, error) {
	doc, pages, err := chosen(pdf, pl, side)
	if err != nil {
		return plan{}, err
	}
	signed, err := doc.signatures()
	if err != nil {
		return plan{}, err
	}
	out := plan{Signed: signed, Filled: doc.filled}
	if signed {
		out.warn(warnSigned)
	}
	switch {
	case doc.lies:
		out.warn(warnRepaired)
	case doc.rebuilt:
		out.warn(warnRebuilt)
	}
	for _, w := range doc.cautions() {
		out.warn(w)
	}
	rev := newRevision(doc)
	if rev.next > maxNumber-2*len(pages)-16 {
		return plan{}, errTooComplex
	}
	image := rev.alloc()
	h := rev.symbol(image, r, side)
	s, err := out.newStamp(rev, pl, r, image)
	if err != nil {
		return plan{}, err
	}
	if err := out.drawAll(rev, pages, pl, side, s); err != nil {
		return plan{}, err
	}
	rev.finish(r)
	m := rev.seal(h, r)
	out.Revision, out.Start, out.Length, out.End = rev.out, m.Start, m.Length, m.End
	return out, nil
}

// chosen opens pdf and returns the pages that the placement names.
func chosen(pdf *file, pl Placement, side int) (*document, []*page, error) {
	if binding.StreamLen(side) == 0 {
		return nil, nil, errPlacement
	}
	doc, err := open(pdf)
	damage, changed := astext.Of(pdf.b)
	if pdf.drop != nil && len(pdf.b) > span { // all of it was read
		pdf.drop()
	}
	if changed {
		return nil, nil, doc.changed(damage)
	}
	if err != nil {
		return nil, nil, err
	}
	all, err := doc.pages()
	if err != nil {
		return nil, nil, err
	}
	if err := doc.decodable(all); err != nil {
		return nil, nil, err
	}
	pages, err := choose(all, pl)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range pages {
		if !p.readable() {
			return nil, nil, fmt.Errorf("page %d: %w", p.number, errPageSize)
		}
		if p.unclear {
			return nil, nil, fmt.Errorf("page %d: %w", p.number, errUnclear)
		}
	}
	return doc, pages, nil
}

// warn adds a warning once.
func (p *plan) warn(w string) {
	for _, have := range p.Warnings {
		if have == w {
			return
		}
	}
	p.Warnings = append(p.Warnings, w)
}

// A stamp holds the data that all pages share.
type stamp struct {
	image      ref
	label      name // the name of resources: no object of the file can have it
	beneath    bool // whatever the page's contents are
	over       bool // also where they are damaged
	white      bool
	opacity    float64 // of the white box; 1 is opaque
	calibrated bool    // gray is not a device's
	caption    lettered
	asked      *Caption
	face       *typeface
	link       qrCode
}

// newStamp sets the caption and decides how the white box is painted.
func (p *plan) newStamp(rev *revision, pl Placement, r payload.Reference, image ref) (stamp, error) {
	kind := rev.doc.conformance()
	s := stamp{image: image, label: labelOf(r), beneath: pl.Beneath, over: pl.Over, white: !pl.NoWhiteBox, opacity: 1, calibrated: kind.calibrated, asked: pl.Caption}
	if pl.Opacity > 0 && pl.Opacity < 1 && s.white {
		if s.opacity = pl.Opacity; kind.opaque {
			s.opacity = 1
			p.warn(warnOpaque)
		}
	}
	var err error
	if s.link, err = newQR(rev, pl.Link); err != nil {
		return s, err
	}
	if s.caption, err = pl.Caption.letter(r); len(s.caption.lines) > 0 {
		s.face = &typeface{ref: rev.alloc()}
	}
	return s, err
}

func (p *plan) drawAll(rev *revision, pages []*page, pl Placement, side int, s stamp) error {
	for _, pg := range pages {
		for _, w := range rev.doc.cautionsOf(pg) {
			p.warn(w)
		}
		b, err := pl.layout(pg, side, s.caption.block)
		if err != nil {
			return fmt.Errorf("page %d: %w", pg.number, err)
		}
		b.place.Under = rev.doc.obstacles(pg, b.place.Box)
		if b.place.Beneath, b.place.Damaged, err = p.draw(rev, pg, b, s); err != nil {
			return err
		}
		p.Places = append(p.Places, pg.onEach(b.place)...)
		p.grade(b, pl, s)
	}
	slices.SortFunc(p.Places, byPage)
	if len(s.caption.lines) > 0 {
		s.face.write(rev)
	}
	return nil
}

func byPage(a, b geometry.Place) int { return a.Page - b.Page }

// grade adds warnings on a layout below the guidance.
func (p *plan) grade(b box, pl Placement, s stamp) {
	if b.squeezed {
		p.warn(warnSqueezed)
	}
	if b.beyond {
		p.warn(warnMargins)
	}
	if pl.Caption != nil && b.fontPt > 0 && b.fontPt < min(fairFontPt, pl.Caption.asked()) {
		p.warn(warnSmall)
	}
	if b.moduleMM < minModuleMM-1e-9 {
		p.warn(warnModule)
	}
	if s.link.modules > 0 && s.link.moduleIn(b) < leastQRModuleMM {
		p.warn(warnLink)
	}
	if pl.QuietModules > 0 && pl.QuietModules < defaultQuiet {
		p.warn(warnQuiet)
	}
}

// draw writes a copy of the page dictionary that lists the original contents, in
// the same graphics state as before, and the stamp in the page's first one. It
// reports whether the stamp is beneath the contents, and whether these are
// damaged.
func (p *plan) draw(rev *revision, pg *page, b box, s stamp) (beneath, damaged bool, err error) {
	f, err := rev.frame(pg)
	if err != nil {
		return false, false, err
	}
	beneath = s.beneath || f.damaged && !s.over
	switch {
	case f.damaged && beneath:
		p.warn(warnBeneath)
	case f.damaged:
		p.warn(warnOver)
	}
	resources, names := rev.doc.withStamp(pg, s)
	var text []byte
	if len(f.streams) > 0 && !beneath {
		text = f.balance.closing()
	}
	last := rev.alloc()
	list := rev.enclose(f, beneath, last)
	head, data := deflated(append(text, b.operators(s, names)...))
	rev.stream(last, head, data)

	copied := pg.dict.clone()
	copied.set("Resources", resources)
	copied.set("Contents", list)
	at := pg.ref
	if e := rev.doc.entries[at.num]; e.kind == inFile {
		at.gen = e.gen
	} else {
		at.gen = 0 // objects in streams have no generation
	}
	rev.object(at, copied)
	return beneath, f.damaged, nil
}

// operators draws the white box, the caption and the symbol, in mm. All is an
// artifact, so that a tagged document stays one (ISO 32000-1, 14.8.2.2). No
// optional content, and no transparency unless it was asked for and may be: both
// affect PDF/A conformance and the display in viewers.
func (b box) operators(s stamp, as names) []byte {
	out := []byte("/Artifact BMC\nq ")
	out = append(appendNumbers(out, b.toUser[:]...), "cm "...)
	if s.white {
		if as.state != "" {
			out = append(appendName(append(out, "q "...), as.state), " gs "...)
		}
		out = append(appendNumbers(as.paint(out, 1), 0, 0, b.size.Width, b.size.Height), "re f "...)
		if as.state != "" {
			out = append(out, "Q "...)
		}
	}
	if s.face != nil {
		out = s.face.operators(as.paint(out, 0), b, s.asked, s.caption, as.font)
	}
	if s.link.modules > 0 {
		out = s.link.operators(as.paint(out, 0), b, as.link)
	}
	side := b.symbol.width()
	out = append(appendNumbers(as.paint(out, 0), side, 0, 0, side, b.symbol.left, b.symbol.bottom), "cm "...)
	return append(appendName(out, as.image), " Do Q\nEMC\n"...)
}

// appendNumbers writes each number and a space.
func appendNumbers(b []byte, numbers ...float64) []byte {
	for _, v := range numbers {
		b = append(appendNumber(b, v), ' ')
	}
	return b
}

// names holds the names of the stamp's resources on one page; "" if it needs none.
type names struct {
	image, link, font, state, gray name
}

// paint sets the colour: 0 is black, 1 white.
func (as names) paint(out []byte, gray float64) []byte {
	if as.gray == "" {
		return append(appendNumbers(out, gray), "g "...)
	}
	return append(appendNumbers(append(appendName(out, as.gray), " cs "...), gray), "sc "...)
}

// calGray is gray of graphic arts light, D50 (ISO 32000-1, 8.6.5.2).
var calGray = array{name("CalGray"), entries("WhitePoint", array{0.9642, 1, 0.8249}, "Gamma", 2.2)}

// labelOf returns the name that the stamp's resources get. Contents and forms
// may use a name that the page's resources do not have, and would draw whatever
// got it; a reference is drawn after the file came in, so that no file foresees it.
func labelOf(r payload.Reference) name {
	return name("TCode" + strings.ReplaceAll(strings.TrimPrefix(r.String(), "TCR-"), "-", ""))
}

// withStamp returns the page's resources with the stamp's among them.
func (d *document) withStamp(pg *page, s stamp) (*dict, names) {
	var as names
	resources := pg.resources.clone()
	as.image = d.among(resources, "XObject", s.label, s.image)
	if s.link.modules > 0 {
		as.link = d.among(resources, "XObject", s.label+"QR", s.link.ref)
	}
	if s.face != nil {
		as.font = d.among(resources, "Font", s.label, s.face.ref)
	}
	if s.white && s.opacity < 1 {
		as.state = d.among(resources, "ExtGState", s.label, entries("Type", name("ExtGState"), "ca", s.opacity))
	}
	if s.calibrated {
		as.gray = d.among(resources, "ColorSpace", s.label, calGray)
	}
	return resources, as
}

// among adds v to the resources of one kind, by the name label, and returns the
// name it got: another one where the label is taken, as in a file that is stamped
// again by the reference that it has.
func (d *document) among(resources *dict, kind, label name, v any) name {
	old, _ := d.resolve(resources.get(kind)).(*dict)
	all := old.clone()
	as := label
	for i := 1; all.get(as) != nil; i++ {
		as = name(fmt.Sprintf("%s.%d", label, i))
	}
	all.set(as, v)
	resources.set(kind, all)
	return as
}
