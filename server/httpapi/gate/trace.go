package gate

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
)

// A span is the part of a trace that belongs to one request (W3C Trace Context).
type span struct {
	trace    string // 32 hexadecimal digits
	parent   string // span of the caller, 16 digits; "" if the trace begins here
	id       string // 16 digits
	sampled  bool
	response string // value of the traceresponse header
}

// newSpan returns a span of the trace that a traceparent header names, or of a
// new trace if the header is absent or malformed (section 3.2).
func newSpan(traceparent string) span {
	var s span
	if traceparent != "" {
		parts := strings.Split(traceparent, "-")
		if len(parts) >= 4 && lowerHex(parts[0], 2) && parts[0] != "ff" && lowerHex(parts[1], 32) &&
			lowerHex(parts[2], 16) && lowerHex(parts[3], 2) && (parts[0] != "00" || len(parts) == 4) &&
			strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != "" {
			s.trace, s.parent = parts[1], parts[2]
			s.sampled = strings.ContainsAny(parts[3][1:], "13579bdf")
		}
	}
	// A traceresponse (Trace Context level 2, section 4) has the form of a
	// traceparent; the ids are parts of that one string.
	const from, idFrom, flagsFrom = 3, 3 + 32 + 1, 3 + 32 + 1 + 16 + 1
	b := []byte("00-00000000000000000000000000000000-0000000000000000-00")
	if s.trace != "" {
		copy(b[from:], s.trace)
	} else {
		randomHex(b[from : from+32])
	}
	randomHex(b[idFrom : idFrom+16])
	if s.sampled {
		b[flagsFrom+1] = '1'
	}
	s.response = string(b)
	s.trace, s.id = s.response[from:from+32], s.response[idFrom:idFrom+16]
	return s
}

// TraceID returns the trace that a traceparent header names, or that of a new trace.
func TraceID(traceparent string) string { return newSpan(traceparent).trace }

// String returns the value of a traceresponse header.
func (s span) String() string { return s.response }

// randomHex fills b, a multiple of 16 digits. Ids must be unlikely to collide; they
// need not be hard to guess.
func randomHex(b []byte) {
	var raw [8]byte
	for ; len(b) > 0; b = b[16:] {
		binary.BigEndian.PutUint64(raw[:], rand.Uint64()) //nolint:gosec // an id, no secret
		hex.Encode(b, raw[:])
	}
}

func lowerHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
