// Package testdata holds the project's test vectors and reads them.
//
//	cmd/mkvectors ─▶ vectors/<area>/<name> ─▶ Vectors, Read ─▶ tests, fuzz seeds
//
// Vectors of bytes and texts, as those of a payload, are text files that
// [Read] takes; an area of whole situations, as verdict, is JSON and is read
// from [Vectors] by its user. A text vector has header lines "key: value", an empty line and a body.
// The headers `expect` (the outcome, or the class of the error) and `comment`
// are in every one; an area defines its other headers and its
// body.
package testdata

import (
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Vectors holds the folder vectors, one sub-folder an area. It is
// compiled in: no test depends on the folder it is run in.
//
//go:embed vectors
var Vectors embed.FS

// ErrVector is the reason why a vector file cannot be read.
var ErrVector = errors.New("malformed vector")

// Vector is one vector file.
type Vector struct {
	Name   string // file name within the area
	Header []Header
	Body   string // all after the first empty line
}

// Header is one header line. A key may come more than once.
type Header struct{ Key, Value string }

// Read returns the vectors of an area in the order of their names. Header keys
// other than expect, comment and those in keys are an error, so that a
// misspelt key cannot switch a check off. Callers compare the number of
// vectors with a constant: a moved folder must not read as a pass.
func Read(area string, keys ...string) ([]Vector, error) {
	dir := path.Join("vectors", area)
	entries, err := fs.ReadDir(Vectors, dir)
	if err != nil {
		return nil, fmt.Errorf("read vectors of %s: %w", area, err)
	}
	keys = append(slices.Clone(keys), "expect", "comment")
	vectors := make([]Vector, 0, len(entries))
	for _, e := range entries {
		raw, err := fs.ReadFile(Vectors, path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read vectors of %s: %w", area, err)
		}
		v, err := Parse(e.Name(), string(raw))
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", area, e.Name(), err)
		}
		for _, h := range v.Header {
			if !slices.Contains(keys, h.Key) {
				return nil, fmt.Errorf("%s/%s: %w: unknown key %q", area, v.Name, ErrVector, h.Key)
			}
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

// Parse reads one vector file. The error wraps [ErrVector].
func Parse(name, text string) (Vector, error) {
	head, body, ok := strings.Cut(text, "\n\n")
	if !ok {
		return Vector{}, fmt.Errorf("%w: no empty line", ErrVector)
	}
	v := Vector{Name: name, Body: body}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok || key == "" {
			return Vector{}, fmt.Errorf("%w: header line %q", ErrVector, line)
		}
		v.Header = append(v.Header, Header{key, value})
	}
	for _, key := range []string{"expect", "comment"} {
		if len(v.All(key)) != 1 {
			return Vector{}, fmt.Errorf("%w: not one %s", ErrVector, key)
		}
	}
	return v, nil
}

// Get returns the first value of key, "" if there is none.
func (v Vector) Get(key string) string {
	for _, h := range v.Header {
		if h.Key == key {
			return h.Value
		}
	}
	return ""
}

// All returns every value of key in the order of the file.
func (v Vector) All(key string) []string {
	var values []string
	for _, h := range v.Header {
		if h.Key == key {
			values = append(values, h.Value)
		}
	}
	return values
}

// Hex returns the bytes of a body in hexadecimal; spaces and line ends in it
// mean nothing. The error wraps [ErrVector].
func (v Vector) Hex() ([]byte, error) {
	b, err := hex.DecodeString(strings.Join(strings.Fields(v.Body), ""))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", v.Name, ErrVector, err)
	}
	return b, nil
}
