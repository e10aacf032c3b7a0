package raster

import (
	"bytes"
	"encoding/binary"

	"tcode/scanner/pdfobj"
)

// userUnit returns the UserUnit of page n, from 0: points per unit of its user space (ISO 32000-1, table 30). PDFium
// does not apply it and has no function that returns it. So PDFium copies the page to a new document and writes
// that, only for files that use the entry somewhere.
func (p *pdfium) userUnit(n int) (float64, error) {
	if p.units == nil {
		uses := usesUserUnit(p.file)
		p.units = &uses
	}
	if !*p.units {
		return 1, nil
	}
	b, err := p.alone(n)
	if err != nil {
		return 0, err
	}
	unit, objects := any(nil), map[pdfobj.Ref]any{}
	pdfobj.Scan(b, func(o pdfobj.Object) {
		objects[pdfobj.Ref(o.Num)] = o.Value
		if d := o.Dict(); d.Name("Type") == "Page" {
			unit = d["UserUnit"]
		}
	})
	if to, ok := unit.(pdfobj.Ref); ok {
		unit = objects[to]
	}
	switch v := unit.(type) {
	case int:
		return positive(float64(v)), nil
	case float64:
		return positive(v), nil
	}
	return 1, nil
}

// positive returns v, or 1 if v is no valid size.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return 1
}

// usesUserUnit reports whether a page of file has a UserUnit.
func usesUserUnit(file []byte) bool {
	if bytes.Contains(file, []byte("/UserUnit")) {
		return true
	}
	if !bytes.Contains(file, []byte("ObjStm")) {
		return false
	}
	uses := false
	pdfobj.Scan(file, func(o pdfobj.Object) { uses = uses || o.Dict().Has("UserUnit") })
	return uses
}

// alone returns a document that has only page n.
func (p *pdfium) alone(n int) ([]byte, error) {
	doc, err := p.instance.call("FPDF_CreateNewDocument")
	if err != nil {
		return nil, err
	}
	index, err := p.instance.allocate(4, binary.LittleEndian.AppendUint32(nil, uint32(n)))
	if err != nil {
		return nil, err
	}
	if _, err := p.instance.call("FPDF_ImportPagesByIndex", doc, p.doc, index, 1, 0); err != nil {
		return nil, err
	}
	to, err := p.instance.call("FPDF_FILEWRITE_Create")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	p.instance.outside.written = &b
	_, err = p.instance.call("FPDF_SaveAsCopy", doc, to, 0)
	p.instance.outside.written = nil
	if err != nil {
		return nil, err
	}
	for _, at := range []uint64{index, to} {
		if _, err := p.instance.call("free", at); err != nil {
			return nil, err
		}
	}
	_, err = p.instance.call("FPDF_CloseDocument", doc)
	return b.Bytes(), err
}
