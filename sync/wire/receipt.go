package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

var (
	// ErrReceipt means that a receipt is malformed or not signed by the key it
	// should be signed by.
	ErrReceipt = errors.New("receipt does not verify")
	// ErrReceiptMismatch means that a receipt is genuine but about other scans.
	ErrReceiptMismatch = errors.New("receipt is for another batch")
)

// MaxReceiptBytes bounds a signed receipt.
const MaxReceiptBytes = 4 << 10

// receiptType is the first line of a receipt. Trust documents start with
// tcode-trust/1, so neither can pass for the other under the same key.
const receiptType = "tcode-receipt/1"

// Receipt is the gateway's word that it has committed the scans whose digests
// make up BatchDigest, and what it said of each scan of the batch. It travels as a C2SP signed note:
//
//	tcode-receipt/1
//	scanner dev_9hw0jhvrgsb2v7txgr0yaskzj4
//	batch 7d0c2a1e-35a4-4b0f-9a53-3c9de6a1f7b2 5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9
//	items 12
//	last-seq 40
//	results 13 4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce
//	time 2026-11-20T19:31:23.123Z
//
//	— <signature of the gateway's online key>
type Receipt struct {
	ScannerID   string
	BatchID     string    // of the request that it answers: a random one makes the receipt no older than the request
	BatchDigest [32]byte  // [Batch.Digest] of the items that are held
	Count       int       // how many those are, 0 to MaxItems
	LastSeq     uint64    // the highest sequence number among them, 0: not numbered
	Results     int       // how many items were answered, 1 to MaxItems
	Answers     [32]byte  // SHA-256 of [Batch.AppendResults] of all results
	Time        time.Time // gateway clock at the commit, whole milliseconds, UTC
}

// NewReceipt returns the receipt for b and its results; ok is false when no item
// of b has one.
func NewReceipt(b Batch, results []ItemResult, at time.Time) (r Receipt, ok bool) {
	c := b.Covered(results)
	list, n := b.AppendResults(nil, results)
	return Receipt{
		ScannerID:   c.ScannerID,
		BatchID:     b.ID,
		BatchDigest: c.Digest(),
		Count:       len(c.Items),
		LastSeq:     c.LastSeq(),
		Results:     n,
		Answers:     sha256.Sum256(list),
		Time:        at.UTC().Truncate(time.Millisecond),
	}, n > 0
}

// Match reports, as [ErrReceiptMismatch], when r is not about exactly b and
// these results.
func (r Receipt) Match(b Batch, results []ItemResult) error {
	want, _ := NewReceipt(b, results, r.Time)
	if r != want {
		return fmt.Errorf("%w: of %s, batch %s, %d items up to %d, %d results; want %s, %s, %d up to %d, %d", ErrReceiptMismatch,
			r.ScannerID, r.BatchID, r.Count, r.LastSeq, r.Results, want.ScannerID, want.BatchID, want.Count, want.LastSeq, want.Results)
	}
	return nil
}

// Text is the one text of r, the part of the note that is signed.
func (r Receipt) Text() []byte {
	return fmt.Appendf(nil, "%s\nscanner %s\nbatch %s %x\nitems %d\nlast-seq %d\nresults %d %x\ntime %s\n",
		receiptType, r.ScannerID, r.BatchID, r.BatchDigest, r.Count, r.LastSeq, r.Results, r.Answers, formatTime(r.Time))
}

// ParseReceipt reads the text of a receipt: no signature is looked at. Only the
// text that [Receipt.Text] writes is accepted. The error is an [ErrReceipt].
func ParseReceipt(text []byte) (Receipt, error) {
	var r Receipt
	lines := strings.Split(string(text), "\n")
	if len(lines) != 8 {
		return r, fmt.Errorf("%w: %d lines", ErrReceipt, len(lines)-1)
	}
	values := make([]string, len(lines))
	for i, name := range []string{receiptType, "scanner ", "batch ", "items ", "last-seq ", "results ", "time "} {
		v, ok := strings.CutPrefix(lines[i], name)
		if !ok {
			return r, fmt.Errorf("%w: line %d", ErrReceipt, i+1)
		}
		values[i] = v
	}
	r.ScannerID = values[1]
	id, hash, _ := strings.Cut(values[2], " ")
	r.BatchID = id
	digest, err1 := hex.DecodeString(hash)
	copy(r.BatchDigest[:], digest)
	count, err2 := strconv.ParseUint(values[3], 10, 16)
	r.Count = int(count)
	last, err3 := strconv.ParseUint(values[4], 10, 53)
	r.LastSeq = last
	number, hash, _ := strings.Cut(values[5], " ")
	results, err4 := strconv.ParseUint(number, 10, 16)
	r.Results = int(results)
	answers, err5 := hex.DecodeString(hash)
	copy(r.Answers[:], answers)
	at, err6 := parseTime(values[6])
	r.Time = at
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return r, fmt.Errorf("%w: %w", ErrReceipt, err)
	}
	if !validScannerID(r.ScannerID) || !ValidBatchID(r.BatchID) || r.Results < 1 || r.Results > MaxItems || r.Count < 0 || r.Count > r.Results || !bytes.Equal(r.Text(), text) {
		return r, fmt.Errorf("%w: not in its one form", ErrReceipt)
	}
	return r, nil
}

// SignReceipt returns r as a note signed by the gateway's online key.
func SignReceipt(r Receipt, online note.Signer) (string, error) {
	raw, err := note.Sign(&note.Note{Text: string(r.Text())}, online)
	if err != nil {
		return "", fmt.Errorf("sign receipt: %w", err)
	}
	return string(raw), nil
}

// OpenReceipt verifies a signed receipt with the online key of the device's
// trust state. The error is an [ErrReceipt].
func OpenReceipt(raw string, online note.Verifier) (Receipt, error) {
	if len(raw) > MaxReceiptBytes {
		return Receipt{}, fmt.Errorf("%w: %d bytes", ErrReceipt, len(raw))
	}
	n, err := note.Open([]byte(raw), note.VerifierList(online))
	if err != nil {
		return Receipt{}, fmt.Errorf("%w: %w", ErrReceipt, err)
	}
	return ParseReceipt([]byte(n.Text))
}
