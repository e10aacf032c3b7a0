package gate

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tcode/server/fault"
)

// answerTypes are the media types of an answer, best first.
var answerTypes = [...]string{mediaJSON, "text/json", "text/plain"}

// The media types of tables and pictures, for operations that answer in them too.
const (
	TypeCSV = "text/csv"
	TypePNG = "image/png"
)

// otherTypes are the media types that hold no JSON.
var otherTypes = [...]string{TypeCSV, TypePNG}

// isJSON reports whether an answer of a negotiated media type is JSON.
func isJSON(mediaType string) bool { return !slices.Contains(otherTypes[:], mediaType) }

// negotiate returns the one of types, best first, for an answer to a request
// with the given Accept header lines (RFC 9110 section 12.5.1). ok is false if
// the client accepts none of them.
func negotiate(accept, types []string) (mediaType string, ok bool) {
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == types[0] || accept[0] == "*/*") {
		return types[0], true // the header that most clients send
	}
	var ranges []mediaRange
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		if r, ok := parseRange(part); ok {
			ranges = append(ranges, r)
		}
	}
	if len(ranges) == 0 { // absent, or without a valid range
		if strings.TrimSpace(strings.Join(accept, "")) != "" {
			return "", false
		}
		return types[0], true
	}
	best := 0.0
	for _, t := range types {
		if q := quality(t, ranges); q > best {
			mediaType, best = t, q
		}
	}
	return mediaType, best > 0
}

// pageTypes are the media types of an error on a page for people, best first.
var pageTypes = append([]string{"text/html"}, answerTypes[:]...)

// PrefersPage reports whether a request wants a page rather than JSON.
func PrefersPage(r *http.Request) bool {
	t, ok := negotiate(r.Header["Accept"], pageTypes)
	return !ok || t == pageTypes[0]
}

type mediaRange struct {
	kind, sub string
	q         float64
}

func parseRange(s string) (mediaRange, bool) {
	t, params, err := mime.ParseMediaType(s)
	kind, sub, ok := strings.Cut(t, "/")
	if t == "*" { // some old clients
		kind, sub, ok = "*", "*", true
	}
	if err != nil || !ok {
		return mediaRange{}, false
	}
	r := mediaRange{kind, sub, 1}
	if q, ok := params["q"]; ok {
		v, err := strconv.ParseFloat(q, 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return mediaRange{}, false
		}
		r.q = v
	}
	return r, true
}

// quality returns the weight of t: that of the most specific range that has t.
func quality(t string, ranges []mediaRange) float64 {
	kind, sub, _ := strings.Cut(t, "/")
	q, specific := 0.0, -1
	for _, r := range ranges {
		level := -1
		switch {
		case r.kind == kind && r.sub == sub:
			level = 2
		case r.kind == kind && r.sub == "*":
			level = 1
		case r.kind == "*" && r.sub == "*":
			level = 0
		}
		if level > specific {
			q, specific = r.q, level
		}
	}
	return q
}

// checkRequestType returns a fault unless contentType is one of the JSON types
// and names no charset but UTF-8.
func checkRequestType(contentType string) error {
	if contentType == answerTypes[0] {
		return nil
	}
	t, params, err := mime.ParseMediaType(contentType)
	known := t == mediaJSON || t == "text/json" || strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json")
	if err != nil || !known {
		return fault.New(fault.UnsupportedMedia, fault.CodeUnsupportedMediaType,
			"the request body must be application/json, text/json or application/*+json, and Content-Type must say so")
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return fault.New(fault.UnsupportedMedia, fault.CodeUnsupportedMediaType, "the request body must be in UTF-8")
	}
	return nil
}

// contentType returns the header value for a JSON answer; the text types need
// a charset, that of JSON is fixed.
func contentType(mediaType string) string {
	if strings.HasPrefix(mediaType, "text/") {
		return mediaType + "; charset=utf-8"
	}
	return mediaType
}
