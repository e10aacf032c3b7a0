package simulate

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// A Wave bends a symbol's plane as paper that is not flat: a sine over the symbol's side.
type Wave struct {
	Amplitude float64 // of the sine, modules
	Periods   float64 // of the sine over the symbol's side
	Phase     float64 // of the sine at the symbol's left or upper side, in periods
	Down      bool    // the displacement is down the picture and varies across it; else the other way round
}

// bentQuiet is the width of the paper around a bent symbol, modules. The standard asks for
// one; a wave of 1.5 modules takes more of it.
const bentQuiet = 4

// DrawBent returns a picture of s bent by w, after the given quarter turns clockwise, and the
// corners of the symbol in it: top left, top right, bottom right, bottom left of the
// symbol as it lies. modulePx is the module side in px. The wave is in the plane of the
// finished picture, so a turn does not turn it. Each pixel is the mean of 16 or more samples.
func DrawBent(s Symbol, w Wave, modulePx float64, turns int) (*gray.Image, [4]gray.Point) {
	t := s.Turned(turns)
	off := w.Amplitude * modulePx
	margin := bentQuiet*modulePx + off
	width, height := float64(t.Cols)*modulePx, float64(t.Rows)*modulePx
	out := gray.New(int(math.Ceil(width+2*margin)), int(math.Ceil(height+2*margin)))
	at := func(share float64) float64 { return off * math.Sin(2*math.Pi*(share*w.Periods+w.Phase)) }
	n := 4
	if modulePx < 6 {
		n = 6
	}
	// Places of the samples of a row and of a column, and their displacements, px.
	place := func(i int) float64 { return (float64(i)+0.5)/float64(n) - margin }
	shift := make([]float64, n*max(out.Width, out.Height))
	for i := range shift {
		if w.Down {
			shift[i] = at(place(i) / width)
		} else {
			shift[i] = at(place(i) / height)
		}
	}
	for y := range out.Height {
		row := out.Row(y)
		for x := range row {
			dark := 0
			for j := y * n; j < (y+1)*n; j++ {
				for i := x * n; i < (x+1)*n; i++ {
					du, dv := place(i), place(j)
					if w.Down {
						dv -= shift[i]
					} else {
						du -= shift[j]
					}
					if t.inked(dv/modulePx, du/modulePx) {
						dark++
					}
				}
			}
			row[x] = byte(255 - (255*dark+n*n/2)/(n*n))
		}
	}
	var corners [4]gray.Point
	for i, c := range [4][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
		p := gray.Point{X: margin + c[0]*width, Y: margin + c[1]*height}
		if w.Down {
			p.Y += at(c[0])
		} else {
			p.X += at(c[1])
		}
		corners[i] = p
	}
	return out, corners
}

// inked reports whether a dark module lies at (row, col), in modules from the top left.
func (s Symbol) inked(row, col float64) bool {
	if row < 0 || col < 0 || row >= float64(s.Rows) || col >= float64(s.Cols) {
		return false
	}
	return s.Dark[int(row)*s.Cols+int(col)]
}

// A Bent is one symbol of [BentSet] with its truth.
type Bent struct {
	Symbol Symbol
	Text   string
	Wave   Wave
}

// BentSides and BentHeights are the sides and the heights of [BentSet], modules.
var (
	BentSides   = [3]int{40, 48, 64}
	BentHeights = [4]float64{0.5, 0.75, 1, 1.5}
)

// A BentKind is a shape of the paper of [BentSet], with a height h.
type BentKind int

const (
	Bow      BentKind = iota // half a period over the symbol: its middle lies h off the line of its corners
	LowWave                  // a period over the symbol, h from trough to crest, any phase
	HighWave                 // a period over the symbol, of the amplitude h: twice the low wave, any phase
)

// String returns the name of the kind.
func (k BentKind) String() string { return [...]string{"bow", "low wave", "high wave"}[k] }

// BentSet returns the 24 bent symbols of a kind and a seed: three sizes, four heights and
// both directions, each with its own text and phase. Pictures of several module sizes
// show the same symbols.
func BentSet(kind BentKind, seed uint64) ([]Bent, error) {
	r := rand.New(rand.NewPCG(seed, 0x62656e74))
	var out []Bent
	for _, side := range BentSides {
		for _, h := range BentHeights {
			for _, down := range []bool{false, true} {
				s, text, err := RandomText(r, side)
				if err != nil {
					return nil, err
				}
				w := Wave{Amplitude: h, Periods: 1, Phase: r.Float64(), Down: down}
				switch kind {
				case Bow:
					w.Periods, w.Phase = 0.5, 0.5*float64(r.IntN(2)) // to either side
				case LowWave:
					w.Amplitude /= 2
				}
				out = append(out, Bent{s, text, w})
			}
		}
	}
	return out, nil
}
