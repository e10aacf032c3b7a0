package ecc200

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Reasons to reject the result of Reed-Solomon on a grid.
var (
	ErrSize        = errors.New("no Data Matrix symbol has this size")
	ErrFinder      = errors.New("finder and timing pattern do not fit")
	ErrDisagrees   = errors.New("decoded symbol disagrees with the modules seen")
	ErrNoRedundant = errors.New("too little redundancy left to be sure")
)

const (
	// minFinder is the share of fixed modules that must be right. A random grid agrees in half
	// of them; a pen stroke changes a tenth.
	minFinder = 0.75
	// minAgreement is the same over all modules, after correction, weighted by confidence:
	// Reed-Solomon changes at most 1/8 of a random grid's codewords, but with erasures it
	// could change any of them.
	minAgreement = 0.80
)

// A Grid is the modules of a symbol as they were seen.
type Grid struct {
	Rows, Cols int    // modules, finder included
	Dark       []bool // row-major, Rows*Cols, row 0 on top
	// Confidence says how certain each module is, 0 (a guess) to 1; nil: all 1.
	Confidence []float32
}

// A Decoded is the result for a grid that is proven to be a symbol.
type Decoded struct {
	Codewords []byte  // data codewords, corrected, padding included
	Errors    int     // codewords corrected at unknown places
	Erasures  int     // codewords erased for their low confidence
	Dark      []bool  // the error-free symbol, as [Encode] draws it
	Agreement float64 // see [Agreement]
}

// FinderAgreement returns the share of fixed modules that are right.
func (s Size) FinderAgreement(dark []bool) float64 {
	good, all := 0, 0
	for row := range s.Rows {
		for col := range s.Cols {
			m := s.Fixed(row, col)
			if m == Data {
				continue
			}
			all++
			if dark[row*s.Cols+col] == (m == Dark) {
				good++
			}
		}
	}
	return float64(good) / float64(all)
}

// Decode returns the codewords that Reed-Solomon proves for g. It tries with errors alone
// first, then erases the most doubtful codewords, more at each try. The error is one of
// this package's sentinels.
func Decode(g Grid) (Decoded, error) {
	s, ok := SizeOf(g.Rows, g.Cols)
	if !ok || len(g.Dark) != g.Rows*g.Cols {
		return Decoded{}, fmt.Errorf("%dx%d: %w", g.Rows, g.Cols, ErrSize)
	}
	if s.FinderAgreement(g.Dark) < minFinder {
		return Decoded{}, ErrFinder
	}
	d := newDecoding(s, g)
	err := d.attempt(0)
	// Each step uses a larger share of the redundancy for erasures and leaves the rest to find
	// errors elsewhere.
	for _, share := range []float64{0.15, 0.3, 0.45, 0.6, 0.75} {
		if err == nil {
			break
		}
		if g.Confidence == nil {
			return Decoded{}, err
		}
		err = d.attempt(int(share * float64(s.ECC/s.Blocks)))
	}
	if err != nil {
		return Decoded{}, err
	}
	dark := s.draw(d.all, d.place)
	agreed := Agreement(g, dark)
	if agreed < minAgreement {
		return Decoded{}, ErrDisagrees
	}
	return Decoded{
		Codewords: d.all[:s.Data:s.Data], Errors: d.errors, Erasures: d.erasures,
		Dark: dark, Agreement: agreed,
	}, nil
}

// Agreement returns the share of the modules of dark, row-major, that equal those of g,
// weighted by its confidence.
func Agreement(g Grid, dark []bool) float64 {
	var good, all float64
	for i, v := range dark {
		w := 1.0
		if g.Confidence != nil {
			w = float64(g.Confidence[i]) + 0.05
		}
		all += w
		if v == g.Dark[i] {
			good += w
		}
	}
	return good / all
}

// decoding holds the codewords of one grid between attempts.
type decoding struct {
	size     Size
	place    placement
	seen     []byte    // codewords as sampled
	doubt    []float64 // per codeword, 0 sure to 1
	all      []byte    // codewords as corrected
	errors   int
	erasures int
}

func newDecoding(s Size, g Grid) *decoding {
	d := &decoding{
		size: s, place: newPlacement(s.dataRows(), s.dataCols()),
		seen: make([]byte, s.Total()), all: make([]byte, s.Total()), doubt: make([]float64, s.Total()),
	}
	for row := range s.Rows {
		for col := range s.Cols {
			if s.Fixed(row, col) != Data {
				continue
			}
			at := d.place.at[s.mapped(row, col)]
			if at < 0 {
				continue
			}
			i := row*s.Cols + col
			if g.Dark[i] {
				d.seen[at/8] |= 1 << (7 - at%8)
			}
			if g.Confidence != nil {
				// One doubtful module spoils its codeword.
				d.doubt[at/8] = max(d.doubt[at/8], 1-float64(g.Confidence[i]))
			}
		}
	}
	return d
}

// attempt corrects every block with up to erase erasures in each.
func (d *decoding) attempt(erase int) error {
	err := d.blocks(erase, d.size.straight(), 0)
	if err != nil && d.size.straight() != 0 {
		// Writers of 144x144 do not agree: some begin again at the first block. This second
		// reading doubles the probability of chance results, so each block must leave one more
		// redundant codeword.
		err = d.blocks(erase, 0, 1)
	}
	return err
}

// blocks corrects all blocks when the first error correction codeword belongs to block
// start. reserve is the number of redundant codewords that each block must leave unused,
// in addition to [spare].
func (d *decoding) blocks(erase, start, reserve int) error {
	copy(d.all, d.seen)
	d.errors, d.erasures = 0, 0
	s := d.size
	perBlock := s.ECC / s.Blocks
	index := make([]int, 0, 255)
	block := make([]byte, 0, 255)
	for b := range s.Blocks {
		index, block = index[:0], block[:0]
		for i := b; i < s.Data; i += s.Blocks {
			index = append(index, i)
		}
		for i := s.firstECC(b, start); i < s.Total(); i += s.Blocks {
			index = append(index, i)
		}
		for _, i := range index {
			block = append(block, d.all[i])
		}
		erased := d.doubtful(index, erase)
		n, err := correctBlock(block, perBlock, erased)
		if err != nil {
			return err
		}
		need := reserve
		if len(erased) > 0 {
			need += spare(perBlock)
		}
		if perBlock-len(erased)-2*n < need {
			return ErrNoRedundant
		}
		d.errors += n
		d.erasures += len(erased)
		for k, i := range index {
			d.all[i] = block[k]
		}
	}
	return nil
}

// spare returns the number of redundant codewords that must stay unused once erasures are
// tried: each makes a wrong block 256 times less likely to pass.
func spare(perBlock int) int { return min(4, max(2, perBlock/4)) }

// doubtful returns the places in index of the most doubtful codewords, at most n, without
// those that are seen clearly.
func (d *decoding) doubtful(index []int, n int) []int {
	if n == 0 {
		return nil
	}
	order := make([]int, len(index))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.doubt[index[b]], d.doubt[index[a]]) })
	order = order[:min(n, len(order))]
	for k, o := range order {
		if d.doubt[index[o]] < 0.3 {
			return order[:k]
		}
	}
	return order
}
