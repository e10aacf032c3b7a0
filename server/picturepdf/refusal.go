package picturepdf

import (
	"errors"

	"tcode/offline/host/sandbox"
	"tcode/scanner/tiffpage"
	"tcode/server/fault"
)

// Reasons why a picture does not become a PDF.
var (
	errDamaged = errors.New("damaged")
	errCut     = errors.New("cut off")
	errVariant = errors.New("variant that is not read")
	errPixels  = errors.New("too many pixels")
	errMemory  = errors.New("too much memory")
	errFrames  = errors.New("too many pages")
	errTotal   = errors.New("too many pixels on all pages")
	errOutput  = errors.New("the PDF is too large")
	errKind    = errors.New("neither PNG, JPEG nor TIFF")
)

// A reason is the cause of a refusal: its name in the child's answer, and the client's fault.
type reason struct {
	err     error
	code    string // of the sandbox.TaskError
	kind    fault.Kind
	answer  string // fault code
	message string
}

var reasons = []reason{
	{errCut, "cut", fault.Invalid, fault.CodeInvalidPDF, "the picture is cut off: its end is missing; send it whole, or make it anew"},
	{errVariant, "variant", fault.Invalid, fault.CodeInvalidPDF, "the picture is of a variant that cannot be read; save it as PDF, PNG or a usual JPEG, or several pages as TIFF with Group 4 or LZW"},
	{tiffpage.ErrFax, "fax", fault.Invalid, fault.CodeInvalidPDF, "the TIFF picture is a fax of a kind that is not read: Group 3 in two dimensions, with fill bits or without end-of-line codes; save it as PDF, or as TIFF with Group 4"},
	{tiffpage.ErrPlanes, "planes", fault.Invalid, fault.CodeInvalidPDF, "the TIFF picture has its colours in separate planes, which is not read; save it as PDF, or as TIFF with its colours together"},
	{tiffpage.ErrBitOrder, "bits", fault.Invalid, fault.CodeInvalidPDF, "the TIFF picture has bytes whose bits are in reversed order (FillOrder 2), which is read of faxes alone; save it as PDF, or as TIFF with Group 4 or LZW"},
	{errKind, "kind", fault.Invalid, fault.CodeInvalidPDF, "the file is neither a PDF nor a PNG, JPEG or TIFF picture"},
	{errPixels, "pixels", fault.TooLarge, fault.CodePayloadTooLarge, "the picture has more than 60 million pixels on a page"},
	{errMemory, "memory", fault.TooLarge, fault.CodePayloadTooLarge, "the picture takes too much memory to decode; save it with fewer pixels, in 8 bits a sample, and not progressive or interlaced"},
	{errFrames, "frames", fault.Rejected, fault.CodePDFNotStampable, "the picture has more than 500 pages"},
	{errTotal, "total", fault.TooLarge, fault.CodePayloadTooLarge, "the pages of the picture have more than 1,000 million pixels together"},
	{errOutput, "output", fault.TooLarge, fault.CodePayloadTooLarge, "the PDF of the picture would have more than 25 MiB; save the picture as JPEG or with fewer pixels"},
	{errDamaged, "damaged", fault.Invalid, fault.CodeInvalidPDF, "the picture is damaged; open it in another program and save it as PNG or JPEG, or make it anew"},
}

// codeOf names err for the parent.
func codeOf(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.code
		}
	}
	return "damaged"
}

// refusal turns an error of the pool into the client's fault. If the child died, this picture is the cause: the pool
// starts another child for the next one.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	if task, ok := errors.AsType[*sandbox.TaskError](err); ok {
		for _, r := range reasons {
			if r.code == task.Code {
				return fault.New(r.kind, r.answer, "%s", r.message).WithField("pdf", "%s", r.message).WithErr(err)
			}
		}
	}
	for _, died := range []error{sandbox.ErrCrashed, sandbox.ErrTimeout, sandbox.ErrMemory} {
		if errors.Is(err, died) {
			const message = "the picture takes too much work to read"
			return fault.New(fault.Invalid, fault.CodeInvalidPDF, message).WithField("pdf", message).WithErr(err)
		}
	}
	return err
}
