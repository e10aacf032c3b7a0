package binding

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"strconv"

	"tcode/offline/payload"
)

// The text of a mark, FORMAT.md section 2. Numbers are zero-padded so that the
// length is known before the values are, and so that a program that writes the
// dictionary anew drops the zeros: a re-saved copy then has no mark, and reads
// not_checked instead of mismatch. Names and numbers are never encrypted in a
// PDF; strings would be.
const (
	markPrefix = "/TCode<</V "
	markPlain  = "1/R/" // version 1: the hole is raw
	markCipher = "2/R/" // version 2: the hole is encrypted as the file is
	markMethod = "/C/"
	markKey    = "/K/"
	markStart  = "/S "
	markLength = "/L "
	markEnd    = "/E "
	markSuffix = ">>"

	refChars   = 20 // "TCR-" and 16 Crockford characters
	markDigits = 10 // so that no mark reaches beyond 9,999,999,999 bytes
)

// MarkLen is the length of a mark without a cipher in bytes. One with a cipher
// has an entry each for the method and the key more.
const MarkLen = len(markPrefix) + len(markPlain) + refChars + 3*(len(markStart)+markDigits) + len(markSuffix)

// cipherLen is what a cipher adds to a mark besides its key, two digits a byte.
const cipherLen = len(markMethod) + len(RC4) + len(markKey)

// MaxMarks bounds what [Marks] returns.
const MaxMarks = 256

// domain separates the fingerprint from every other hash of the product.
const domain = "TCode/1"

// ErrRange is returned for a mark that points outside the file, or whose hole
// is not inside the stamped part.
var ErrRange = errors.New("mark points outside the file")

// A Mark is what a stamp's image dictionary says about where it lies. All
// numbers are bytes from the start of the file. A mark is a claim of the file,
// so none of it may be used before the fingerprint agreed with it.
type Mark struct {
	Reference payload.Reference
	Start     int64 // first byte of the hole
	Length    int64 // length of the hole
	End       int64 // end of the stamped file: first byte after our revision
	Cipher    Cipher
}

// Append appends the text of m to b; its length depends on the cipher alone.
// Numbers of more than ten digits or below zero have no text; they come out as
// all nines, which no file reaches.
func (m Mark) Append(b []byte) []byte {
	version := markPlain
	if m.Cipher.Method != "" {
		version = markCipher
	}
	b = append(append(b, markPrefix...), version...)
	b = append(b, m.Reference.String()...)
	b = appendNumber(append(b, markStart...), m.Start)
	b = appendNumber(append(b, markLength...), m.Length)
	b = appendNumber(append(b, markEnd...), m.End)
	if m.Cipher.Method != "" {
		b = m.Cipher.appendTo(b)
	}
	return append(b, markSuffix...)
}

func appendNumber(b []byte, n int64) []byte {
	digits := strconv.FormatInt(n, 10)
	if n < 0 || len(digits) > markDigits {
		digits = "9999999999"
	}
	for range markDigits - len(digits) {
		b = append(b, '0')
	}
	return append(b, digits...)
}

// Marks returns the strictly formatted marks of file in file order, at most
// 256, whether or not what they say is true. It takes linear time.
func Marks(file []byte) []Mark {
	var found []Mark
	eachMark(file, func(m Mark) bool {
		found = append(found, m)
		return len(found) < MaxMarks
	})
	return found
}

// marksOf returns the first limit different marks of ref and whether there are
// more. Marks of other references cost their scan only.
func marksOf(file []byte, ref payload.Reference, limit int) (found []Mark, more bool) {
	eachMark(file, func(m Mark) bool {
		if m.Reference != ref {
			return true
		}
		for _, f := range found {
			if f == m {
				return true // a copy says nothing new and costs no hash
			}
		}
		if len(found) == limit {
			more = true
			return false
		}
		found = append(found, m)
		return true
	})
	return found, more
}

// eachMark hands yield the marks of file in file order until it returns false.
func eachMark(file []byte, yield func(Mark) bool) {
	for {
		i := bytes.Index(file, []byte(markPrefix))
		if i < 0 || len(file)-i < MarkLen {
			return
		}
		if m, ok := parseMark(file[i:]); ok && !yield(m) {
			return
		}
		file = file[i+len(markPrefix):]
	}
}

// parseMark accepts exactly what [Mark.Append] writes, at the beginning of b,
// which has at least [MarkLen] bytes: it appends what it understood and
// compares.
func parseMark(b []byte) (Mark, bool) {
	at := len(markPrefix) + len(markPlain)
	ref, err := payload.ParseReference(string(b[at : at+refChars]))
	if err != nil {
		return Mark{}, false
	}
	m := Mark{Reference: ref}
	at += refChars
	for _, n := range []*int64{&m.Start, &m.Length, &m.End} {
		at += len(markStart)
		v, err := strconv.ParseUint(string(b[at:at+markDigits]), 10, 63)
		if err != nil {
			return Mark{}, false
		}
		*n = int64(v)
		at += markDigits
	}
	if bytes.HasPrefix(b[len(markPrefix):], []byte(markCipher)) {
		m.Cipher = parseCipher(b[at:])
		if m.Cipher.Method == "" || !m.Cipher.valid() {
			return Mark{}, false
		}
	}
	return m, bytes.HasPrefix(b, m.Append(make([]byte, 0, MarkLen)))
}

// parseCipher reads the entries of a cipher at the beginning of b. What they
// say is checked by the caller.
func parseCipher(b []byte) Cipher {
	end := bytes.Index(b[:min(len(b), cipherLen+2*32+len(markSuffix))], []byte(markSuffix))
	if end < cipherLen {
		return Cipher{}
	}
	key, err := hex.DecodeString(string(b[cipherLen:end]))
	if err != nil {
		return Cipher{}
	}
	return Cipher{Method: Method(b[len(markMethod) : len(markMethod)+len(RC4)]), Key: string(key)}
}

// Fingerprint returns the fingerprint of file under m:
//
//	SHA-256("TCode/1" ‖ reference ‖ u64 start ‖ u64 length ‖ file[:start] ‖ file[start+length:end])[:16]
//
// Bytes after m.End do not count. The error is [ErrRange].
func Fingerprint(file []byte, m Mark) ([16]byte, error) {
	f, err := NewFingerprinter(m)
	if err != nil || m.End > int64(len(file)) {
		return [16]byte{}, ErrRange
	}
	_, _ = f.Write(file[:m.End]) // a hash takes all
	return f.Sum()
}

// A Fingerprinter takes a [Fingerprint] of a file that is written to it from its
// start on, in any pieces, and so need not be in memory.
type Fingerprinter struct {
	mark Mark
	at   int64 // bytes written
	hash hash.Hash
}

// NewFingerprinter returns one for the file that m belongs to. The error is
// [ErrRange] if the hole is not inside the stamped part.
func NewFingerprinter(m Mark) (*Fingerprinter, error) {
	if m.Start < 0 || m.Length <= 0 || m.Start > m.End || m.Length > m.End-m.Start {
		return nil, ErrRange
	}
	head := make([]byte, 0, len(domain)+len(m.Reference)+16)
	head = append(head, domain...)
	head = append(head, m.Reference[:]...)
	head = binary.BigEndian.AppendUint64(head, uint64(m.Start))
	head = binary.BigEndian.AppendUint64(head, uint64(m.Length))
	h := sha256.New()
	h.Write(head)
	return &Fingerprinter{mark: m, hash: h}, nil
}

// Write takes the next bytes of the file. It always takes all of them.
func (f *Fingerprinter) Write(p []byte) (int, error) {
	part := func(from, to int64) { // of the file, as far as p has it
		from, to = max(from, f.at)-f.at, min(to, f.at+int64(len(p)))-f.at
		if from < to {
			f.hash.Write(p[from:to])
		}
	}
	part(0, f.mark.Start)
	part(f.mark.Start+f.mark.Length, f.mark.End)
	f.at += int64(len(p))
	return len(p), nil
}

// Sum returns the fingerprint. The error is [ErrRange] if the file ended before
// the mark says.
func (f *Fingerprinter) Sum() ([16]byte, error) {
	if f.at < f.mark.End {
		return [16]byte{}, ErrRange
	}
	return [16]byte(f.hash.Sum(nil)[:16]), nil
}
