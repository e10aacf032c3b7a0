package viewers

import (
	"fmt"
	"slices"

	"tcode/cmd/internal/prepared"
	"tcode/scanner/gray"
)

// Words compares the pictures of one file with those of references, by their
// names, that the same viewers drew.
func Words(drawn [4]Pictures, file string, references []string) prepared.Shown {
	var out prepared.Shown
	var odd []int // viewers, one for each letter
	for i, pictures := range drawn {
		picture := pictures[file]
		if picture == nil {
			out[i] = prepared.NoPage
			continue
		}
		for _, r := range references {
			if alike(picture, pictures[r], same) {
				out[i] = r
				break
			}
		}
		if out[i] != "" {
			continue
		}
		letter := slices.IndexFunc(odd, func(k int) bool { return alike(picture, drawn[k][file], tolerance(i, k)) })
		if letter < 0 {
			letter = len(odd)
			odd = append(odd, i)
		}
		out[i] = fmt.Sprintf("%s%c", prepared.Odd, 'a'+letter)
	}
	return out
}

// A measure limits the distance of two pictures: ink may be reach pixels
// away and be level darker or lighter, and pixels may still differ.
type measure struct{ reach, level, pixels int }

// Pictures of one viewer differ by rounded positions; other viewers use other
// fonts for the standard ones, poppler those of the system. TestMeasures has
// the figures for "Pay 100 EUR" and "Pay 900 EUR".
var (
	same   = measure{1, 64, 4}
	others = measure{2, 96, 16}
	far    = measure{3, 96, 24}
)

func tolerance(i, k int) measure {
	if i == 0 || k == 0 {
		return far
	}
	return others
}

// alike reports whether a and b show the same within m.
func alike(a, b *gray.Image, m measure) bool {
	if b == nil || abs(a.Width-b.Width) > 1 || abs(a.Height-b.Height) > 1 {
		return false
	}
	if a.Width == b.Width && slices.Equal(a.Pix, b.Pix) {
		return true
	}
	left := apart(a, b, m, m.pixels)
	return left >= 0 && apart(b, a, m, left) >= 0
}

func abs(n int) int { return max(n, -n) }

// apart counts the pixels of a that are darker or lighter than all of b nearby,
// down from limit, and stops below 0.
func apart(a, b *gray.Image, m measure, limit int) int {
	w, h := min(a.Width, b.Width), min(a.Height, b.Height)
	for y := range h {
		for x, v := range a.Pix[y*a.Stride : y*a.Stride+w] {
			if other := b.Pix[y*b.Stride+x]; abs(int(v)-int(other)) > m.level && !near(b, x, y, int(v), m) {
				if limit--; limit < 0 {
					return limit
				}
			}
		}
	}
	return limit
}

// near reports whether v is within the values around a pixel of b.
func near(b *gray.Image, x, y, v int, m measure) bool {
	low, high := 255, 0
	for j := max(y-m.reach, 0); j <= min(y+m.reach, b.Height-1); j++ {
		for i := max(x-m.reach, 0); i <= min(x+m.reach, b.Width-1); i++ {
			p := int(b.Pix[j*b.Stride+i])
			low, high = min(low, p), max(high, p)
		}
	}
	return v >= low-m.level && v <= high+m.level
}

// ClearStamp makes the default place of a stamp white in all pictures, so that
// stamped files can be compared with references.
func ClearStamp(drawn [4]Pictures) {
	for _, pictures := range drawn {
		for _, p := range pictures {
			if p == nil {
				continue
			}
			for y := p.Height * 88 / 100; y < p.Height; y++ {
				for x := p.Width * 80 / 100; x < p.Width; x++ {
					p.Pix[y*p.Stride+x] = 255
				}
			}
		}
	}
}
