package dense

// repetitions finds earlier occurrences.
type repetitions struct {
	data        []byte
	near, chain []int32 // by position: the last one before with the same three bytes, or a like hash of five; -1 if there is none
}

const mostTries = 128 // positions of the chain that are compared with one

func repetitionsOf(data []byte) *repetitions {
	r := &repetitions{data, make([]int32, len(data)), make([]int32, len(data))}
	three, five := make([]int32, 1<<24), make([]int32, 1<<hashBits) // the next position, by three bytes and by the hash
	for i := range data {
		r.near[i], r.chain[i] = -1, -1
		if i+hashed > len(data) {
			continue
		}
		key := uint64(data[i]) | uint64(data[i+1])<<8 | uint64(data[i+2])<<16
		r.near[i], three[key] = three[key]-1, int32(i)+1
		key |= uint64(data[i+3])<<24 | uint64(data[i+4])<<32
		key = key * 0x9E3779B97F4A7C15 >> (64 - hashBits)
		r.chain[i], five[key] = five[key]-1, int32(i)+1
	}
	return r
}

const hashed, hashBits = 5, 22

// A match is a repetition: all shorter lengths are possible at the distance too.
type match struct{ length, distance uint16 }

// at appends the matches at position i that end before end, each longer and further away than the one before.
func (r *repetitions) at(i, end int, found []match) []match {
	longest, limit := minMatch-1, min(maxMatch, end-i)
	compare := func(p int) {
		if longest >= limit || r.data[p+longest] != r.data[i+longest] {
			return
		}
		length := 0
		for length < limit && r.data[p+length] == r.data[i+length] {
			length++
		}
		if length > longest {
			longest = length
			found = append(found, match{uint16(length), uint16(i - p)})
		}
	}
	const mostNear = 8
	p := int(r.near[i])
	for n := 0; n < mostNear && p >= 0 && i-p <= window; n, p = n+1, int(r.near[p]) {
		compare(p)
	}
	nearest := p
	p = int(r.chain[i])
	for n := 0; n < mostTries && p >= 0 && i-p <= window && longest < limit; n, p = n+1, int(r.chain[p]) {
		if p <= nearest {
			compare(p)
		}
	}
	return found
}

// A path finds the cheapest tokens for a run of bytes.
type path struct {
	r       *repetitions
	at, end int
	matches []match // of all positions
	first   []int32 // by position: its first match; one more at the end
	cost    []float32
	by      []token // by end: the last token of the cheapest way to there
}

func newPath(r *repetitions, at, end int) *path {
	n := end - at
	p := &path{r: r, at: at, end: end, first: make([]int32, n+1), cost: make([]float32, n+1), by: make([]token, n+1)}
	for i := range n {
		p.first[i] = int32(len(p.matches))
		p.matches = r.at(at+i, end, p.matches)
	}
	p.first[n] = int32(len(p.matches))
	return p
}

// walk returns the cheapest tokens.
func (p *path) walk(c *costs) []token {
	n := p.end - p.at
	for i := range p.cost {
		p.cost[i] = 1e30
	}
	p.cost[0] = 0
	for i := range n {
		b := p.r.data[p.at+i]
		if cost := p.cost[i] + c.literal[b]; cost < p.cost[i+1] {
			p.cost[i+1], p.by[i+1] = cost, token(b)
		}
		matches := p.matches[p.first[i]:p.first[i+1]]
		length := minMatch
		if k := len(matches); k > 0 && matches[k-1].length == maxMatch {
			length = maxMatch // in a long run, shorter tokens do not help
		}
		for _, m := range matches {
			distance := p.cost[i] + c.distance[distanceCode(int(m.distance))]
			for ; length <= int(m.length); length++ {
				if cost := distance + c.length[length]; cost < p.cost[i+length] {
					p.cost[i+length], p.by[i+length] = cost, token(m.distance)<<16|token(length)
				}
			}
		}
	}
	var back []token
	for i := n; i > 0; i -= p.by[i].length() {
		back = append(back, p.by[i])
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}
