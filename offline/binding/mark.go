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

// These constants make up the text of a mark, FORMAT.md section 2. Numbers are
// zero-padded so that the length is known before the values are, and because a
// program that rewrites the dictionary drops the zeros: a re-saved copy then
// has no mark and is not_checked instead of mismatch. PDF encryption leaves
// names and numbers alone, but not strings.
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

// MarkLen is the length in bytes of a mark without a cipher. A mark with a
// cipher also has an entry for the method and one for the key.
const MarkLen = len(markPrefix) + len(markPlain) + refChars + 3*(len(markStart)+markDigits) + len(markSuffix)

// cipherLen is the length that a cipher adds to a mark, without the key, which
// takes two digits a byte.
const cipherLen = len(markMethod) + len(RC4) + len(markKey)

// MaxMarks is the largest number of marks that [Marks] returns.
const MaxMarks = 256

// domain separates the fingerprint from every other hash of this project.
const domain = "TCode/1"

// ErrRange is returned for a mark that points outside the file, or whose hole
// is not inside the stamped part.
var ErrRange = errors.New("mark points outside the file")

// A Mark is the part of a stamp's image dictionary that says where the stamp
// lies. All numbers are bytes from the start of the file. A mark proves
// nothing, so no program may use it before the fingerprint has confirmed it.
type Mark struct {
	Reference payload.Reference
	Start     int64 // first byte of the hole
	Length    int64 // length of the hole
	End       int64 // end of the stamped file: first byte after our revision
	Cipher    Cipher
}

// Append appends the text of m to b. The length depends on the cipher alone. A
// number below zero or of more than ten digits has no text: Append writes ten
// nines, which is beyond the end of any file.
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
// 256. They may be false. It takes linear time.
func Marks(file []byte) []Mark {
	var found []Mark
	eachMark(file, func(m Mark) bool {
		found = append(found, m)
		return len(found) < MaxMarks
	})
	return found
}

// marksOf returns the first limit different marks of ref, and whether there are
// more. Marks of other references cost only the time to scan them.
func marksOf(file []byte, ref payload.Reference, limit int) (found []Mark, more bool) {
	eachMark(file, func(m Mark) bool {
		if m.Reference != ref {
			return true
		}
		for _, f := range found {
			if f == m {
				return true // a copy adds no information and costs no hash
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

// eachMark calls yield with the marks of file in file order until it returns false.
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

// parseMark accepts exactly the text that [Mark.Append] writes, at the
// beginning of b, which has at least [MarkLen] bytes: it appends the mark that
// it has read and compares.
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

// parseCipher reads the entries of a cipher at the beginning of b. The caller
// checks their values.
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
	_, _ = f.Write(file[:m.End]) // a hash never returns an error
	return f.Sum()
}

// A Fingerprinter computes a [Fingerprint] from a file that is written to it in
// order, in pieces of any size, so that the file need not be in memory.
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

// Write adds the next bytes of the file. It always takes all of them.
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
// the end that the mark names.
func (f *Fingerprinter) Sum() ([16]byte, error) {
	if f.at < f.mark.End {
		return [16]byte{}, ErrRange
	}
	return [16]byte(f.hash.Sum(nil)[:16]), nil
}
