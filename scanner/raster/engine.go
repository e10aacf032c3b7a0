package raster

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"tcode/offline/host/sandbox"
)

// Engine names a renderer of PDF pages. Image files are decoded in the same way with each of them.
type Engine string

// MuPDF is linked through cgo. PDFium is a WebAssembly module that runs under wazero, in every build.
const (
	MuPDF  Engine = "mupdf"
	PDFium Engine = "pdfium"
)

// Name returns the engine's name as its makers write it.
func (e Engine) Name() string {
	if e == PDFium {
		return "PDFium"
	}
	return "MuPDF"
}

// role returns the sandbox role of e's children. Each engine has its own, so that a child loads only one of
// them.
func (e Engine) role() string {
	if e == PDFium {
		return "raster-pdfium"
	}
	return "raster"
}

// Other returns the other engine, and whether this build has it.
func (e Engine) Other() (Engine, bool) {
	if e == MuPDF {
		return PDFium, true
	}
	return MuPDF, DefaultEngine == MuPDF
}

// Roles returns the sandbox roles of this package for sandbox.Main: one for each engine, and one for images.
func Roles() []sandbox.Role {
	return []sandbox.Role{
		{Name: MuPDF.role(), Serve: server{openMuPDFDocument}.serve},
		{Name: PDFium.role(), Prepare: preparePDFium, Serve: server{openPDFiumDocument}.serve},
		{Name: pictureRole, Serve: server{openNoPDF}.serve},
	}
}

// pictureRole is the sandbox role of the children that decode images. They load no engine, and their decoders are in Go: a
// file cannot take them over, so a picture is not decoded where a PDF was drawn before.
const pictureRole = "raster-picture"

// pictureKinds are the kinds of their files: those of which every variant has a decoder in Go. MuPDF reads more variants of BMP
// and TIFF.
var pictureKinds = []Kind{PNG, JPEG, GIF, WebP}

// openNoPDF refuses all files.
func openNoPDF([]byte) (renderer, error) { return nil, &Error{Err: ErrUnsupported} }

// options are the settings of [Option] values.
type options struct {
	engine Engine
	cache  string
	slow   func()
}

// Option changes how [New] makes a Rasterizer.
type Option func(*options)

// WithEngine selects the engine that draws PDF pages. The default is [DefaultEngine].
func WithEngine(e Engine) Option { return func(o *options) { o.engine = e } }

// WithCache names the folder that keeps the machine code of PDFium between the starts of children. It is created with
// mode 0700. The default, and the meaning of an empty name, is the folder tcode/pdfium below [os.UserCacheDir].
//
// The children execute the code in the folder before they restrict themselves, so only the user may write to it. A
// Rasterizer does not use a folder that cannot be created, that another user owns or that others may read or write:
// it logs a warning and each child compiles PDFium for itself, which takes seconds.
func WithCache(dir string) Option { return func(o *options) { o.cache = dir } }

// WithSlowStart makes a Rasterizer call tell when a child takes more than a second to start: the first start of PDFium on
// a machine compiles it. tell may be called several times, and by several goroutines.
func WithSlowStart(tell func()) Option { return func(o *options) { o.slow = tell } }

// prepareCache returns the absolute name of the cache folder for the children's argument, or "" if there is none.
func (o options) prepareCache(log *slog.Logger) string {
	dir, err := o.cache, error(nil)
	if dir == "" {
		if dir, err = os.UserCacheDir(); err == nil {
			dir = filepath.Join(dir, "tcode", "pdfium")
		}
	}
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = private(dir)
	}
	if err != nil {
		if log != nil {
			log.Warn("PDFium is compiled at each start of a child: no cache folder", slog.Any("err", err))
		}
		return ""
	}
	return dir
}

// private returns an error unless only the user of this process may write to the folder dir.
func private(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	}
	return ownedByUser(dir, info)
}
