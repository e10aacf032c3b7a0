package httpapi

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// A span is this request's part of a trace (W3C Trace Context).
type span struct {
	trace   string // 32 hexadecimal digits
	parent  string // span of the caller, 16 digits; "" where the trace begins here
	id      string // of this span, 16 digits
	sampled bool
}

// newSpan returns a span of the trace that a traceparent header names, or of a
// new one where there is none that is well-formed (section 3.2).
func newSpan(traceparent string) span {
	s := span{id: randomHex(8)}
	parts := strings.Split(traceparent, "-")
	if len(parts) >= 4 && lowerHex(parts[0], 2) && parts[0] != "ff" && lowerHex(parts[1], 32) &&
		lowerHex(parts[2], 16) && lowerHex(parts[3], 2) && (parts[0] != "00" || len(parts) == 4) &&
		strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != "" {
		s.trace, s.parent = parts[1], parts[2]
		s.sampled = strings.ContainsAny(parts[3][1:], "13579bdf")
		return s
	}
	s.trace = randomHex(16)
	return s
}

// String returns the value of a traceresponse header (Trace Context level 2,
// section 4), which has the form of a traceparent.
func (s span) String() string {
	flags := "00"
	if s.sampled {
		flags = "01"
	}
	return "00-" + s.trace + "-" + s.id + "-" + flags
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func lowerHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
