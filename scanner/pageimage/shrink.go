package pageimage

import "tcode/scanner/gray"

// A shrinker makes a picture smaller row by row: each of its px is the mean of the px that it covers.
type shrinker struct {
	img      *gray.Image
	w, h     int
	y        int       // the next row
	sums     []float32 // of the row that is being made, each times its weight
	held     int       // that row
	straight bool
}

// newShrinker returns a shrinker from w by h px to wide by high ones, at most as many.
func newShrinker(w, h, wide, high int) *shrinker {
	return &shrinker{img: gray.New(wide, high), w: w, h: h, sums: make([]float32, wide), straight: w == wide && h == high}
}

// row takes the next row of w px.
func (s *shrinker) row(line []byte) {
	if s.straight {
		copy(s.img.Row(s.y), line)
		s.y++
		return
	}
	// In units of 1/h of a row of the new picture, this row is from y*high to (y+1)*high, and each new one h long.
	from, to := s.y*s.img.Height, (s.y+1)*s.img.Height
	s.y++
	for from < to {
		part := min(to, (s.held+1)*s.h) - from
		s.add(line, float32(part)/float32(s.h))
		if from += part; from == (s.held+1)*s.h {
			s.flush()
		}
	}
}

// add adds a row to the sums, weight of it, up to 1.
func (s *shrinker) add(line []byte, weight float32) {
	wide := s.img.Width
	if s.w == wide {
		for x, v := range line {
			s.sums[x] += weight * float32(v)
		}
		return
	}
	scale := weight / float32(s.w)
	x, room := 0, s.w // of px x, which is s.w long; each old one is wide long
	for _, v := range line {
		if wide < room {
			s.sums[x] += scale * float32(wide) * float32(v)
			room -= wide
			continue
		}
		s.sums[x] += scale * float32(room) * float32(v)
		if rest := wide - room; x+1 < wide {
			x++
			s.sums[x] += scale * float32(rest) * float32(v)
			room = s.w - rest
		}
	}
}

func (s *shrinker) flush() {
	to := s.img.Row(s.held)
	for x, v := range s.sums {
		to[x] = byte(v + 0.5)
		s.sums[x] = 0
	}
	s.held++
}

// Shrink returns img as w by h px, each at most its own size: img itself if it has this size.
func Shrink(img *gray.Image, w, h int) *gray.Image {
	if img.Width == w && img.Height == h {
		return img
	}
	s := newShrinker(img.Width, img.Height, w, h)
	for y := range img.Height {
		s.row(img.Row(y))
	}
	return s.img
}
