package outbox

import (
	"cmp"
	"slices"
)

// maxGap is the largest difference between the ids of two receipts, or two repairs, that follow one another. Ids come from the
// disk, so one of them may be made up: the ids behind a larger gap stay as they are, and new ones are assigned before it.
const maxGap = 1_000_000

// nextID returns the id for a new record of a kind that has n records, whose ids are in order: the id is not in use.
func nextID(n int, id func(i int) int64) int64 {
	last := int64(0)
	for i := 0; i < n && id(i)-last <= maxGap; i++ {
		last = id(i)
	}
	return last + 1
}

// nextReceipt returns the id of the next receipt.
func (b *Book) nextReceipt() int64 {
	return nextID(len(b.proofs), func(i int) int64 { return b.proofs[i].id })
}

// proofAt returns the place of the receipt with this id, or the place where it would be.
func (b *Book) proofAt(id int64) (i int, held bool) {
	return slices.BinarySearchFunc(b.proofs, id, func(p proof, id int64) int { return cmp.Compare(p.id, id) })
}
