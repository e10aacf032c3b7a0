package pdfstamp

import "errors"

// Bounds on what a file may cost. Real files stay far below: the largest page
// of the corpus has 3 MB of content, its deepest object 12 levels.
const (
	maxDepth    = 100       // nested containers
	maxObjects  = 2_000_000 // parsed tokens of one file
	maxContents = 64 << 20  // bytes that one stream, and one page's contents, may inflate to
	maxInflated = 256 << 20 // bytes that streams may inflate to, all together
	maxScanned  = 256 << 20 // bytes searched for a missing endstream
	maxEntries  = 1 << 20   // cross-reference entries
	maxSections = 1024      // cross-reference sections
	maxNodes    = 20_000    // page tree and form field nodes
	maxNumber   = 8_388_607 // highest object number (ISO 32000-1, annex C)
)

// errTooComplex is returned when one of the bounds is met.
var errTooComplex = errors.New("file is too complex")

// A budget counts down what one file may cost in all.
type budget struct {
	objects, inflated, scanned int
}

func newBudget() *budget { return &budget{maxObjects, maxInflated, maxScanned} }

func (b *budget) object() error { return take(&b.objects, 1) }

func take(left *int, n int) error {
	if n > *left {
		*left = 0
		return errTooComplex
	}
	*left -= n
	return nil
}
