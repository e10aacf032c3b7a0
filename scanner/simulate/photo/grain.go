package photo

import (
	"math"
	"math/rand/v2"
)

// grainSide is the side of a tile of grain, a power of two.
const grainSide = 512

// A grain is a tile of smooth noise with the mean 0 and the variance 1 that repeats in
// both directions.
type grain []float32

// newGrain returns white noise that is smoothed over about size points.
func newGrain(r *rand.Rand, size float64) grain {
	g := make(grain, grainSide*grainSide)
	for i := range g {
		g[i] = float32(r.NormFloat64())
	}
	// Three box filters one after the other are close to a Gaussian.
	half := int(size/2 + 0.5)
	for range 3 {
		if half > 0 {
			g.box(half, 1, grainSide)
			g.box(half, grainSide, 1)
		}
	}
	var sum, squares float64
	for _, v := range g {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	mean := sum / float64(len(g))
	k := 1 / math.Sqrt(squares/float64(len(g))-mean*mean)
	for i, v := range g {
		g[i] = float32((float64(v) - mean) * k)
	}
	return g
}

// box replaces each point by the sum of 2*half+1 points, step apart, around it, in each
// line; lines are next apart.
func (g grain) box(half, step, next int) {
	var line [grainSide]float32
	for k := range grainSide {
		var sum float32
		for i := range line {
			line[i] = g[k*next+i*step]
		}
		for i := -half; i <= half; i++ {
			sum += line[i&(grainSide-1)]
		}
		for i := range line {
			g[k*next+i*step] = sum
			sum += line[(i+half+1)&(grainSide-1)] - line[(i-half)&(grainSide-1)]
		}
	}
}

// at returns the noise at whole coordinates.
func (g grain) at(x, y int) float32 {
	return g[(y&(grainSide-1))*grainSide+x&(grainSide-1)]
}

// between returns the noise at any coordinates.
func (g grain) between(x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	i, j := int(fx), int(fy)
	x, y = x-fx, y-fy
	a, b := float64(g.at(i, j)), float64(g.at(i+1, j))
	c, d := float64(g.at(i, j+1)), float64(g.at(i+1, j+1))
	return (a+(b-a)*x)*(1-y) + (c+(d-c)*x)*y
}
