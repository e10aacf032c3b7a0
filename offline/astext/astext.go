// Package astext tells whether a PDF was changed as text on its way: by a program that took its bytes for characters,
// or that converted its line ends. Call [Of].
//
//	bytes ─▶ each stream that is not text ─▶ looks like text, and cannot be decoded ─▶ Damage
//
// The structure of such a file is text, so that it survives; programs that draw it show pages without their contents,
// and say nothing. Nothing is parsed, since the offsets of such a file lead nowhere.
package astext

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"
)

// How is the change of bytes, in words that follow "its bytes".
type How string

// The changes.
const (
	UTF8  How = "were written as UTF-8"
	ASCII How = "were made ASCII, without the eighth bit"
	Lines How = "have converted line ends"
)

// Damage is the first stream of a file that was changed as text.
type Damage struct {
	Object int // its number; 0: not known
	How    How
}

// Limits on the work on one file, whose bytes are a stranger's.
const (
	maxStreams  = 20_000
	maxHead     = 2 << 10  // bytes of a stream's dictionary
	maxLooked   = 4 << 10  // bytes of a stream that are looked at before it is decoded
	maxInflated = 64 << 20 // bytes of all streams that are decoded
	decoding    = 4 << 10  // what the start of decoding costs, as so many bytes
)

// Of returns the first stream of file that was changed as text. found is false if there is none.
func Of(file []byte) (d Damage, found bool) {
	left := maxInflated
	sealed := sync.OnceValue(func() bool { return bytes.Contains(file, []byte("/Encrypt")) })
	for pos, n := 0, 0; n < maxStreams && left > 0; n++ {
		at := bytes.Index(file[pos:], []byte("stream"))
		if at < 0 {
			break
		}
		at += pos
		from := at + len("stream")
		pos = from
		head := file[max(0, at-maxHead):at]
		obj := bytes.LastIndex(head, []byte("obj"))
		if bytes.HasSuffix(head, []byte("end")) || obj < 0 {
			continue
		}
		end := bytes.Index(file[from:], []byte("endstream"))
		if end < 0 {
			break // of a file that is cut off
		}
		pos = from + end + len("endstream")
		s := stream{head: head[obj:], data: bytes.TrimLeft(file[from:from+end], "\r\n")}
		how := s.looks()
		if how == "" || !s.binary() {
			continue
		}
		damaged := s.improbable(how)
		if s.deflated() && !sealed() {
			damaged = s.broken(how, &left)
		}
		if damaged {
			return Damage{number(head[:obj]), how}, true
		}
	}
	return Damage{}, false
}

// number returns the number of an object, whose keyword follows before.
func number(before []byte) int {
	words := bytes.Fields(before[max(0, len(before)-32):])
	if len(words) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(string(words[len(words)-2]))
	return n
}

// A stream is one of the file: the text of its dictionary, and its bytes.
type stream struct{ head, data []byte }

func (s stream) has(words ...string) bool {
	for _, w := range words {
		if bytes.Contains(s.head, []byte(w)) {
			return true
		}
	}
	return false
}

// deflated reports whether the last encoder, or the only one, was that of zlib.
func (s stream) deflated() bool { return s.has("FlateDecode", "/Fl ", "/Fl/") }

// binary reports whether the bytes are the output of an encoder that uses all values.
func (s stream) binary() bool {
	return (s.deflated() || s.has("LZWDecode", "DCTDecode", "JPXDecode", "CCITTFaxDecode", "JBIG2Decode")) &&
		!s.has("ASCII85Decode", "ASCIIHexDecode", "/A85", "/AHx")
}

// Lengths, in bytes, from which the look of a stream says something.
const (
	least = 16   // with a decoder that fails
	sure  = 128  // alone: about half of an encoder's bytes have the eighth bit
	many  = 2048 // for the absence of a byte
)

// looks returns the change that the bytes look like, "" if there is none.
func (s stream) looks() How {
	b := s.begin()
	if len(b) < least {
		return ""
	}
	crlf := bytes.Count(b, []byte("\r\n"))
	cr, lf := bytes.Count(b, []byte("\r")), bytes.Count(b, []byte("\n"))
	switch high := bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }); {
	case high < 0:
		return ASCII
	case text(b):
		return UTF8
	case crlf > 0 && lf == crlf, crlf == 0 && s.short(), len(b) >= many && (cr == 0 || lf == 0):
		return Lines
	}
	return ""
}

// text reports whether b is UTF-8, but for a character that is cut off.
func text(b []byte) bool {
	for i := range utf8.UTFMax {
		if utf8.Valid(b[:len(b)-i]) {
			return true
		}
	}
	return false
}

// short reports whether a few of the declared bytes are missing.
func (s stream) short() bool {
	_, after, _ := bytes.Cut(s.head, []byte("/Length "))
	digits := bytes.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 || bytes.HasPrefix(after[digits:], []byte(" 0 R")) {
		return false
	}
	n, err := strconv.Atoi(string(after[:digits]))
	missing := n - len(s.data)
	return err == nil && missing > 0 && missing <= 2+len(s.data)/256
}

// begin returns the bytes that are looked at, without the end of line behind the stream.
func (s stream) begin() []byte {
	return bytes.TrimRight(s.data[:min(len(s.data), maxLooked)], "\r\n")
}

// broken reports whether zlib does not decode the bytes, which look like how. Many files have streams that lack their last
// bytes; converted line ends are no reason for that, unless bytes are missing. It takes the work from left.
func (s stream) broken(how How, left *int) bool {
	*left -= decoding
	z, err := zlib.NewReader(bytes.NewReader(s.data))
	if err != nil {
		return true
	}
	n, err := io.Copy(io.Discard, io.LimitReader(z, int64(max(*left, 0))))
	*left -= int(n)
	if how == Lines && errors.Is(err, io.ErrUnexpectedEOF) {
		return s.short()
	}
	return err != nil
}

// improbable reports whether no encoder writes bytes with such a look.
func (s stream) improbable(how How) bool {
	b := s.begin()
	if how != Lines {
		return len(b) >= sure
	}
	crlf := bytes.Count(b, []byte("\r\n"))
	return len(b) >= many && crlf >= 4 && bytes.Count(b, []byte("\n")) == crlf
}
