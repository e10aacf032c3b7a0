package symbol

import (
	"time"

	"tcode/scanner/ecc200"
	"tcode/scanner/fallback"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

const (
	// opinions bounds the boxes that are shown to gozxing.
	opinions = 3
	// opinionCost bounds their pixels together.
	opinionCost = 1 << 20
	// minOpinion is the share of modules, weighted by confidence, that must be
	// as gozxing's codewords say. Our own Reed-Solomon did not prove them, so
	// the picture has to.
	minOpinion = 0.88
)

// secondOpinion shows gozxing the boxes that look most like symbols.
func (r *reader) secondOpinion() {
	start := time.Now()
	defer func() { r.decode += time.Since(start) }()
	cost := 0
	for i := range min(len(r.unread), opinions) {
		if r.done() {
			return
		}
		box := r.unread[i].Clip(r.img.Width, r.img.Height)
		if cost+box.Area() > opinionCost {
			continue
		}
		cost += box.Area()
		for _, o := range fallback.Read(r.img.Crop(box)) {
			if r.agree(o, box) {
				return
			}
		}
	}
}

// agree keeps the symbol of an opinion if the modules at its place, refined and
// sampled by our own means, are those that its codewords encode to.
func (r *reader) agree(o fallback.Opinion, box gray.Rect) bool {
	for _, size := range ecc200.Sizes() {
		if size.Data != len(o.Codewords) {
			continue
		}
		dark, err := ecc200.Encode(o.Codewords, size)
		if err != nil {
			continue
		}
		c := locate.Candidate{Size: size}
		for i, p := range o.Corners {
			c.Corners[i] = gray.Point{X: p.X + float64(box.X0), Y: p.Y + float64(box.Y0)}
		}
		r.finder.Refine(r.img, &c)
		grid, ok := locate.Sample(r.img, &c)
		if !ok || r.taken(&c) {
			continue
		}
		agreement := ecc200.Agreement(grid, dark)
		content, err := ecc200.Parse(o.Codewords)
		if agreement < minOpinion || err != nil {
			continue
		}
		r.keep(&c, ecc200.Decoded{Codewords: o.Codewords, Dark: dark, Agreement: agreement}, content, ReaderGozxing)
		return true
	}
	return false
}
