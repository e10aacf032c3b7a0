package wire

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tcode/offline/digest"
)

var (
	// ErrReceipt means that a receipt is malformed or not signed by the
	// expected key.
	ErrReceipt = errors.New("receipt does not verify")
	// ErrReceiptMismatch means that a receipt is genuine but about other scans.
	ErrReceiptMismatch = errors.New("receipt is for another batch")
)

// MaxReceiptBytes bounds a signed receipt.
const MaxReceiptBytes = 4 << 10

// receiptType is the first line of a receipt. Trust documents start with
// tcode-trust/1, so neither passes for the other under the same key.
const receiptType = "tcode-receipt/1"

// A Receipt is the gateway's signed statement that it has committed the scans
// whose digests make up BatchDigest and the batch's clock events, with its
// answer to each scan of the batch. It is sent as a C2SP signed note:
//
//	tcode-receipt/1
//	scanner dev_9hw0jhvrgsb2v7txgr0yaskzj4
//	batch 7d0c2a1e-35a4-4b0f-9a53-3c9de6a1f7b2 5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9
//	items 12
//	last-seq 40
//	results 13 4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce
//	clock 1 d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35
//	time 2026-11-20T19:31:23.123Z
//
// The line clock is present only with clock events.
//
//	— <signature of the gateway's online key>
type Receipt struct {
	ScannerID   string
	BatchID     string        // of the request that it answers: a random one makes the receipt no older than the request
	BatchDigest digest.SHA256 // [Batch.Digest] of the held items
	Count       int           // number of held items, 0 to MaxItems
	LastSeq     uint64        // the highest sequence number among them, 0: not numbered
	Results     int           // number of answered items, at most MaxItems; 0 only with clock events
	Answers     digest.SHA256 // SHA-256 of [Batch.AppendResults] of all results
	Clock       int           // number of held clock events, at most MaxClockEvents
	ClockDigest digest.SHA256 // [Batch.ClockDigest]; zero without clock events
	Time        time.Time     // gateway clock at the commit, whole milliseconds, UTC
}

// NewReceipt returns the receipt for b, its clock events and its results; ok is
// false if there are neither.
func NewReceipt(b Batch, results []ItemResult, at time.Time) (r Receipt, ok bool) {
	c := b.Covered(results)
	list, n := b.AppendResults(nil, results)
	r = Receipt{
		ScannerID:   c.ScannerID,
		BatchID:     b.ID,
		BatchDigest: c.Digest(),
		Count:       len(c.Items),
		LastSeq:     c.LastSeq(),
		Results:     n,
		Answers:     sha256.Sum256(list),
		Clock:       len(b.Clock),
		Time:        at.UTC().Truncate(time.Millisecond),
	}
	if r.Clock > 0 {
		r.ClockDigest = b.ClockDigest()
	}
	return r, n > 0 || r.Clock > 0
}

// Match returns an [ErrReceiptMismatch] if r is not about exactly b and these
// results. A receipt without clock events (Clock 0) matches a batch that has
// some: the gateway does not hold them.
func (r Receipt) Match(b Batch, results []ItemResult) error {
	if r.Clock == 0 {
		b.Clock = nil
	}
	want, _ := NewReceipt(b, results, r.Time)
	if r != want {
		return fmt.Errorf("%w: of %s, batch %s, %d items up to %d, %d results; want %s, %s, %d up to %d, %d", ErrReceiptMismatch,
			r.ScannerID, r.BatchID, r.Count, r.LastSeq, r.Results, want.ScannerID, want.BatchID, want.Count, want.LastSeq, want.Results)
	}
	return nil
}

// Text returns the only text of r, the signed part of the note.
func (r Receipt) Text() []byte {
	text := fmt.Appendf(nil, "%s\nscanner %s\nbatch %s %s\nitems %d\nlast-seq %d\nresults %d %s\n",
		receiptType, r.ScannerID, r.BatchID, r.BatchDigest, r.Count, r.LastSeq, r.Results, r.Answers)
	if r.Clock > 0 {
		text = fmt.Appendf(text, "clock %d %s\n", r.Clock, r.ClockDigest)
	}
	return fmt.Appendf(text, "time %s\n", formatTime(r.Time))
}

// ParseReceipt reads the text of a receipt without checking a signature. It
// accepts only the text that [Receipt.Text] writes. The error is an [ErrReceipt].
func ParseReceipt(text []byte) (Receipt, error) {
	var r Receipt
	lines := strings.Split(string(text), "\n")
	names := []string{receiptType, "scanner ", "batch ", "items ", "last-seq ", "results ", "time "}
	if len(lines) == 9 {
		names = slices.Insert(names, 6, "clock ")
	}
	if len(lines) != len(names)+1 {
		return r, fmt.Errorf("%w: %d lines", ErrReceipt, len(lines)-1)
	}
	values := make([]string, len(lines))
	for i, name := range names {
		v, ok := strings.CutPrefix(lines[i], name)
		if !ok {
			return r, fmt.Errorf("%w: line %d", ErrReceipt, i+1)
		}
		values[i] = v
	}
	r.ScannerID = values[1]
	id, hash, _ := strings.Cut(values[2], " ")
	r.BatchID = id
	var err1, err5 error
	r.BatchDigest, err1 = digest.Parse(hash)
	count, err2 := strconv.ParseUint(values[3], 10, 16)
	r.Count = int(count)
	last, err3 := strconv.ParseUint(values[4], 10, 53)
	r.LastSeq = last
	number, hash, _ := strings.Cut(values[5], " ")
	results, err4 := strconv.ParseUint(number, 10, 16)
	r.Results = int(results)
	r.Answers, err5 = digest.Parse(hash)
	at, err6 := parseTime(values[len(names)-1])
	r.Time = at
	err7 := r.parseClock(values[6 : len(names)-1])
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
		return r, fmt.Errorf("%w: %w", ErrReceipt, err)
	}
	if !validScannerID(r.ScannerID) || !ValidBatchID(r.BatchID) || r.Results < 1 && r.Clock < 1 || r.Clock > MaxClockEvents ||
		r.Results > MaxItems || r.Count < 0 || r.Count > r.Results || !bytes.Equal(r.Text(), text) {
		return r, fmt.Errorf("%w: not in canonical form", ErrReceipt)
	}
	return r, nil
}

// parseClock reads the line about clock events, if there is one.
func (r *Receipt) parseClock(line []string) error {
	if len(line) == 0 {
		return nil
	}
	number, hash, _ := strings.Cut(line[0], " ")
	n, err := strconv.ParseUint(number, 10, 16)
	r.Clock = int(n)
	var err2 error
	r.ClockDigest, err2 = digest.Parse(hash)
	return errors.Join(err, err2)
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
