package symbol

import (
	"errors"
	"time"

	"tcode/scanner/ecc200"
	"tcode/scanner/locate"
)

// sharpMost bounds the candidates that are sampled as if they were blurred.
const sharpMost = 8

// try samples c and keeps the symbol if Reed-Solomon proves one.
func (r *reader) try(c *locate.Candidate) bool {
	start := time.Now()
	defer func() { r.decode += time.Since(start) }()
	m, ok := locate.Measure(r.img, c)
	if !ok {
		return false
	}
	err := r.judge(c, m.Grid())
	if err == nil {
		return true
	}
	if errors.Is(err, ecc200.ErrFinder) {
		return false // no symbol that a reason could speak of
	}
	if sureness(c) >= sureSymbol && r.sharpened < sharpMost {
		r.sharpened++
		if r.judgeAgain(c, m.Sharp()) == nil {
			return true
		}
	}
	r.failed = append(r.failed, *c)
	if r.best.err == nil || sureness(c) > sureness(&r.best.candidate) {
		r.best = attempt{candidate: *c, img: r.img, err: err}
	}
	return false
}

// judge keeps the symbol that Reed-Solomon proves for grid, seen at c.
func (r *reader) judge(c *locate.Candidate, grid ecc200.Grid) error {
	return r.prove(c, grid, 0)
}

// judgeAgain is judge for a place that was judged before, in another light:
// each further try gives chance one more, so that the blocks have to leave two
// redundant codewords unused on average, which makes chance far less likely.
func (r *reader) judgeAgain(c *locate.Candidate, grid ecc200.Grid) error {
	return r.prove(c, grid, 2)
}

// prove keeps the symbol that Reed-Solomon proves for grid, seen at c, with
// spare redundant codewords left for each block on average.
func (r *reader) prove(c *locate.Candidate, grid ecc200.Grid, spare int) error {
	d, err := ecc200.Decode(grid)
	r.trace.judged(c, grid, &d, err)
	if err != nil {
		return err
	}
	if c.Size.ECC-2*d.Errors-d.Erasures < spare*c.Size.Blocks {
		return ecc200.ErrNoRedundant
	}
	content, err := ecc200.Parse(d.Codewords)
	if err != nil {
		return err
	}
	r.keep(c, d, content, ReaderOwn)
	return nil
}

func (r *reader) keep(c *locate.Candidate, d ecc200.Decoded, content ecc200.Content, by string) {
	s := Symbol{
		Rows: c.Size.Rows, Cols: c.Size.Cols, ModulePx: c.Module(),
		CorrectedErrors: d.Errors, Erasures: d.Erasures,
		Codewords: d.Codewords, Dark: d.Dark, Reader: by,
	}
	for i, p := range c.Corners {
		s.Corners[i] = [2]float64{p.X, p.Y}
	}
	s.say(&content, r.opt.Charset)
	r.symbols = append(r.symbols, s)
	r.found = append(r.found, *c)
}
