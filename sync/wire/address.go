package wire

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// ErrAddress means that a gateway address is not an http or https URL.
var ErrAddress = errors.New("not a gateway address")

// BaseURL normalises a gateway's address: https://host:port/path without a
// trailing slash and without a trailing /v1, which some deployments publish. It
// refuses user names, queries and fragments.
//
// It takes fewer forms than net/url, and gives the same text for them. That package
// would be a hundredth of the scanner in a browser.
func BaseURL(address string) (string, error) {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(address), "://")
	scheme = strings.ToLower(scheme)
	authority, path := rest, ""
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		authority, path = rest[:at], rest[at:]
	}
	host, hostOK := cleanHost(authority)
	path, pathOK := unescaped(path)
	if !ok || scheme != "http" && scheme != "https" || !hostOK || !pathOK {
		return "", fmt.Errorf("%w: %q: want http(s)://host[:port][/path]", ErrAddress, address)
	}
	path = strings.TrimRight(path, "/")
	if base, ok := strings.CutSuffix(path, "/v1"); ok {
		path = strings.TrimRight(base, "/")
	}
	return scheme + "://" + host + escaped(path, "-_.~$&+,/:;=@"), nil
}

// cleanHost checks a name or address of a host with or without a port. Letters that
// are not ASCII become %XX.
func cleanHost(authority string) (string, bool) {
	host, port := authority, ""
	if at := strings.LastIndexByte(authority, ':'); at > strings.LastIndexByte(authority, ']') {
		host, port = authority[:at], authority[at:]
		if port == ":" || strings.Trim(port[1:], "0123456789") != "" {
			return "", false
		}
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		address, zone, zoned := strings.Cut(inner, "%25")
		return authority, ok && isIPv6(address) && (!zoned || zone != "" && isName(zone))
	}
	return escaped(host, hostMarks) + port, host != "" && isName(strings.Map(asciiOnly, host))
}

// hostMarks are the characters of names of hosts in addition to letters and digits.
const hostMarks = "-._~"

func isName(text string) bool { return escaped(text, hostMarks) == text }

// asciiOnly puts a letter in place of characters that are not ASCII.
func asciiOnly(r rune) rune {
	if r >= 0x80 {
		return 'x'
	}
	return r
}

// isIPv6 reports whether text is an IPv6 address in groups of hexadecimal digits.
func isIPv6(text string) bool {
	const most = 8
	head, tail, short := strings.Cut(text, "::")
	n := 0
	for _, part := range []string{head, tail} {
		if part == "" {
			continue
		}
		for group := range strings.SplitSeq(part, ":") {
			if n++; len(group) < 1 || len(group) > 4 || strings.Trim(group, "0123456789abcdefABCDEF") != "" {
				return false
			}
		}
	}
	return short && n < most || !short && n == most
}

// unescaped decodes %XX. It returns false for a query, a fragment and control characters.
func unescaped(path string) (string, bool) {
	if strings.ContainsAny(path, "?#") || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return "", false
	}
	head, rest, more := strings.Cut(path, "%")
	out := []byte(head)
	for more {
		if len(rest) < 2 {
			return "", false
		}
		b, err := hex.DecodeString(rest[:2])
		if err != nil {
			return "", false
		}
		head, rest, more = strings.Cut(rest[2:], "%")
		out = append(append(out, b...), head...)
	}
	return string(out), true
}

// escaped encodes all bytes as %XX that are neither ASCII letters, digits nor in keep.
func escaped(text, keep string) string {
	var out strings.Builder
	for i := range len(text) {
		b := text[i]
		if '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z' || strings.IndexByte(keep, b) >= 0 {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}
