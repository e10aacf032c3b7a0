package brand

import (
	"math"
	"strconv"
)

// LeastContrast is the least contrast at which most people see a line, WCAG 2.2, 1.4.11.
const LeastContrast = 3

// Contrast returns the contrast of two colours, # and six hexadecimal digits each, from 1
// to 21 as WCAG 2.2 defines it. It is 0 if one of them is no colour.
func Contrast(a, b string) float64 {
	if !colours.MatchString(a) || !colours.MatchString(b) {
		return 0
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance returns the relative luminance of a colour, 0 to 1.
func luminance(colour string) (sum float64) {
	n, _ := strconv.ParseUint(colour[1:], 16, 32) // it was checked
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(n>>(16-8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
