package pdfstamp

import "errors"

// Limits on the cost of a file. Real files stay far below: the largest page
// of the corpus has 3 MB of content, its deepest object 12 levels.
const (
	maxDepth    = 100       // nested containers
	maxObjects  = 2_000_000 // parsed tokens of one file
	maxContents = 64 << 20  // bytes that one stream, and one page's contents, may inflate to
	maxInflated = 256 << 20 // bytes that streams may inflate to, all together
	maxScanned  = 256 << 20 // bytes of long strings and white space, and searched for a missing endstream
	maxEntries  = 1 << 20   // cross-reference entries
	maxSections = 1024      // cross-reference sections
	maxNodes    = 20_000    // page tree and form field nodes, content streams of a page
	maxNumber   = 8_388_607 // highest object number (ISO 32000-1, annex C)
)

// errTooComplex is returned when one of the bounds is met.
var errTooComplex = errors.New("file is too complex")

// A budget counts down the total cost of one file.
type budget struct {
	objects, inflated, scanned int

	highest int // object number that anything read refers to
}

func newBudget() *budget {
	return &budget{objects: maxObjects, inflated: maxInflated, scanned: maxScanned}
}

// refer notes a reference. No new object gets a number that is referred to: an absent
// object would become the new one, on any page.
func (b *budget) refer(n int) {
	if b != nil && n <= maxNumber/2 {
		b.highest = max(b.highest, n)
	}
}

// object counts one more token.
func (b *budget) object() error {
	if b.scanned == 0 {
		return errTooComplex
	}
	return take(&b.objects, 1)
}

// long is the length from which a run of bytes counts as scanned. Where an
// object cannot be parsed the search continues after its beginning, so that it may
// pass one run many times.
const long = 256

// scan counts a run of n bytes that was passed. Once too much was, no object
// parses. A nil budget is that of page contents, which are passed once.
func (b *budget) scan(n int) {
	if b != nil && n >= long {
		_ = take(&b.scanned, n)
	}
}

func take(left *int, n int) error {
	if n > *left {
		*left = 0
		return errTooComplex
	}
	*left -= n
	return nil
}
