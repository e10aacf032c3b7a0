package pdfstamp

import (
	"errors"
	"fmt"

	"tcode/offline/host/sandbox"
	"tcode/server/fault"
)

// A reason is the cause of a refusal: its name in the child's answer, and the client's
// fault.
type reason struct {
	err     error
	code    string // of the sandbox.TaskError
	kind    fault.Kind
	answer  string // fault code
	message string
}

// reasons is every refusal of [Stamper.Stamp], the first that fits counts.
var reasons = []reason{
	{errPassword, "password", fault.Invalid, fault.CodeInvalidPDF, "the PDF needs a password to be opened"},
	{errHandler, "handler", fault.Rejected, fault.CodePDFNotStampable, "the PDF is encrypted in a way that only its own software opens"},
	{errForbidden, "forbidden", fault.Rejected, fault.CodePDFNotStampable, "the PDF's permissions forbid changes to its pages"},
	{errCertified, "certified", fault.Rejected, fault.CodePDFNotStampable, "the PDF is certified by its author and forbids changes"},
	{errLocked, "locked", fault.Rejected, fault.CodePDFNotStampable, "a signature locks the document against changes"},
	{errTooManyPages, "pages", fault.Rejected, fault.CodePDFNotStampable, "the PDF has more than 500 pages"},
	{errNoSuchPage, "page", fault.Rejected, fault.CodePDFNotStampable, "the placement names no page of the PDF"},
	{errUnclear, "unclear", fault.Rejected, fault.CodePDFNotStampable, "the page's resources are damaged, so that viewers do not agree on what it shows; saving the PDF anew may repair it"},
	{errPageSize, "size", fault.Rejected, fault.CodePDFNotStampable, "the page is so large that no scanner reads the stamp: at most 60 million square points, as 2,730 x 2,730 mm"},
	{errNoRoom, "room", fault.Rejected, fault.CodePDFNotStampable, "the page is too small for the stamp"},
	{errNoTextRoom, "text", fault.Rejected, fault.CodePDFNotStampable, "the caption does not fit beside the stamp, not even in small print"},
	{errPlacement, "placement", fault.Rejected, fault.CodePDFNotStampable, "the placement gives no symbol that can be drawn"},
	{errTooComplex, "complex", fault.Rejected, fault.CodePDFNotStampable, "the PDF takes too much work to read"},
	{errNotPDF, "format", fault.Invalid, fault.CodeInvalidPDF, "the file is neither a PDF nor a PNG, JPEG or TIFF picture"},
	{errNoPages, "empty", fault.Invalid, fault.CodeInvalidPDF, "the PDF has no pages"},
	{errCutOff, "cut", fault.Invalid, fault.CodeInvalidPDF, "the PDF is cut off: its end is missing"},
	{errXref, "xref", fault.Invalid, fault.CodeInvalidPDF, "the PDF is damaged: its cross-reference leads to no pages; saving it anew may repair it"},
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

// onPage returns which page message is about, or 0. It takes only the number of the child's
// own words.
func onPage(message string) (page int) {
	var n int
	if _, err := fmt.Sscanf(message, "page %d:", &n); err != nil || n < 1 || n > MaxPages {
		return 0
	}
	return n
}

// refusal turns an error of the pool into the client's fault. If the child died, this
// file is the cause: the pool starts another child for the next file.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	if task, ok := errors.AsType[*sandbox.TaskError](err); ok {
		for _, r := range reasons {
			if r.code == task.Code {
				said := fault.Say("%s", r.message)
				if n := onPage(task.Message); n > 0 {
					said = fault.Say(r.message+" (page %d)", n)
				}
				return fault.New(r.kind, r.answer, "%s", said).WithErr(err)
			}
		}
		return fault.New(fault.Invalid, fault.CodeInvalidPDF, "the PDF is damaged").WithErr(err)
	}
	if errors.Is(err, sandbox.ErrCrashed) || errors.Is(err, sandbox.ErrTimeout) || errors.Is(err, sandbox.ErrMemory) {
		return fault.New(fault.Rejected, fault.CodePDFNotStampable, "the PDF takes too much work to read").WithErr(err)
	}
	return err
}
