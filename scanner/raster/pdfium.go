package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// Values of PDFium's header files fpdfview.h and fpdf_formfill.h.
const (
	pdfiumBGRx = 3 // FPDFBitmap_BGRx

	pdfiumAnnotations = 0x01 // FPDF_ANNOT

	pdfiumImage = 3 // FPDF_PAGEOBJ_IMAGE

	pdfiumErrPassword = 4 // FPDF_ERR_PASSWORD
)

// pdfium is one open document. It is a [renderer]. An error that stops PDFium ends the instance: the next page gets
// a new one.
type pdfium struct {
	file  []byte
	count int
	units *bool // whether a page has a UserUnit; nil: not known yet

	instance *instance // nil: none; the handles below belong to it
	doc      uint64
	form     uint64 // 0: not requested yet
	page     uint64
	number   int // of page

	unit float64 // of page: points per unit of its user space
	w, h float64 // of page as it is shown, points
}

// openPDFiumDocument opens file, which must not be changed until close.
func openPDFiumDocument(file []byte) (renderer, error) {
	p := &pdfium{file: file}
	err := p.open()
	if err == nil {
		var n uint64
		n, err = p.instance.call("FPDF_GetPageCount", p.doc)
		p.count = int(int32(n))
	}
	if err != nil {
		err = p.stopped(err)
		p.close()
		return nil, err
	}
	return p, nil
}

// open starts an instance and loads the document.
func (p *pdfium) open() error {
	if err := thePDFium.prepare(""); err != nil {
		return err
	}
	var err error
	if p.instance, err = thePDFium.code.start(p.file); err != nil {
		return err
	}
	access, err := p.instance.call("FPDF_FILEACCESS_Create", uint64(len(p.file)), 0)
	if err != nil {
		return err
	}
	if p.doc, err = p.instance.call("FPDF_LoadCustomDocument", access, 0); err != nil {
		return err
	}
	if p.doc != 0 {
		return nil
	}
	code, err := p.instance.call("FPDF_GetLastError")
	switch {
	case err != nil:
		return err
	case code == pdfiumErrPassword:
		return &Error{Err: ErrEncrypted}
	}
	return &Error{Err: ErrDamaged, Detail: "the PDF cannot be opened"}
}

// close releases the memory of the document. Another load opens it again.
func (p *pdfium) close() {
	if p.instance != nil {
		p.instance.close()
	}
	*p = pdfium{file: p.file, count: p.count, units: p.units}
}

func (p *pdfium) pages() int { return p.count }

// stopped converts err to one of this package's, and ends the instance if it cannot be used after err.
func (p *pdfium) stopped(err error) error {
	if _, ours := errors.AsType[*Error](err); err == nil || ours {
		return err
	}
	p.close()
	return thePDFium.stopped(err)
}

func (p *pdfium) load(n int) (box, error) {
	if err := p.loadPage(n); err != nil {
		return box{}, p.stopped(err)
	}
	return box{0, 0, p.w, p.h}, nil
}

func (p *pdfium) loadPage(n int) error {
	if p.instance == nil {
		if err := p.open(); err != nil {
			return err
		}
	}
	if p.page != 0 && p.number == n {
		return nil
	}
	if err := p.closePage(); err != nil {
		return err
	}
	page, err := p.instance.call("FPDF_LoadPage", p.doc, uint64(n))
	if err != nil {
		return err
	}
	if page == 0 {
		return &Error{Err: ErrDamaged, Detail: "the page cannot be loaded"}
	}
	p.page, p.number = page, n
	w, err := p.instance.call("FPDF_GetPageWidthF", page)
	if err != nil {
		return err
	}
	h, err := p.instance.call("FPDF_GetPageHeightF", page)
	if err != nil {
		return err
	}
	if p.unit, err = p.userUnit(n); err != nil {
		return err
	}
	p.w, p.h = p.unit*float64(api.DecodeF32(w)), p.unit*float64(api.DecodeF32(h))
	if p.form != 0 {
		_, err = p.instance.call("FORM_OnAfterLoadPage", page, p.form)
	}
	return err
}

func (p *pdfium) closePage() error {
	if p.page == 0 {
		return nil
	}
	if p.form != 0 {
		if _, err := p.instance.call("FORM_OnBeforeClosePage", p.page, p.form); err != nil {
			return err
		}
	}
	_, err := p.instance.call("FPDF_ClosePage", p.page)
	p.page = 0
	return err
}

// visible returns b: PDFium itself clips a CropBox to the MediaBox.
func (p *pdfium) visible(b box) box { return b }

// draw draws a part of the loaded page into pix, over white.
func (p *pdfium) draw(d drawing, pix []byte) (images []box, err error) {
	if d.w < 1 || d.h < 1 || len(pix) < d.bytes()*d.w*d.h || p.page == 0 {
		return nil, errAborted
	}
	if err = p.drawInto(d, pix); err == nil && p.instance.memory.refused {
		err = errExhausted // PDFium leaves out an image if it has too little memory for it
	}
	if err == nil && !d.annotations {
		images, err = p.images()
	}
	return images, p.stopped(err)
}

func (p *pdfium) drawInto(d drawing, pix []byte) error {
	// PDFium draws glyphs into a gray bitmap at whole pixels only.
	const depth = 4
	stride := d.w * depth
	w, h := uint64(d.w), uint64(d.h)
	bitmap, err := p.instance.call("FPDFBitmap_CreateEx", w, h, pdfiumBGRx, 0, uint64(stride))
	if err != nil {
		return err
	}
	if bitmap == 0 {
		return errExhausted
	}
	at, err := p.instance.call("FPDFBitmap_GetBuffer", bitmap)
	if err != nil {
		return err
	}
	paper, err := p.instance.bytes(at, stride*d.h)
	if err != nil {
		return err
	}
	whiten(paper)
	if err := p.drawContents(d, bitmap); err != nil {
		return err
	}
	if d.annotations {
		if err := p.drawForm(d, bitmap); err != nil {
			return err
		}
	}
	from, err := p.instance.bytes(at, stride*d.h)
	if err != nil {
		return err
	}
	if d.colour {
		toRGB(pix[:3*d.w*d.h], from)
	} else {
		toLuminance(pix[:d.w*d.h], from)
	}
	_, err = p.instance.call("FPDFBitmap_Destroy", bitmap)
	return err
}

// drawContents draws the page, with annotations other than form fields if d requests them.
func (p *pdfium) drawContents(d drawing, bitmap uint64) error {
	flags := uint64(0)
	if d.annotations {
		flags = pdfiumAnnotations
	}
	floats := []float64{
		d.scale * p.unit, 0, 0, d.scale * p.unit, float64(-d.x), float64(-d.y), // FS_MATRIX
		0, 0, float64(d.w), float64(d.h), // FS_RECTF
	}
	var b []byte
	for _, v := range floats {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	at, err := p.instance.allocate(len(b), b)
	if err != nil {
		return err
	}
	if _, err := p.instance.call("FPDF_RenderPageBitmapWithMatrix", bitmap, p.page, at, at+24, flags); err != nil {
		return err
	}
	_, err = p.instance.call("free", at)
	return err
}

// whole returns the place of the whole page in the bitmap of d, in px.
func (p *pdfium) whole(d drawing) (x, y, w, h uint64) {
	i32 := func(v int) uint64 { return uint64(uint32(int32(v))) }
	_, _, pw, ph := box{0, 0, p.w, p.h}.pixels(d.scale)
	return i32(-d.x), i32(-d.y), i32(max(1, pw)), i32(max(1, ph))
}

// drawForm draws form fields. The environment that PDFium needs for them runs no scripts: this PDFium has none.
func (p *pdfium) drawForm(d drawing, bitmap uint64) error {
	if p.form == 0 {
		if err := p.openForm(); err != nil {
			return err
		}
	}
	x, y, w, h := p.whole(d)
	_, err := p.instance.call("FPDF_FFLDraw", p.form, bitmap, p.page, x, y, w, h, 0, pdfiumAnnotations)
	return err
}

func (p *pdfium) openForm() error {
	size, err := p.instance.call("FPDF_FORMFILLINFO_Size")
	if err != nil {
		return err
	}
	if size == 0 || size > 4096 {
		return fmt.Errorf("%w: FPDF_FORMFILLINFO of %d bytes", errAborted, size)
	}
	info := make([]byte, size) // no callbacks
	binary.LittleEndian.PutUint32(info, 1)
	at, err := p.instance.allocate(len(info), info)
	if err != nil {
		return err
	}
	if p.form, err = p.instance.call("FPDFDOC_InitFormFillEnvironment", p.doc, at); err != nil {
		return err
	}
	if p.form == 0 {
		return fmt.Errorf("%w: no form environment", errAborted)
	}
	_, err = p.instance.call("FORM_OnAfterLoadPage", p.page, p.form)
	return err
}

// toRGB converts pixels of blue, green, red and an unused byte to red, green and blue.
func toRGB(to, src []byte) {
	for i, j := 0, 0; i+2 < len(to); i, j = i+3, j+4 {
		to[i], to[i+1], to[i+2] = src[j+2], src[j+1], src[j]
	}
}

// toLuminance converts such pixels to gray, with the weights of ITU-R BT.601. Most of a page is white.
func toLuminance(to, src []byte) {
	const white = 0x00ffffff_00ffffff
	src = src[:4*len(to)]
	i := 0
	for ; i+8 <= len(to); i += 8 {
		p, q := src[4*i:][:32:32], to[i:][:8:8]
		a, b := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		c, d := binary.LittleEndian.Uint64(p[16:]), binary.LittleEndian.Uint64(p[24:])
		if a&b&c&d&white == white {
			binary.LittleEndian.PutUint64(q, math.MaxUint64)
			continue
		}
		for k := range q {
			q[k] = luminance(binary.LittleEndian.Uint32(p[4*k:]))
		}
	}
	for ; i < len(to); i++ {
		to[i] = luminance(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

// whiten makes all pixels white. FPDFBitmap_FillRect takes several times as long.
func whiten(pix []byte) {
	for i := range pix[:min(len(pix), 4<<10)] {
		pix[i] = 0xff
	}
	for n := 4 << 10; n < len(pix); n += copy(pix[n:], pix[:4<<10]) {
	}
}

func luminance(p uint32) byte { return byte((29*(p&0xff) + 150*(p>>8&0xff) + 77*(p>>16&0xff)) >> 8) }
