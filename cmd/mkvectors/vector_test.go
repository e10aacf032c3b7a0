package mkvectors_test

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// header is one header line of a vector.
type header struct{ key, value string }

// vector renders a file as package testdata reads it. class is "ok" or the
// class of the error; comment names the special property, which for a refused
// one is its single fault.
func vector(class, comment string, headers []header, body string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "expect: %s\ncomment: %s\n", class, comment)
	for _, h := range headers {
		fmt.Fprintf(&b, "%s: %s\n", h.key, h.value)
	}
	b.WriteString("\n")
	b.WriteString(body)
	return []byte(b.String())
}

// hexBody renders bytes as lines of 32 bytes.
func hexBody(raw []byte) string {
	var b strings.Builder
	for len(raw) > 0 {
		n := min(32, len(raw))
		b.WriteString(hex.EncodeToString(raw[:n]))
		b.WriteString("\n")
		raw = raw[n:]
	}
	return b.String()
}

// add puts a vector in, and complains about a name that is taken: a vector
// that overwrites another would lower the count without a word.
func (f files) add(name string, content []byte) error {
	if _, taken := f[name]; taken {
		return fmt.Errorf("two vectors are called %s", name)
	}
	f[name] = content
	return nil
}
