package pdfobj

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
)

// rivals compares the objects that the cross-reference names with all objects in the file.
// Programs that follow the cross-reference show the former. Programs that make a
// cross-reference of their own, because they reject something, show the last object of
// each number.
type rivals struct {
	chain *chain
	seen  map[int]rival
	used  bits // numbers of references in objects that the cross-reference names
	seed  maphash.Seed
}

type rival struct {
	named, last uint64 // sums of the bytes
	found       bool   // the named one was found
	several     bool   // others are different
}

func newRivals(c *chain) *rivals {
	r := &rivals{chain: c, seen: map[int]rival{}, seed: maphash.MakeSeed()}
	for _, t := range c.trailers {
		pdfRefs(t, &r.used)
	}
	return r
}

// pdfRefs notes the numbers to which v refers.
func pdfRefs(v any, used *bits) {
	Each(v, func(v any) {
		if n, isRef := v.(Ref); isRef {
			used.set(int(n))
		}
	})
}

// names reports whether the cross-reference names the object num whose keyword is at at,
// or the trailer there.
func (r *rivals) names(num, at int) bool {
	if r.chain.wrong != "" {
		return false
	}
	if num == Trailer {
		return r.chain.tails[at+len("obj")]
	}
	e, ok := r.chain.entries[num]
	return ok && e.at == at && at > 0
}

// packs reports whether the cross-reference names object num as the nth one of the object
// stream.
func (r *rivals) packs(num, stream, nth int) bool {
	e, ok := r.chain.entries[num]
	return ok && e.stream == stream && e.index == nth && r.chain.wrong == ""
}

// add notes object num with the bytes b, which stands behind the objects noted before. It
// returns false if there are too many.
func (r *rivals) add(num int, named bool, b []byte) bool {
	sum := maphash.Bytes(r.seed, bytes.TrimSpace(b))
	now, before := r.seen[num]
	now.several = now.several || before && now.last != sum
	if now.last = sum; named {
		now.named, now.found = sum, true
	}
	r.seen[num] = now
	return len(r.seen) <= maxObjects
}

// verdict names, as a clause, the object for which programs may take another one.
func (r *rivals) verdict() string {
	if r.chain.wrong != "" {
		return ""
	}
	size, isInt := r.chain.trailers[0]["Size"].(int)
	for _, num := range slices.Sorted(maps.Keys(r.seen)) {
		now := r.seen[num]
		e, listed := r.chain.entries[num]
		switch {
		case now.found && now.last != now.named:
			return fmt.Sprintf("object %d stands in it again, behind the one that its cross-reference names", num)
		case r.chain.loose != "" && now.several:
			return r.chain.loose
		case !r.used.has(num) || now.found && isInt && num < size:
		case listed && (e.at > 0 || e.stream > 0) && now.found:
			return fmt.Sprintf("object %d is beyond the size that its trailer says", num)
		default:
			return fmt.Sprintf("object %d is used and does not stand where its cross-reference says", num)
		}
	}
	return ""
}

// bits is a set of small numbers.
type bits []uint64

func (b *bits) set(n int) {
	if n < 0 || n > maxNumber {
		return
	}
	for len(*b) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bits) has(n int) bool { return n >= 0 && n/64 < len(b) && b[n/64]>>(n%64)&1 == 1 }
