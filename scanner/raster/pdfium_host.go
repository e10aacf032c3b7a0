package raster

import (
	"context"
	"errors"
	_ "unsafe" // for go:linkname

	_ "github.com/klippa-app/go-pdfium/webassembly" // holds the module
	"github.com/tetratelabs/wazero/api"
)

// pdfiumWasm is PDFium as go-pdfium embeds it. go-pdfium offers it only through a pool of instances that can access
// the host's file system, with 500 functions that this package does not need.
//
//go:linkname pdfiumWasm github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var pdfiumWasm []byte

// thePDFium can read the document and write the pages that this package requests, nothing else. Its memory holds the
// document, the decoded images and the bitmap.
var thePDFium = &wasmLibrary{
	name: "PDFium",
	module: func() ([]byte, error) {
		if len(pdfiumWasm) == 0 {
			return nil, errors.New("go-pdfium holds no module")
		}
		return pdfiumWasm, nil
	},
	memory: 256 << 20,
	first:  "FPDF_InitLibrary",
	host:   map[string]api.GoModuleFunc{"FPDF_FILEACCESS_CB": readDocument, "FPDF_FILEWRITE_CB": takeWritten},
}

// maxWritten is the number of bytes that an instance may write.
const maxWritten = 8 << 20

// readDocument copies a part of the document for PDFium. Its arguments are parameter, position, destination and
// length; it returns 1.
func readDocument(ctx context.Context, m api.Module, stack []uint64) {
	file := ctx.Value(outsideKey{}).(*outside).document
	from, to, n := uint64(uint32(stack[1])), uint32(stack[2]), uint64(uint32(stack[3]))
	stack[0] = 0
	if from+n <= uint64(len(file)) && m.Memory().Write(to, file[from:from+n]) {
		stack[0] = 1
	}
}

// takeWritten takes bytes that PDFium writes. Its arguments are parameter, source and length; it returns 1.
func takeWritten(ctx context.Context, m api.Module, stack []uint64) {
	to := ctx.Value(outsideKey{}).(*outside).written
	b, ok := m.Memory().Read(uint32(stack[1]), uint32(stack[2]))
	stack[0] = 0
	if ok && to != nil && to.Len()+len(b) <= maxWritten {
		to.Write(b)
		stack[0] = 1
	}
}
