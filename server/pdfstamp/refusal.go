package pdfstamp

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"tcode/offline/geometry"
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
	{errAsText, "astext", fault.Rejected, fault.CodePDFNotStampable, "the PDF was changed as text on its way, so that its contents cannot be decoded: send its bytes unchanged, not as UTF-8 or ASCII, and without conversion of line ends"},
	{errContents, "contents", fault.Rejected, fault.CodePDFNotStampable, "the contents of the page cannot be decoded, so that it shows nothing of them; make the PDF anew"},
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

// A tightError has the lengths of what does not fit, for [errNoRoom] and [errNoTextRoom].
type tightError struct {
	err         error
	takes, left geometry.Size // mm
	fits        float64       // mm, the modules for which there is room; of a caption its font, pt
}

// tightForm is the message of a tightError, behind its page.
const tightForm = "takes %.2f x %.2f mm of %.2f x %.2f mm, %.3f"

func (e *tightError) Error() string {
	up := func(v float64) float64 { return math.Ceil(v*100-1e-6) / 100 }
	down := func(v float64) float64 { return math.Floor(max(v, 0)*100) / 100 }
	return fmt.Sprintf(tightForm, up(e.takes.Width), up(e.takes.Height), down(e.left.Width), down(e.left.Height), max(e.fits, 0))
}

func (e *tightError) Unwrap() error { return e.err }

// sized returns the sentence about what does not fit with its lengths. It takes the numbers of
// the child's own words alone; ok is false for any others.
func (r reason) sized(message string) (said fault.Text, ok bool) {
	var page int
	var v [5]float64
	form := strings.NewReplacer(".2f", "f", ".3f", "f").Replace("page %d: " + tightForm)
	if _, err := fmt.Sscanf(message, form, &page, &v[0], &v[1], &v[2], &v[3], &v[4]); err != nil || onPage(message) == 0 {
		return said, false
	}
	for _, length := range v {
		if !(length >= 0 && length < maxPoints) {
			return said, false
		}
	}
	takes, left := fmt.Sprintf("%g x %g", v[0], v[1]), fmt.Sprintf("%g x %g", v[2], v[3])
	switch r.err {
	case errNoRoom:
		return fault.Say("the page is too small for the stamp (page %d): it takes %s mm, the page or the bounds of the template have %s mm; modules of %.3g mm fit, and scanners read those of %g mm and more",
			page, takes, left, v[4], geometry.LeastModuleMM(geometry.Size{}, geometry.ScanDPI)), true
	case errNoTextRoom:
		return fault.Say("the caption does not fit beside the stamp, not even in small print (page %d): in %g pt it takes %s mm, %s mm are left",
			page, v[4], takes, left), true
	}
	return said, false
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
				said, sized := r.sized(task.Message)
				if !sized {
					said = fault.Say("%s", r.message)
					if n := onPage(task.Message); n > 0 {
						said = fault.Say(r.message+" (page %d)", n)
					}
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
