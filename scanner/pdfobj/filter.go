package pdfobj

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"io"

	"tcode/offline/pdflzw"
)

// Encrypted reports whether the trailer says that the file is encrypted.
func (f *File) Encrypted() bool { return f.Trailer().Has("Encrypt") }

// Data returns the data of the stream o, decrypted and with its filters undone. It returns
// false if o is no stream, if its end is not at the declared place, if a filter is not one
// for text, or if the limit of inflated bytes is reached.
func (f *File) Data(o Object) ([]byte, bool) { return f.undone(o, 0) }

// Coded is Data, but leaves the last filter, which is one for pictures.
func (f *File) Coded(o Object) ([]byte, bool) { return f.undone(o, 1) }

// LastFilter returns the last filter of a stream's dictionary, which is the first one that an encoder
// applied, with its parameters. It returns an empty name if there is none, or no name where one must stand.
func (f *File) LastFilter(d Dict) (Name, Dict) {
	filters, parms := list(d["Filter"]), list(d["DecodeParms"])
	if len(filters) == 0 {
		return "", nil
	}
	name, _ := filters[len(filters)-1].(Name)
	if len(parms) < len(filters) {
		return name, nil
	}
	return name, f.Dict(parms[len(filters)-1])
}

// undone undoes all filters of o except the last ones, but in number.
func (f *File) undone(o Object, but int) ([]byte, bool) {
	d := o.Dict()
	if !o.Stream || d.Has("F") {
		return nil, false
	}
	from := behindEOL(f.data, o.data)
	n, ok := f.length(d["Length"])
	if !ok || !endsAt(f.data, from, n) {
		return nil, false
	}
	data := f.data[from : from+n]
	if f.crypt != nil && !o.plain {
		data = f.crypt.stream(o.Num, data)
	} else if f.sealed && !o.plain {
		return nil, false
	}
	filters, parms := list(d["Filter"]), list(d["DecodeParms"])
	if len(filters) > 4 {
		return nil, false
	}
	for i, filter := range filters[:max(len(filters)-but, 0)] {
		var p Dict
		if i < len(parms) {
			if p, ok = parms[i].(Dict); !ok && parms[i] != nil {
				return nil, false
			}
		}
		if data, ok = f.undo(filter, p, data); !ok {
			return nil, false
		}
	}
	return data, true
}

// length returns the length that a stream declares, directly or by an object.
func (f *File) length(v any) (int, bool) {
	if r, isRef := v.(Ref); isRef {
		e := f.chain.entries[int(r)]
		switch {
		case e.at > 0:
			v = f.at(int(r), e.at).Value
		case e.stream > 0:
			v = f.Value(v)
		}
	}
	n, ok := v.(int)
	return n, ok
}

// list returns an entry that may be one value or an array of values.
func list(v any) Array {
	switch v := v.(type) {
	case nil:
		return nil
	case Array:
		return v
	}
	return Array{v}
}

// undo undoes one filter (ISO 32000-2, 7.4).
func (f *File) undo(filter any, parms Dict, data []byte) ([]byte, bool) {
	switch filter {
	case Name("FlateDecode"), Name("Fl"):
		if len(data) == 0 { // some writers pack nothing
			return nil, true
		}
		s := &scan{inflate: &f.inflate, lex: &f.lex}
		out, err := s.inflated(data)
		if err != nil && !errors.Is(err, zlib.ErrChecksum) || s.found.Cut {
			return nil, false
		}
		return unpredict(out, parms)
	case Name("LZWDecode"), Name("LZW"):
		early := !parms.Has("EarlyChange") || parms["EarlyChange"] == 1
		out, err := pdflzw.Decode(data, early, f.inflate)
		if err != nil {
			return nil, false
		}
		f.inflate -= len(out)
		return unpredict(out, parms)
	case Name("ASCIIHexDecode"), Name("AHx"):
		text, _, _ := bytes.Cut(data, []byte(">"))
		digits := bytes.Join(bytes.Fields(text), nil)
		if len(digits)%2 == 1 {
			digits = append(digits, '0')
		}
		out, err := hex.DecodeString(string(digits))
		return out, err == nil && len(parms) == 0
	case Name("ASCII85Decode"), Name("A85"):
		text, _, _ := bytes.Cut(data, []byte("~"))
		out, err := io.ReadAll(ascii85.NewDecoder(bytes.NewReader(text)))
		return out, err == nil && len(parms) == 0
	}
	return nil, false
}

// unpredict undoes a PNG predictor of bytes (ISO 32000-2, 7.4.4.4).
func unpredict(data []byte, parms Dict) ([]byte, bool) {
	number := func(k Name, missing int) int {
		if !parms.Has(k) {
			return missing
		}
		n, ok := parms[k].(int)
		if !ok {
			return -1
		}
		return n
	}
	kind, row := number("Predictor", 1), number("Columns", 1)
	if kind == 1 {
		return data, true
	}
	if kind < 10 || kind > 15 || row < 1 || row > 1<<16 || number("Colors", 1) != 1 || number("BitsPerComponent", 8) != 8 || len(data)%(row+1) != 0 {
		return nil, false
	}
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > 0 {
		at := len(out)
		out = append(out, data[1:row+1]...)
		if !Unfilter(data[0], out[at:], above, 1) {
			return nil, false
		}
		above, data = out[at:], data[row+1:]
	}
	return out, true
}

// Unfilter undoes, in place, the PNG filter kind of one row of bytes (PNG, 9.2). above is the row
// before, of the same length, step the bytes of one pixel, at least 1. It returns false if there is no
// such filter.
func Unfilter(kind byte, row, above []byte, step int) bool {
	for i := range row {
		var left, corner byte
		if i >= step {
			left, corner = row[i-step], above[i-step]
		}
		switch kind {
		case 0:
		case 1:
			row[i] += left
		case 2:
			row[i] += above[i]
		case 3:
			row[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			row[i] += paeth(left, above[i], corner)
		default:
			return false
		}
	}
	return true
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	distance := func(v byte) int { return max(p-int(v), int(v)-p) }
	if distance(a) <= distance(b) && distance(a) <= distance(c) {
		return a
	}
	if distance(b) <= distance(c) {
		return b
	}
	return c
}
