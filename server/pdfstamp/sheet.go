package pdfstamp

import (
	"crypto/sha256"
	"fmt"

	"tcode/offline/payload"
	"tcode/server/lettering"
)

// A Sheet is a page to be drawn from nothing. Lengths are mm, from its top left corner.
type Sheet struct {
	Texts []Text
	Bars  []Bar
	Links []Link
}

// A Text is a line of text. X is the left end of its baseline, Y the height of that.
type Text struct {
	X, Y   float64
	SizePt float64
	Gray   float64 // 0 is black
	Line   lettering.Line
}

// A Bar is a filled rectangle. X and Y are its top left corner.
type Bar struct {
	X, Y, Width, Height float64
	Gray                float64
}

// A Link is a rectangle that opens an address in ASCII (RFC 3986). X and Y are its top left corner.
type Link struct {
	X, Y, Width, Height float64
	Address             string
}

// The page of a sheet is A4, in mm.
const (
	SheetWidth  = 210
	SheetHeight = 297
)

// fresh is the begin of a file that has no objects yet; the bytes above 127 say that it is not text.
const fresh = "%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"

// WriteSheets returns a PDF of sheets, with its title and language (RFC 5646) for viewers. The same sheets give the same
// bytes.
func WriteSheets(sheets []Sheet, title, language string) []byte {
	doc := &document{file: &file{b: []byte(fresh)}, trailer: newDict(), size: 1, rebuilt: true, budget: newBudget()}
	rev := newRevision(doc)
	root, tree, info := rev.alloc(), rev.alloc(), rev.alloc()
	face := &typeface{ref: rev.alloc()}
	font := entries("Font", entries("F", face.ref))
	kids := array{}
	for _, s := range sheets {
		contents, page := rev.alloc(), rev.alloc()
		head, data := deflated(s.operators(face))
		rev.stream(contents, head, data)
		d := entries(
			"Type", name("Page"), "Parent", tree, "MediaBox", array{0, 0, SheetWidth / mmPerPt, SheetHeight / mmPerPt}, "Resources", font, "Contents", contents)
		if len(s.Links) > 0 {
			d.set("Annots", s.annotations(rev))
		}
		rev.object(page, d)
		kids = append(kids, page)
	}
	face.write(rev)
	rev.object(tree, entries("Type", name("Pages"), "Count", len(kids), "Kids", kids))
	rev.object(info, entries("Title", raw(fmt.Sprintf("<FEFF%s>", utf16Hex(title)))))
	rev.object(root, entries(
		"Type", name("Catalog"), "Pages", tree, "Lang", raw(fmt.Sprintf("<FEFF%s>", utf16Hex(language))),
		"ViewerPreferences", entries("DisplayDocTitle", raw("true"))))
	doc.trailer.set("Root", root)
	doc.trailer.set("Info", info)
	doc.ids = array{raw(fmt.Sprintf("<%X>", sha256.Sum256(rev.out))[:33] + ">")}
	rev.finish(payload.Reference{})
	return append([]byte(fresh), rev.out...)
}

// annotations writes the links of s, without borders (ISO 32000-1, 12.5.6.5).
func (s Sheet) annotations(rev *revision) (all array) {
	const f = 1 / mmPerPt
	for _, l := range s.Links {
		ref := rev.alloc()
		rev.object(ref, entries(
			"Type", name("Annot"), "Subtype", name("Link"), "F", annotPrint, "Border", array{0, 0, 0},
			"Rect", array{l.X * f, (SheetHeight - l.Y - l.Height) * f, (l.X + l.Width) * f, (SheetHeight - l.Y) * f},
			"Contents", raw(fmt.Sprintf("<FEFF%s>", utf16Hex(l.Address))),
			"A", entries("S", name("URI"), "URI", raw(fmt.Sprintf("<%X>", l.Address)))))
		all = append(all, ref)
	}
	return all
}

// operators draws s.
func (s Sheet) operators(face *typeface) []byte {
	const up = 1 / mmPerPt
	out := append(appendNumbers([]byte("q "), up, 0, 0, up, 0, 0), "cm "...)
	for _, b := range s.Bars {
		out = append(appendNumbers(out, b.Gray), "g "...)
		out = append(appendNumbers(out, b.X, SheetHeight-b.Y-b.Height, b.Width, b.Height), "re f "...)
	}
	for _, t := range s.Texts {
		em := t.SizePt * mmPerPt
		out = append(appendNumbers(out, t.Gray), "g BT /F "...)
		out = append(appendNumbers(out, em), "Tf "...)
		out = append(appendNumbers(out, 1, 0, 0, 1, t.X, SheetHeight-t.Y), "Tm "...)
		out = append(face.set(out, t.Line, em), "ET "...)
	}
	return append(out, "Q"...)
}
