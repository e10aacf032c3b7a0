package pageimage

import (
	"bytes"
	"compress/zlib"
	"context"
	"io"

	"golang.org/x/image/ccitt"

	"tcode/scanner/gray"
	"tcode/scanner/pdfobj"
)

// gray returns the picture as w by h px of gray, at most its own size. The error is ErrCoding, or that of ctx or decode.
func (d *Document) gray(ctx context.Context, p *Picture, w, h int, decode Decode) (*gray.Image, error) {
	if p.Coded {
		return nil, ErrCoding
	}
	size := p.Width * p.Parts * p.Height
	if d.samples -= size; d.samples < 0 {
		return nil, ErrCoding
	}
	if p.Filter == "DCTDecode" {
		return d.jpeg(ctx, p, w, h, decode)
	}
	packed, err := d.packed(p)
	if err != nil {
		return nil, err
	}
	out := newShrinker(p.Width, p.Height, w, h)
	row, line := make([]byte, (p.Width*p.Parts*p.Bits+7)/8), make([]byte, p.Width)
	tones := p.tones()
	for y := range p.Height {
		if y%64 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := packed(row); err != nil {
			return nil, ErrCoding
		}
		p.unpack(row, line, tones)
		out.row(line)
	}
	return out.img, nil
}

// jpeg has a JPEG picture decoded.
func (d *Document) jpeg(ctx context.Context, p *Picture, w, h int, decode Decode) (*gray.Image, error) {
	data, ok := d.doc.Coded(p.object)
	if !ok || decode == nil {
		return nil, ErrCoding
	}
	if data = bare(data, p.Width, p.Height, p.Parts); data == nil {
		return nil, ErrCoding
	}
	img, err := decode(ctx, data, w, h)
	if err != nil {
		return nil, err
	}
	if !img.Valid() || img.Width != w || img.Height != h {
		return nil, ErrCoding
	}
	return img, nil
}

// packed returns a function that reads the next row of samples as the file packs them.
func (d *Document) packed(p *Picture) (func(row []byte) error, error) {
	switch p.Filter {
	case "CCITTFaxDecode":
		r, err := d.fax(p)
		return func(row []byte) error { _, err := io.ReadFull(r, row); return err }, err
	case "FlateDecode", "Fl":
		data, ok := d.doc.Coded(p.object)
		if !ok {
			return nil, ErrCoding
		}
		z, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, ErrCoding
		}
		return p.predicted(z)
	}
	data, ok := d.doc.Data(p.object)
	r := bytes.NewReader(data)
	if !ok {
		return nil, ErrCoding
	}
	return func(row []byte) error { _, err := io.ReadFull(r, row); return err }, nil
}

// fax returns the samples of ITU-T T.4 in one dimension and of T.6.
func (d *Document) fax(p *Picture) (io.Reader, error) {
	data, ok := d.doc.Coded(p.object)
	number := func(key pdfobj.Name, missing int) int {
		v := d.doc.Value(p.parms[key])
		if v == nil {
			return missing
		}
		n, isInt := v.(int)
		if !isInt {
			return -1
		}
		return n
	}
	k := 0
	if p.parms.Has("K") {
		n, isInt := d.doc.Value(p.parms["K"]).(int)
		if !isInt || n > 0 {
			return nil, ErrCoding
		}
		k = n
	}
	coding := ccitt.Group4
	if k == 0 {
		coding = ccitt.Group3
	}
	rows := number("Rows", 0)
	if !ok || number("Columns", 1728) != p.Width || rows != 0 && rows < p.Height || p.Width > 1<<16 || p.Height > 1<<16 {
		return nil, ErrCoding
	}
	options := &ccitt.Options{Align: d.doc.Value(p.parms["EncodedByteAlign"]) == true, Invert: d.doc.Value(p.parms["BlackIs1"]) == true}
	return ccitt.NewReader(bytes.NewReader(data), ccitt.MSB, coding, p.Width, p.Height, options), nil
}

// predicted returns a function that reads the next row from r and undoes the predictor (ISO 32000-2, 7.4.4.4).
func (p *Picture) predicted(r io.Reader) (func(row []byte) error, error) {
	number := func(key pdfobj.Name, missing int) int {
		if !p.parms.Has(key) {
			return missing
		}
		n, isInt := p.parms[key].(int)
		if !isInt {
			return -1
		}
		return n
	}
	kind := number("Predictor", 1)
	if kind == 1 {
		return func(row []byte) error { _, err := io.ReadFull(r, row); return err }, nil
	}
	if number("Columns", 1) != p.Width || number("Colors", 1) != p.Parts || number("BitsPerComponent", 8) != p.Bits {
		return nil, ErrCoding
	}
	step := max(1, p.Parts*p.Bits/8)
	switch {
	case kind == 2 && p.Bits == 8:
		return func(row []byte) error {
			_, err := io.ReadFull(r, row)
			pdfobj.Unfilter(1, row, row, step) // the same sum as PNG's filter Sub
			return err
		}, nil
	case kind < 10 || kind > 15:
		return nil, ErrCoding
	}
	above, head := make([]byte, (p.Width*p.Parts*p.Bits+7)/8), make([]byte, 1)
	return func(row []byte) error {
		if _, err := io.ReadFull(r, head); err != nil {
			return err
		}
		if _, err := io.ReadFull(r, row); err != nil {
			return err
		}
		if !pdfobj.Unfilter(head[0], row, above, step) {
			return ErrCoding
		}
		copy(above, row)
		return nil
	}, nil
}

// tones returns the value, 0 to 255, of each sample of each component.
func (p *Picture) tones() (all [4][256]byte) {
	most := 1<<p.Bits - 1
	for part := range p.Parts {
		low, high := 0.0, 1.0
		if p.Decode != nil && p.indexed == nil {
			low, high = p.Decode[2*part], p.Decode[2*part+1]
		}
		for v := range most + 1 {
			if p.indexed != nil {
				all[part][v] = p.indexed[v]
				continue
			}
			level := low + (high-low)*float64(v)/float64(most)
			all[part][v] = byte(min(max(level, 0), 1)*255 + 0.5)
		}
	}
	return all
}

// unpack turns one row of samples into gray.
func (p *Picture) unpack(row, line []byte, tones [4][256]byte) {
	if p.Bits == 8 && p.Parts == 1 {
		for x := range line {
			line[x] = tones[0][row[x]]
		}
		return
	}
	var colour [4]byte
	mask, at := byte(1<<p.Bits-1), 0 // the bit
	for x := range line {
		for part := range p.Parts {
			shift := 8 - p.Bits - at%8
			colour[part] = tones[part][row[at/8]>>shift&mask]
			at += p.Bits
		}
		line[x] = luma(colour[:p.Parts])
	}
}
