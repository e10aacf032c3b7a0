package raster

import (
	"encoding/binary"
	"fmt"

	"tcode/scanner/gray"
)

// Values of libheif's heif_colorspace and heif_chroma.
const (
	heifYCbCr      = 0
	heifRGB        = 1
	heifMonochrome = 2

	heif420 = 1
	heif422 = 2
	heif444 = 3
)

// heifStride returns the bytes of a row of w px with n bytes each: libheif makes planes at least 64 px wide, of an even
// width, and aligns rows to 16 bytes.
func heifStride(w, n int) int { return (max(64, w+w&1)*n + 15) &^ 15 }

// decodeHEIC decodes with heif.c of gen2brain/heic: decode(file, length, sizeOnly, results.., pixels). libheif turns and
// mirrors the image. The pixels are the planes of the image, with all their bytes.
func decodeHEIC(i *instance, file []byte, s still, l Limits) (*gray.Image, error) {
	at, results, err := i.place(file, 5)
	if err != nil {
		return nil, err
	}
	decode := func(sizeOnly, pixels uint64) error {
		ok, err := i.call("decode", at, uint64(len(file)), sizeOnly, results, results+4, results+8, results+12, results+16, pixels)
		return i.outcome(theHEIC, ok, err)
	}
	if err := decode(1, 0); err != nil {
		return nil, err
	}
	v, err := i.results(results, 5)
	if err != nil {
		return nil, err
	}
	w, h, space, chroma, premultiplied := v[0], v[1], v[2], v[3], v[4] != 0
	if err := checkSides(w, h, l); err != nil {
		return nil, err
	}
	stride := heifStride(w, 1)
	n := stride * h
	switch {
	case space == heifRGB:
		stride = heifStride(w, 4)
		n = stride * h
	case space == heifMonochrome:
	case chroma == heif444:
		n *= 3
	case chroma == heif422:
		n += 2 * heifStride((w+1)/2, 1) * h
	default:
		n += 2 * heifStride((w+1)/2, 1) * ((h + 1) / 2)
	}
	pixels, err := i.allocate(n, nil)
	if err != nil {
		return nil, err
	}
	if err := decode(0, pixels); err != nil {
		return nil, err
	}
	pix, err := i.bytes(pixels, stride*h)
	if err != nil {
		return nil, err
	}
	m := gray.New(w, h)
	for y := range h {
		row := pix[y*stride:]
		if space != heifRGB {
			copy(m.Row(y), row)
			continue
		}
		overWhite(m.Row(y), row, premultiplied)
	}
	return m, nil
}

// unwritten are the first bytes of a pixel without opacity that has a colour, as no image has.
const unwritten = "\xb7\x5d\xe1\x00"

// decodeAVIF decodes with decode.c of gen2brain/avif: decode(file, length, sizeOnly, all, results.., delays, pixels). The
// pixels are red, green, blue and opacity, multiplied, in one byte each or in two. libavif leaves the turning to its caller.
func decodeAVIF(i *instance, file []byte, s still, l Limits) (*gray.Image, error) {
	at, results, err := i.place(file, 6) // the last two are one delay of eight bytes
	if err != nil {
		return nil, err
	}
	decode := func(sizeOnly, pixels uint64) error {
		ok, err := i.call("decode", at, uint64(len(file)), sizeOnly, 0, results, results+4, results+8, results+12, results+16, pixels)
		return i.outcome(theAVIF, ok, err)
	}
	if err := decode(1, 0); err != nil {
		return nil, err
	}
	v, err := i.results(results, 3)
	if err != nil {
		return nil, err
	}
	w, h, depth := v[0], v[1], v[2]
	if err := checkSides(w, h, l); err != nil {
		return nil, err
	}
	// These are bytes a pixel, of the result and of all that libavif then has in memory. The latter were measured: 18.5 million
	// pixels of 8 bits and 12.2 million of 12 bits fit, 19.4 and 12.6 million do not, all of them without subsampling.
	each, needs := 4, int64(22)
	if depth > 8 {
		each, needs = 8, 33
	}
	if needs *= int64(w) * int64(h); needs > avifBytes {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an AVIF image of %d x %d pixels that takes %d MiB of memory, the limit is %d MiB",
			w, h, needs>>20, avifBytes>>20)}
	}
	pixels, err := i.allocate(each*w*h, nil)
	if err != nil {
		return nil, err
	}
	// A decoder that finds no image claims success and writes nothing.
	last := uint32(pixels) + uint32(each*(w*h-1))
	if !i.module.Memory().Write(last, []byte(unwritten)) {
		return nil, errAborted
	}
	if err := decode(0, pixels); err != nil {
		return nil, err
	}
	pix, err := i.bytes(pixels, each*w*h)
	if err != nil {
		return nil, err
	}
	if string(pix[len(pix)-each:][:len(unwritten)]) == unwritten {
		return nil, i.outcome(theAVIF, 0, nil)
	}
	m := gray.New(w, h)
	for y := range h {
		row := pix[y*w*each:][:w*each]
		if each == 4 {
			overWhite(m.Row(y), row, true)
			continue
		}
		for x, to := 0, m.Row(y); x < w; x++ {
			c := func(n int) uint32 { return uint32(binary.LittleEndian.Uint16(row[8*x+2*n:])) }
			to[x] = byte((luma(c(0), c(1), c(2)) + 0xFFFF - min(c(3), 0xFFFF)) >> 8)
		}
	}
	return s.changed(m)
}

// overWhite fills to with the luminance of pixels of red, green, blue and opacity over white.
func overWhite(to, row []byte, premultiplied bool) {
	for x := range to {
		p := row[4*x:][:4]
		if premultiplied {
			to[x] = byte(min(255, luma(uint32(p[0]), uint32(p[1]), uint32(p[2]))+255-uint32(p[3])))
		} else {
			to[x] = lumaOver(uint32(p[0]), uint32(p[1]), uint32(p[2]), uint32(p[3]))
		}
	}
}
