package photo

import (
	"math"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// A Sheet is a page with a symbol before it is printed.
type Sheet struct {
	Page   *gray.Image // the whole page, white where no ink is
	DPI    float64     // of Page
	Symbol simulate.Symbol
	X, Y   float64 // upper left corner of the symbol as it lies, mm
	Module float64 // side of a module, mm
	Turns  int     // quarter turns of the symbol, clockwise
	Quiet  float64 // modules of paper around the symbol
}

const mmPerInch = 25.4

// size returns width and height of the sheet, mm.
func (s *Sheet) size() (w, h float64) {
	return float64(s.Page.Width) / s.DPI * mmPerInch, float64(s.Page.Height) / s.DPI * mmPerInch
}

// lies returns the rows and columns of the symbol as it lies.
func (s *Sheet) lies() (rows, cols float64) {
	if s.Turns%2 != 0 {
		return float64(s.Symbol.Cols), float64(s.Symbol.Rows)
	}
	return float64(s.Symbol.Rows), float64(s.Symbol.Cols)
}

// middle returns the middle of the symbol, mm.
func (s *Sheet) middle() (u, v float64) {
	rows, cols := s.lies()
	return s.X + cols*s.Module/2, s.Y + rows*s.Module/2
}

// module returns the place on the page of a point of the symbol, in its own modules from
// its own top left, mm.
func (s *Sheet) module(row, col float64) (u, v float64) {
	rows, cols := float64(s.Symbol.Rows), float64(s.Symbol.Cols)
	switch ((s.Turns % 4) + 4) % 4 {
	case 1:
		row, col = col, rows-row
	case 2:
		row, col = rows-row, cols-col
	case 3:
		row, col = cols-col, row
	}
	return s.X + col*s.Module, s.Y + row*s.Module
}

// A part is a rectangle of the sheet in points, as a printer or a display shows it.
type part struct {
	u0, v0 float64 // its corner, mm
	step   float64 // between points, mm
	w, h   int     // points
}

// newPart returns the part of the sheet from (u0, v0) to (u1, v1), with 2 mm around it.
func (s *Sheet) newPart(u0, v0, u1, v1, step float64) part {
	w, h := s.size()
	u0, v0, u1, v1 = max(u0-2, 0), max(v0-2, 0), min(u1+2, w), min(v1+2, h)
	i, j := math.Floor(u0/step), math.Floor(v0/step) // points lie on the grid of the page
	p := part{i * step, j * step, step, int((u1-u0)/step) + 2, int((v1-v0)/step) + 2}
	p.w, p.h = max(p.w, 2), max(p.h, 2)
	return p
}

// draw returns the part with the symbol on it, before any printer.
func (s *Sheet) draw(p part) *gray.Image {
	out := gray.New(p.w, p.h)
	k := p.step * s.DPI / mmPerInch // px of the page for each point
	for y := range p.h {
		row := out.Row(y)
		at := (p.v0/p.step + float64(y) + 0.5) * k
		for x := range row {
			row[x] = byte(s.Page.Bilinear((p.u0/p.step+float64(x)+0.5)*k, at) + 0.5)
		}
	}
	simulate.Draw(out, s.Symbol, simulate.Place{
		X: (s.X - p.u0) / p.step, Y: (s.Y - p.v0) / p.step, ModulePx: s.Module / p.step, Turns: s.Turns, Quiet: s.Quiet,
	}, 0, 255)
	return out
}
