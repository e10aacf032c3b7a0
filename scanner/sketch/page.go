package sketch

import (
	"fmt"
	"image"
	"math"

	"tcode/scanner"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

const (
	pageSide = 1600 // px of a page's picture at most
	smallest = 600  // px to which small images are enlarged
	maxQuads = 12   // candidates drawn on a page
	minQuad  = 0.25 // score from which one is drawn
)

// page draws the image with the boxes that were searched and the symbols that were found.
func page(t *scanner.Trace, title string) canvas {
	img := t.Image
	long := float64(max(img.Width, img.Height))
	scale := min(1, pageSide/long)
	if long < smallest {
		scale = math.Floor(smallest / long)
	}
	w, h := max(int(float64(img.Width)*scale), 1), max(int(float64(img.Height)*scale), 1)
	width := max(w, 560)
	lines, keys := pageLegend(t, title, width-2*pad)
	top := legendHeight(lines, keys)
	c := newCanvas(width, top+h)
	c.picture(img, 0, top, w, h, gray.Point{}, scale, 0.45)
	area := image.Rect(0, top, width, top+h)
	at := func(p gray.Point) gray.Point { return gray.Point{X: p.X * scale, Y: p.Y*scale + float64(top)} }
	for i := range t.Boxes {
		drawBox(c, &t.Boxes[i], at, area)
	}
	for _, q := range likeliest(t) {
		c.quad(corners(q.Corners, at), 1, violet)
		p := at(q.Corners[1])
		c.label(int(p.X)+4, int(p.Y)-lineHeight/2, fmt.Sprintf("%dx%d %.2f", q.Size.Rows, q.Size.Cols, q.Score), violet, area)
	}
	for i, s := range t.Reading.Symbols {
		var q [4]gray.Point
		for k, p := range s.Corners {
			q[k] = gray.Point{X: p[0], Y: p[1]}
		}
		c.quad(corners(q, at), 2, green)
		p := at(q[3])
		c.label(int(p.X), int(p.Y)+6, fmt.Sprintf("read %d: %dx%d, %.1f px/module", i+1, s.Rows, s.Cols, s.ModulePx), green, area)
	}
	c.fill(image.Rect(0, 0, width, top), white) // sides may reach beyond the image
	c.legend(pad, pad, lines, keys)
	return c
}

func corners(q [4]gray.Point, at func(gray.Point) gray.Point) [4]gray.Point {
	for i := range q {
		q[i] = at(q[i])
	}
	return q
}

func drawBox(c canvas, b *scanner.TraceBox, at func(gray.Point) gray.Point, area image.Rectangle) {
	ink := orange
	switch b.Kind {
	case scanner.BoxPart:
		ink = blue
	case scanner.BoxImage:
		ink = faint
	}
	p := at(gray.Point{X: float64(b.Rect.X0), Y: float64(b.Rect.Y0)})
	q := at(gray.Point{X: float64(b.Rect.X1), Y: float64(b.Rect.Y1)})
	if b.Order == 0 {
		c.frame(p.X, p.Y, q.X, q.Y, 1, 3, ink)
		return
	}
	c.frame(p.X, p.Y, q.X, q.Y, 2, 0, ink)
	name := fmt.Sprintf("#%d  %.1f", b.Order, b.Score)
	if b.Kind == scanner.BoxImage {
		name = fmt.Sprintf("#%d  the whole", b.Order)
	}
	c.label(int(p.X), int(p.Y)-lineHeight, name, ink, area)
}

// likeliest returns the candidates that fit best, no two of one place and size.
func likeliest(t *scanner.Trace) []locate.Candidate {
	var all []locate.Candidate
	for i := range t.Boxes {
		all = append(all, t.Boxes[i].Candidates...)
	}
	for i := range t.Tries {
		all = append(all, t.Tries[i].Candidate)
	}
	return best(all, maxQuads, func(c *locate.Candidate) bool { return c.Score >= minQuad && !onSymbol(t, c) })
}

// onSymbol reports whether c lies on a symbol that was read, which it would hide.
func onSymbol(t *scanner.Trace, c *locate.Candidate) bool {
	for _, s := range t.Reading.Symbols {
		var mid gray.Point
		for _, p := range s.Corners {
			mid = mid.Add(gray.Point{X: p[0] / 4, Y: p[1] / 4})
		}
		if mid.Sub(c.Center()).Len() < s.ModulePx*float64(s.Rows)/2 {
			return true
		}
	}
	return false
}

func pageLegend(t *scanner.Trace, title string, width int) (lines []string, keys []key) {
	lines = append(lines, title)
	size := fmt.Sprintf("%d x %d px", t.Image.Width, t.Image.Height)
	if t.DPI > 0 {
		size += fmt.Sprintf(" at %.0f dpi", t.DPI)
	}
	searched, texture, parts := 0, 0, 0
	for i := range t.Boxes {
		b := &t.Boxes[i]
		if b.Order > 0 {
			searched++
		}
		switch b.Kind {
		case scanner.BoxTexture:
			texture++
		case scanner.BoxPart:
			parts++
		}
	}
	lines = append(lines, fmt.Sprintf("%s; %d boxes of texture, %d of connected parts, %d searched; %d grids sampled", size, texture, parts, searched, len(t.Tries)))
	lines = append(lines, wrap(verdict(t), width)...)
	keys = []key{
		{orange, "box", "texture of a symbol, searched: #order and how much it hangs together (6 and more: likely)"},
		{blue, "box", "connected dark parts, searched: the same"},
		{faint, "dashed", "dashed, in either colour: found, not searched"},
		{violet, "quad", "a candidate: size and fit of its fixed modules (1 perfect, 0 chance); finder pattern thick"},
		{green, "quad", "a symbol that was read; its finder pattern thick"},
	}
	return lines, keys
}

// verdict describes the result of a page.
func verdict(t *scanner.Trace) string {
	if n := len(t.Reading.Symbols); n > 0 {
		s := t.Reading.Symbols[0]
		text := fmt.Sprintf("read: a %dx%d symbol, %d codewords corrected, %d restored", s.Rows, s.Cols, s.CorrectedErrors, s.Erasures)
		if n > 1 {
			text = fmt.Sprintf("read: %d symbols; the first has %dx%d modules, %d codewords corrected, %d restored", n, s.Rows, s.Cols, s.CorrectedErrors, s.Erasures)
		}
		if s.Reader != scanner.ReaderOwn {
			text += ", by " + s.Reader
		}
		return text
	}
	return fmt.Sprintf("nothing read (%s): %s. %s", t.Reading.Reason.Code, t.Reading.Reason.Message, t.Reading.Reason.Advice)
}
