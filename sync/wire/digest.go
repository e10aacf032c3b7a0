package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"

	"tcode/offline/digest"
)

// Domain separators (FORMAT.md). No encoding of one kind can pass for another,
// because each starts with its own 16 bytes.
const (
	itemDomain      = "TCode-Scan/1\n\x00\x00\x00"
	batchDomain     = "TCode-Batch/1\n\x00\x00"
	resultsDomain   = "TCode-Results/1\n"
	signatureDomain = "TCode-Signed/1\n\x00"
)

// AppendCanonical appends the canonical form of the item (FORMAT.md section 2):
// every member in a fixed order, strings with their length first, numbers at a
// fixed width. Two items have the same form only if they are equal. Times are
// truncated to whole milliseconds.
func (it Item) AppendCanonical(b []byte) []byte {
	b = append(b, itemDomain...)
	b = appendString(b, it.ScanID)
	b = binary.BigEndian.AppendUint64(b, it.Seq)
	b = appendString(b, it.Payload)
	b = appendString(b, it.Reference)
	b = appendMillis(b, it.ScannedAt)
	b = appendString(b, it.OfflineVerdict)
	b = appendString(b, it.Assurance)
	b = appendString(b, it.Binding)
	b = binary.BigEndian.AppendUint64(b, it.TrustVersion)
	b = appendString(b, it.Context.Location)
	if it.Context.Coordinates {
		b = append(b, 1)
		b = binary.BigEndian.AppendUint32(b, uint32(it.Context.LatitudeE6))
		b = binary.BigEndian.AppendUint32(b, uint32(it.Context.LongitudeE6))
	} else {
		b = append(b, 0)
	}
	return appendString(b, it.Context.Note)
}

// ParseCanonical reads the canonical form of an item, and reports whether b is one.
func ParseCanonical(b []byte) (it Item, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(itemDomain))
	r := canonicalReader{b, ok}
	it.ScanID = r.text()
	it.Seq = r.number(8)
	it.Payload, it.Reference = r.text(), r.text()
	if at := int64(r.number(8)); at != math.MinInt64 {
		it.ScannedAt = time.UnixMilli(at).UTC()
		r.ok = r.ok && !it.ScannedAt.IsZero() // which has another form
	}
	it.OfflineVerdict, it.Assurance, it.Binding = r.text(), r.text(), r.text()
	it.TrustVersion = r.number(8)
	it.Context.Location = r.text()
	switch r.number(1) {
	case 0:
	case 1:
		it.Context.Coordinates = true
		it.Context.LatitudeE6, it.Context.LongitudeE6 = int32(r.number(4)), int32(r.number(4))
	default:
		r.ok = false
	}
	it.Context.Note = r.text()
	if !r.ok || len(r.b) > 0 {
		return Item{}, false
	}
	return it, true
}

// canonicalReader reads parts of a canonical form. After the first one that is cut short,
// ok is false and all others are empty.
type canonicalReader struct {
	b  []byte
	ok bool
}

func (r *canonicalReader) take(n uint64) []byte {
	if !r.ok || n > uint64(len(r.b)) {
		r.b, r.ok = nil, false
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

// number reads a number of so many bytes.
func (r *canonicalReader) number(size uint64) (n uint64) {
	for _, b := range r.take(size) {
		n = n<<8 | uint64(b)
	}
	return n
}

func (r *canonicalReader) text() string { return string(r.take(r.number(4))) }

// Digest returns SHA-256 over the canonical form. The same scan id with another
// digest is a conflict.
func (it Item) Digest() digest.SHA256 { return sha256.Sum256(it.AppendCanonical(nil)) }

// Digest returns SHA-256 over the scanner id and the digests of the items in
// order (FORMAT.md section 3). It does not cover the batch's own id and SentAt:
// a retry of the same scans has the same digest.
func (b Batch) Digest() digest.SHA256 {
	digests := make([]digest.SHA256, len(b.Items))
	for i, it := range b.Items {
		digests[i] = it.Digest()
	}
	return DigestOf(b.ScannerID, digests)
}

// DigestOf is [Batch.Digest] for callers that have only the items' digests.
func DigestOf(scannerID string, items []digest.SHA256) digest.SHA256 {
	m := append(make([]byte, 0, 32+len(scannerID)+32*len(items)), batchDomain...)
	m = appendString(m, scannerID)
	m = binary.BigEndian.AppendUint32(m, uint32(len(items)))
	for _, d := range items {
		m = append(m, d[:]...)
	}
	return sha256.Sum256(m)
}

// AppendResults appends the canonical list of the answers to b's items, in b's
// order (FORMAT.md section 5): for each item that has a result its id and
// digest, the result and its code, and the gateway's two verdicts. It leaves
// out results of other scans. n is the number of answers.
func (b Batch) AppendResults(list []byte, results []ItemResult) (_ []byte, n int) {
	of := make(map[string]ItemResult, len(results))
	for _, r := range results {
		of[r.ScanID] = r
	}
	list = append(list, resultsDomain...)
	list = appendString(list, b.ScannerID)
	for _, it := range b.Items {
		r, ok := of[it.ScanID]
		if !ok {
			continue
		}
		n++
		digest := it.Digest()
		list = appendString(list, it.ScanID)
		list = append(list, digest[:]...)
		for _, word := range []string{string(r.Result), r.Code, r.Verdict, r.VerdictAtScan} {
			list = appendString(list, word)
		}
	}
	return list, n
}

// LastSeq returns the highest sequence number of the batch, 0 if no item has one.
func (b Batch) LastSeq() (last uint64) {
	for _, it := range b.Items {
		last = max(last, it.Seq)
	}
	return last
}

func appendString(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

// appendMillis writes t as signed milliseconds since 1970 in UTC, and the zero
// time as the smallest value, which no date of RFC 3339 has.
func appendMillis(b []byte, t time.Time) []byte {
	ms := int64(-1 << 63)
	if !t.IsZero() {
		ms = t.UnixMilli()
	}
	return binary.BigEndian.AppendUint64(b, uint64(ms))
}
