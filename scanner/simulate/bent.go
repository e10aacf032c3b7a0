package simulate

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// A Wave bends a symbol's plane as paper that is not flat: one period of a sine over the
// symbol's side.
type Wave struct {
	Amplitude float64 // largest displacement, modules
	Down      bool    // the displacement is down the picture and varies across it; else the other way round
	Phase     float64 // of the sine at the symbol's left or upper side, in periods
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
	at := func(share float64) float64 { return off * math.Sin(2*math.Pi*(share+w.Phase)) }
	n := 4
	if modulePx < 6 {
		n = 8
	}
	step := 1 / float64(n)
	for y := range out.Height {
		row := out.Row(y)
		for x := range row {
			dark := 0
			for j := range n {
				v := float64(y) + (float64(j)+0.5)*step - margin
				for i := range n {
					u := float64(x) + (float64(i)+0.5)*step - margin
					du, dv := u, v
					if w.Down {
						dv -= at(u / width)
					} else {
						du -= at(v / height)
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

// Sides and amplitudes of the bent symbols, modules.
var (
	bentSides      = [3]int{40, 48, 64}
	bentAmplitudes = [4]float64{0.5, 0.75, 1, 1.5}
)

// BentSet returns the 24 bent symbols of a seed: three sizes, four amplitudes and both
// directions, each with a text and a phase of its own. Pictures of several module sizes
// show the same symbols.
func BentSet(seed uint64) ([]Bent, error) {
	r := rand.New(rand.NewPCG(seed, 0x62656e74))
	var out []Bent
	for _, side := range bentSides {
		for _, amplitude := range bentAmplitudes {
			for _, down := range []bool{false, true} {
				s, text, err := RandomText(r, side)
				if err != nil {
					return nil, err
				}
				out = append(out, Bent{s, text, Wave{amplitude, down, r.Float64()}})
			}
		}
	}
	return out, nil
}
