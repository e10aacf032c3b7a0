package dense

import (
	"math/bits"
	"slices"
)

// A bitWriter writes bits, lowest first.
type bitWriter struct {
	out  []byte
	word uint64
	n    int // bits in word
}

func (w *bitWriter) write(v uint64, n int) {
	w.word |= v << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.word))
		w.word >>= 8
	}
}

// align fills the last byte with zeros.
func (w *bitWriter) align() { w.write(0, (8-w.n)%8) }

// A code has the bits of each symbol, in the order in which they are written.
type code struct {
	lengths []int
	bits    []uint64
}

// newCode returns a code with the given lengths (RFC 1951, 3.2.2).
func newCode(lengths []int) code {
	c := code{lengths, make([]uint64, len(lengths))}
	next := uint64(0)
	for n := 1; n <= 15; n++ {
		next <<= 1
		for i, l := range lengths {
			if l == n {
				c.bits[i] = bits.Reverse64(next) >> (64 - n)
				next++
			}
		}
	}
	return c
}

func (c code) write(w *bitWriter, symbol int) { w.write(c.bits[symbol], c.lengths[symbol]) }

// lengthsOf returns the lengths of a Huffman code of at most limit bits, 0 for unused symbols.
func lengthsOf(uses []int, limit int) []int {
	uses = slices.Clone(uses)
	for {
		lengths := huffman(uses)
		if slices.Max(lengths) <= limit {
			return lengths
		}
		for i, n := range uses { // flatter, and so shorter
			if n > 0 {
				uses[i] = n/2 + 1
			}
		}
	}
}

// huffman returns the lengths of the optimal code. One symbol alone has one bit.
func huffman(uses []int) []int {
	type node struct{ uses, parent int }
	var nodes []node
	var symbols []int
	for i, n := range uses {
		if n > 0 {
			symbols = append(symbols, i)
		}
	}
	slices.SortStableFunc(symbols, func(a, b int) int { return uses[a] - uses[b] })
	for _, s := range symbols {
		nodes = append(nodes, node{uses: uses[s]})
	}
	leaf, inner := 0, len(symbols)
	least := func() int { // of the leaves and inner nodes that have no parent; both ascend
		if leaf < len(symbols) && (inner == len(nodes) || nodes[leaf].uses <= nodes[inner].uses) {
			leaf++
			return leaf - 1
		}
		inner++
		return inner - 1
	}
	for range len(symbols) - 1 {
		a, b := least(), least()
		nodes[a].parent, nodes[b].parent = len(nodes), len(nodes)
		nodes = append(nodes, node{uses: nodes[a].uses + nodes[b].uses})
	}
	depth := make([]int, len(nodes))
	lengths := make([]int, len(uses))
	for i := len(nodes) - 2; i >= 0; i-- {
		depth[i] = depth[nodes[i].parent] + 1
	}
	for i, s := range symbols {
		lengths[s] = max(depth[i], 1)
	}
	return lengths
}

// A header has both codes of a block in the form in which they are written (RFC 1951, 3.2.7).
type header struct {
	literal, distance code
	hlit, hdist       int
	runs              []run
	runCode           code
	hclen             int
}

// A run is a symbol of the alphabet of code lengths, with its extra bits.
type run struct{ symbol, extra, extraBits int }

var runOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

func headerOf(h *histogram) header {
	d := h.distance
	for i := range 2 { // two codes at least: some programs refuse fewer
		d[i] = max(d[i], 1)
	}
	const longest, longestRun = 15, 7
	r := header{literal: newCode(lengthsOf(h.literal[:], longest)), distance: newCode(lengthsOf(d[:], longest))}
	r.hlit, r.hdist = used(r.literal.lengths, firstLength), used(r.distance.lengths, 1)
	r.runs = runsOf(slices.Concat(r.literal.lengths[:r.hlit], r.distance.lengths[:r.hdist]))
	uses := make([]int, len(runOrder))
	for _, u := range r.runs {
		uses[u.symbol]++
	}
	r.runCode = newCode(lengthsOf(uses, longestRun))
	r.hclen = len(runOrder)
	for r.hclen > 4 && r.runCode.lengths[runOrder[r.hclen-1]] == 0 {
		r.hclen--
	}
	return r
}

// used returns the number of lengths up to the last that is not 0, at least least.
func used(lengths []int, least int) int {
	n := len(lengths)
	for n > least && lengths[n-1] == 0 {
		n--
	}
	return n
}

// runsOf packs runs of equal lengths.
func runsOf(lengths []int) (runs []run) {
	for i := 0; i < len(lengths); {
		n := 1
		for i+n < len(lengths) && lengths[i+n] == lengths[i] {
			n++
		}
		value, left := lengths[i], n
		i += n
		if value > 0 {
			runs, left = append(runs, run{symbol: value}), left-1
		}
		for left >= 3 {
			switch {
			case value > 0:
				k := min(left, 6)
				runs, left = append(runs, run{16, k - 3, 2}), left-k
			case left > 10:
				k := min(left, 138)
				runs, left = append(runs, run{18, k - 11, 7}), left-k
			default:
				runs, left = append(runs, run{17, left - 3, 3}), 0
			}
		}
		for range left {
			runs = append(runs, run{symbol: value})
		}
	}
	return runs
}

// sizeOf returns the bits of a block.
func sizeOf(h *histogram) int {
	r := headerOf(h)
	n := 3 + 5 + 5 + 4 + 3*r.hclen
	for _, u := range r.runs {
		n += r.runCode.lengths[u.symbol] + u.extraBits
	}
	for i, uses := range h.literal {
		n += uses * r.literal.lengths[i]
		if i >= firstLength {
			n += uses * lengthExtra(i-firstLength)
		}
	}
	for i, uses := range h.distance {
		n += uses * (r.distance.lengths[i] + distanceExtra(i))
	}
	return n
}

// block writes one block with codes of its own.
func (w *bitWriter) block(tokens []token, last bool) {
	final := uint64(0)
	if last {
		final = 1
	}
	const dynamic = 2
	w.write(final, 1)
	w.write(dynamic, 2)
	r := headerOf(count(tokens))
	w.write(uint64(r.hlit-firstLength), 5)
	w.write(uint64(r.hdist-1), 5)
	w.write(uint64(r.hclen-4), 4)
	for _, symbol := range runOrder[:r.hclen] {
		w.write(uint64(r.runCode.lengths[symbol]), 3)
	}
	for _, u := range r.runs {
		r.runCode.write(w, u.symbol)
		w.write(uint64(u.extra), u.extraBits)
	}
	for _, t := range tokens {
		if t.literal() {
			r.literal.write(w, int(t))
			continue
		}
		l, d := lengthCode(t.length()), distanceCode(t.distance())
		r.literal.write(w, firstLength+l)
		extra := lengthExtra(l)
		w.write(uint64(t.length()-minMatch)&(1<<extra-1), extra)
		r.distance.write(w, d)
		extra = distanceExtra(d)
		w.write(uint64(t.distance()-1)&(1<<extra-1), extra)
	}
	r.literal.write(w, endOfBlock)
}
