package gateway_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"tcode/cmd/internal/world"
)

// A sheetForm is one make of page: boxes in units of its user space, left, bottom, right, top.
type sheetForm struct {
	media, crop [4]float64 // crop of zeros: none
	rotate      int
	unit        float64 // UserUnit; 0: none
}

// mmPt is a point in mm.
const mmPt = 25.4 / 72

// plainForm is a page of a size in mm.
func plainForm(w, h float64) sheetForm {
	return sheetForm{media: [4]float64{0, 0, w / mmPt, h / mmPt}}
}

// sheetForms are pages from 5 mm to 5 m, with boxes and turns of all kinds.
func sheetForms() []sheetForm {
	var out []sheetForm
	for _, z := range [][2]float64{
		{5, 5},
		{10, 20},
		{15, 15},
		{16.5, 16.5},
		{18, 200},
		{30, 20},
		{54, 85.6},
		{105, 148},
		{210, 297},
		{297, 210},
		{420, 594},
		{841, 1189},
		{1500, 1500},
		{2700, 2700},
		{5000, 20},
		{20, 5000},
		{5000, 300},
		{5000, 1400},
	} {
		out = append(out, plainForm(z[0], z[1]))
	}
	a4 := [4]float64{0, 0, 595.28, 841.89}
	return append(
		out,
		sheetForm{media: a4, rotate: 90},
		sheetForm{media: a4, rotate: 180},
		sheetForm{media: [4]float64{-300, -400, 295.28, 441.89}, rotate: 270},
		sheetForm{media: [4]float64{-1000, -2000, -400, -1200}},
		sheetForm{media: [4]float64{100_000, 90_000, 100_595, 90_842}, rotate: 90},
		sheetForm{media: a4, crop: [4]float64{50.5, 60.25, 400.1, 500.7}},
		sheetForm{media: a4, crop: [4]float64{-100, -100, 300, 300}, rotate: 90},
		sheetForm{media: a4, crop: [4]float64{300, 500, 900, 1200}, rotate: 270},
		sheetForm{media: [4]float64{-50, -50, 600, 900}, crop: [4]float64{-80, 700, -10, 1000}, rotate: 180},
		sheetForm{media: a4, crop: [4]float64{700, 900, 800, 1000}},
		sheetForm{media: [4]float64{0, 0, 59.5, 84.2}, unit: 10},
		sheetForm{media: [4]float64{0, 0, 5950, 8420}, unit: 0.1, rotate: 90},
		sheetForm{media: a4, unit: 2.5, crop: [4]float64{20, 20, 500, 300}},
		sheetForm{media: [4]float64{595.28, 841.89, 0, 0}, rotate: 270},
	)
}

// entries are those of the page's dictionary.
func (f sheetForm) entries() string {
	box := func(b [4]float64) string {
		return fmt.Sprintf("[%.10g %.10g %.10g %.10g]", b[0], b[1], b[2], b[3])
	}
	out := "/MediaBox" + box(f.media)
	if f.crop != [4]float64{} {
		out += "/CropBox" + box(f.crop)
	}
	if f.unit != 0 {
		out += fmt.Sprintf("/UserUnit %g", f.unit)
	}
	return out + fmt.Sprintf("/Rotate %d", f.rotate)
}

// size returns the size in mm of the part that both boxes show, as it is turned.
func (f sheetForm) size() (w, h float64) {
	part := func(i int) float64 {
		low, high := min(f.media[i], f.media[i+2]), max(f.media[i], f.media[i+2])
		if f.crop != [4]float64{} && f.overlap() {
			return min(high, f.crop[i+2]) - max(low, f.crop[i])
		}
		return high - low
	}
	unit := f.unit
	if unit == 0 {
		unit = 1
	}
	w, h = part(0)*unit*mmPt, part(1)*unit*mmPt
	if f.rotate%180 != 0 {
		return h, w
	}
	return w, h
}

// overlap reports whether the boxes share a part; viewers show the MediaBox where they do not.
func (f sheetForm) overlap() bool {
	return f.crop[0] < max(f.media[0], f.media[2]) && f.crop[2] > min(f.media[0], f.media[2]) &&
		f.crop[1] < max(f.media[1], f.media[3]) && f.crop[3] > min(f.media[1], f.media[3])
}

// pagesPDF makes a file of pages of those forms, with a word on each.
func pagesPDF(forms []sheetForm) []byte {
	all := world.Objects{}
	var kids strings.Builder
	for i, f := range forms {
		fmt.Fprintf(&kids, "%d 0 R ", 10+i)
		all[10+i] = "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>" +
			f.entries() + ">>"
	}
	all[2] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(forms))
	return world.Sheet{More: all}.PDF()
}

// Numbers at and beyond the edges of what a member of a placement may be. Words are sent as they are.
var (
	oddShares = []any{
		0, 1e-300, 1e-9, 0.001, 0.01, 0.03, 0.999999, 1, 1.0000001, 1.5, 210, math.Copysign(0, -1), -1e-9, -1,
		1e308, "NaN", "0.5", nil,
	}
	oddLengths = []any{
		0, 1e-300, 1e-6, 0.05, 0.1, 1, 4.9, 5, 19, 20, 72, 100, 100.1, 5000, 5000.1, 5100, 5101,
		-0.1, -1e9, 1e308, "Infinity", "1", nil,
	}
	oddWholes = []any{
		0, 1, 71, 72, 73, 150, 600, 2400, 2401, -1, 1e308, 2147483647, 2147483648, 9.3e18, 0.5,
		"NaN", nil,
	}
	oddPages = []any{
		"first", "last", "all", "odd", "even", "1", "-1", "1,2", "3", "500", "501", "0", "-500",
		"1-500", "99999999999999999999", "", "1--1",
	}
	anchorList = []any{"top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"}
	sideList   = []any{"above", "below", "left", "right"}
	turnList   = []any{0, 90, 180, 270, 90, 270, 45, 360, -90, 1e308}
)

// A placer makes random placements.
type placer struct{ *rand.Rand }

func (r placer) some(share float64) bool { return r.Float64() < share }

func (r placer) of(list []any) any { return list[r.IntN(len(list))] }

// number is most often one of a range, and now and then an odd one.
func (r placer) number(low, high float64, odd []any) any {
	switch {
	case r.some(0.03):
		return r.of(odd)
	case r.some(0.15):
		return low
	case r.some(0.15):
		return high
	}
	return low + r.Float64()*(high-low)
}

// placement returns the members of a placement template.
func (r placer) placement() map[string]any {
	out := map[string]any{"name": "placed"}
	x, y, w, h := "xNorm", "yNorm", "wNorm", "hNorm"
	if r.some(0.3) {
		x, y, w, h = "positionX", "positionY", "width", "height"
	}
	if r.some(0.5) {
		out[x], out[y] = r.number(0, 1, oddShares), r.number(0, 1, oddShares)
	}
	if r.some(0.35) {
		out[w] = r.number(0.02, 1, oddShares)
	}
	if r.some(0.35) {
		out[h] = r.number(0.02, 1, oddShares)
	}
	if r.some(0.6) {
		out["anchor"] = r.of(anchorList)
	}
	if r.some(0.5) {
		out["rotation"] = r.of(turnList[:4+r.IntN(2)*r.IntN(2)*6])
	}
	if r.some(0.3) {
		out["page"] = r.of(oddPages)
	}
	if r.some(0.15) {
		out["pageSizeMmWidth"] = r.number(5, 1000, oddLengths)
		out["pageSizeMmHeight"] = r.number(5, 1000, oddLengths)
	}
	if r.some(0.05) {
		out["link"] = "none"
	}
	r.parts(out)
	return out
}

// parts adds the parts of a placement.
func (r placer) parts(out map[string]any) {
	if r.some(0.5) {
		margins := map[string]any{}
		for _, side := range []string{"top", "right", "bottom", "left"} {
			if r.some(0.7) {
				margins[side] = r.number(0, 30, oddLengths)
			}
		}
		out["safeMargins"] = margins
	}
	if r.some(0.3) {
		out["whiteBox"] = map[string]any{
			"paddingMm": r.number(0, 5, oddLengths), "opacity": r.number(0, 1, oddShares), "enabled": r.some(0.8),
		}
	}
	if r.some(0.3) {
		out["caption"] = map[string]any{
			"position": r.of(sideList), "fontSizePt": r.number(1, 20, oddLengths),
			"text": strings.Repeat("Scan me ", r.IntN(4)), "enabled": r.some(0.9),
		}
	}
	if r.some(0.4) {
		safety := map[string]any{"collision": "allow", "rendering": "off"}
		if r.some(0.5) {
			safety["quietZoneModules"] = r.number(1, 20, oddLengths)
		}
		if r.some(0.4) {
			safety["minModuleMm"] = r.number(0.1, 1, oddLengths)
		}
		if r.some(0.4) {
			safety["targetDpi"] = r.of(oddWholes)
		}
		out["scanSafety"] = safety
	}
}
