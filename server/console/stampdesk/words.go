package stampdesk

import (
	"errors"
	"fmt"
	"net/http"

	"tcode/offline/geometry"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
)

// A pair is a short text and a longer one.
type pair struct{ Title, Text string }

// words are the words of these screens, in one language. The comments name the values that
// are filled in.
type words struct {
	Language string

	Stamp, Placements, DropTitle, DropText, Choose, Many, Bulk, Upload, OpenFiles, Until string // DropText with %d: MiB

	StampButton, SaveAs, SaveChange, LookAgain, Change, Forget, Working string

	Template, NoTemplate, DocumentType, ChooseType, TdocTemplate, NoTdoc, Load, Name, External, ExternalHint string
	Signed, Stored, Optional, Test, TestHint, Mails                                                          string

	PageOf, PageBefore, PageNext, Smaller, Larger, WholePage, NotOnPage, PagePicture, BoxLabel, Keys, Tinted string // PageOf with %d %d

	FileFacts string // with %d pages, width and height %s, %d KiB
	SampleIs  string

	Grade, Module, Quiet, QuietOrMore, Ink, Reads, ReadsNot, Spare, Modules, Free, SymbolAt, OnPages string // SymbolAt with 3 %s
	Grades                                                                                           map[string]pair
	Refusals                                                                                         map[string]string
	RefusedText, Nearest, NoPlace, KeepHere                                                          string

	Ground, GroundField, GroundSignature, GroundAnnotation, GroundStamp string // with page %d, and %s

	Place, At, AtMargins, AtPoint, FromLeft, FromTop, Size, SizeHint, Height, Anchor, PagesLabel, Custom, CustomHint, Clash, Turned, WhiteBox, Caption, CaptionHint, LinkQR, LinkHint string
	More, Margins, Top, Right, Bottom, Left, Padding, Opacity, QuietLabel, ModuleLabel, DPILabel, RenderingLabel, CaptionText, CaptionSide, CaptionFont, CaptionRef                   string
	AnchorWords, ScopeWords, PolicyWords, RenderingWords, SideWords                                                                                                                   map[string]string

	SaveTitle, TemplateName, TemplateText, LoadedIs string

	Done, ReadBack, Reference, File, Document, Download, OpenStamp, Another, AnotherText, Mailed, Notes string
	Dones                                                                                               map[string]string

	EmptyTitle, EmptyText, NewTemplate, Edit, Archive, Changed, Where, ArchiveTitle, ArchiveText, NotTheName string

	Problems, Needed, Between, NotStamped, Duplicate, TooLarge, NoFile, NotPDF, Quota, Entitled, Stale string // Between with 2 %s, Duplicate with %s
	Gone                                                                                               pair
}

var lexicon = frame.Lexicon[words]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}

// note returns a message of these screens.
func note(of func(*words) *pair) func(*frame.Words) frame.Note {
	return func(t *frame.Words) frame.Note {
		p := of(lexicon.Of(t.Language))
		return frame.Note{Title: p.Title, Text: p.Text}
	}
}

// between says which numbers a member takes.
func (t *words) between(least, most float64) string {
	return fmt.Sprintf(t.Between, mm(least), mm(most))
}

// problem says why a request was refused as a whole.
func (t *words) problem(err error) string {
	var large *http.MaxBytesError
	f := fault.As(err)
	switch {
	case errors.As(err, &large), f.Kind == fault.TooLarge:
		return t.TooLarge
	case len(f.Fields["file"]) > 0:
		return t.NoFile
	case f.Code == fault.CodeInvalidPDF:
		return t.NotPDF
	case f.Reason == fault.ReasonQuotaExceeded:
		return t.Quota
	case f.Reason == fault.ReasonNotEntitled:
		return t.Entitled
	case f.Code == fault.CodePreconditionFailed, f.Code == fault.CodeNotFound:
		return t.Stale
	}
	if s, ok := t.Refusals[f.Code]; ok {
		return s
	}
	return t.Refusals["other"]
}

// clash describes an obstacle under a stamp.
func (t *words) clash(c stamp.Collision) string {
	switch c.Kind {
	case stamp.KindInk:
		return fmt.Sprintf(t.Ground, c.Page, tenth(c.InkPercent))
	case geometry.KindStamp:
		return fmt.Sprintf(t.GroundStamp, c.Page, c.Name)
	case "annotation":
		return fmt.Sprintf(t.GroundAnnotation, c.Page, c.Name)
	case "signature field":
		return fmt.Sprintf(t.GroundSignature, c.Page, c.Name)
	}
	return fmt.Sprintf(t.GroundField, c.Page, c.Name)
}
