package dense

import (
	"math"
	"math/bits"
)

const (
	endOfBlock  = 256
	literals    = 286 // bytes, the end and lengths
	distances   = 30
	firstLength = 257
)

// A histogram has the number of uses of each symbol.
type histogram struct {
	literal  [literals]int
	distance [distances]int
}

func count(tokens []token) *histogram {
	h := &histogram{}
	h.literal[endOfBlock] = 1
	for _, t := range tokens {
		h.add(t)
	}
	return h
}

func (h *histogram) add(t token) {
	if t.literal() {
		h.literal[t]++
		return
	}
	h.literal[firstLength+lengthCode(t.length())]++
	h.distance[distanceCode(t.distance())]++
}

// lengthCode returns the code of a length, without 257 (RFC 1951, 3.2.5).
func lengthCode(length int) int {
	n := length - minMatch
	switch {
	case length == maxMatch:
		return 28
	case n < 8:
		return n
	}
	extra := bits.Len(uint(n)) - 3
	return extra*4 + n>>extra
}

// lengthExtra returns the number of extra bits of a code of lengths.
func lengthExtra(code int) int {
	if code < 8 || code == 28 {
		return 0
	}
	return code/4 - 1
}

func distanceCode(distance int) int {
	n := distance - 1
	if n < 4 {
		return n
	}
	extra := bits.Len(uint(n)) - 2
	return extra*2 + n>>extra
}

func distanceExtra(code int) int { return max(0, code/2-1) }

// costs are in bits, with the extra ones.
type costs struct {
	literal  [256]float32
	length   [maxMatch + 1]float32
	distance [distances]float32
}

// guess returns costs for data of which nothing is known.
func guess() *costs {
	c := &costs{}
	for i := range c.literal {
		c.literal[i] = 7
	}
	for n := minMatch; n <= maxMatch; n++ {
		c.length[n] = 6 + float32(lengthExtra(lengthCode(n)))
	}
	for code := range c.distance {
		c.distance[code] = 5 + float32(distanceExtra(code))
	}
	return c
}

// costsOf returns the costs for data like that of h.
func costsOf(h *histogram) *costs {
	c := &costs{}
	all := entropies(h.literal[:])
	copy(c.literal[:], all[:256])
	for n := minMatch; n <= maxMatch; n++ {
		code := lengthCode(n)
		c.length[n] = all[firstLength+code] + float32(lengthExtra(code))
	}
	for code, e := range entropies(h.distance[:]) {
		c.distance[code] = e + float32(distanceExtra(code))
	}
	return c
}

// entropies returns the ideal number of bits of each symbol. An unused one costs as if it were used once.
func entropies(uses []int) []float32 {
	total := 0
	for _, n := range uses {
		total += n
	}
	out := make([]float32, len(uses))
	for i, n := range uses {
		out[i] = float32(math.Log2(float64(max(total, 1)) / float64(max(n, 1))))
	}
	return out
}

// estimate returns the ideal number of bits of a block, with a guess for its codes.
func (h *histogram) estimate() float64 {
	sum, used := 0.0, 0
	for i, e := range entropies(h.literal[:]) {
		if h.literal[i] > 0 {
			used++
		}
		if i >= firstLength {
			e += float32(lengthExtra(i - firstLength))
		}
		sum += float64(h.literal[i]) * float64(e)
	}
	for i, e := range entropies(h.distance[:]) {
		if h.distance[i] > 0 {
			used++
		}
		sum += float64(h.distance[i]) * float64(e+float32(distanceExtra(i)))
	}
	const perSymbol, perBlock = 3, 100 // of the codes
	return sum + perSymbol*float64(used) + perBlock
}

// split cuts tokens into blocks whose estimates have the least sum.
func split(tokens []token) [][]token {
	const unit, most = 1024, 96 // tokens, units of a block
	var units []*histogram
	for at := 0; at < len(tokens); at += unit {
		units = append(units, count(tokens[at:min(at+unit, len(tokens))]))
	}
	least, start := make([]float64, len(units)+1), make([]int, len(units)+1)
	for end := 1; end <= len(units); end++ {
		least[end] = math.Inf(1)
		sum := &histogram{}
		for at := end - 1; at >= max(0, end-most); at-- {
			sum.merge(units[at])
			if n := least[at] + sum.estimate(); n < least[end] {
				least[end], start[end] = n, at
			}
		}
	}
	var back [][]token
	for end := len(units); end > 0; end = start[end] {
		back = append(back, tokens[start[end]*unit:min(end*unit, len(tokens))])
	}
	if len(back) == 0 {
		back = [][]token{nil}
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

func (h *histogram) merge(other *histogram) {
	for i, n := range other.literal {
		h.literal[i] += n
	}
	for i, n := range other.distance {
		h.distance[i] += n
	}
	h.literal[endOfBlock] = 1
}
