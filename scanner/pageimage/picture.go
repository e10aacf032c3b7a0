package pageimage

import (
	"bytes"

	"tcode/scanner/pdfobj"
)

// A Picture is a picture in a PDF, an image XObject.
type Picture struct {
	Filter        pdfobj.Name // the last one: DCTDecode, FlateDecode ...; empty: none
	Width, Height int         // px
	Bits          int         // of a component
	Parts         int         // components of a pixel: 1 gray or indexed, 3 RGB, 4 CMYK; 0: unknown colours
	Decode        []float64   // as the file says; nil: as usual
	Stencil       bool        // it has no colours: samples of 0 (or 1, by Decode) are filled with the present colour
	Masked        bool        // parts of it are transparent
	// Coded says that the samples cannot be decoded here.
	Coded bool

	object  pdfobj.Object
	parms   pdfobj.Dict
	indexed []byte // the gray of each index; nil: the colours are not indexed
}

// read reads the dictionary of a picture.
func (d *Document) read(o pdfobj.Object, resources pdfobj.Dict) *Picture {
	dict := o.Dict()
	number := func(key pdfobj.Name) int {
		n, _ := d.doc.Value(dict[key]).(int)
		return n
	}
	p := &Picture{
		Width: number("Width"), Height: number("Height"), Bits: number("BitsPerComponent"), object: o,
		Stencil: d.doc.Value(dict["ImageMask"]) == true,
		Masked:  dict.Has("SMask") || dict.Has("Mask") || number("SMaskInData") != 0,
	}
	p.Filter, p.parms = d.doc.LastFilter(dict)
	if dict.Has("Decode") {
		var ok bool
		list := d.doc.Array(dict["Decode"])
		if p.Decode, ok = pdfobj.Numbers(list[:min(len(list), 9)]); !ok {
			p.Coded = true
		}
	}
	if p.Stencil {
		p.Bits, p.Parts = 1, 1
	} else {
		p.Parts, p.indexed = d.space(dict["ColorSpace"], resources, p.Bits, 0)
	}
	if p.Filter == "CCITTFaxDecode" && p.Bits == 0 {
		p.Bits = 1
	}
	size := p.Width > 0 && p.Height > 0 && p.Width <= MaxPixels && p.Height <= MaxPixels/p.Width
	p.Coded = p.Coded || !size || p.Parts == 0 || !p.codes() || !p.decodes()
	return p
}

// codes reports whether the filter and the samples are ones that are decoded here, or by a [Decode].
func (p *Picture) codes() bool {
	switch p.Filter {
	case "", "FlateDecode", "Fl", "LZWDecode", "LZW":
		return p.Bits == 1 || p.Bits == 2 || p.Bits == 4 || p.Bits == 8
	case "CCITTFaxDecode":
		return p.Bits == 1 && p.Parts == 1
	case "DCTDecode":
		usual := !p.parms.Has("ColorTransform") || p.Parts == 3 && p.parms["ColorTransform"] == 1
		return p.Bits == 8 && p.indexed == nil && !p.Stencil && usual
	}
	return false
}

// decodes reports whether Decode is one that is followed here.
func (p *Picture) decodes() bool {
	if p.Decode == nil {
		return p.Filter != "DCTDecode" || p.Parts != 4 // browsers take CMYK to be inverted
	}
	if len(p.Decode) != 2*p.Parts {
		return false
	}
	inverted := p.Filter == "DCTDecode" && p.Parts == 4
	for i := 0; i < len(p.Decode); i += 2 {
		low, high := p.Decode[i], p.Decode[i+1]
		switch {
		case p.indexed != nil && (low != 0 || high != float64(int(1)<<p.Bits-1)):
			return false
		case p.Filter == "DCTDecode" && inverted != (low == 1 && high == 0), p.Filter == "DCTDecode" && !inverted && (low != 0 || high != 1):
			return false
		}
	}
	return true
}

// space returns the number of components of a colour space, and the gray of each index. The number is 0 if
// the space is not one of those that are shown here.
func (d *Document) space(v any, resources pdfobj.Dict, bits, depth int) (int, []byte) {
	v = d.doc.Value(v)
	list, _ := v.(pdfobj.Array)
	if name, isName := v.(pdfobj.Name); isName {
		list = pdfobj.Array{name}
	}
	if len(list) == 0 || depth > 2 {
		return 0, nil
	}
	name, _ := d.doc.Value(list[0]).(pdfobj.Name)
	instead := d.doc.Dict(resources["ColorSpace"])
	device := func(key pdfobj.Name, n int) (int, []byte) {
		if !instead.Has(key) {
			return n, nil
		}
		m, _ := d.space(instead[key], nil, bits, depth+1)
		if m != n {
			return 0, nil
		}
		return n, nil
	}
	switch {
	case name == "DeviceGray" && len(list) == 1:
		return device("DefaultGray", 1)
	case name == "DeviceRGB" && len(list) == 1:
		return device("DefaultRGB", 3)
	case name == "DeviceCMYK" && len(list) == 1:
		return device("DefaultCMYK", 4)
	case len(list) == 1 && depth == 0 && instead.Has(name):
		return d.space(instead[name], resources, bits, depth+1)
	case name == "CalGray" && len(list) == 2:
		return 1, nil
	case name == "CalRGB" && len(list) == 2 && brighter(d.doc.Array(d.doc.Dict(list[1])["Matrix"])):
		return 3, nil
	case name == "ICCBased" && len(list) == 2:
		return d.profile(list[1]), nil
	case name == "Indexed" && len(list) == 4 && bits <= 8:
		if t := d.table(list, resources, bits, depth); t != nil {
			return 1, t
		}
	}
	return 0, nil
}

// profile returns the number of components of a space with a profile, 0 if it is not shown here.
func (d *Document) profile(v any) int {
	r, _ := v.(pdfobj.Ref)
	known, ok := d.profiles[r]
	if ok {
		return known
	}
	o, _ := d.doc.Object(r)
	data, ok := d.doc.Data(o)
	n, _ := d.doc.Value(o.Dict()["N"]).(int)
	if !ok || n != profile(data) {
		n = 0
	}
	d.profiles[r] = n
	return n
}

// brighter reports whether more of each component is never darker by the matrix of a CalRGB space.
func brighter(m pdfobj.Array) bool {
	n, ok := pdfobj.Numbers(m[:min(len(m), 10)])
	return len(m) == 0 || ok && len(n) == 9 && n[1] >= 0 && n[4] >= 0 && n[7] >= 0
}

// table returns the gray of each index of an indexed space, nil if it is incomplete.
func (d *Document) table(list pdfobj.Array, resources pdfobj.Dict, bits, depth int) []byte {
	n, deeper := d.space(list[1], resources, bits, depth+1)
	most, isInt := d.doc.Value(list[2]).(int)
	if n == 0 || deeper != nil || !isInt || most < 0 || most > 255 {
		return nil
	}
	var colours []byte
	const longest = 8 << 10 // escaped
	if s, isString := d.doc.Value(list[3]).(pdfobj.String); isString && len(s) <= longest {
		colours = s.Bytes()
	} else if r, isRef := list[3].(pdfobj.Ref); isRef {
		o, _ := d.doc.Object(r)
		colours, _ = d.doc.Data(o)
	}
	if len(colours) < (most+1)*n {
		return nil
	}
	out := bytes.Repeat([]byte{0}, 256)
	for i := range most + 1 {
		out[i] = luma(colours[i*n : i*n+n])
	}
	return out
}

// luma returns the gray of a colour of one component, of RGB or of CMYK.
func luma(c []byte) byte {
	switch len(c) {
	case 3:
		return byte((19595*uint32(c[0]) + 38470*uint32(c[1]) + 7471*uint32(c[2]) + 1<<15) >> 16)
	case 4:
		ink := (19595*uint32(c[0])+38470*uint32(c[1])+7471*uint32(c[2])+1<<15)>>16 + uint32(c[3])
		return byte(255 - min(ink, 255))
	}
	return c[0]
}
