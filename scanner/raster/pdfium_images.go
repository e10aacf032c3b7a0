package raster

import (
	"encoding/binary"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// maxObjects bounds the objects of a page that are examined for images.
const maxObjects = 4096

// images returns the boxes of images of the page that are objects of their own, the last one first.
func (p *pdfium) images() ([]box, error) {
	n, err := p.instance.call("FPDFPage_CountObjects", p.page)
	if err != nil {
		return nil, err
	}
	var images []box
	for i := int(int32(n)) - 1; i >= max(0, int(int32(n))-maxObjects) && len(images) < maxPictures; i-- {
		object, err := p.instance.call("FPDFPage_GetObject", p.page, uint64(i))
		if err != nil {
			return nil, err
		}
		kind, err := p.instance.call("FPDFPageObj_GetType", object)
		if err != nil {
			return nil, err
		}
		if uint32(kind) != pdfiumImage {
			continue
		}
		b, ok, err := p.bounds(object)
		if err != nil {
			return nil, err
		}
		if ok {
			images = append(images, b)
		}
	}
	return images, nil
}

// bounds returns the box of an object of the page, if it has one.
func (p *pdfium) bounds(object uint64) (b box, ok bool, err error) {
	at, err := p.instance.allocate(16, nil)
	if err != nil {
		return box{}, false, err
	}
	has, err := p.instance.call("FPDFPageObj_GetBounds", object, at, at+4, at+8, at+12) // left, bottom, right, top
	if err != nil {
		return box{}, false, err
	}
	v, err := p.instance.bytes(at, 16)
	if err != nil {
		return box{}, false, err
	}
	var corners [4]uint64
	for i := range corners {
		corners[i] = api.EncodeF64(float64(math.Float32frombits(binary.LittleEndian.Uint32(v[4*i:]))))
	}
	x0, y0, err := p.shown(at, corners[0], corners[1])
	if err != nil {
		return box{}, false, err
	}
	x1, y1, err := p.shown(at, corners[2], corners[3])
	if err != nil {
		return box{}, false, err
	}
	_, err = p.instance.call("free", at)
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}, uint32(has) != 0, err
}

// fine is the number of units in a point that [pdfium.shown] uses.
const fine = 16

// shown converts a point of the page's user space to points of the page as it is shown. at is the address of 8
// bytes.
func (p *pdfium) shown(at, x, y uint64) (float64, float64, error) {
	w, h := uint64(uint32(p.w*fine)), uint64(uint32(p.h*fine))
	if _, err := p.instance.call("FPDF_PageToDevice", p.page, 0, 0, w, h, 0, x, y, at, at+4); err != nil {
		return 0, 0, err
	}
	b, err := p.instance.bytes(at, 8)
	if err != nil {
		return 0, 0, err
	}
	side := func(i int) float64 { return float64(int32(binary.LittleEndian.Uint32(b[i:]))) / fine }
	return side(0), side(4), nil
}
