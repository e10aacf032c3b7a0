package picturepdf

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// noFolder keeps pdfcpu from looking for its settings: a child has no files.
var noFolder = sync.OnceFunc(func() { model.ConfigPath = "disable" })

// assemble returns the PDF of sheets.
func assemble(sheets []sheet) ([]byte, error) {
	noFolder()
	x, err := pdfcpu.CreateXRefTableWithRootDict()
	if err != nil {
		return nil, err
	}
	tree := types.Dict{"Type": types.Name("Pages"), "Count": types.Integer(len(sheets))}
	above, err := x.IndRefForNewObject(tree)
	if err != nil {
		return nil, err
	}
	kids, size := types.Array{}, 0
	for _, s := range sheets {
		page, err := s.page(x, *above)
		if err != nil {
			return nil, err
		}
		kids, size = append(kids, *page), size+len(s.data)
	}
	tree["Kids"] = kids
	root, err := x.Catalog()
	if err != nil {
		return nil, err
	}
	root["Pages"] = *above
	version := model.V20 // which has no dates; the contents are of 1.5
	x.RootVersion, x.HeaderVersion = nil, &version
	conf := model.NewDefaultConfiguration()
	conf.WriteObjectStream, conf.WriteXRefStream = false, false
	var out bytes.Buffer
	out.Grow(size + 2048*(len(sheets)+1))
	ctx := pdfcpu.CreateContext(x, conf)
	ctx.Write.Writer = bufio.NewWriter(&out)
	if err := errors.Join(pdfcpu.WriteContext(ctx), ctx.Write.Flush()); err != nil {
		return nil, fmt.Errorf("write the PDF: %w", err)
	}
	return settled(out.Bytes())
}

// page adds a page with the picture s to x.
func (s sheet) page(x *model.XRefTable, above types.IndirectRef) (*types.IndirectRef, error) {
	image, err := x.IndRefForNewObject(s.image())
	if err != nil {
		return nil, err
	}
	contents, err := x.IndRefForNewObject(stream(types.Dict{}, s.contents()))
	if err != nil {
		return nil, err
	}
	w, h := s.size()
	return x.IndRefForNewObject(types.Dict{
		"Type": types.Name("Page"), "Parent": above, "Contents": *contents,
		"MediaBox":  types.Array{types.Integer(0), types.Integer(0), types.Float(w), types.Float(h)},
		"Resources": types.Dict{"XObject": types.Dict{"Im0": *image}},
	})
}

// image returns the image of s.
func (s sheet) image() types.StreamDict {
	space := types.Name(model.DeviceRGBCS)
	if s.colours == 1 {
		space = model.DeviceGrayCS
	}
	d := types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Image"), "Width": types.Integer(s.width), "Height": types.Integer(s.height),
		"BitsPerComponent": types.Integer(s.bits), "ColorSpace": space, "Filter": types.Name(s.filter),
	}
	if s.filter == flate {
		d["DecodeParms"] = types.Dict{
			"Predictor": types.Integer(15), "Colors": types.Integer(s.colours), "BitsPerComponent": types.Integer(s.bits), "Columns": types.Integer(s.width),
		}
	}
	return stream(d, s.data)
}

// stream returns a stream of data that is encoded already.
func stream(d types.Dict, data []byte) types.StreamDict {
	n := int64(len(data))
	d["Length"] = types.Integer(n)
	return types.StreamDict{Dict: d, Raw: data, StreamLength: &n}
}

// Where a file of pdfcpu differs from run to run, and what its header says.
var (
	headerBefore, headerAfter = []byte("%PDF-2.0"), []byte("%PDF-1.5")
	beforeID                  = []byte("/ID[<")
)

// idDigits is the length of one file identifier in hexadecimal.
const idDigits = 32

// settled gives the PDF the version of its contents, and identifiers that depend on its bytes alone; pdfcpu takes them
// from the clock.
func settled(pdf []byte) ([]byte, error) {
	at := bytes.LastIndex(pdf, beforeID) + len(beforeID)
	first, second := at, at+idDigits+len("> <")
	if at < len(beforeID) || second+idDigits > len(pdf) || !bytes.HasPrefix(pdf, headerBefore) {
		return nil, errors.New("pdfcpu wrote no version or no identifiers where they are expected")
	}
	copy(pdf, headerAfter)
	clear(pdf[first : first+idDigits])
	clear(pdf[second : second+idDigits])
	sum := sha256.Sum256(pdf)
	id := fmt.Appendf(nil, "%X", sum[:idDigits/2])
	copy(pdf[first:], id)
	copy(pdf[second:], id)
	return pdf, nil
}
