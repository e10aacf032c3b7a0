package pdfstamp

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"tcode/offline/pdflzw"
)

// errFilter is returned for a stream whose filter is none that text is stored
// with: image filters, and encryption.
var errFilter = errors.New("stream filter is not read")

// decode undoes the filters of s (ISO 32000-1, 7.4). Its output counts against the
// file's budget, so that a bomb ends here.
func (d *document) decode(s *stream) ([]byte, error) {
	filters := d.list(s.dict.get("Filter"))
	params := d.list(s.dict.get("DecodeParms"))
	data, err := d.openStream(s)
	if err != nil {
		return nil, err
	}
	if len(filters) == 0 {
		return data, take(&d.budget.inflated, len(data))
	}
	if len(filters) > 8 {
		return nil, errTooComplex
	}
	for i, f := range filters {
		var parms *dict
		if i < len(params) {
			parms, _ = d.resolve(params[i]).(*dict)
		}
		n, _ := d.resolve(f).(name)
		if n == "Crypt" {
			continue // undone by openStream
		}
		if data, err = d.unfilter(n, data, parms); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// list returns an entry that may be one object or an array of them.
func (d *document) list(o any) array {
	switch v := d.resolve(o).(type) {
	case nil:
		return nil
	case array:
		return v
	case raw:
		if v == "null" {
			return nil
		}
		return array{v}
	default:
		return array{v}
	}
}

func (d *document) unfilter(filter name, data []byte, parms *dict) ([]byte, error) {
	var r io.Reader
	switch filter {
	case "FlateDecode", "Fl":
		z, err := d.inflate(data)
		if err != nil {
			return nil, fmt.Errorf("inflate: %w", err)
		}
		r = z
	case "LZWDecode", "LZW":
		early, ok := integer(d.resolve(parms.get("EarlyChange")))
		out, err := pdflzw.Decode(data, !ok || early != 0, min(d.budget.inflated, maxContents))
		if errors.Is(err, pdflzw.ErrCode) && len(out) == 0 {
			return nil, fmt.Errorf("undo LZW: %w", err)
		}
		r = bytes.NewReader(out)
	case "ASCII85Decode", "A85":
		if i := bytes.IndexByte(data, '~'); i >= 0 {
			data = data[:i]
		}
		r = ascii85.NewDecoder(bytes.NewReader(data))
	case "ASCIIHexDecode", "AHx":
		if i := bytes.IndexByte(data, '>'); i >= 0 {
			data = data[:i]
		}
		digits := bytes.Join(bytes.Fields(data), nil)
		if len(digits)%2 == 1 {
			digits = append(digits, '0')
		}
		r = hex.NewDecoder(bytes.NewReader(digits))
	case "RunLengthDecode", "RL":
		r = &runLength{data: data}
	default:
		return nil, fmt.Errorf("%w: %s", errFilter, filter)
	}
	out, err := d.readBounded(r)
	if err != nil {
		return nil, err
	}
	return d.unpredict(out, parms)
}

// inflate returns a reader of zlib data, one for all streams of the document:
// the last one must be done with.
func (d *document) inflate(data []byte) (io.Reader, error) {
	if old, ok := d.inflater.(zlib.Resetter); ok {
		return d.inflater, old.Reset(bytes.NewReader(data), nil)
	}
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err == nil {
		d.inflater = z
	}
	return z, err
}

// readBounded reads r within the budget. Like other readers it keeps the data before
// damage, because a viewer would show it.
func (d *document) readBounded(r io.Reader) ([]byte, error) {
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(r, int64(min(d.budget.inflated, maxContents))+1))
	if over := take(&d.budget.inflated, int(n)); over != nil || n > maxContents {
		return nil, errTooComplex
	}
	if _, corrupt := errors.AsType[flate.CorruptInputError](err); corrupt {
		d.damaged = true
	}
	if err != nil && n == 0 {
		return nil, fmt.Errorf("inflate: %w", err)
	}
	return buf.Bytes(), nil
}

// unpredict undoes a PNG predictor (ISO 32000-1, 7.4.4.4). Cross-reference and
// object streams use no other.
func (d *document) unpredict(data []byte, parms *dict) ([]byte, error) {
	get := func(k name, missing int) int {
		if n, ok := integer(d.resolve(parms.get(k))); ok {
			return n
		}
		return missing
	}
	kind := get("Predictor", 1)
	if kind < 2 {
		return data, nil
	}
	colors, bits, columns := get("Colors", 1), get("BitsPerComponent", 8), get("Columns", 1)
	if kind == 2 || colors < 1 || colors > 32 || bits < 1 || bits > 16 || columns < 1 || columns > 1<<20 {
		return nil, fmt.Errorf("%w: predictor %d", errFilter, kind)
	}
	pixel, row := (colors*bits+7)/8, (colors*bits*columns+7)/8
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > 1 {
		n := min(row, len(data)-1)
		at := len(out)
		out = append(out, data[1:1+n]...)
		line := out[at:]
		unfilterRow(data[0], line, above[:n], pixel)
		above = append(above[:0], line...)
		data = data[1+n:]
	}
	return out, nil
}

// unfilterRow undoes one PNG filter in place (RFC 2083, section 6).
func unfilterRow(filter byte, line, above []byte, pixel int) {
	for i := range line {
		var left, upper byte
		if i >= pixel {
			left, upper = line[i-pixel], above[i-pixel]
		}
		switch filter {
		case 1:
			line[i] += left
		case 2:
			line[i] += above[i]
		case 3:
			line[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			line[i] += paeth(left, above[i], upper)
		}
	}
}

func paeth(left, above, upper byte) byte {
	p := int(left) + int(above) - int(upper)
	distance := func(v byte) int { return max(p-int(v), int(v)-p) }
	switch {
	case distance(left) <= distance(above) && distance(left) <= distance(upper):
		return left
	case distance(above) <= distance(upper):
		return above
	}
	return upper
}

// A runLength reads RunLengthDecode (ISO 32000-1, 7.4.5).
type runLength struct {
	data []byte
	rest []byte // of the run that is being read
}

func (r *runLength) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if len(r.data) == 0 || r.data[0] == 128 {
			return 0, io.EOF
		}
		n := int(r.data[0])
		switch {
		case n < 128 && len(r.data) > n+1:
			r.rest, r.data = r.data[1:n+2], r.data[n+2:]
		case n > 128 && len(r.data) > 1:
			r.rest, r.data = bytes.Repeat(r.data[1:2], 257-n), r.data[2:]
		default:
			return 0, io.ErrUnexpectedEOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
