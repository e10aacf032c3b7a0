package intake

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxNear is the number of characters of a name that count for its likeness.
const maxNear = 100

// A pair is two characters of a name, one behind the other.
type pair [2]rune

// Names are file names among which the one is found that looks most like another.
type Names struct {
	names []string
	sizes []int // pairs of each
	with  map[pair][]int32
}

// NewNames returns the names for searches.
func NewNames(names []string) *Names {
	n := &Names{names, make([]int, len(names)), map[pair][]int32{}}
	for i, name := range names {
		pairs := pairsOf(name)
		n.sizes[i] = len(pairs)
		for p := range pairs {
			n.with[p] = append(n.with[p], int32(i))
		}
	}
	return n
}

// Nearest returns the name that has the most pairs in common with another (Dice's
// coefficient), "" if no name has half of them.
func (n *Names) Nearest(name string) string {
	pairs, common := pairsOf(name), map[int32]int{}
	for p := range pairs {
		for _, i := range n.with[p] {
			common[i]++
		}
	}
	nearest, most := "", 0.5
	for i, both := range common {
		like := 2 * float64(both) / float64(len(pairs)+n.sizes[i])
		if like > most || like == most && n.names[i] < nearest {
			nearest, most = n.names[i], like
		}
	}
	return nearest
}

// pairsOf returns the pairs of a name without folders, ending, accents and case, and with its
// ends.
func pairsOf(name string) map[pair]struct{} {
	name = base(loose(canonical(name)))
	out, last, left := map[pair]struct{}{}, ' ', maxNear
	for _, r := range norm.NFD.String(strings.TrimSuffix(name, path.Ext(name))) + " " {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		out[pair{last, r}] = struct{}{}
		if last = r; left == 0 {
			break
		}
		left--
	}
	return out
}
